"""`.. room:: learnable.linear` documents every public name of a room on one page, after a table of them all.

Public names are those of `__all__`; without it, what the module itself defines.
"""

import inspect
from importlib import import_module

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

HEADINGS = {"class": "Classes", "function": "Functions"}


class Room(SphinxDirective):
    required_arguments = 1

    def run(self):
        module = import_module(self.arguments[0])
        box = nodes.section()
        box.document = self.state.document
        lines = StringList(list(page(module)), source=module.__file__)
        self.state.nested_parse(lines, self.content_offset, box, match_titles=True)
        return box.children


def page(module):
    name, public = module.__name__, public_names(module)
    yield from (f".. automodule:: {name}", "   :no-members:", "")
    by_kind = {kind: [n for n in public if kind_of(getattr(module, n)) == kind] for kind in (*HEADINGS, "value")}
    for kind, heading in HEADINGS.items():
        if by_kind[kind]:
            yield from (f".. rubric:: {heading}", "", ".. autosummary::", "")
            yield from (f"   {member}" for member in by_kind[kind])
            yield ""
    for member in by_kind["value"]:
        value = getattr(module, member)
        said = (
            f"Holds {', '.join(f'``{label(thing)}``' for thing in value)}." if is_list(value) else value.__doc__ or ""
        )
        yield from (f".. py:data:: {name}.{member}", "", f"   {said.splitlines()[0] if said else ''}", "")
    for member in by_kind["class"]:
        yield from (f".. autoclass:: {name}.{member}", "   :members:", "   :inherited-members:", "")
    for member in by_kind["function"]:
        yield from (f".. autofunction:: {name}.{member}", "")


def is_list(value) -> bool:
    return hasattr(value, "__iter__")


def label(thing) -> str:
    return thing if isinstance(thing, str) else getattr(thing, "__name__", None) or thing.name


def public_names(module) -> list[str]:
    own = [name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__]
    names = getattr(module, "__all__", own)
    return [name for name in names if not name.startswith("_") and not inspect.ismodule(getattr(module, name))]


def kind_of(thing) -> str:
    """A bound of learning theory is an object that is called like a function, so it is shown as one."""
    if inspect.isclass(thing):
        return "class"
    return "function" if callable(thing) else "value"


def setup(app):
    app.add_directive("room", Room)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

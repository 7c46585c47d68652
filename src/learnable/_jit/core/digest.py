"""Which source files a kernel can inline, and the name of their present version.

A kernel inlines other kernels and formulas that its module imports, and the formulas of every kind of loss or penalty
that it is called with: their bodies may stand in files that the module does not import, but those files import the
formula. So the sources of a kernel are all that its module imports within `problems` and `_jit`, directly or not, and
all of `problems` that imports one of those, with what that imports in turn.
"""

import hashlib
import re
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

# Which Python machine code is made for: the ending of its extension modules names its version and kind, and the system.
PYTHON = EXTENSION_SUFFIXES[0]
HOUSE = Path(__file__).parents[2]
ROOMS = ("problems", "_jit")

_IMPORT = re.compile(
    r"^[ \t]*(?:from|import)[ \t]+(learnable\.(?:_jit|problems)[\w.]*)(?:[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+))?", re.M
)


def digest(module: str, compiler: str) -> str:
    """Name of this version of everything that a kernel of `module` can inline.

    >>> digest("learnable._jit.linear.perceptron", "1.0") == digest("learnable._jit.linear.perceptron", "1.1")
    False
    """
    text = hashlib.blake2b(f"{PYTHON} {compiler} {module}".encode(), digest_size=8)
    outside = sys.modules.get(module)
    if module not in _files() and outside is not None and getattr(outside, "__file__", None):
        text.update(Path(outside.__file__).read_bytes())  # type: ignore[arg-type]
    text.update(_inlined(module))
    return text.hexdigest()


@cache
def _inlined(module: str) -> bytes:
    """Names and contents of what a kernel of `module` can inline, in short."""
    return b"".join(name.encode() + _short(name) for name in sorted(sources(module)))


@cache
def _short(module: str) -> bytes:
    return hashlib.blake2b(_content(module), digest_size=16).digest()


def sources(module: str) -> frozenset[str]:
    """The modules that a kernel of `module` can inline; all of both rooms for a kernel that lives elsewhere.

    >>> "learnable.problems.sparse.folded_penalties" in sources("learnable._jit.sparse.coordinate_descent")
    True
    >>> "learnable._jit.sequences.hmm" in sources("learnable._jit.sparse.coordinate_descent")
    False
    """
    if module not in _files():
        return frozenset(_files())
    reached = _reached(module)
    formulas = {name for name in reached if name.startswith("learnable.problems.")}
    bodies = [name for name in _files() if name.startswith("learnable.problems.") and _reached(name) & formulas]
    return reached.union(*map(_reached, bodies))


@cache
def _reached(module: str) -> frozenset[str]:
    """The module and what it imports, directly or not."""
    reached: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(_imports(name))
    return frozenset(reached)


@cache
def _content(module: str) -> bytes:
    return _files()[module].read_bytes()


@cache
def _files() -> dict[str, Path]:
    """Module name -> file, for every module of the rooms that kernels are made of, at any depth."""
    return {
        ".".join(("learnable", *path.relative_to(HOUSE).with_suffix("").parts)): path
        for room in ROOMS
        for path in (HOUSE / room).rglob("*.py")
    }


@cache
def _imports(module: str) -> frozenset[str]:
    """The modules of these rooms that a module imports by name, read off its text."""
    found = set()
    for origin, names in _IMPORT.findall(_content(module).decode()):
        found.add(origin)
        for name in re.findall(r"\w+", names):
            found.add(f"{origin}.{name}")
    return frozenset(found & set(_files()))

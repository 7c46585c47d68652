"""Which classes of this library a model file may name, read off the installed sources: nothing is imported."""

import ast
from functools import cache
from pathlib import Path

import learnable

# Rooms without estimators; of those named first, public records may stand among the fitted attributes of one.
RECORDS = frozenset({"certificates", "trace", "problems", "features", "datasets"})
_NEITHER = frozenset({"app", "base", "checks", "films", "lab", "rows", "solvers"})
OWN_OBJECTS = {
    "learnable.app.trials.blend": {"ClassBlend", "QuantityBlend"},
    "learnable.app.trials.calibrated": {"Calibrated"},
}


def is_own(loader: str, module: str, name: str) -> bool:
    """Whether `module` defines a public class `name` of the kind that `loader` builds: a record, or an object.

    Public is what the room of the module lists; of the problems, trees and kernels every tuple of numbers and arrays,
    since making one runs no code.

    >>> is_own("ObjectNode", "learnable.sparse.lasso", "Lasso"), is_own("TupleNode", "learnable.sparse.lasso", "Lasso")
    (True, False)
    >>> is_own("ObjectNode", "learnable.sparse.lasso", "np"), is_own("ObjectNode", "os", "system")
    (False, False)
    """
    if loader == "ObjectNode" and name in OWN_OBJECTS.get(module, ()):
        return True
    package, _, rest = module.partition(".")
    room = rest.partition(".")[0]
    if package != "learnable" or not room or room.startswith("_") or room in _NEITHER:
        return False
    is_tuple = _classes(module).get(name)
    if is_tuple is None or is_tuple != (loader == "TupleNode"):
        return False
    return _homes(room).get(name) == module or (is_tuple and room == "problems")


def of_family(module: str) -> bool:
    """Whether a module belongs to a room of estimators."""
    return module.split(".")[1] not in RECORDS | {"app"}


@cache
def _classes(module: str) -> dict[str, bool]:
    """Name of each class that a module of this library defines -> whether it is a tuple."""
    tree = _tree(Path(*module.split(".")[1:]).with_suffix(".py"))
    return {
        node.name: any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in node.bases)
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }


@cache
def _homes(room: str) -> dict[str, str]:
    """Public name of a room -> the module that defines it."""
    tree = _tree(Path(room, "__init__.py"))
    return {
        alias.name: line.module
        for line in ast.walk(tree)
        if isinstance(line, ast.ImportFrom) and line.module is not None
        for alias in line.names
    }


def _tree(file: Path) -> ast.Module:
    """The source of a file of the package, parsed; empty where there is no such file."""
    path = Path(learnable.__path__[0]) / file
    parts = file.with_suffix("").parts
    if not all(part.isidentifier() for part in parts) or not path.is_file():
        return ast.Module([], [])
    return ast.parse(path.read_bytes())

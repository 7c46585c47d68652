"""What a command need not wait for: modules that its libraries import and that it may never use.

scikit-learn imports `scipy.stats` and, where it is installed, pandas; pyarrow imports pandas when it first makes an
array; SciPy asks NumPy for every name it has, `numpy.f2py` too. Together they are half of the processor time of a
prediction. Only the console script does this, whose process is its own.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

NEVER = ("pandas", "coverage", "psutil")
"""Optional to those that import them: our commands read tables themselves, start no processes, and nobody counts which
lines of theirs run."""
LATER = ("scipy.stats", "numpy.f2py", "asyncio")
"""Imported by those that use little of it, seldom: SciPy, NumPy and joblib."""
WHOLE = ("__path__", "__all__")
"""Of the names that every module has, those by which something in it is wanted; the others are asked of all modules."""


class Later(ModuleType):
    """Stands for a module until something in it is wanted."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in WHOLE:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
            _wanted.add(self.__name__)
        return getattr(import_module(self.__name__), name)


_wanted: set[str] = set()


class Spared:
    """Finds no module of the names in `NEVER`, as if they were not installed, and a stand-in for those in `LATER`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name in NEVER:
            raise ModuleNotFoundError(f"{name} is not imported by this command", name=name)
        if name not in LATER or name in _wanted or PathFinder.find_spec(name, path) is None:
            return None
        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = Later


def spare_imports() -> None:
    """From now on they are not imported, or not before they are used."""
    sys.meta_path.insert(0, Spared())  # type: ignore[arg-type]

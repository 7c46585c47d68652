"""What a command need not wait for: modules that its libraries import and that it may never use.

scikit-learn imports `scipy.stats` and, where it is installed, pandas; pyarrow imports pandas when it first makes an
array. Together they are half of the processor time of a prediction. Only the console script does this, whose process
is its own.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

NEVER = ("pandas",)
"""Optional to those that import it; our commands read tables themselves."""
LATER = ("scipy.stats",)


class Later(ModuleType):
    """Stands for a module until something in it is wanted."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


class Refusal:
    """Finds no module of the names in `NEVER`, as if they were not installed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name in NEVER:
            raise ModuleNotFoundError(f"{name} is not imported by this command", name=name)


def spare_imports() -> None:
    """From now on they are not imported, or not before they are used."""
    sys.meta_path.insert(0, Refusal())  # type: ignore[arg-type]
    for name in LATER:
        sys.modules.setdefault(name, Later(name))

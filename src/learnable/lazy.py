"""Rooms whose names are imported when they are first used."""

import ast
import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class LazyRoom(ModuleType):
    """A package that imports each of its public names when that name is first used.

    Its `__init__` writes the imports as ever, but under `if TYPE_CHECKING:`, where type checkers, the import contract
    and this class read them; then `__all__`; then `import_when_used(__name__)`.

    >>> import sys
    >>> import learnable.sparse
    >>> type(sys.modules["learnable.sparse"]).__name__
    'LazyRoom'
    >>> learnable.sparse.Lasso().alpha
    1.0
    """

    _homes: dict[str, str]  # public name -> module that defines it

    def __getattr__(self, name: str) -> Any:
        if name in self._homes:
            value = getattr(import_module(self._homes[name]), name)
            setattr(self, name, value)
            return value
        if f"{self.__name__}.{name}" in self._homes.values():
            return import_module(f"{self.__name__}.{name}")
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        # Python binds a module to its package once it is imported; the function of the same name has the first claim.
        if isinstance(value, ModuleType) and self._homes.get(name) == value.__name__:
            value = getattr(value, name)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *self._homes})


def import_when_used(room: str) -> None:
    """Turn a package that is being imported into a `LazyRoom`."""
    module: Any = sys.modules[room]
    module._homes = _imports(module.__spec__.loader.get_source(room))
    module.__class__ = LazyRoom


def _imports(source: str) -> dict[str, str]:
    """Name -> module, for each `from module import name` within an `if`.

    >>> _imports("if TYPE_CHECKING:\\n    from learnable.theory.sparsity.oracle import slow_rate")
    {'slow_rate': 'learnable.theory.sparsity.oracle'}
    """
    lines = [line for block in ast.parse(source).body if isinstance(block, ast.If) for line in block.body]
    return {
        alias.name: line.module
        for line in lines
        if isinstance(line, ast.ImportFrom) and line.module is not None
        for alias in line.names
    }

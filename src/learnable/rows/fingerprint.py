"""A digest of a function with all that it carries: the same in every process for the same code and the same values."""

import hashlib
import sys
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np


class Unknown(TypeError):
    """A value whose content cannot be told."""


def fingerprint(*values: Any) -> str:
    """A digest of values: numbers, arrays, containers, functions with their closures, objects that can be pickled.

    Functions and classes of modules count by their names, closures by code and content. `Unknown` for what has no
    content to tell, such as an open file.

    Examples
    --------
    >>> def times(k):
    ...     return lambda x: k * x
    >>> fingerprint(times(2)) == fingerprint(times(2)), fingerprint(times(2)) == fingerprint(times(3))
    (True, False)
    """
    found = hashlib.blake2b(digest_size=24)
    _Reader(found.update).read(values)
    return found.hexdigest()


class _Reader:
    def __init__(self, tell: Callable[[bytes], None]) -> None:
        self.tell = tell
        self.met: dict[int, Any] = {}  # the values themselves are kept, lest another one get the id of one of them

    def read(self, value: Any) -> None:
        kind = type(value)
        self.tell(f"<{kind.__module__}.{kind.__qualname__}>".encode())
        if value is None or kind in (bool, int, float, complex, str, bytes):
            self.tell(repr(value).encode())
        elif isinstance(value, type | BuiltinFunctionType | np.ufunc | np.dtype) or self._by_name(value):
            self.tell(str(getattr(value, "__qualname__", value)).encode())
            self.tell(str(getattr(value, "__module__", "")).encode())
        elif isinstance(value, ModuleType):
            self.tell(value.__name__.encode())
        elif id(value) in self.met:
            self.tell(f"#{list(self.met).index(id(value))}".encode())
        else:
            self.met[id(value)] = value
            self._content(value)

    def _content(self, value: Any) -> None:
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            self.tell(f"{value.dtype.str}{value.shape}".encode())
            self.tell(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, np.ndarray | tuple | list):
            for entry in np.shape(value) if isinstance(value, np.ndarray) else (len(value),):
                self.read(entry)
            for entry in value.ravel().tolist() if isinstance(value, np.ndarray) else value:
                self.read(entry)
        elif isinstance(value, dict):
            for key, entry in value.items():
                self.read(key)
                self.read(entry)
        elif isinstance(value, set | frozenset):
            self.read(sorted(map(fingerprint, value)))
        elif isinstance(value, partial):
            self.read((value.func, value.args, value.keywords))
        elif isinstance(value, MethodType):
            self.read((value.__func__, value.__self__))
        elif isinstance(value, FunctionType):
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            known = {name: value.__globals__[name] for name in _names(value.__code__) if name in value.__globals__}
            self.read((value.__module__, value.__qualname__, value.__defaults__, value.__kwdefaults__, cells, known))
            self._code(value.__code__)
        else:
            try:
                self.read(value.__reduce_ex__(4))
            except (TypeError, AttributeError) as error:
                raise Unknown(f"{type(value).__name__}: {error}") from error

    def _code(self, code: CodeType) -> None:
        self.tell(code.co_code)
        self.read((code.co_names, code.co_varnames, code.co_freevars))
        for constant in code.co_consts:
            self._code(constant) if isinstance(constant, CodeType) else self.read(constant)

    @staticmethod
    def _by_name(value: Any) -> bool:
        """Whether it is a function that a module knows by its name."""
        if not isinstance(value, FunctionType) or "<" in value.__qualname__ or value.__module__ == "__main__":
            return False
        found: Any = sys.modules.get(value.__module__)
        for name in value.__qualname__.split("."):
            found = getattr(found, name, None)
        return found is value


def _names(code: CodeType) -> list[str]:
    nested = [name for constant in code.co_consts if isinstance(constant, CodeType) for name in _names(constant)]
    return [*code.co_names, *nested]

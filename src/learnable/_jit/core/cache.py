"""Compiled kernels on disk: never stale, never trusted when damaged, never needed.

A kernel is kept in a folder named by the digest of all it can inline. Where that folder cannot be made or written,
kernels are compiled in every process; a file that is damaged is compiled anew. One warning a process says so.
"""

import hashlib
import os
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.serialize import dumps


def cache_root() -> Path:
    """Where compiled kernels live; `LEARNABLE_CACHE_DIR` moves it."""
    root = os.environ.get("LEARNABLE_CACHE_DIR")
    if root is None:
        root = os.path.join(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "learnable")
    return Path(root) / "kernels"


class KernelCache(FunctionCache):
    """Numba's cache of one function, in our folder and with our files."""

    def __init__(self, function: Callable, version: str):
        self._impl_class = type("_Impl", (CompileResultCacheImpl,), {"_locator_classes": [_at(version)]})
        super().__init__(function)
        base = self._impl.filename_base
        self._cache_file = _CheckedFiles(self._cache_path, base, self._impl.locator.get_source_stamp())

    def load_overload(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # whatever a damaged file makes of the loader
            _say_once(self._cache_path, "a file there is damaged and its kernel was compiled anew", error)
            return None

    def save_overload(self, sig, data):
        try:
            super().save_overload(sig, data)
        except (OSError, pickle.PicklingError) as error:
            _say_once(self._cache_path, "set LEARNABLE_CACHE_DIR to a folder with room that can be written", error)


def _at(version: str) -> type[_CacheLocator]:
    """A place for the kernels of one version of their sources."""

    class Place(_CacheLocator):
        def __init__(self, function):
            self.line = function.__code__.co_firstlineno

        @classmethod
        def from_function(cls, function, file):
            return cls(function)

        def get_cache_path(self):
            return str(cache_root() / version)

        def get_source_stamp(self):
            return version

        def get_disambiguator(self):
            return str(self.line)

    return Place


class _CheckedFiles(IndexDataCacheFile):
    """Files with a checksum in front: machine code is not run on trust."""

    def _load_index(self):
        try:
            return super()._load_index()
        except (OSError, EOFError, ValueError, AttributeError, ImportError, pickle.UnpicklingError) as error:
            _say_once(self._cache_path, "its index is damaged and kernels are compiled anew", error)
            return {}

    def _load_data(self, name):
        content = Path(self._data_path(name)).read_bytes()
        checksum, data = content[:16], content[16:]
        if hashlib.blake2b(data, digest_size=16).digest() != checksum:
            raise ValueError(f"{name} does not match its checksum")
        return pickle.loads(data)

    def _save_data(self, name, data):
        data = dumps(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.blake2b(data, digest_size=16).digest() + data)


_said = False


def _say_once(folder: Any, remedy: str, error: Exception) -> None:
    global _said
    if not _said:
        _said = True
        warnings.warn(
            f"learnable's cache of compiled kernels in {folder} could not be used ({type(error).__name__}: {error}); "
            f"{remedy}. Results are not affected, only the time before the first one",
            RuntimeWarning,
            stacklevel=2,
        )

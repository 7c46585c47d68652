"""Compiled kernels on disk: never stale, never trusted when damaged, never needed.

A kernel is kept in a folder named by the digest of all it can inline. Where that folder cannot be made or written,
kernels are compiled in every process; a file that is damaged is compiled anew. One warning a process says so.
Kernels that came with the package (`ready.py`) are read where that folder has none.
"""

import hashlib
import io
import pickle
import sys
import warnings
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from numba.core import entrypoints
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.environment import Environment, lookup_environment
from numba.core.serialize import dumps

from learnable._jit.core.one_process import hold, let_go
from learnable._jit.core.ready import ready_root, shared
from learnable._jit.core.runtime import cache_root, start_runtime


class CacheWhenUsed:
    """The cache of one kernel, made when it is first asked: a process runs few of the kernels that it imports.

    The digest is that of the sources at the time of the import, whatever happens to them later.
    """

    def __init__(self, function: Callable, version: str):
        self.function, self.version = function, version

    @cached_property
    def made(self) -> "KernelCache":
        return KernelCache(self.function, self.version)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.made, name)


class KernelCache(FunctionCache):
    """Numba's cache of one function, in our folder and with our files."""

    def __init__(self, function: Callable, version: str):
        place = {"_locator_classes": [_at(version)]}
        self._impl_class = type("_Impl", (_MachineCode,), place)  # type: ignore[assignment]
        super().__init__(function)
        base = self._impl.filename_base
        self._cache_file = _CheckedFiles(self._cache_path, base, self._impl.locator.get_source_stamp())

    def load_overload(self, sig, target_context):
        """The kernel from disk, or None.

        Numba would first make its whole compiler ready, most of the time before a first fit. Machine code needs only
        its runtime; the compiler is made ready where there is something to compile.
        """
        start_runtime(target_context)
        found = self._on_disk(sig, target_context)
        if found is None and hold(self._lock_of(sig, target_context)):
            found = self._on_disk(sig, target_context)
            let_go()  # who has waited in vain, for a process that was killed or a full disk, keeps nobody waiting
        if found is None:
            _announce(self._py_func.__name__)
            entrypoints.init_all()
        return found

    def _on_disk(self, sig, target_context):
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception as error:  # whatever a damaged file makes of the loader
            _say_once(self._cache_path, "a file there is damaged and its kernel was compiled anew", error)
        return None

    def _lock_of(self, sig, target_context) -> Path:
        files: Any = self._cache_file
        file = files._path(self._cache_path, self._index_key(sig, target_context.codegen()))
        return file.with_name(file.name + ".lock")

    def save_overload(self, sig, data):
        try:
            super().save_overload(sig, data)
        except (OSError, pickle.PicklingError) as error:
            _say_once(self._cache_path, "set LEARNABLE_CACHE_DIR to a folder with room that can be written", error)


class _MachineCode(CompileResultCacheImpl):
    """Reads machine code, which is all that is kept (`inlined.py`)."""

    def rebuild(self, target_context, payload):
        _, description, *_ = payload
        # Numba looks for symbols in the bitcode; those asked for are the function, its wrappers and its constants.
        target_context.codegen()._engine._defined_symbols |= {
            description.llvm_func_name, description.llvm_cpython_wrapper_name, description.llvm_cfunc_wrapper_name,
            description.env_name,
        }  # fmt: skip
        return super().rebuild(target_context, payload)


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
    """One file a signature: a checksum, the key it was compiled for, the machine code.

    Nothing there is run on trust. There is no index, so that processes that compile different signatures at the same
    time cannot take each other's file for their own.
    """

    def load(self, key):
        own = self._read(self._cache_path, key)
        if own is not None:
            return own
        signature, processor, code = key
        any_such = shared(processor)
        return None if any_such is None else self._read(ready_root() / self._source_stamp, (signature, any_such, code))

    def save(self, key, data):
        data = dumps((key, data))
        with self._open_for_write(self._path(self._cache_path, key)) as file:
            file.write(hashlib.blake2b(data, digest_size=16).digest() + data)

    def _read(self, folder: str | Path, key: tuple) -> Any:
        path = self._path(folder, key)
        try:
            content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        checksum, data = content[:16], content[16:]
        if hashlib.blake2b(data, digest_size=16).digest() != checksum:
            raise ValueError(f"{path} does not match its checksum")
        compiled_for, compiled = _Unpickler(io.BytesIO(data)).load()
        return compiled if compiled_for == key else None

    def _path(self, folder: str | Path, key: tuple) -> Path:
        name = hashlib.blake2b(repr(key).encode(), digest_size=8).hexdigest()
        return Path(folder, self._data_name_pattern.format(number=int(name, 16)))


class _Unpickler(pickle.Unpickler):
    """Reads a kernel without importing the modules of the functions that were inlined in it.

    Machine code asks its environments for constants (exceptions to raise), never for the names of a module.
    """

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("numba.core.environment", "_rebuild_env"):
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: list, name: str) -> Environment:
    known = lookup_environment(name)
    if known is not None:
        return known
    loaded = sys.modules.get(module)
    made = Environment({"__name__": module} if loaded is None else vars(loaded))
    made.consts[:] = constants
    made.env_name = name
    Environment._memo[name] = made
    return made


_said = _announced = False


def _announce(name: str) -> None:
    """One line a process for whoever waits at a terminal: what takes so long, and that it does so once."""
    global _announced
    if not _announced and sys.stderr is not None and sys.stderr.isatty():
        _announced = True
        sys.stderr.write(f"learnable: preparing {name} and what it calls for this processor; kept in {cache_root()}\n")


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

"""Numba's own runtime, kept on disk like a kernel: compiling it takes longer than reading several of those."""

import hashlib
import os
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import nrtdynmod, rtsys

from learnable._jit.core.ready import Processor, ready_root, shared


def cache_root() -> Path:
    """Where compiled kernels live; `LEARNABLE_CACHE_DIR` moves it."""
    root = os.environ.get("LEARNABLE_CACHE_DIR")
    if root is None:
        above = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        # A user without a home has no cache: below this nothing can be made.
        root = os.path.join(os.devnull if above.startswith("~") else above, "learnable")
    return Path(root) / "kernels"


def start_runtime(context: Any) -> None:
    """Make ready what machine code needs in order to run, once a process."""
    with global_compiler_lock:
        if rtsys._init:
            return
        compiled_anew = nrtdynmod.compile_nrt_functions
        nrtdynmod.compile_nrt_functions = _functions
        try:
            rtsys.initialize(context)
        finally:
            nrtdynmod.compile_nrt_functions = compiled_anew


def _functions(context: Any) -> Any:
    """The compiled functions of the runtime: from disk where they are there, whole and made for this processor."""
    codegen = context.codegen()
    own = _path(cache_root(), codegen.magic_tuple())
    any_such = shared(codegen.magic_tuple())
    for path in (own,) if any_such is None else (own, _path(ready_root(), any_such)):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        if content and hashlib.blake2b(content[16:], digest_size=16).digest() == content[:16]:
            return codegen.unserialize_library(pickle.loads(content[16:]))
    module, library = nrtdynmod.create_nrt_module(context)
    library.enable_object_caching()
    library.add_ir_module(module)
    library.finalize()
    data = pickle.dumps(library.serialize_using_object_code())
    _write(own, hashlib.blake2b(data, digest_size=16).digest() + data)
    return library


def _path(root: Path, processor: Processor) -> Path:
    made_for = repr((numba.__version__, llvmlite.__version__, processor))
    return root / f"runtime-{hashlib.blake2b(made_for.encode(), digest_size=8).hexdigest()}"


def _write(path: Path, content: bytes) -> None:
    """All of it or nothing, whoever else writes; a disk that takes nothing costs only time."""
    own = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        own.write_bytes(content)
        own.replace(path)
    except OSError:
        with suppress(OSError):
            own.unlink()

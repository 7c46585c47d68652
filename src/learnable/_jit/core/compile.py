"""Compile a kernel once per version of the source: cached on disk, never stale, no effect on other packages.

Numba's own cache notices an edit only in the file of the kernel itself. A kernel here inlines formulas from other
files, so the cache lives in a folder named by a digest of everything that can be inlined: the source of `problems`
and `_jit`, and the versions of Python and Numba. An edit or an upgrade therefore starts a new folder.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from learnable._jit.core.uncollected import uncollected
from learnable.problems.linear import losses  # noqa: F401  (their formulas are compiled below)
from learnable.problems.sparse import penalties  # noqa: F401
from learnable.problems.core.formula import FORMULAS, where

with uncollected():
    import numba
    from numba.extending import overload

_HOUSE = Path(__file__).parents[2]


def _digest() -> str:
    """Name of this version of every source file that a kernel may inline."""
    text = hashlib.blake2b(f"{sys.version} {numba.__version__}".encode(), digest_size=8)
    for path in sorted([*(_HOUSE / "problems").rglob("*.py"), *(_HOUSE / "_jit").rglob("*.py")]):
        text.update(path.name.encode() + path.read_bytes())
    return text.hexdigest()


def cache_folder() -> Path:
    """Where compiled kernels of this version live; `LEARNABLE_CACHE_DIR` moves it."""
    root = os.environ.get("LEARNABLE_CACHE_DIR")
    if root is None:
        root = os.path.join(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "learnable")
    return Path(root) / "kernels" / _digest()


_CACHE = str(cache_folder())


def kernel(function: Callable) -> Callable:
    """Compile to machine code that releases the GIL; sums may be reassociated, NaN and infinity keep their meaning."""
    return _compile(function, {"reassoc", "contract", "nsz"})


def exact_kernel(function: Callable) -> Callable:
    """As `kernel`, but every sum is added in the order written: for formulas that live by their rounding."""
    return _compile(function, {"contract"})


def _compile(function: Callable, fastmath: set[str]) -> Callable:
    # Numba picks the cache folder while it decorates, so it is set for that moment only.
    settings: Any = numba.config
    before, settings.CACHE_DIR = settings.CACHE_DIR, _CACHE
    try:
        compiled: Any = numba.njit(nogil=True, cache=True, fastmath=fastmath)(function)
    finally:
        settings.CACHE_DIR = before
    # Called by a kernel that meets arguments of new types. The first one of a process loads half of the compiler.
    load = compiled._compile_for_args

    def load_uncollected(*arguments: Any, **named: Any) -> Any:
        with uncollected():
            return load(*arguments, **named)

    compiled._compile_for_args = load_uncollected
    return compiled


def compile_formula(call: Callable) -> None:
    """Let kernels call a formula: the body is chosen by the type of the first argument, at compile time."""

    def body_of(kind):
        return call.bodies.get(getattr(kind, "instance_class", None))  # type: ignore[attr-defined]

    # Numba matches argument names, so the typing function is written out with those of the formula.
    names = ", ".join(call.argument_names)  # type: ignore[attr-defined]
    first = call.argument_names[0]  # type: ignore[attr-defined]
    scope = {"body_of": body_of}
    exec(f"def typed({names}): return body_of({first})", scope)
    overload(call, inline="never")(scope["typed"])


@overload(where)
def _where(condition, x, y):
    return lambda condition, x, y: x if condition else y


_compiled: set[int] = set()


def compile_formulas() -> None:
    """Register every formula known so far; each is registered once."""
    for call in FORMULAS:
        if id(call) not in _compiled:
            _compiled.add(id(call))
            compile_formula(call)


compile_formulas()

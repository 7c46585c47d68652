"""Compile a kernel once per version of its sources: cached on disk, never stale, no effect on other packages.

Numba's own cache notices an edit only in the file of the kernel itself. A kernel here inlines formulas from other
files, so it is kept under a digest of everything it can inline (`digest.py`). An edit or an upgrade therefore starts
a new folder, for the kernels that it concerns.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any

import numpy as np

from learnable._jit.core.digest import digest
from learnable._jit.core.hold_interrupt import interrupts_wait
from learnable._jit.core.one_process import one_process
from learnable._jit.core.uncollected import uncollected
from learnable.problems.core.formula import FORMULAS, formula, where
from learnable.problems.linear import losses  # noqa: F401  (their formulas are compiled below)
from learnable.problems.sparse import penalties  # noqa: F401

with uncollected():
    import llvmlite
    import numba
    from numba.core.types import unliteral
    from numba.extending import overload

    from learnable._jit.core.cache import CacheWhenUsed
    from learnable._jit.core.inlined import (
        CompilerOfCalled,
        CompilerOfFormula,
        CompilerOfInlined,
        CompilerOfRolled,
        borrowing,
    )

# Numba has bodies of its own for the functions of NumPy, by its first two numbers.
COMPILER = f"{numba.__version__} {llvmlite.__version__} {np.__version__.rsplit('.', 1)[0]}"

# Options of all that is compiled. What Python calls has its way in from there (`inlined.py`) under the same ones: else
# what both kinds of kernel call of Numba's library would be compiled twice.
OPTIONS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Callable) -> Callable:
    """Compile to machine code that releases the GIL; sums may be reassociated, NaN and infinity keep their meaning."""
    return _called(function, {"reassoc", "contract", "nsz"})


def long_kernel(function: Callable) -> Callable:
    """As `kernel`, for long code: its loops are not unrolled, a quarter of the time to compile it.

    Only where `python -m benchmarks` shows that it runs as fast.
    """
    return _called(function, {"reassoc", "contract", "nsz"}, CompilerOfRolled)


def exact_kernel(function: Callable) -> Callable:
    """As `kernel`, but every sum is added in the order written: for formulas that live by their rounding."""
    return _called(function, {"contract"})


def inner_kernel(function: Callable) -> Callable:
    """As `kernel`, for what only kernels call: without machine code of its own, and without a way in from Python.

    Such a way takes every argument apart, and a tuple of arrays is many.
    """
    return _inner(function, {"reassoc", "contract", "nsz"})


def exact_inner_kernel(function: Callable) -> Callable:
    """As `exact_kernel`, for what only kernels call."""
    return _inner(function, {"contract"})


def _called(function: Callable, fastmath: set[str], compiler: Any = CompilerOfCalled) -> Callable:
    compiled: Any = _compile(function, fastmath, compiler)
    compiled._cache = CacheWhenUsed(function, digest(function.__module__, COMPILER))
    # Called by a kernel that meets arguments of new types. The first one of a process loads half of the compiler.
    load = compiled._compile_for_args

    def load_undisturbed(*arguments: Any, **named: Any) -> Any:
        with uncollected(), interrupts_wait(), borrowing(), one_process():
            return load(*arguments, **named)

    compiled._compile_for_args = load_undisturbed

    @cache
    def inner() -> Any:
        made: Any = _inner(function, fastmath)
        made.targetoptions = compiled.targetoptions
        return made

    # To kernels that call it, it is an inner one: machine code of its own is for Python.
    compiled.get_call_template = lambda types, named: inner().get_call_template(types, named)
    compiled.get_overload = lambda signature: inner().get_overload(signature)
    return compiled


def _inner(function: Callable, fastmath: set[str]) -> Callable:
    compiled: Any = _compile(function, fastmath, CompilerOfInlined)

    def refuse(*arguments: Any, **named: Any) -> Any:
        raise TypeError(f"{function.__qualname__} is called by kernels alone; decorate it with `kernel` to call it")

    compiled._compile_for_args = refuse
    # Known to the kernels that call it, but not found by a call from Python.
    compiled.add_overload = lambda found: compiled.overloads.update({tuple(found.signature.args): found})
    # Called for a kernel that calls this one. Numba compiles once more for every number that is written out there.
    template = compiled.get_call_template
    compiled.get_call_template = lambda types, named: template(tuple(map(unliteral, types)), named)
    return compiled


def _compile(function: Callable, fastmath: set[str], compiler: Any) -> Callable:
    compiled: Any = numba.njit(nogil=True, fastmath=fastmath, pipeline_class=compiler, **OPTIONS)(function)
    # What other packages add to the compiler is asked for where there is something to compile (`KernelCache`).
    compiled._compilation_chain_init_hook = _nothing
    if "<locals>" not in function.__qualname__:
        # Sent to another process as its source, as Numba would, it would be compiled anew there, without the cache.
        compiled.__reduce_ex__ = lambda protocol: (_by_name, (function.__module__, function.__qualname__))
    return compiled


def _by_name(module: str, name: str) -> Callable:
    return attrgetter(name)(import_module(module))


def _nothing() -> None:
    pass


_OPTIONS_OF_FORMULAS: Any = OPTIONS | {"pipeline_class": CompilerOfFormula}


def compile_formula(call: Callable, options: Any = _OPTIONS_OF_FORMULAS) -> None:
    """Let kernels call a formula: the body is chosen by the type of the first argument, at compile time."""

    def body_of(kind):
        return call.bodies.get(getattr(kind, "instance_class", None))  # type: ignore[attr-defined]

    # Numba matches argument names, so the typing function is written out with those of the formula.
    names = ", ".join(call.argument_names)  # type: ignore[attr-defined]
    first = call.argument_names[0]  # type: ignore[attr-defined]
    scope = {"body_of": body_of}
    exec(f"def typed({names}): return body_of({first})", scope)
    overload(call, options, inline="never")(scope["typed"])


def inner_formula(signature: Callable) -> Any:
    """A formula of kernels alone: its bodies are inner kernels with the options of the kernel that calls them.

    Other formulas are optimised by themselves too, so that they round alike everywhere.
    """
    call = formula(signature)
    _compiled.add(id(call))
    compile_formula(call, OPTIONS | {"pipeline_class": CompilerOfInlined})
    return call


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

"""The passes of the compiler over a kernel, without what is counted, said and found between them.

Numba has some twenty passes over each function. After five of them it finds out which variables are live where, which
is used once; it makes ready to catch warnings and to explain errors at every instruction, and says whenever LLVM is
entered or left. Paid for by `python -m benchmarks cold`.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, ClassVar

from numba.core import base as target_context
from numba.core import errors as any_errors
from numba.core import event, ir, typeinfer
from numba.core.compiler import DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.ir_utils import fixup_var_define_in_scope
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import AnnotateTypes, DumpParforDiagnostics, NativeLowering
from numba.core.typing import context as typing_context
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    WithLifting,
)

from learnable._jit.core.lowering import ShortLowering

# Its names are not all known to a type checker.
errors: Any = any_errors


@register_pass(mutates_CFG=True, analysis_only=False)
class InlineClosuresIfAny(InlineClosureLikes):
    """Numba's pass, where a function holds functions or makes lists."""

    _name = "inline_closures_if_any"

    def run_pass(self, state: Any) -> bool:
        """Numba would find the lives of variables to look for them."""
        made = (line.value for block in state.func_ir.blocks.values() for line in block.find_insts(ir.Assign))
        if any(isinstance(value, ir.Expr) and value.op in ("make_function", "build_list") for value in made):
            return super().run_pass(state)
        fixup_var_define_in_scope(state.func_ir.blocks)
        return True


_REPLACED: dict[Any, Any] = {NativeLowering: ShortLowering, InlineClosureLikes: InlineClosuresIfAny}
# For people who read the types, for `with`, for loops over tuples of several types: kernels have none.
_UNNEEDED = (
    AnnotateTypes, DumpParforDiagnostics, WithLifting, FindLiterallyCalls, LiteralUnroll,
    LiteralPropagationSubPipelinePass,
)  # fmt: skip


class ShortPasses(PassManager):
    """Those of Numba's passes that kernels need, and nothing between them."""

    _made: ClassVar[dict[tuple, "ShortPasses"]] = {}

    def __init__(self, numbas: PassManager):
        super().__init__(numbas.pipeline_name)
        self.passes = [(_REPLACED.get(one, one), said) for one, said in numbas.passes if one not in _UNNEEDED]
        self.finalize()

    @classmethod
    def of(cls, state: Any) -> "ShortPasses":
        """For a function, made once for all whose flags are alike: Numba finds out each time what depends on what."""
        case = state.flags.no_rewrites, state.flags.enable_ssa, state.func_ir is None
        if case not in cls._made:
            cls._made[case] = cls(DefaultPassBuilder.define_nopython_pipeline(state))
        return cls._made[case]

    def _runPass(self, index: int, one: Any, state: Any) -> None:
        one.analysis = self._analysis
        with errors.new_error_context("Pass {name}", name=one.name()):
            one.run_initialization(state)
            one.run_pass(state)
            one.run_finalizer(state)


class _ErrorContext:
    """What was being done when an error came up, written down where one does."""

    __slots__ = "details", "form"

    def __init__(self, form: str, **details: Any):
        self.form, self.details = form, details

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, errors.NumbaError):
            error.add_context(self.form.format(**self.details))


def _find_lifetimes_when_asked(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Numba's work after a pass; lives of variables are found where somebody asks for them."""
    if emit_dels or self.func_ir.is_generator:
        _post_process(self, emit_dels, extend_lifetimes)
        return
    self.func_ir.blocks = canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = VariableLifetime(self.func_ir.blocks)
    self.func_ir.generator_info = None


_post_process, _list, _start, _end = PostProcessor.run, ir.Inst._rec_list_vars, event.start_event, event.end_event
_NO_VARIABLES = {str, int, float, bool, type(None), ir.Loc}


def _list_variables(self: Any, value: Any) -> list:
    """Of an instruction; most of what it holds is none."""
    if type(value) is not dict:
        return [] if type(value) in _NO_VARIABLES else _list(self, value)
    found = []
    for part in value.values():
        if type(part) is ir.Var:
            found.append(part)
        elif type(part) not in _NO_VARIABLES:
            found += _list(self, part)
    return found


# Said some ten thousand times; what listens to the compiler here listens to kernels.
_LOCKS = "numba:llvm_lock", "numba:compiler_lock"


def _start_unless_lock(kind: str, *details: Any, **named: Any) -> None:
    if kind not in _LOCKS:
        _start(kind, *details, **named)


def _end_unless_lock(kind: str, *details: Any, **named: Any) -> None:
    if kind not in _LOCKS:
        _end(kind, *details, **named)


_refresh_rules, _refresh_code = typing_context.BaseContext.refresh, target_context.BaseContext.refresh
# Of each context the registries that it reads, and how many entries they had.
_read: dict[int, tuple[Any, list[int]]] = {}


def _refresh_if_new(refresh: Any, self: Any) -> None:
    """Numba goes through all registries of types and code before every function and every attribute of one.

    Each is a few lists that only grow.
    """
    parts = [part for one in self._registries for part in vars(one).values()]
    counts = [len(part) for part in parts if type(part) is list]
    registries, before = _read.get(id(self._registries), (None, None))
    if registries is not self._registries or before != counts:
        # What is added meanwhile is found the next time.
        _read[id(self._registries)] = self._registries, counts
        refresh(self)


def _refresh_code_if_new(self: Any) -> None:
    _refresh_if_new(_refresh_code, self)
    _refresh_rules_if_new(self.typing_context)


def _refresh_rules_if_new(self: Any) -> None:
    _refresh_if_new(_refresh_rules, self)


@contextmanager
def undistracted() -> Iterator[None]:
    """While a kernel is compiled, by the one thread that may: for all that it calls, Numba's own functions too."""
    changes: Any = (
        (PostProcessor, "run", _find_lifetimes_when_asked),
        (ir.Inst, "_rec_list_vars", _list_variables),
        (event, "start_event", _start_unless_lock),
        (event, "end_event", _end_unless_lock),
        (typeinfer, "new_error_context", _ErrorContext),
        (target_context.BaseContext, "refresh", _refresh_code_if_new),
        (typing_context.BaseContext, "refresh", _refresh_rules_if_new),
        (errors.WarningsFixer, "catch_warnings", lambda self, **place: nullcontext()),
    )
    before = [getattr(owner, name) for owner, name, _ in changes]
    for owner, name, ours in changes:
        setattr(owner, name, ours)
    try:
        yield
    finally:
        for (owner, name, _), numbas in zip(changes, before):
            setattr(owner, name, numbas)

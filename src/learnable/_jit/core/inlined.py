"""Machine code for the kernels that Python calls, and for no others.

Numba optimises every function that it compiles and makes machine code of it, callees first, each with all that it
calls in turn. What only kernels call is then made again for every caller above it, and never run by itself. Paid for
by `python -m benchmarks cold`: the first boosting with nothing compiled takes 18 s instead of 45 (aarch64).
"""

from typing import Any

from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result
from numba.core.environment import lookup_environment


class _Called(JITCodeLibrary):
    """What Python calls: its machine code, and the constants of all that was inlined in it."""

    def _optimize_final_module(self) -> None:
        """With what it calls as its own: arguments that are not used go, and what has one caller is inlined."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.linkonce_odr:
                function.linkage = "internal"
        super()._optimize_final_module()

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        codegen: Any = self._codegen
        for variable in self._final_module.global_variables:
            constants = lookup_environment(variable.name)
            if constants is not None:
                codegen.set_env(variable.name, constants)


class _Inlined(JITCodeLibrary):
    """What other kernels call: ready to be inlined, and nothing else."""

    @property
    def codegen(self) -> "_Inlined":
        return self

    def set_env(self, name: str, constants: Any) -> None:
        """Nothing: whoever inlines this does it (`_Called`)."""

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def serialize_using_object_code(self) -> tuple:
        return self.name, "object", (b"", self._get_module_for_linking().as_bitcode())

    def _optimize_final_module(self) -> None:
        """Nothing: it is optimised where it is inlined."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class CompilerOfCalled(Compiler):
    def compile_extra(self, function: Any) -> Any:
        self.state.library = _Called(self.state.targetctx.codegen(), function.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(function)


class CompilerOfInlined(Compiler):
    def compile_extra(self, function: Any) -> Any:
        self.state.library = _Inlined(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)


def read_inlined(
    context: Any, name: str, bitcode: bytes, description: Any, constants: Any, signature: Any, *rest: Any
) -> CompileResult:
    """What other kernels call, as `CompileResult._reduce` has taken it apart."""
    library = _Inlined(context.codegen(), name)
    library._final_module = llvm.parse_bitcode(bitcode)
    library._finalize_final_module()
    *_, reload_init, inlined_constants = rest
    return compile_result(
        typing_context=context.typing_context, target_context=context, fndesc=description, library=library,
        environment=constants, signature=signature, objectmode=False, lifted=(), reload_init=reload_init,
        entry_point=context.get_executable(library, description, constants), referenced_envs=inlined_constants,
    )  # fmt: skip

"""Machine code for the kernels that Python calls, and for no others.

Numba optimises every function that it compiles and makes machine code of it, callees first, each with all that it
calls in turn. What only kernels call is then made again for every caller above it, and never run by itself: inner
kernels, formulas, and the functions of Numba's library. Paid for by `python -m benchmarks cold`: the first boosting
with nothing compiled takes 13 s instead of 45 (aarch64).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any

from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment

from learnable._jit.core.short_passes import ShortPasses, undistracted
from learnable._jit.core.typed_once import TypedOnce


class _Library(JITCodeLibrary):
    """Of a kernel of ours, which inlines what was made for that."""

    called_from_python = False

    def add_linking_library(self, library: Any) -> None:
        super().add_linking_library(library.to_inline if isinstance(library, _Borrowed) else library)

    def add_llvm_module(self, module: Any) -> None:
        """Numba would pass functions too whose bodies are elsewhere, and make all that a pass needs ready for each."""
        module.data_layout = self._codegen._data_layout  # type: ignore[attr-defined]
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()  # type: ignore[attr-defined]
                passes.run(function, builder)
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """With all that it calls, each once, whoever calls it."""
        for library in self._all_called({}):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def _all_called(self, found: dict[Any, None]) -> dict[Any, None]:
        for library in self._linking_libraries:
            if library not in found:
                found[library] = None
                if isinstance(library, _Inlined):
                    library._all_called(found)
        return found


class _Called(_Library):
    """What Python calls: its machine code, and the constants of all that was inlined in it."""

    called_from_python = True

    def _optimize_final_module(self) -> None:
        """With what it calls as its own: arguments that are not used go, and what has one caller is inlined."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.linkonce_odr:
                function.linkage = "internal"
        super()._optimize_final_module()

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """What is kept on disk. Numba adds the bitcode, for callers; those have an inner kernel (`compile.py`)."""
        return self.name, "object", (self._get_compiled_object(), _no_bitcode())

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        codegen: Any = self._codegen
        for variable in self._final_module.global_variables:
            constants = lookup_environment(variable.name)
            if constants is not None:
                codegen.set_env(variable.name, constants)


@cache
def _no_bitcode() -> bytes:
    return llvm.parse_assembly("").as_bitcode()


class _Rolled(_Called):
    """Long code, whose loops stay as they are but for vectors."""

    def _optimize_final_module(self) -> None:
        made = llvm.create_pipeline_tuning_options

        def rolled() -> Any:
            options = made()
            options.loop_unrolling = False
            return options

        # Numba makes the options where it asks for the passes; who compiles holds its lock.
        llvm.create_pipeline_tuning_options = rolled
        try:
            super()._optimize_final_module()
        finally:
            llvm.create_pipeline_tuning_options = made


class _Inlined(_Library):
    """What other kernels call: ready to be inlined, and nothing else."""

    @property
    def codegen(self) -> "_Inlined":
        return self

    def set_env(self, name: str, constants: Any) -> None:
        """Nothing: whoever inlines this does it (`_Called`)."""

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def finalize(self) -> None:
        """Nothing: it is linked with what it calls, and optimised, where it is inlined."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Its functions are no one's: where they are inlined everywhere, they are gone."""
        if self._shared_module is None:
            self._shared_module = self._final_module
            for function in self._shared_module.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"
        return self._shared_module


class _Formula(_Inlined):
    """The body of a formula: optimised by itself, so that its rounding is the same in every kernel."""

    def finalize(self) -> None:
        _Library.finalize(self)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def _all_called(self, found: dict[Any, None]) -> dict[Any, None]:
        """Nothing else: it is linked with what it calls."""
        return found if self._finalized else super()._all_called(found)


class _Borrowed(_Inlined):
    """A function of Numba's own library that a kernel of ours calls.

    A kernel of another package that comes upon it later has it as Numba makes it, with machine code of its own.
    """

    _whole: Any = None

    @cached_property
    def to_inline(self) -> _Inlined:
        made = _Inlined(self._codegen, self.name)
        made._final_module, made._linking_libraries = self._final_module.clone(), self._linking_libraries
        made._reload_init, made._finalized = self._reload_init, True
        return made

    def _get_module_for_linking(self) -> Any:
        if self._whole is None:
            self._whole = _Called(self._codegen, self.name)
            self._whole._final_module.link_in(self._final_module, preserve=True)
            self._whole._linking_libraries = self._linking_libraries
            self._whole.finalize()
        return self._whole._get_module_for_linking()


@contextmanager
def borrowing() -> Iterator[None]:
    """While a kernel is compiled, what it calls of Numba gets no machine code, nor a way in from Python."""

    def compile_extra(self: Any, function: Any) -> Any:
        # What a module names may be called from Python too.
        if type(self) is Compiler and (self.state.flags.no_compile or "<locals>" in function.__qualname__):
            self.state.library = _Borrowed(self.state.targetctx.codegen(), function.__qualname__)
            self.state.flags.no_cpython_wrapper = self.state.flags.no_cfunc_wrapper = True
        return CompilerBase.compile_extra(self, function)

    with global_compiler_lock, undistracted():
        Compiler.compile_extra = compile_extra  # type: ignore[method-assign]
        try:
            yield
        finally:
            Compiler.compile_extra = CompilerBase.compile_extra  # type: ignore[method-assign]


class _Compiler(Compiler):
    library: type[_Library]

    def compile_extra(self, function: Any) -> Any:
        self.state.typingctx = TypedOnce(self.state.typingctx, self.state.flags)
        self.state.library = self.library(self.state.targetctx.codegen(), function.__qualname__)
        if not issubclass(self.library, _Inlined):
            self.state.library.enable_object_caching()
        return super().compile_extra(function)

    def define_pipelines(self) -> Any:
        return [ShortPasses.of(self.state)]


class CompilerOfCalled(_Compiler):
    library = _Called


class CompilerOfRolled(_Compiler):
    library = _Rolled


class CompilerOfInlined(_Compiler):
    library = _Inlined


class CompilerOfFormula(_Compiler):
    library = _Formula

"""What is left out of Numba's passes is left out of kernels only, and changes nothing that they do."""

import numba
import numpy as np
import pytest
from numba.core import errors, event, ir, typeinfer
from numba.core.base import BaseContext as TargetContext
from numba.core.errors import TypingError
from numba.core.postproc import PostProcessor
from numba.core.typing.context import BaseContext as TypingContext
from numba.extending import overload, overload_method

from learnable._jit.core.compile import kernel


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEARNABLE_CACHE_DIR", str(tmp_path))


def changed():
    return [
        PostProcessor.run, ir.Inst._rec_list_vars, event.start_event, event.end_event, typeinfer.new_error_context,
        errors.WarningsFixer.catch_warnings, TypingContext.refresh, TargetContext.refresh,
    ]  # fmt: skip


class Heard(event.Listener):
    def __init__(self):
        self.kinds = []

    def on_start(self, event):
        self.kinds.append(event.kind)

    on_end = on_start


def test_numba_is_as_before_when_a_kernel_is_compiled_or_cannot_be():
    before = changed()
    assert kernel(lambda x: x + 1)(np.int16(2)) == 3
    assert changed() == before
    with pytest.raises(TypingError, match=r"typing of call at .*test_short_passes"):
        kernel(lambda x: np.sort(x, "what"))(1.0)
    assert changed() == before


def test_who_listens_to_the_compiler_hears_of_kernels_and_elsewhere_of_locks():
    ours, theirs = Heard(), Heard()
    for heard, make in ((ours, kernel), (theirs, numba.njit)):
        for kind in ("numba:compile", "numba:llvm_lock"):
            event.register(kind, heard)
        try:
            make(lambda x: x - 1)(np.int16(2))
        finally:
            for kind in ("numba:compile", "numba:llvm_lock"):
                event.unregister(kind, heard)
    # Locks are heard of now and then: LLVM is also entered when what was compiled before is let go.
    assert ours.kinds.count("numba:compile") == 2
    assert set(theirs.kinds) == {"numba:compile", "numba:llvm_lock"}


def closures(n):
    """Functions within functions, lists, branches that are never live, variables that live on after a loop."""

    def twice(x):
        return 2 * x

    squares = np.array([i * i for i in range(n)])
    last = -1
    for i in range(n):
        if squares[i] % 2 == 1:
            last = i
        elif squares[i] > 4:
            break
    if last < 0:
        raise ValueError("no odd square below", n)
    return twice(last) + squares.sum() + (i if n > 3 else 0)


def test_kernels_may_hold_what_most_of_them_do_not():
    ours = kernel(closures)
    for n in (2, 3, 4, 9):
        assert ours(n) == closures(n)
    with pytest.raises(ValueError, match="no odd square below"):
        ours(1)


def test_what_a_module_adds_to_the_compiler_is_known_to_the_next_kernel_and_read_once(monkeypatch):
    read = []
    install = TargetContext.install_registry
    monkeypatch.setattr(TargetContext, "install_registry", lambda self, one: (read.append(one), install(self, one)))

    def tripled(x):
        return 3 * x

    @kernel
    def k(x):
        return tripled(x) + x.sevenfold()

    overload(tripled)(lambda x: tripled)
    overload_method(numba.types.Integer, "sevenfold")(lambda x: lambda x: 7 * x)
    assert k(np.int16(2)) == 20
    assert kernel(lambda x: tripled(x) - 1)(np.int16(2)) == 5
    read.clear()
    assert kernel(lambda x: tripled(x) + np.floor(2.5))(np.int16(2)) == 8.0
    assert not read

"""The pause of garbage collection while the compiler is loaded ends as it began."""

import gc
import subprocess
import sys

import pytest

from learnable._jit.core.uncollected import uncollected


@pytest.fixture(params=[True, False], ids=["running", "stopped"])
def running(request):
    was = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if was else gc.disable)()


def test_collection_is_paused_and_then_as_before(running):
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() is running


def test_an_error_ends_the_pause_too(running):
    with pytest.raises(RuntimeError, match="no"), uncollected():
        raise RuntimeError("no")
    assert gc.isenabled() is running


def test_loading_the_compiler_looks_for_garbage_before_and_after_only():
    lines = (
        "import gc, sys, numpy, learnable.problems.linear.losses, learnable.problems.sparse.penalties\n"
        "seen = []\n"
        "gc.callbacks.append(lambda phase, info: seen.append(info['generation']))\n"
        "import learnable._jit.core.compile\n"
        "print('numba' in sys.modules, gc.isenabled(), len(seen) < 40)\n"
    )
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert done.stdout == "True True True\n"

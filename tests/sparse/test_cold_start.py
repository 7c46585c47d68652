"""The first lasso of a new process: what is compiled comes from disk, and little else is loaded."""

import subprocess
import sys

import pytest

DATA = """
import sys
import numpy, sklearn
X = numpy.random.default_rng(0).standard_normal((50, 10))
y = X[:, 0] + 0.1 * X[:, 1]
from learnable.sparse import Lasso
Lasso().fit(X, y)
"""
LOADED = "print(*sys.modules)"
KERNELS = """
rooms = [module for name, module in sys.modules.items() if name.startswith("learnable._jit.")]
kernels = {id(one): one for room in rooms for one in vars(room).values() if hasattr(one, "stats")}
print(*[one.__name__ for one in kernels.values() for _ in one.stats.cache_hits.elements()])
print(*[one.__name__ for one in kernels.values() for _ in one.stats.cache_misses.elements()])
"""


def new_process(lines: str) -> str:
    run = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    return run.stdout


@pytest.fixture(scope="module")
def first_fit():
    """What is loaded, taken from disk and compiled where kernels and byte code lie on disk: three lines."""
    exec(DATA, {})
    return new_process(DATA + LOADED + KERNELS).split("\n")


def test_a_lasso_loads_no_other_learner(first_fit):
    loaded = set(first_fit[0].split())
    assert "learnable.sparse.lasso" in loaded
    for room in ("theory", "evaluation", "selection", "features", "datasets", "linear"):
        assert f"learnable.{room}" not in loaded
    assert not loaded & {"learnable.sparse.stepwise", "learnable.sparse.lasso_cv", "sklearn.model_selection"}
    assert "matplotlib" not in loaded


def test_the_first_fit_takes_few_kernels_from_disk_and_compiles_none(first_fit):
    _, from_disk, compiled, _ = first_fit
    assert 1 <= len(from_disk.split()) <= 6, from_disk
    assert not compiled.split(), compiled

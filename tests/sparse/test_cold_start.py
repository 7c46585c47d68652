"""The first lasso of a new process: what is compiled comes from disk, and little else is loaded."""

import os
import subprocess
import sys

import pytest

DATA = """
import sys, time
start = time.process_time()
import numpy, sklearn
X = numpy.random.default_rng(0).standard_normal((50, 10))
y = X[:, 0] + 0.1 * X[:, 1]
ready = time.process_time()
from learnable.sparse import Lasso
Lasso().fit(X, y)
"""
CLOCK = "print(ready - start, time.process_time() - ready)"
LOADED = "print(*sys.modules)"
KERNELS = """
rooms = [module for name, module in sys.modules.items() if name.startswith("learnable._jit.")]
kernels = {id(one): one for room in rooms for one in vars(room).values() if hasattr(one, "stats")}
print(*[one.__name__ for one in kernels.values() for _ in one.stats.cache_hits.elements()])
print(*[one.__name__ for one in kernels.values() for _ in one.stats.cache_misses.elements()])
"""


def new_process(lines: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run([sys.executable, "-c", lines], env=environment, capture_output=True, text=True, check=True)
    return run.stdout


@pytest.fixture(autouse=True, scope="module")
def _kernels_and_byte_code_on_disk():
    new_process(DATA)


def test_the_first_import_and_fit_of_a_process_take_half_a_second():
    theirs, ours = [], []
    # Processor seconds, the least of several runs: other work on the machine does not count, only makes some slower.
    while len(ours) < 3 or (len(ours) < 8 and min(ours) > allowed(min(theirs))):
        dependencies, first_fit = map(float, new_process(DATA + CLOCK).split())
        theirs.append(dependencies)
        ours.append(first_fit)
    assert min(ours) <= allowed(min(theirs)), (theirs, ours)


def allowed(dependencies: float) -> float:
    """Half a second where NumPy and scikit-learn take 1.3; a machine that is slower is slower at both."""
    return 0.5 * max(1.0, dependencies / 1.3)


def test_a_lasso_loads_no_other_learner():
    loaded = set(new_process(DATA + LOADED).split())
    assert "learnable.sparse.lasso" in loaded
    for room in ("theory", "evaluation", "selection", "features", "datasets", "linear"):
        assert f"learnable.{room}" not in loaded
    assert not loaded & {"learnable.sparse.stepwise", "learnable.sparse.lasso_cv", "sklearn.model_selection"}
    assert "matplotlib" not in loaded


def test_the_first_fit_takes_few_kernels_from_disk_and_compiles_none():
    from_disk, compiled = new_process(DATA + KERNELS).splitlines()
    assert 1 <= len(from_disk.split()) <= 6, from_disk
    assert not compiled.split(), compiled

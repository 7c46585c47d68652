"""The first lasso of a new process: what is compiled comes from disk, and little else is loaded."""

import os
import subprocess
import sys

LINES = """
import time
start = time.process_time()
import numpy, sklearn
X = numpy.random.default_rng(0).standard_normal((50, 10))
y = X[:, 0] + 0.1 * X[:, 1]
ready = time.process_time()
from learnable.sparse import Lasso
imported = time.process_time()
Lasso().fit(X, y)
end = time.process_time()
print(ready - start, end - ready, end - imported)
"""


def cold_start() -> tuple[float, float, float]:
    """Processor seconds of a new process: for NumPy and scikit-learn, for the import and the fit here, for the fit."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run([sys.executable, "-c", LINES], env=environment, capture_output=True, text=True, check=True)
    theirs, ours, fit = map(float, run.stdout.split())
    return theirs, ours, fit


def test_the_first_fit_of_a_process_takes_half_a_second():
    cold_start()  # kernels and byte code are on disk from here on
    theirs, ours, fit = (min(times) for times in zip(*(cold_start() for _ in range(3))))
    assert fit <= 0.5
    # With the import: half a second where NumPy and scikit-learn take 0.6; a slower machine is slower at both.
    assert ours <= 0.5 * max(1.0, theirs / 0.6)

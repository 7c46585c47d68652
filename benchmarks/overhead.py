"""What the house itself costs: the driver, the certificate, the imports, the compiled kernels."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.problems import SEED, lasso_toeplitz, logistic_independent


class FitParts(NamedTuple):
    """Seconds of the parts of a fit, each measured by itself: the fastest of the repeats.

    Attributes
    ----------
    pose : validation and setting up.
    bare : the states of the solver in a plain loop with the same stop rule.
    driven : the same states through the driver.
    certificate : `certify` on the fitted model.
    fit : `fit` as a whole.
    """

    model: str
    size: str
    pose: float
    bare: float
    driven: float
    certificate: float
    fit: float

    @property
    def driver_cost(self) -> float:
        """Share that the driver adds to the bare loop."""
        return self.driven / self.bare - 1.0

    @property
    def fit_cost(self) -> float:
        """Share that `fit` adds to posing and looping, certificate included."""
        return self.fit / (self.pose + self.bare) - 1.0

    @property
    def rest(self) -> float:
        """Share of `fit` that none of its parts explains."""
        return (self.fit - self.pose - self.bare - self.certificate) / self.fit


class Bar(NamedTuple):
    """A start-up time against its bar, in seconds; no bar where `bar` is None."""

    what: str
    median: float
    fastest: float
    bar: float | None = None


def fit_parts(scale: float = 1.0, repeats: int = 9) -> list[FitParts]:
    """Lasso and logistic regression of moderate size."""
    from learnable.linear import LogisticRegression
    from learnable.sparse import Lasso

    wide, tall = lasso_toeplitz(0.1 * scale), logistic_independent(0.1 * scale)
    return [
        _parts(Lasso(alpha=wide.alphas[-1], tol=1e-8), wide.X, wide.y, repeats),
        _parts(LogisticRegression(tol=1e-8), tall.X, tall.y, repeats),
    ]


def _parts(model, X: np.ndarray, y: np.ndarray, repeats: int) -> FitParts:
    from learnable import certify
    from learnable.trace import drive

    def bare_loop(posed):
        for number, state in enumerate(posed.iterates, start=1):
            if posed.stop(number, state) is not None:
                break

    model.fit(X, y)
    names = ("pose", "bare", "driven", "certificate", "fit")
    seconds: dict[str, list[float]] = {name: [] for name in names}
    # In turns, so that a busy moment of the machine does not fall on one part alone.
    for _ in range(repeats):
        seconds["pose"].append(_clock(model._pose, X, y))
        seconds["bare"].append(_clock(bare_loop, model._pose(X, y)))
        posed = model._pose(X, y)
        seconds["driven"].append(_clock(drive, posed.iterates, posed.stop))
        seconds["certificate"].append(_clock(certify, model, X, y))
        seconds["fit"].append(_clock(model.fit, X, y))
    n, p = X.shape
    return FitParts(type(model).__name__, f"{n}x{p}", **{name: min(seconds[name]) for name in names})


def start_up(processes: int = 10) -> list[Bar]:
    """`import learnable` (inside a fresh process) and `learnable --help` (all of it), against their bars."""
    clocked = "import time; t = time.perf_counter(); import learnable; print(time.perf_counter() - t)"
    program = Path(sys.executable).with_name("learnable")
    return [
        Bar("import learnable", *_spread(lambda: _printed(clocked), processes), 0.1),
        Bar("learnable --help", *_spread(lambda: _clock(_call, program, "--help"), processes), 0.2),
        Bar("python -c pass", *_spread(lambda: _clock(_call, sys.executable, "-c", "pass"), processes)),
    ]


def commands(processes: int = 5) -> list[Bar]:
    """Commands as whole processes, in processor time, against their bar: `learn` up to its first fit, and `show` and
    `predict` of a small model."""
    program = Path(sys.executable).with_name("learnable")
    with tempfile.TemporaryDirectory() as folder:
        _call(program, "learn", "loans", "--learner", "logistic regression", "--out", folder)
        model = Path(folder) / "model.skops"
        asked: dict[str, tuple[tuple[str | Path, ...], float | None]] = {
            "learnable learn, before its first fit": ((program, "learn", "loans", "--dry-run"), 1.5),
            "learnable show": ((program, "show", model), 1.5),
            "learnable predict": ((program, "predict", model, "loans"), 1.5),
            "import sklearn.base": ((sys.executable, "-c", "import sklearn.base"), None),
        }
        return [
            Bar(f"{what}, processor time", *_spread(partial(_processor_time, *command), processes), bar)
            for what, (command, bar) in asked.items()
        ]


def kernel_cache(processes: int = 3) -> list[Bar]:
    """The first `Lasso().fit` of a process, with no compiled kernel on disk and with one."""
    first_fit = (
        f"import numpy as np; rng = np.random.default_rng({SEED}); X = rng.standard_normal((50, 10))\n"
        "from learnable.sparse import Lasso; import learnable._jit.sparse.coordinate_descent\n"
        "import time; t = time.perf_counter(); Lasso(alpha=0.1).fit(X, X[:, 0]); print(time.perf_counter() - t)"
    )

    def cold() -> float:
        with tempfile.TemporaryDirectory() as empty:
            return _printed(first_fit, LEARNABLE_CACHE_DIR=empty)

    with tempfile.TemporaryDirectory() as filled:
        _printed(first_fit, LEARNABLE_CACHE_DIR=filled)
        warm = _spread(lambda: _printed(first_fit, LEARNABLE_CACHE_DIR=filled), processes)
    return [
        Bar("first Lasso().fit, empty kernel cache", *_spread(cold, processes)),
        Bar("first Lasso().fit, kernels on disk", *warm),
    ]


def _spread(sample: Callable[[], float], times: int) -> tuple[float, float]:
    values = [sample() for _ in range(times)]
    return statistics.median(values), min(values)


def _clock(work: Callable, *arguments: object) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def _processor_time(*command: str | Path) -> float:
    """Of a process and of those that it waited for."""
    before = os.times()
    _call(*command)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def _call(*command: str | Path, **variables: str) -> str:
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return done.stdout


def _printed(program: str, **variables: str) -> float:
    return float(_call(sys.executable, "-c", program, **variables))

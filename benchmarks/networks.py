"""Networks on the CPU: seconds an epoch, ours beside scikit-learn's, same layers, batches and rule.

An epoch is what twice as many epochs cost more, so that the fixed cost of a fit does not count; that cost, with the
certificate, is a column of its own. Warm; medians of the turns, everyone turn by turn.
"""

import statistics
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table
from sklearn import neural_network
from sklearn.datasets import load_digits

from benchmarks.clock import clocked
from benchmarks.problems import SEED, share
from learnable import neural

# Name, class, what it is told.
FITS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("digits", "MLPClassifier", {}),
    ("digits", "MLPClassifier", {"solver": "sgd", "hidden_layer_sizes": (100, 50)}),
    ("100k x 100", "MLPClassifier", {}),
    ("100k x 100", "MLPRegressor", {"activation": "tanh"}),
)


class Epochs(NamedTuple):
    """Median seconds of an epoch, and the ratio of what is left when the epochs are taken off a fit to an epoch."""

    case: str
    dtype: str
    ours: float
    rival: float
    fixed: float

    @property
    def ratio(self) -> float:
        return self.rival / self.ours


def epochs(scale: float, turns: int, only: str = "") -> Iterator[Epochs]:
    """The fits with `only` in their name, in double and in single precision."""
    rng = np.random.default_rng(SEED)
    X, y = load_digits(return_X_y=True)
    n = share(100_000, scale, 2000)
    tables = {"digits": (X / 16.0, y, 20), "100k x 100": (rng.standard_normal((n, 100)), rng.integers(10, size=n), 2)}
    for case, kind, options in FITS:
        name = f"{case}, {kind}{''.join(f' {value}' for value in options.values())}"
        if only.lower() not in name.lower():
            continue
        rows, target, count = tables[case]
        for dtype in (np.float64, np.float32):
            given = rows.astype(dtype)
            settings = {"random_state": 0, "tol": 0.0, "n_iter_no_change": 10**6} | options
            seconds: dict[tuple[str, int], list[float]] = {}
            for turn in range(turns + 1):
                for home in (neural, neural_network):
                    for factor in (1, 2):
                        model = getattr(home, kind)(max_iter=factor * count, **settings)
                        took = clocked(model.fit, given, target).wall
                        if turn:  # the first is for warming up
                            seconds.setdefault((home.__name__, factor), []).append(took)
            medians = {key: statistics.median(values) for key, values in seconds.items()}
            ours, rival = (
                max(medians[home.__name__, 2] - medians[home.__name__, 1], 1e-9) / count
                for home in (neural, neural_network)
            )
            fixed = max(2 * medians[neural.__name__, 1] - medians[neural.__name__, 2], 0.0) / ours
            yield Epochs(name, np.dtype(dtype).name, ours, rival, fixed)


def epochs_table(found: list[Epochs]) -> Table:
    """The figures for the console."""
    table = Table("network", "precision", "ours, ms an epoch", "scikit-learn", "ratio", "fixed cost in epochs")
    for row in found:
        table.add_row(
            row.case,
            row.dtype,
            f"{1e3 * row.ours:.2f}",
            f"{1e3 * row.rival:.2f}",
            f"{row.ratio:.2f}",
            f"{row.fixed:.1f}",
        )
    return table

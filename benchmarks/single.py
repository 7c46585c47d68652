"""Single precision in, single-precision speed: every fit on the same numbers as float64 and as float32.

Both are fitted turn by turn, and so is scikit-learn's class of the same name. All threads; warm; medians of the turns.
"""

import statistics
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.clock import clocked
from benchmarks.problems import SEED, share

COLUMNS = 100
# Class, what scikit-learn's has to be told for the same work, which target.
FITS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("LinearRegression", {}, "numbers"),
    ("Ridge", {"solver": "cholesky"}, "numbers"),
    ("LogisticRegression", {}, "classes"),
    ("PoissonRegressor", {"solver": "newton-cholesky"}, "counts"),
)


class Precisions(NamedTuple):
    """Median seconds of a fit."""

    model: str
    double: float
    single: float
    rival_double: float
    rival_single: float


def precisions(scale: float, turns: int, only: str = "") -> Iterator[Precisions]:
    """The fits whose class has `only` in its name."""
    rng = np.random.default_rng(SEED)
    X = rng.standard_normal((share(200_000, scale, 600), COLUMNS))
    effect = X @ (0.1 * rng.standard_normal(COLUMNS))
    targets = {
        "numbers": effect + rng.standard_normal(len(X)),
        "classes": (effect + rng.logistic(size=len(X)) > 0.0).astype(int),
        "counts": rng.poisson(np.exp(0.3 * effect)).astype(float),
    }
    for name, settings, target in (each for each in FITS if only.lower() in each[0].lower()):
        ours, theirs = (getattr(import_module(home), name) for home in ("learnable.linear", "sklearn.linear_model"))
        fits = [(ours(), X), (ours(), X.astype(np.float32)), (theirs(**settings), X)]
        fits.append((theirs(**settings), X.astype(np.float32)))
        seconds: list[list[float]] = [[] for _ in fits]
        for turn in range(turns + 1):
            for kept, (model, table) in zip(seconds, fits):
                took = clocked(model.fit, table, targets[target]).wall
                if turn:  # the first one compiles
                    kept.append(took)
        yield Precisions(name, *map(statistics.median, seconds))


def precisions_table(found: Iterable[Precisions]) -> Table:
    """Seconds, and how many times quicker single precision is."""
    table = Table(title=f"float32 beside float64, {COLUMNS} columns", title_justify="left")
    table.add_column("fit")
    for column in (
        "float64 s",
        "float32 s",
        "gain",
        "rival float64 s",
        "rival float32 s",
        "its gain",
        "ratio",
    ):
        table.add_column(column, justify="right")
    for each in found:
        table.add_row(
            each.model,
            f"{each.double:.3f}",
            f"{each.single:.3f}",
            f"{each.double / each.single:.2f}",
            f"{each.rival_double:.3f}",
            f"{each.rival_single:.3f}",
            f"{each.rival_double / each.rival_single:.2f}",
            f"{each.rival_single / each.single:.2f}",
        )
    return table

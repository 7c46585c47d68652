"""How the cost of a lasso grows with the rows and with the columns, at a fixed support and share of the penalty."""

import statistics
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from rich.table import Table
from scipy import stats

SEED = 11
SUPPORT = 10
SHARE = 0.3
SIZES = (1000, 2000, 4000, 8000, 16_000)
FIXED = 1000
REPEATS = 5


class Growth(NamedTuple):
    """Processor seconds of a fit along one axis.

    Attributes
    ----------
    axis : what grows.
    sizes : its sizes; the other axis stays at `FIXED`.
    seconds : median processor seconds of a fit at each size.
    slope, low, high : exponent of the cost, log seconds on log size, with its interval of 95 %.
    """

    axis: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    slope: float
    low: float
    high: float


def growth(scale: float = 1.0) -> Iterator[Growth]:
    """Rows, then columns; a share of the sizes with `scale`. Sizes take turns, so that the clock treats all alike."""
    from learnable.sparse import Lasso

    fixed, sizes = max(int(scale * FIXED), 300), tuple(max(int(scale * size), 300) for size in SIZES)
    Lasso(alpha=0.1).fit(np.eye(20), np.arange(20.0))  # kernels are loaded
    for axis in ("rows", "columns"):
        shapes = [(size, fixed) if axis == "rows" else (fixed, size) for size in sizes]
        problems = [_problem(*shape) for shape in shapes]
        taken: list[list[float]] = [[] for _ in shapes]
        for _ in range(REPEATS):
            for (X, y, alpha), times in zip(problems, taken):
                start = time.process_time()
                model = Lasso(alpha=alpha, tol=1e-8).fit(X, y)
                times.append(time.process_time() - start)
                found = np.count_nonzero(model.coef_)
                if found != SUPPORT:
                    raise ArithmeticError(f"{X.shape}: {found} columns in the support, {SUPPORT} make the target")
        yield Growth(axis, sizes, tuple(map(statistics.median, taken)), *exponent(np.array(sizes), taken))


def exponent(sizes: np.ndarray, taken: list[list[float]]) -> tuple[float, float, float]:
    """Slope of log seconds on log size over all fits, and its interval of 95 %.

    >>> slope, low, high = exponent(np.array([1, 2, 4]), [[1.0, 1.1], [2.1, 2.0], [4.0, 4.2]])
    >>> bool(low < 1.0 < high), round(slope, 1)
    (True, 1.0)
    """
    x = np.log(np.repeat(np.asarray(sizes, dtype=float), [len(times) for times in taken]))
    line = stats.linregress(x, np.log(np.concatenate(taken)))
    reach = float(stats.t.ppf(0.975, len(x) - 2)) * line.stderr
    return float(line.slope), float(line.slope - reach), float(line.slope + reach)


def growth_table(rows: list[Growth]) -> Table:
    table = Table(title="The lasso at a fixed support: processor seconds of a fit", title_justify="left")
    table.add_column("grows")
    for size in rows[0].sizes:
        table.add_column(f"{size:,}", justify="right")
    table.add_column("exponent", justify="right")
    for row in rows:
        seconds = (f"{value:.3g}" for value in row.seconds)
        table.add_row(row.axis, *seconds, f"{row.slope:.2f} ({row.low:.2f} – {row.high:.2f})")
    return table


def _problem(n: int, p: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Independent columns, of which `SUPPORT` carry equal effects; the penalty is a share of the largest."""
    generator = np.random.default_rng(SEED)
    X = np.asfortranarray(generator.standard_normal((p, n)).T)
    y = X[:, :SUPPORT].sum(axis=1) + 0.5 * generator.standard_normal(n)
    centred = y - y.mean()
    return X, y, SHARE * float(np.abs(X.T @ centred - X.sum(axis=0) * centred.mean()).max()) / n

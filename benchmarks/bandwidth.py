"""A pass of the perceptron against the memory: how fast the rows come, beside how fast they can come.

The rows are separated by a margin, so that a few mistakes suffice and every later pass only reads. A pass in the order
of the rows is held against the quickest plain read of X, a shuffled one against the quickest sum of the same rows in
a shuffled order, given. Only the bytes of X count; where rows are met in any order, also those of the lines of memory
that come with them, for a narrow row begins and ends within a line. One thread for everyone, processor seconds.
"""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.problems import SEED, share
from learnable._jit.core.compile import compile_formulas, kernel
from learnable._jit.core.prefetch import ask_for, visits_ahead
from learnable._jit.core.vectors import rows_of
from learnable.solvers.linear.perceptron import Orders

SIZES = ((1_000_000, 20), (200_000, 100))
MARGIN = 1.0
LINE_BYTES = 64
# Passes in a turn; passes of scikit-learn before them, in which it makes its mistakes.
PASSES, FIRST = 10, 3

compile_formulas()


class Pass(NamedTuple):
    """Median processor seconds of a pass over the rows.

    Attributes
    ----------
    bytes : of X.
    moved : bytes of the memory lines that each row by itself lies in; `bytes` where the rows are met as they stand.
    seconds : of our pass, the drawing of its order included.
    drawing : of drawing an order, 0 where the rows are met as they stand.
    read : of the quickest plain read of X.
    memory : of the quickest sum over the rows in such an order; `read` where they are met as they stand.
    rival : of a pass of scikit-learn.
    """

    case: str
    shuffle: bool
    bytes: int
    moved: int
    seconds: float
    drawing: float
    read: float
    memory: float
    rival: float

    @property
    def share(self) -> float:
        """Of what the memory gives in that order."""
        return self.memory / self.seconds

    @property
    def share_of_visits(self) -> float:
        """The same for an order already drawn."""
        return self.memory / (self.seconds - self.drawing)

    @property
    def share_of_lines(self) -> float:
        """Lines of memory a second, while the rows are visited, beside those of a plain read."""
        return (self.moved / (self.seconds - self.drawing)) / (self.bytes / self.read)


def passes(scale: float, turns: int, only: str = "") -> Iterator[Pass]:
    """Every size whose name contains `only`, the rows as they stand and shuffled."""
    for full, p in SIZES:
        n = share(full, scale, 2000)
        for shuffle in (False, True):
            name = f"{n} x {p}, {'shuffled' if shuffle else 'as they stand'}"
            if only.lower() in name.lower():
                yield measured(name, *separable(n, p), shuffle, turns)


def separable(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal rows moved away from a plane through the origin, by the margin, each to its side."""
    random = np.random.default_rng(SEED)
    X, normal = random.standard_normal((n, p)), random.standard_normal(p)
    normal /= np.linalg.norm(normal)
    y = np.where(X @ normal > 0.0, 1, -1)
    X += np.outer(MARGIN * y, normal)
    return X, y


def measured(name: str, X: np.ndarray, y: np.ndarray, shuffle: bool, turns: int) -> Pass:
    """Everyone in turns, `PASSES` passes each."""
    from learnable.linear import Perceptron

    orders = Orders(len(X), np.random.default_rng(SEED))
    states = Perceptron(shuffle=shuffle)._pose(X, y).iterates
    while next(states).mistakes:
        pass
    rows, order = rows_of(X), orders.next()
    flat = X.reshape(-1)
    jobs: dict[str, Callable[[], Any]] = {
        "ours": lambda: next(states),
        "read by NumPy": X.sum,
        "read by BLAS": lambda: flat @ flat,
        "read compiled": lambda: total(flat),
    }
    if shuffle:
        jobs |= {
            "drawing": orders.next,
            "rows": lambda: total_of_rows(rows, order),
            "rows asked for early": lambda: total_of_rows_asked_for(rows, order),
        }
    seconds: dict[str, list[float]] = {what: [] for what in jobs}
    short: list[float] = []
    long: list[float] = []
    with threadpool_limits(1):
        for job in jobs.values():  # the first call compiles
            job()
        _rival(X, y, shuffle, 1)
        for _ in range(turns):
            for what, job in jobs.items():
                seconds[what].append(_processor(job, times=PASSES) / PASSES)
            # What a fit costs beside its passes drops out of the difference.
            short.append(_processor(_rival, X, y, shuffle, FIRST))
            long.append(_processor(_rival, X, y, shuffle, FIRST + PASSES))
    medians = {what: statistics.median(times) for what, times in seconds.items()}
    read = min(medians[what] for what in jobs if what.startswith("read"))
    memory = min(medians[what] for what in jobs if what.startswith("rows")) if shuffle else read
    rival = (statistics.median(long) - statistics.median(short)) / PASSES
    moved = bytes_moved(X) if shuffle else X.nbytes
    return Pass(name, shuffle, X.nbytes, moved, medians["ours"], medians.get("drawing", 0.0), read, memory, rival)


def bytes_moved(X: np.ndarray) -> int:
    """Bytes of the memory lines that each row of X by itself lies in."""
    first = X.ctypes.data + np.arange(len(X)) * X.strides[0]
    last = first + X.shape[1] * X.itemsize - 1
    return LINE_BYTES * int(np.sum(last // LINE_BYTES - first // LINE_BYTES + 1))


def passes_table(rows: Iterable[Pass]) -> Table:
    """One row a size and order."""
    table = Table(
        title="A pass of the perceptron against the memory (median processor seconds, one thread)",
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("rows")
    for heading in (
        "pass ms", "drawing ms", "GB/s", "memory GB/s", "ratio", "visits", "plain read GB/s", "lines",
        "scikit-learn ms", "times ours",
    ):  # fmt: skip
        table.add_column(heading, justify="right")
    table.caption = (
        "drawing: of the order, part of the pass. memory: the quickest plain read of X, shuffled: the quickest sum "
        "over its rows in such an order, given. ratio: ours / that; visits: the same without the drawing. lines: lines "
        "of memory a second during the visits / those of a plain read."
    )
    for row in rows:
        table.add_row(
            row.case,
            f"{1e3 * row.seconds:.2f}",
            f"{1e3 * row.drawing:.2f}",
            *(f"{row.bytes / seconds / 1e9:.2f}" for seconds in (row.seconds, row.memory)),
            f"{row.share:.2f}",
            f"{row.share_of_visits:.2f}",
            f"{row.bytes / row.read / 1e9:.2f}",
            f"{row.share_of_lines:.2f}",
            f"{1e3 * row.rival:.2f}",
            f"{row.rival / row.seconds:.2f}",
        )
    return table


@kernel
def total(values):
    """Σ values."""
    found = 0.0
    for i in range(values.shape[0]):
        found += values[i]
    return found


@kernel
def total_of_rows(rows, order):
    """The sum of all entries, row after row in `order`."""
    found = 0.0
    for i in order:
        for j in range(rows.values.shape[1]):
            found += rows.values[i, j]
    return found


@kernel
def total_of_rows_asked_for(rows, order):
    """The same, each row asked for before its visit."""
    found = 0.0
    n = order.shape[0]
    ahead = visits_ahead(rows)
    for k in range(n):
        ask_for(rows, order[min(k + ahead, n - 1)])
        for j in range(rows.values.shape[1]):
            found += rows.values[order[k], j]
    return found


def _rival(X: np.ndarray, y: np.ndarray, shuffle: bool, count: int) -> None:
    from sklearn.linear_model import Perceptron

    Perceptron(shuffle=shuffle, tol=None, max_iter=count, random_state=SEED).fit(X, y)


def _processor(work: Callable[..., Any], *arguments: Any, times: int = 1) -> float:
    start = time.process_time()
    for _ in range(times):
        work(*arguments)
    return time.process_time() - start

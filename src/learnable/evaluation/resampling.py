"""What the bootstrap can resample, and the quickest exact way to do it.

A resample of n rows draws n rows with replacement: the counts of the rows are Multinomial(n; 1/n, …, 1/n). What a
metric does not see of the rows need not be drawn:

- a `ConfusionMetric` sees only the cells of the confusion matrix, which are Multinomial(n; cells/n);
- a `MeanMetric` sees only means of per-row values, which are summed two draws at a time from tables of pair sums;
- any other callable is called on the drawn rows.

All three give the law of the plain bootstrap exactly.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from ._validation import check_labels

_BLOCK = 256  # rows a block: a pair of rows is then one 16-bit number
# Numbers of a table of resamples: 32 MB.
_CELLS_AT_ONCE = 2**22
# Groups of rows left out together, for the acceleration of BCa.
_JACKKNIFE_GROUPS = 1000


class ConfusionMetric(NamedTuple):
    """A metric that depends on (y_true, y_pred) through the counts C[i, j] of true class i predicted as j.

    Attributes
    ----------
    of_counts : maps counts of shape (..., k, k), classes in sorted order, to scores of shape (...).
    """

    of_counts: Callable[[NDArray], NDArray]


def _only_column(means: NDArray) -> NDArray:
    return means[..., 0]


class MeanMetric(NamedTuple):
    """A metric that is a function of means of per-row values.

    Attributes
    ----------
    per_row : maps the arrays to values of shape (n,) or (n, q).
    of_means : maps means of shape (..., q) to scores of shape (...); by default the mean itself.
    """

    per_row: Callable[..., NDArray]
    of_means: Callable[[NDArray], NDArray] = _only_column


class Sample(Protocol):
    """Data bound to a metric, ready to be resampled."""

    n: int
    chunk: int  # resamples drawn from one random stream; depends on the data alone

    def estimate(self) -> float:
        """The metric on the rows as they are."""

    def replicates(self, rng: np.random.Generator, size: int) -> NDArray:
        """The metric on `size` resamples."""

    def jackknife(self) -> tuple[NDArray, NDArray]:
        """The metric without each row (or group of rows), and how many rows share that value."""


def bind(metric: Any, arrays: tuple[ArrayLike, ...]) -> Sample:
    """The sample that resamples `metric` on `arrays`."""
    if isinstance(metric, ConfusionMetric):
        return CellSample(metric, arrays)
    columns = [np.asarray(array) for array in arrays]
    if not columns:
        raise ValueError("bootstrap_interval: give at least one array after the metric")
    lengths = [len(column) if column.ndim else 0 for column in columns]
    if len(set(lengths)) > 1 or not lengths[0]:
        raise ValueError(f"bootstrap_interval: arrays must have the same number of rows, at least one, not {lengths}")
    if isinstance(metric, MeanMetric):
        return MeanSample(metric, columns)
    if not callable(metric):
        raise TypeError(f"bootstrap_interval(metric={metric!r}): give a callable, a MeanMetric or a ConfusionMetric")
    return RowSample(metric, columns)


class CellSample:
    """Resamples the cells of a confusion matrix."""

    def __init__(self, metric: ConfusionMetric, arrays: tuple[ArrayLike, ...]):
        if len(arrays) != 2:
            raise ValueError(f"bootstrap_interval: a ConfusionMetric needs y_true and y_pred, not {len(arrays)} arrays")
        y_true, y_pred = check_labels(*arrays, "bootstrap_interval")
        labels, codes = np.unique(np.concatenate([y_true, y_pred]), return_inverse=True)
        self.n, self.classes = len(y_true), len(labels)
        flat = codes[: self.n] * self.classes + codes[self.n :]
        # Only cells that occur: an empty cell stays empty in every resample.
        self.cells, self.counts = np.unique(flat, return_counts=True)
        self.of_counts = metric.of_counts
        self.chunk = max(1, min(1000, _CELLS_AT_ONCE // self.classes**2))

    def estimate(self) -> float:
        return float(self._scores(self.counts[None])[0])

    def replicates(self, rng: np.random.Generator, size: int) -> NDArray:
        return self._scores(rng.multinomial(self.n, self.counts / self.n, size=size))

    def jackknife(self) -> tuple[NDArray, NDArray]:
        pieces = []
        for start in range(0, len(self.cells), self.chunk):
            left_out = np.arange(start, min(start + self.chunk, len(self.cells)))
            without = np.repeat(self.counts[None], len(left_out), axis=0)
            without[np.arange(len(left_out)), left_out] -= 1
            pieces.append(self._scores(without))
        return np.concatenate(pieces), self.counts

    def _scores(self, counts: NDArray) -> NDArray:
        matrices = np.zeros((len(counts), self.classes**2))
        matrices[:, self.cells] = counts
        return self.of_counts(matrices.reshape(-1, self.classes, self.classes))


class MeanSample:
    """Resamples means of per-row values.

    Rows are cut into blocks of 256. How many draws fall into each block is multinomial; within a block the draws are
    uniform, so two of them are one uniform cell of the 256 × 256 table of pair sums: one 16-bit number and one look-up
    for two draws.
    """

    def __init__(self, metric: MeanMetric, arrays: list[NDArray]):
        values = np.asarray(metric.per_row(*arrays), dtype=float)
        self.n = len(arrays[0])
        if values.ndim not in (1, 2) or len(values) != self.n:
            raise ValueError(f"MeanMetric: per_row gave shape {values.shape} for {self.n} rows")
        self.columns = np.ascontiguousarray(values.reshape(self.n, -1).T)
        bad = ~np.isfinite(self.columns)
        if bad.any():
            raise ValueError(f"MeanMetric: the per-row value of row {int(bad.any(axis=0).argmax())} is not finite")
        self.of_means = metric.of_means
        self.starts = np.arange(0, self.n, _BLOCK)
        self.chunk = max(16, min(2500, _CELLS_AT_ONCE // len(self.starts)))

    def estimate(self) -> float:
        return float(self.of_means(self.columns.mean(axis=1)))

    def replicates(self, rng: np.random.Generator, size: int) -> NDArray:
        sizes = np.minimum(_BLOCK, self.n - self.starts)
        draws = np.ascontiguousarray(rng.multinomial(self.n, sizes / self.n, size=size).T)
        # Buffers are shared by all blocks: fresh pages for each would cost more than the look-ups.
        room = int((draws // 2).sum(axis=1).max())
        cells, once, table = np.empty(room, dtype=np.int32), np.ones(room), np.empty(_BLOCK**2)
        sums = np.zeros((len(self.columns), size))
        for start, rows, drawn in zip(self.starts, sizes.tolist(), draws):
            runs = np.concatenate([[0], np.cumsum(drawn // 2)]).astype(np.int32)
            total = int(runs[-1])
            cells[:total] = _uniform_cells(rng, rows, total)
            # Row r of this matrix marks the pairs of resample r: its product looks up and adds in one pass.
            pairs = csr_array((once[:total], cells[:total], runs), shape=(size, rows * rows))
            last = rng.integers(0, rows, size=size)
            for column, column_sum in zip(self.columns[:, start : start + rows], sums):
                pair_sums = table[: rows * rows]
                np.add.outer(column, column, out=pair_sums.reshape(rows, rows))
                column_sum += pairs @ pair_sums
                column_sum += drawn % 2 * column[last]
        return self.of_means(sums.T / self.n)

    def jackknife(self) -> tuple[NDArray, NDArray]:
        without = (self.columns.sum(axis=1, keepdims=True) - self.columns) / (self.n - 1)
        return self.of_means(without.T), np.ones(self.n, dtype=int)


class RowSample:
    """Calls the metric on the drawn rows themselves."""

    chunk = 32

    def __init__(self, metric: Callable[..., float], arrays: list[NDArray]):
        self.metric, self.arrays, self.n = metric, arrays, len(arrays[0])

    def estimate(self) -> float:
        return float(self.metric(*self.arrays))

    def replicates(self, rng: np.random.Generator, size: int) -> NDArray:
        return np.array([self._score(rng.integers(0, self.n, size=self.n)) for _ in range(size)])

    def jackknife(self) -> tuple[NDArray, NDArray]:
        # Beyond 1000 rows groups are left out: sums of second and third powers over groups of independent rows have
        # the same expectation as over rows.
        group = np.arange(self.n) % min(self.n, _JACKKNIFE_GROUPS)
        scores = np.array([self._score(np.flatnonzero(group != g)) for g in range(group.max() + 1)])
        return scores, np.ones(len(scores), dtype=int)

    def _score(self, rows: NDArray) -> float:
        return float(self.metric(*(array[rows] for array in self.arrays)))


def _uniform_cells(rng: np.random.Generator, rows: int, size: int) -> NDArray:
    """`size` uniform numbers below rows²; a full block takes them from raw bits, four to a 64-bit word."""
    if rows < _BLOCK:
        return rng.integers(0, rows * rows, size=size)
    words = rng.bit_generator.random_raw(-(-size // 4))
    return words.view(np.uint16)[:size]

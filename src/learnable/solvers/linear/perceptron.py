"""The perceptron: on every mistake y(θ·x + b) ≤ 0, θ ← θ + η y x and b ← b + η y. Syllabus: P5, P6, P10."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from learnable._jit.core.shuffle import shuffled
from learnable._jit.core.vectors import DenseVectors, SparseVectors, rows_of
from learnable._jit.linear.perceptron import perceptron_pass
from learnable.problems.sparse.penalties import L2
from learnable.solvers.linear.perceptron_updates import Pass, Updates

NO_PENALTY = L2(0.0)
# Rows are numbered in four bytes.
MOST_ROWS = 2**31 - 1


class PerceptronState(NamedTuple):
    """After a pass over the rows.

    Attributes
    ----------
    objective : mean perceptron loss (−y f)₊ met during the pass, summed over the classifiers.
    coef : (K, p), one row a binary problem.
    intercept : (K,).
    mistakes : mistakes made in this pass.
    log : the rows on which they were made, in order, one array a binary problem.
    updates : the same, one `Updates` a binary problem, with the margins before and after and the point reached.
    """

    objective: float
    coef: np.ndarray
    intercept: np.ndarray
    mistakes: int
    log: tuple[np.ndarray, ...]
    updates: tuple[Updates, ...]


class GivesOrders(Protocol):
    """Says in which order the next pass visits the rows."""

    def next(self) -> np.ndarray: ...


class Orders(NamedTuple):
    """In which order a pass visits the rows: as they stand, or shuffled anew each time."""

    n: int
    generator: np.random.Generator | None

    def next(self) -> np.ndarray:
        return self.several(1)[0]

    def several(self, count: int) -> np.ndarray:
        """(count, n) of the next passes."""
        if self.n > MOST_ROWS:
            raise ValueError(f"X has {self.n} rows: at most {MOST_ROWS} can be visited one by one; fit a part of them")
        orders = np.empty((count, self.n), dtype=np.uint32)
        if self.generator is None:
            orders[:] = np.arange(self.n, dtype=np.uint32)
        else:
            shuffled(self.generator.bit_generator.random_raw(count), orders)
        return orders

    def skip(self, count: int) -> None:
        """As after so many passes."""
        if self.generator is not None:
            self.generator.bit_generator.advance(count)  # type: ignore[attr-defined]


def visited_rows(X: Any) -> DenseVectors | SparseVectors:
    """The rows for passes that visit them one by one; where a sparse one starts is a number without sign.

    Kernels then need not ask of each entry whether its place counts from the end, and add several at a time.
    """
    rows = rows_of(X)
    return rows._replace(starts=rows.starts.view(np.uint64)) if isinstance(rows, SparseVectors) else rows


def iterates(
    X: Any,
    labels: np.ndarray,
    rate: np.ndarray,
    orders: GivesOrders,
    intercept: bool,
    penalty: Any = NO_PENALTY,
    shrink_step: float = 0.0,
    start: tuple[np.ndarray, np.ndarray] | None = None,
) -> Iterator[PerceptronState]:
    """One state per pass, without end; the K binary problems advance side by side.

    Parameters
    ----------
    labels : (K, n) of ±1, one row a binary problem (one against the rest).
    rate : (K, n) step of each row in each problem, learning rate times weight; (K, 1) where all rows have the same.
    penalty, shrink_step : a penalty whose proximal step of this length follows every visit; length 0 for none.
    start : (coef, intercept) to start from instead of zero.
    """
    K, n = labels.shape
    rows = visited_rows(X)
    coef = np.zeros((K, X.shape[1])) if start is None else np.array(start[0], dtype=float)
    offset = np.zeros(K) if start is None else np.array(start[1], dtype=float)
    step = 1.0 if intercept else 0.0
    signs = labels.astype(np.int8, copy=False)
    buffer = np.empty(n, dtype=np.int32)
    for passes in range(2**62):
        made, loss, log = 0, 0.0, []
        order = orders.next()
        before = coef.copy(), offset.copy()
        for k in range(K):
            count, lost = perceptron_pass(
                rows, order, signs[k], rate[k], coef[k], offset[k : k + 1], step, penalty, shrink_step, buffer
            )
            made, loss = made + count, loss + lost
            log.append(buffer[:count].copy())
        visits = Pass(X, order, passes * n + 1, step, penalty, shrink_step)
        updates = tuple(
            Updates(visits, labels[k], rate[k], before[0][k], float(before[1][k]), log[k]) for k in range(K)
        )
        yield PerceptronState(loss / n, coef, offset, made, tuple(log), updates)

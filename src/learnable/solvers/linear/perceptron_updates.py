"""The updates of one pass of the perceptron, one by one: which row, at which visit, its margin before and after.

They are computed again from the rows of the log when they are asked for: a fit that nobody watches pays nothing.
Syllabus: P11.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from scipy import sparse

from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import EVERY


class Update(NamedTuple):
    """One mistake and what it changed.

    Attributes
    ----------
    t : number of the visit, from 1, over all passes.
    row : the row on which the mistake was made. label : its label, ±1 in this binary problem.
    before, after : y(θ·x + b) of that row before and after the update; before is ≤ 0.
    theta, offset : the point after the update.
    """

    t: int
    row: int
    label: float
    before: float
    after: float
    theta: np.ndarray
    offset: float


class Pass(NamedTuple):
    """What the binary problems of one pass share: rows, order, number of the first visit, penalty."""

    X: Any
    order: np.ndarray
    first: int
    step: float
    penalty: Any
    shrink_step: float

    def __deepcopy__(self, memo: Any) -> "Pass":
        return self


class Updates(Sequence[Update]):
    """The updates of one binary problem in one pass, in order.

    Attributes
    ----------
    rows : the rows of the mistakes. visits : the numbers of their visits.
    """

    def __init__(self, visits: Pass, label: np.ndarray, rate: np.ndarray, theta: np.ndarray, offset: float, rows):
        self._pass, self._label, self._rate, self._start = visits, label, rate, (theta, offset)
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Update: ...
    @overload
    def __getitem__(self, place: slice) -> list[Update]: ...
    def __getitem__(self, place):
        return list(self)[place]

    @property
    def visits(self) -> np.ndarray:
        places = np.empty(len(self._pass.order), dtype=np.int64)
        places[self._pass.order] = np.arange(len(places))
        return self._pass.first + places[self.rows]

    def __iter__(self) -> Iterator[Update]:
        theta, offset = self._start[0].copy(), self._start[1]
        done = self._pass.first
        for t, row in zip(self.visits.tolist(), self.rows.tolist()):
            theta = self._shrunk(theta, t - done)
            done = t
            x = self._pass.X[[row]].toarray()[0] if sparse.issparse(self._pass.X) else np.asarray(self._pass.X[row])
            y, rate = float(self._label[row]), float(self._rate[row] if len(self._rate) > 1 else self._rate[0])
            before = y * (float(x @ theta) + offset)
            theta = theta + rate * y * x
            offset += self._pass.step * rate * y
            yield Update(t, row, y, before, y * (float(x @ theta) + offset), theta, offset)

    def _shrunk(self, theta: np.ndarray, visits: int) -> np.ndarray:
        """After the proximal steps of so many visits."""
        if self._pass.shrink_step > 0.0:
            for _ in range(visits):
                theta = penalties.prox(self._pass.penalty, theta, self._pass.shrink_step, EVERY)
        return theta

    def __repr__(self) -> str:
        return f"{len(self)} updates"

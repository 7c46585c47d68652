"""A fit before it runs: the algorithm, its data, and how threads are used."""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from learnable.rows import Rows, as_rows, taken_in_order
from learnable.trace import Status, StopRule


class Threads(Enum):
    """Where a fit uses several cores.

    OVER_ROWS : threads go over blocks of rows, and BLAS is held to one thread: the same bits for any number of cores.
    IN_BLAS : BLAS keeps its threads, for Gram matrices, decompositions and network layers.
    """

    OVER_ROWS = "over rows"
    IN_BLAS = "in BLAS"


class Fitting(NamedTuple):
    """A posed fit: the algorithm as states, when it stops, and what the estimator keeps of a state.

    Attributes
    ----------
    iterates : the algorithm, a generator of states.
    stop : when to stop before the algorithm ends by itself.
    attributes : state -> the fitted attributes.
    data : what the fit is about, in the order in which the certifier takes it; `Data` for a table.
    ended : the status of an algorithm that ends by itself; OPTIMAL only where its end proves that.
    max_steps : how many states there are at most, for progress bars.
    advice : what to do when the budget ran out; empty where that is how the algorithm is meant to end.
    counts_steps : whether `n_iter_` is the number of states.
    resumed : state -> the algorithm from that state on, which it yields first; None where a state is not all that the
        algorithm remembers.
    """

    iterates: Iterable[Any]
    stop: StopRule
    attributes: Callable[[Any], dict[str, Any]]
    data: tuple
    ended: Status
    max_steps: int | None = None
    advice: str = "raise max_iter or tol"
    counts_steps: bool = False
    resumed: Callable[[Any], Iterable[Any]] | None = None


class Diverged(ArithmeticError, ValueError):
    """A fit whose objective is no longer a number: an accident of arithmetic, and of the data or parameters given."""


class Data(NamedTuple):
    """Validated training data: arrays, or one `Rows` that carries y and weights itself."""

    X: Any
    y: Any
    sample_weight: np.ndarray | None

    @property
    def rows(self) -> Rows:
        return as_rows(*self)

    def take(self, chosen: np.ndarray) -> "Data":
        """Some of the rows, in order; those of rows that come in blocks are brought into memory."""
        if self.y is None:
            X, y, weight = taken_in_order(self.rows, chosen)
            return Data(X if X.dtype.kind == "f" else X.astype(float), y, weight)
        weight = None if self.sample_weight is None else self.sample_weight[chosen]
        return Data(self.X[chosen], self.y[chosen], weight)

    def samples(self, places: Sequence[np.ndarray]) -> list["Data"]:
        """Samples of the rows, each of them part of the last: one pass over rows that come in blocks."""
        if not places:
            return []
        largest = self.take(places[-1])
        return [*(largest.take(np.searchsorted(places[-1], chosen)) for chosen in places[:-1]), largest]

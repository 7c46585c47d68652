"""AdaBoost: reweight the rows so that the last hypothesis does no better than chance, and vote."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.ensembles.stumps import best_stump, purest_stump
from learnable.problems.ensembles.votes import normaliser, vote_weight

# An error below this share of the weight counts as none.
PERFECT = 1e-15


class Presorted(NamedTuple):
    """Columns sorted once."""

    X: np.ndarray
    order: np.ndarray
    last_of_value: np.ndarray


class Stump(NamedTuple):
    """One stump and its weighted error."""

    feature: int
    threshold: float
    sign: int
    error: float


class Round(NamedTuple):
    """A hypothesis, its vote, error and normaliser, and whether each row was hit."""

    hypothesis: Any
    alpha: float
    error: float
    z: float
    hit: np.ndarray


class AdaBoostState(NamedTuple):
    """The rounds so far; `objective` is Π Z, which bounds the training error of two classes."""

    rounds: list[Round]
    objective: float


def counted(weight: np.ndarray) -> slice | np.ndarray:
    """The rows that have a weight: no threshold lies beside others."""
    return slice(None) if weight.all() else weight > 0.0


def presort(X: np.ndarray) -> Presorted:
    order = np.ascontiguousarray(np.argsort(X, axis=0, kind="stable").T.astype(np.int32))
    line = np.take_along_axis(X.T, order.astype(np.int64), axis=1)
    last = np.ones(order.shape, dtype=np.uint8)
    last[:, :-1] = line[:, 1:] != line[:, :-1]
    return Presorted(X, order, last)


def stump(columns: Presorted, y: np.ndarray, weight: np.ndarray) -> Stump:
    """The stump of least weighted error among all; y is ±1."""
    positive, negative = float(weight[y > 0].sum()), float(weight[y < 0].sum())
    error, j, i, sign = best_stump(columns.order, columns.last_of_value, weight * y, positive, negative)
    if i < 0:
        return Stump(0, -np.inf, int(sign), float(error))
    return Stump(int(j), _middle(columns, j, i), int(sign), max(float(error), 0.0))


def gini_stump(columns: Presorted, y: np.ndarray, weight: np.ndarray) -> Stump:
    """The tree of depth 1 of least weighted Gini impurity; each side says what most of its weight does.

    A constant, of the column that is cut, where both sides say the same.
    """
    signed, total = float((weight * y).sum()), float(weight.sum())
    pairs = np.column_stack([weight * y, weight])
    j, i, below = purest_stump(columns.order, columns.last_of_value, pairs, signed, total)
    above = signed - below
    error = max(0.5 * (total - abs(below) - abs(above)), 0.0)
    sign = 1 if above > 0.0 else -1
    constant = i < 0 or (below > 0.0) == (above > 0.0)
    return Stump(int(j), -np.inf if constant else _middle(columns, j, i), sign, error)


def _middle(columns: Presorted, j: int, i: int) -> float:
    """Between the cell at place i of a sorted column and the next."""
    low, high = (float(columns.X[columns.order[j, k], j]) for k in (i, i + 1))
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


Weak = Callable[[np.ndarray], tuple[Any, np.ndarray]]


def iterates(weak: Weak, weight: np.ndarray, n_classes: int, learning_rate: float) -> Iterator[AdaBoostState]:
    """One state a round.

    Parameters
    ----------
    weak : weights -> (hypothesis, whether it is right on each row).
    weight : (n,) the weights of the rows at first.
    """
    D = weight / weight.sum()
    rounds: list[Round] = []
    bound = 1.0
    while True:
        hypothesis, hit = weak(D)
        error = float(D[~hit].sum())
        if error <= PERFECT:
            # Its vote would be infinite: it outvotes all before it, and nothing is left to learn.
            alpha = 1.0 + sum(each.alpha for each in rounds)
            yield AdaBoostState([*rounds, Round(hypothesis, alpha, 0.0, 0.0, hit)], 0.0)
            return
        if error >= 1.0 - 1.0 / n_classes:
            if not rounds:
                yield AdaBoostState([Round(hypothesis, 0.0, error, 1.0, hit)], 1.0)
            return
        alpha = learning_rate * vote_weight(error, n_classes)
        z = normaliser(error, alpha)
        rounds = [*rounds, Round(hypothesis, alpha, error, z, hit)]
        bound *= z
        D = D * np.exp(np.where(hit, -alpha, alpha))
        D = D / D.sum()
        yield AdaBoostState(rounds, bound)

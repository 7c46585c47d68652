"""Impurities: how mixed the rows of a node are.

An impurity φ is a concave function of the class shares p, zero where one class has everything. With it the gain of a
split of W into W₁, …, W_b is W φ(p) − Σ W_j φ(p_j) ≥ 0. For numbers the impurity is the mean loss at the best constant.
Syllabus: DT2, DT3, DT6.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy


class Gini(NamedTuple):
    """1 − Σ p_k² = Σ_{j≠k} p_j p_k: the chance that two rows drawn with replacement differ in class."""


class Entropy(NamedTuple):
    """−Σ p_k log p_k, in bits by default, with 0 log 0 = 0."""

    base: float = 2.0


class Misclassification(NamedTuple):
    """1 − max p_k: the error of the majority."""


class SquaredError(NamedTuple):
    """Σ w (y − ȳ)² / Σ w."""


class AbsoluteError(NamedTuple):
    """Σ w |y − median| / Σ w."""


class PoissonDeviance(NamedTuple):
    """Half the Poisson deviance at the mean: Σ w (y log(y/ȳ) − y + ȳ) / Σ w."""


CLASS_IMPURITIES = {
    "gini": Gini(), "entropy": Entropy(), "log_loss": Entropy(), "misclassification": Misclassification(),
}  # fmt: skip
NUMBER_IMPURITIES = {
    "squared_error": SquaredError(), "friedman_mse": SquaredError(), "absolute_error": AbsoluteError(),
    "poisson": PoissonDeviance(),
}  # fmt: skip


def class_impurity(kind: Any, shares) -> np.ndarray:
    """φ of class shares along the last axis.

    >>> class_impurity(Gini(), [0.5, 0.5]), class_impurity(Entropy(), [0.25] * 4), class_impurity(Entropy(), [1.0, 0.0])
    (np.float64(0.5), np.float64(2.0), np.float64(0.0))
    """
    p = np.asarray(shares, dtype=float)
    if isinstance(kind, Gini):
        return 1.0 - np.sum(p * p, axis=-1)
    if isinstance(kind, Entropy):
        return np.abs(-np.sum(xlogy(p, p), axis=-1) / np.log(kind.base))
    if isinstance(kind, Misclassification):
        return 1.0 - np.max(p, axis=-1)
    raise TypeError(f"{type(kind).__name__} is no impurity of classes; known: Gini, Entropy, Misclassification")


def number_impurity(kind: Any, y, weight=None) -> float:
    """Mean loss of numbers at their best constant.

    >>> round(number_impurity(SquaredError(), [1.0, 2.0, 6.0]), 6), number_impurity(AbsoluteError(), [1.0, 2.0, 6.0])
    (4.666667, 1.6666666666666667)
    """
    y = np.asarray(y, dtype=float)
    w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    total, best = w.sum(), best_constant(kind, y, weight)
    if isinstance(kind, SquaredError):
        return float(w @ (y - best) ** 2 / total)
    if isinstance(kind, AbsoluteError):
        return float(w @ np.abs(y - best) / total)
    if isinstance(kind, PoissonDeviance):
        return float(w @ (xlogy(y, y) - xlogy(y, best) - y + best) / total)
    raise TypeError(f"{type(kind).__name__} is no impurity of numbers; known: SquaredError, AbsoluteError, Poisson")


def best_constant(kind: Any, y, weight=None) -> float:
    """The number with the least mean loss: the mean, or a median."""
    y = np.asarray(y, dtype=float)
    if isinstance(kind, AbsoluteError):
        return weighted_quantile(y, 0.5, weight)
    return float(np.average(y, weights=weight))


def weighted_quantile(y: np.ndarray, level: float, weight=None) -> float:
    """A minimiser of the pinball loss; the middle of all of them where there are many.

    >>> weighted_quantile(np.array([1.0, 2.0, 3.0, 10.0]), 0.5), weighted_quantile(np.array([1.0, 5.0]), 0.5, [3, 1])
    (2.5, 1.0)
    """
    order = np.argsort(y, kind="stable")
    w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)[order]
    y, below = np.asarray(y)[order], np.cumsum(w)
    target = level * below[-1]
    # Sums of weights are rounded: a share that is the level up to rounding counts as equal to it.
    slack = 1e-12 * below[-1]
    first = int(np.searchsorted(below, target - slack))
    last = int(np.searchsorted(below, target + slack))
    positive = np.flatnonzero(w[last:] > 0.0)
    last = last + int(positive[0]) if len(positive) else first
    return float(0.5 * (y[first] + y[min(last, len(y) - 1)]))


def information_content(p, base: float = 2.0) -> np.ndarray:
    """log 1/p: the surprise at something of probability p. Syllabus: DT2.

    >>> information_content(0.125)
    np.float64(3.0)
    """
    p = np.asarray(p, dtype=float)
    if np.any((p < 0.0) | (p > 1.0)):
        raise ValueError("information_content(p): probabilities lie in [0, 1]")
    with np.errstate(divide="ignore"):
        return np.abs(-np.log(p) / np.log(base))


def entropy(counts, base: float = 2.0) -> float:
    """H of the shares of `counts` (counts, weights or probabilities). Syllabus: DT2.

    >>> round(entropy([9, 5]), 6)
    0.940286
    """
    counts = _table(counts, "entropy", 1)
    return float(class_impurity(Entropy(base), counts / counts.sum()))


def conditional_entropy(table, base: float = 2.0) -> float:
    """H(class | attribute) = Σ_v P(v) H(class | v) of a table of counts, one row a value. Syllabus: DT2.

    >>> round(conditional_entropy([[2, 3], [4, 0], [3, 2]]), 6)
    0.693536
    """
    return split_impurity(Entropy(base), table)


def information_gain(table, base: float = 2.0) -> float:
    """H(class) − H(class | attribute) of a table of counts, one row a value. Syllabus: DT2.

    >>> round(information_gain([[2, 3], [4, 0], [3, 2]]), 6)          # outlook of the weather table
    0.24675
    """
    return impurity_gain(Entropy(base), table)


def gini(counts) -> float:
    """1 − Σ p² of the shares of `counts`. Syllabus: DT3.

    >>> gini([1, 1]), gini([3, 0])
    (0.5, 0.0)
    """
    counts = _table(counts, "gini", 1)
    return float(class_impurity(Gini(), counts / counts.sum()))


def gini_gain(table) -> float:
    """Gini index minus its mean over the rows of a table of counts. Syllabus: DT3.

    >>> round(gini_gain([[2, 3], [4, 0], [3, 2]]), 6)
    0.116327
    """
    return impurity_gain(Gini(), table)


def split_impurity(kind: Any, table) -> float:
    """Σ_j (W_j/W) φ(p_j) of a table of counts, one row a child; empty children count nothing."""
    table = _table(table, "split_impurity", 2)
    rows = table.sum(axis=1)
    filled = rows > 0.0
    return float(rows[filled] @ class_impurity(kind, table[filled] / rows[filled, None]) / rows.sum())


def impurity_gain(kind: Any, table) -> float:
    """φ(parent) − Σ_j (W_j/W) φ(child j), of a table of counts, one row a child."""
    table = _table(table, "impurity_gain", 2)
    whole = table.sum(axis=0)
    return float(class_impurity(kind, whole / whole.sum())) - split_impurity(kind, table)


def _table(counts, name: str, dimension: int) -> np.ndarray:
    counts = np.asarray(counts, dtype=float)
    if counts.ndim != dimension or not np.all(counts >= 0.0) or not counts.sum() > 0.0 or not np.isfinite(counts).all():
        raise ValueError(f"{name}: give {dimension}-dimensional counts >= 0 that are not all zero")
    return counts

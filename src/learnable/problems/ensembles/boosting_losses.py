"""Losses of gradient boosting: value, gradient and curvature in the raw score f, the best constant, the link.

Values leave out terms without f, as long as the loss stays ≥ 0 or comparable. Syllabus: B6, B7.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from learnable.problems.core.formula import formula, where
from learnable.problems.trees.impurities import weighted_quantile


class SquaredLoss(NamedTuple):
    """½ (y − f)²."""


class AbsoluteLoss(NamedTuple):
    """|y − f|."""


class QuantileLoss(NamedTuple):
    """(y − f)(q − [y < f]): its best constant is the q-quantile."""

    level: float


class HuberLoss(NamedTuple):
    """½ r² for |r| ≤ δ, else δ (|r| − ½ δ): half of the textbook's r² and 2δ|r| − δ²."""

    delta: float


class PoissonLoss(NamedTuple):
    """exp f − y f: half the deviance of counts of mean exp f, up to a constant."""


class GammaLoss(NamedTuple):
    """f + y exp(−f): half the deviance of positive numbers of mean exp f, up to a constant."""


class BinomialLoss(NamedTuple):
    """log(1 + exp f) − y f for y in {0, 1}: f is the log odds."""


class MultinomialLoss(NamedTuple):
    """logsumexp f − f_y for K scores."""

    n_classes: int


class ExponentialLoss(NamedTuple):
    """exp(−(2y − 1) f) for y in {0, 1}: AdaBoost's, minimised by half the log odds."""


@formula
def expansion(loss, y, f):
    """(loss, gradient, curvature) of one row in its score f; curvature 1 where there is none."""


@expansion.of(SquaredLoss)
def _(loss, y, f):
    return 0.5 * (y - f) ** 2, f - y, 1.0 + 0.0 * f


@expansion.of(AbsoluteLoss)
def _(loss, y, f):
    return np.abs(y - f), np.sign(f - y), 1.0 + 0.0 * f


@expansion.of(QuantileLoss)
def _(loss, y, f):
    r = y - f
    slope = where(r < 0.0, 1.0 - loss.level, where(r > 0.0, -loss.level, 0.0))
    return -slope * r, slope, 1.0 + 0.0 * f


@expansion.of(HuberLoss)
def _(loss, y, f):
    slope = np.minimum(np.maximum(f - y, -loss.delta), loss.delta)
    return np.abs(slope) * (np.abs(f - y) - 0.5 * np.abs(slope)), slope, 1.0 + 0.0 * f


@expansion.of(PoissonLoss)
def _(loss, y, f):
    mean = np.exp(f)
    return mean - y * f, mean - y, mean


@expansion.of(GammaLoss)
def _(loss, y, f):
    share = y * np.exp(-f)
    return f + share, 1.0 - share, share


@expansion.of(BinomialLoss)
def _(loss, y, f):
    # The exponent is never positive: neither logarithm nor quotient overflows.
    small = np.exp(-np.abs(f))
    share = 1.0 / (1.0 + small)
    p, q = where(f >= 0.0, share, small * share), where(f >= 0.0, small * share, share)
    # p − y, of which a small 1 − p keeps all its bits.
    return np.maximum(f, 0.0) + np.log1p(small) - y * f, (1.0 - y) * p - y * q, small * share * share


@expansion.of(ExponentialLoss)
def _(loss, y, f):
    sign = 2.0 * y - 1.0
    w = np.exp(-sign * f)
    return w, -sign * w, w


def loss_values(loss: Any, y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """The loss of each row; f is (n,), or (n, K) for several classes."""
    if isinstance(loss, MultinomialLoss):
        return log_sum_exp(f)[:, 0] - f[np.arange(len(y)), y.astype(int)]
    return expansion(loss, y, f)[0]


def log_sum_exp(f: np.ndarray) -> np.ndarray:
    """(n, 1) log Σ exp f of each row; of the largest terms, which are 1 beside the others, none is in the sum.

    SciPy's takes as long for a small table as to grow a tree on it.

    >>> log_sum_exp(np.array([[0.0, 0.0], [800.0, 0.0]])).ravel().round(6).tolist()
    [0.693147, 800.0]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        top = f.max(axis=1, keepdims=True)
        at_top = f == top
        count = at_top.sum(axis=1, keepdims=True, dtype=float)
        rest = np.exp(np.where(at_top, -np.inf, f) - top).sum(axis=1, keepdims=True)
        return np.log1p(rest / count) + np.log(count) + top


def slopes(loss: Any, y: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(gradient, curvature) of each row's loss in f; (n, K) for several classes. Ones where there is no curvature."""
    if isinstance(loss, MultinomialLoss):
        p = np.exp(f - log_sum_exp(f))
        return p - (y[:, None] == np.arange(loss.n_classes)), p * (1.0 - p)
    _, gradient, curvature = expansion(loss, y, f)
    return gradient, curvature


def best_start(loss: Any, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(K,) the constant scores of least mean loss."""
    if isinstance(loss, AbsoluteLoss):
        return np.array([weighted_quantile(y, 0.5, weight)])
    if isinstance(loss, QuantileLoss):
        return np.array([weighted_quantile(y, loss.level, weight)])
    if isinstance(loss, HuberLoss):
        return np.array([weighted_quantile(y, 0.5, weight)])
    tiny = np.finfo(float).eps
    if isinstance(loss, MultinomialLoss):
        p = np.clip(np.bincount(y.astype(int), weight, minlength=loss.n_classes) / weight.sum(), tiny, 1.0)
        return np.log(p) - np.log(p).mean()
    alike = weight.strides == (0,)  # no products with one 1 that stands for all weights
    mean = float(y.mean() if alike else np.average(y, weights=weight))
    if isinstance(loss, PoissonLoss | GammaLoss):
        return np.array([np.log(max(mean, tiny))])
    if isinstance(loss, BinomialLoss | ExponentialLoss):
        p = min(max(mean, tiny), 1.0 - tiny)
        return np.array([np.log(p / (1.0 - p)) * (1.0 if isinstance(loss, BinomialLoss) else 0.5)])
    return np.array([mean])


def has_line_search(loss: Any) -> bool:
    """Whether leaves hold the best constant of their residuals rather than a Newton step."""
    return isinstance(loss, AbsoluteLoss | QuantileLoss | HuberLoss)


def leaf_constant(loss: Any, residual: np.ndarray, weight: np.ndarray) -> float:
    """The number that lowers the loss of a leaf most, for losses of y − f."""
    if isinstance(loss, HuberLoss):
        median = weighted_quantile(residual, 0.5, weight)
        around = np.clip(residual - median, -loss.delta, loss.delta)
        return median + float(np.average(around, weights=weight))
    return weighted_quantile(residual, loss.level if isinstance(loss, QuantileLoss) else 0.5, weight)


def mean_of(loss: Any, f: np.ndarray) -> np.ndarray:
    """The prediction that a raw score stands for: mean or probability of the second class, (n, K) for several."""
    if isinstance(loss, PoissonLoss | GammaLoss):
        return np.exp(f)
    if isinstance(loss, BinomialLoss):
        return expit(f)
    if isinstance(loss, ExponentialLoss):
        return expit(2.0 * f)
    if isinstance(loss, MultinomialLoss):
        return np.exp(f - log_sum_exp(f))
    return f


def score_of(loss: Any, mean: np.ndarray) -> np.ndarray:
    """(n, K) the raw scores that stand for predictions: the inverse of `mean_of`, probabilities kept off 0 and 1.

    >>> score_of(BinomialLoss(), np.array([[0.5, 0.5], [0.0, 1.0]])).round(1)
    array([[ 0. ],
           [15.9]])
    """
    if not isinstance(loss, BinomialLoss | ExponentialLoss | MultinomialLoss):
        return np.asarray(mean, dtype=float).reshape(-1, 1)
    tiny = float(np.finfo(np.float32).eps)
    log = np.log(np.clip(mean, tiny, 1.0 - tiny))
    if isinstance(loss, MultinomialLoss):
        return log - log.mean(axis=1, keepdims=True)
    return (log[:, 1:] - log[:, :1]) * (1.0 if isinstance(loss, BinomialLoss) else 0.5)

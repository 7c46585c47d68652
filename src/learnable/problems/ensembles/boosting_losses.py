"""Losses of gradient boosting: value, gradient and curvature in the raw score f, the best constant, the link.

Values leave out terms without f, as long as the loss stays ≥ 0 or comparable. Syllabus: B6, B7.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logsumexp, xlogy

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


def loss_values(loss: Any, y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """The loss of each row; f is (n,), or (n, K) for several classes."""
    if isinstance(loss, SquaredLoss):
        return 0.5 * (y - f) ** 2
    if isinstance(loss, AbsoluteLoss):
        return np.abs(y - f)
    if isinstance(loss, QuantileLoss):
        r = y - f
        return np.where(r >= 0.0, loss.level * r, (loss.level - 1.0) * r)
    if isinstance(loss, HuberLoss):
        r = np.abs(y - f)
        return np.where(r <= loss.delta, 0.5 * r * r, loss.delta * (r - 0.5 * loss.delta))
    if isinstance(loss, PoissonLoss):
        return np.exp(f) - xlogy(y, np.exp(f))
    if isinstance(loss, GammaLoss):
        return f + y * np.exp(-f)
    if isinstance(loss, BinomialLoss):
        return np.logaddexp(0.0, f) - y * f
    if isinstance(loss, ExponentialLoss):
        return np.exp(-(2.0 * y - 1.0) * f)
    return logsumexp(f, axis=1) - f[np.arange(len(y)), y.astype(int)]


def slopes(loss: Any, y: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(gradient, curvature) of each row's loss in f; (n, K) for several classes. Ones where there is no curvature."""
    if isinstance(loss, SquaredLoss):
        return f - y, np.ones_like(f)
    if isinstance(loss, AbsoluteLoss):
        return np.sign(f - y), np.ones_like(f)
    if isinstance(loss, QuantileLoss):
        return np.where(f > y, 1.0 - loss.level, np.where(f < y, -loss.level, 0.0)), np.ones_like(f)
    if isinstance(loss, HuberLoss):
        return np.clip(f - y, -loss.delta, loss.delta), np.ones_like(f)
    if isinstance(loss, PoissonLoss):
        mean = np.exp(f)
        return mean - y, mean
    if isinstance(loss, GammaLoss):
        share = y * np.exp(-f)
        return 1.0 - share, share
    if isinstance(loss, BinomialLoss):
        p = expit(f)
        return p - y, p * (1.0 - p)
    if isinstance(loss, ExponentialLoss):
        sign = 2.0 * y - 1.0
        w = np.exp(-sign * f)
        return -sign * w, w
    p = np.exp(f - logsumexp(f, axis=1, keepdims=True))
    return p - (y[:, None] == np.arange(loss.n_classes)), p * (1.0 - p)


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
    mean = float(np.average(y, weights=weight))
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
        return np.exp(f - logsumexp(f, axis=1, keepdims=True))
    return f

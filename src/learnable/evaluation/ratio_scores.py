"""Precision, recall and F_β as one family, with intervals for a class and for averages over classes.

Let a hit be a row of class k predicted as k. With weights (u, v) for missing and for wrongly claiming the class,

    score_k = (u+v) TP / ((u+v) TP + u FN + v FP):

recall is (1, 0), precision (0, 1), F_β (β², 1).
"""

from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .confusion import ConfusionMatrix
from .interval import Interval
from .proportion import effective_interval


class RatioScore(NamedTuple):
    """A score of the family: its name, the weight u of a miss and the weight v of a false claim."""

    name: str
    miss: float
    claim: float


RECALL = RatioScore("recall", 1.0, 0.0)
PRECISION = RatioScore("precision", 0.0, 1.0)


def f_beta(beta: float) -> RatioScore:
    """F_β = (1+β²)/(1/precision + β²/recall): recall counts β times as much as precision."""
    if not isinstance(beta, Real) or not (np.isfinite(beta) and beta > 0):
        raise ValueError(f"f_score(beta={beta}): beta must be a positive number")
    return RatioScore(f"f{beta:g}", float(beta) ** 2, 1.0)


def class_interval(matrix: ConfusionMatrix, k: int, score: RatioScore, level: float, zero_division: float) -> Interval:
    """The score of class k with its interval."""
    return weighted_wilson(
        float(matrix.true_positives[k]),
        score.miss + score.claim,
        np.array([matrix.false_negatives[k], matrix.false_positives[k]], dtype=float),
        np.array([score.miss, score.claim]),
        rows_per_count=matrix.effective_n / float(matrix.total),
        level=level,
        zero_division=zero_division,
    )


def micro_interval(
    matrix: ConfusionMatrix, classes: NDArray, score: RatioScore, level: float, zero_division: float
) -> Interval:
    """The score of the pooled classes: every wrong row weighs u if its true class is among them, plus v if its
    predicted one is. Over all classes this is the accuracy, whatever u and v."""
    member = np.isin(np.arange(len(matrix.labels)), classes)
    wrong = np.where(np.eye(len(member), dtype=bool), 0, matrix.counts)
    kinds = [
        (score.miss + score.claim, wrong[np.ix_(member, member)]),
        (score.miss, wrong[np.ix_(member, ~member)]),
        (score.claim, wrong[np.ix_(~member, member)]),
    ]
    return weighted_wilson(
        float(matrix.true_positives[classes].sum()),
        score.miss + score.claim,
        np.array([cells.sum() for _, cells in kinds if cells.size], dtype=float),
        np.array([weight for weight, cells in kinds if cells.size]),
        rows_per_count=matrix.effective_n / float(matrix.total),
        level=level,
        zero_division=zero_division,
    )


def average_interval(
    matrix: ConfusionMatrix,
    classes: NDArray,
    weights: NDArray,
    score: RatioScore,
    level: float,
    zero_division: float,
) -> Interval:
    """Σ_k weight_k score_k, from the intervals of the classes.

    The distances d_k from each score to the end of its interval are added as correlated errors (Zou and Donner):
    low = Σ w_k s_k − √(Σ_kl w_k w_l ρ_kl d_k d_l), and likewise `high`. Recalls of different classes are independent
    given the true classes, precisions given the predicted ones; F-scores are not, and ρ is their correlation by the
    delta method. A class whose score is a convention (zero denominator) adds no error; NaN drops it.
    """
    parts = [class_interval(matrix, k, score, level, zero_division) for k in classes]
    estimates = np.array([part.estimate for part in parts])
    kept = ~np.isnan(estimates)
    if not kept.any():
        return Interval(zero_division, 0.0, 1.0, level, "undefined", 0)
    if not weights[kept].any():
        weights = np.ones(len(parts))
    defined = np.array([part.n > 0 for part in parts])
    weights = np.where(kept, weights, 0) / weights[kept].sum()
    estimates = np.where(kept, estimates, 0)
    below = weights * defined * (estimates - [part.low for part in parts])
    above = weights * defined * ([part.high for part in parts] - estimates)
    correlation = _correlation(matrix, score)[np.ix_(classes, classes)]
    estimate = float(weights @ estimates)
    low = max(estimate - float(np.sqrt(below @ correlation @ below)), 0.0)
    high = min(estimate + float(np.sqrt(above @ correlation @ above)), 1.0)
    return Interval(estimate, low, high, level, "wilson_average", _whole(matrix.effective_n))


def weighted_wilson(
    hits: float,
    hit_weight: float,
    errors: NDArray,
    error_weights: NDArray,
    *,
    rows_per_count: float,
    level: float,
    zero_division: float,
) -> Interval:
    """Wilson's interval carried over to w·hits / (w·hits + Σ_k a_k·errors_k) for kinds of errors of weights a_k.

    The errors count as m = Σa_k·errors_k/c errors of one weight c, and π = hits/(hits + m) as a binomial proportion,
    of which the score is the increasing function wπ/(wπ + c(1−π)). With c = Σa²·errors/Σa·errors this has the
    variance of the delta method; half an error is added to each kind there, since kinds not seen may yet occur.
    Exact when all errors weigh the same.
    """
    error_weight = float(error_weights @ errors)
    if hits == 0 and error_weight == 0:
        return Interval(zero_division, 0.0, 1.0, level, "undefined", 0)
    likely = errors * rows_per_count + 0.5
    each = float(error_weights**2 @ likely / (error_weights @ likely))
    n = hits + error_weight / each
    proportion = effective_interval(hits / n, n * rows_per_count, level=level)
    low, high = (hit_weight * p / (hit_weight * p + each * (1 - p)) for p in (proportion.low, proportion.high))
    estimate = hit_weight * hits / (hit_weight * hits + error_weight)
    return Interval(estimate, low, high, level, "wilson", _whole(n * rows_per_count))


def _correlation(matrix: ConfusionMatrix, score: RatioScore) -> NDArray:
    """Correlations of the class scores by the delta method.

    A row of true class i predicted as j moves score_k by φ_k = ((u+v)[i=j=k] − s_k (u[i=k] + v[j=k]))/b_k. For k ≠ l
    only the rows confused between k and l move both, so E φ_k φ_l = uv s_k s_l (p_kl + p_lk)/(b_k b_l).
    """
    share = matrix.counts / float(matrix.total)
    u, v = score.miss, score.claim
    hits, missed, claimed = np.diagonal(share), share.sum(1) - np.diagonal(share), share.sum(0) - np.diagonal(share)
    base = (u + v) * hits + u * missed + v * claimed
    scores = np.divide((u + v) * hits, base, out=np.zeros_like(base), where=base > 0)
    variance = hits * ((u + v) * (1 - scores)) ** 2 + scores**2 * (u**2 * missed + v**2 * claimed)
    deviation = np.sqrt(variance)
    covariance = u * v * np.outer(scores, scores) * (share + share.T)
    scale = np.outer(deviation, deviation)
    correlation = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _whole(n: float) -> float:
    return round(n) if abs(n - round(n)) < 1e-9 * max(n, 1) else n

"""Bias-variance decomposition under 0-1 loss (Domingos)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.evaluation.interval import Interval, check_level
from learnable.seeds import generator_from


class ZeroOneDecomposition(NamedTuple):
    """error = noise + bias + unbiased_variance - biased_variance, averaged over the points; the estimates add up.

    At a point x let y* be the most probable label, q(c) the share of replicates that predict c and ym their most
    frequent prediction (the *main* prediction; on a tie the first in the order of `classes`).

    Attributes
    ----------
    error : P(prediction ≠ Y).
    noise : effect of label noise, Σ_c q(c)P(Y ≠ c) - P(prediction ≠ y*). For two classes it is (2q(y*) - 1)P(Y ≠ y*),
        and can be negative where the learner is mostly wrong.
    bias : share of points with ym ≠ y*.
    unbiased_variance : P(prediction ≠ ym) where ym = y*; it adds to the error.
    biased_variance : P(prediction = y*) where ym ≠ y*; there variance helps, so it is subtracted.
    main_prediction : ym at every point.
    """

    error: Interval
    noise: Interval
    bias: Interval
    unbiased_variance: Interval
    biased_variance: Interval
    main_prediction: NDArray


def zero_one_decomposition(
    predictions: ArrayLike,
    truth: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    level: float = 0.95,
    n_bootstrap: int = 500,
    random_state: int | None = 0,
) -> ZeroOneDecomposition:
    """Decompose the error rate of replicated predictions.

    Intervals: percentile bootstrap over the replicates, main predictions found anew in each resample. (P. Domingos, A
    unified bias-variance decomposition, 2000.) Syllabus: R12.

    Parameters
    ----------
    predictions : labels, replicate × point.
    truth : labels at the m points (no noise), or probabilities P(Y = c | x) of shape (m, number of classes).
    classes : order of the columns of the probabilities; required with them.
    level : of the Monte-Carlo intervals.
    n_bootstrap : number of resamples behind them.
    random_state : of the resamples.

    >>> terms = zero_one_decomposition([[0, 1], [0, 1], [1, 0]], [0, 0])
    >>> [round(term.estimate, 3) for term in terms[:5]]
    [0.5, 0.0, 0.5, 0.167, 0.167]
    """
    level = check_level(level, "zero_one_decomposition")
    labels = np.asarray(predictions)
    if labels.ndim != 2 or len(labels) < 2:
        raise ValueError(
            f"zero_one_decomposition: predictions have shape {labels.shape}; give >= 2 replicates × points"
        )
    if n_bootstrap != int(n_bootstrap) or n_bootstrap < 1:
        raise ValueError(f"zero_one_decomposition(n_bootstrap={n_bootstrap}): give a whole number, at least 1")
    for name, given in (("predictions", labels), ("truth", np.asarray(truth))):
        if (given != given).any():
            place = tuple(np.argwhere(given != given)[0].tolist())
            raise ValueError(f"zero_one_decomposition: {name}{list(place)} is missing; drop or fill it")
    known, law = _law(np.asarray(truth), classes, labels)
    hits = labels[:, :, None] == known  # replicate × point × class
    replicates = len(labels)
    rng = generator_from(random_state, "zero_one_decomposition")
    weights = rng.multinomial(replicates, np.full(replicates, 1 / replicates), size=n_bootstrap) / replicates
    flat = hits.reshape(replicates, -1).astype(float)
    share = flat.mean(axis=0).reshape(law.shape)
    terms = _terms(share, law)
    resampled = np.array([_terms((weight @ flat).reshape(law.shape), law) for weight in weights])
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2], axis=0)
    error, noise, bias, unbiased, biased = (
        Interval(float(term), float(min(term, a)), float(max(term, b)), level, "bootstrap percentile", replicates)
        for term, a, b in zip(terms, low, high)
    )
    return ZeroOneDecomposition(error, noise, bias, unbiased, biased, known[share.argmax(axis=1)])


def _terms(share: NDArray, law: NDArray) -> NDArray:
    """(error, noise, bias, unbiased variance, biased variance) averaged over points, from q(c) and P(Y = c)."""
    points = np.arange(len(law))
    best, main = law.argmax(axis=1), share.argmax(axis=1)
    right = share[points, best]  # P(prediction = y*)
    noise = right - np.sum(share * law, axis=1)
    biased = best != main
    unbiased_variance = np.where(biased, 0.0, 1 - right)
    biased_variance = np.where(biased, right, 0.0)
    parts = np.array([noise.mean(), biased.mean(), unbiased_variance.mean(), biased_variance.mean()])
    return np.concatenate([[parts[0] + parts[1] + parts[2] - parts[3]], parts])


def _law(truth: NDArray, classes: ArrayLike | None, labels: NDArray) -> tuple[NDArray, NDArray]:
    """All classes and P(Y = c) at every point."""
    m = labels.shape[1]
    if truth.shape == (m,):
        known = np.unique(np.concatenate([truth, labels.ravel()]))
        return known, (truth[:, None] == known).astype(float)
    if truth.ndim != 2 or len(truth) != m:
        raise ValueError(
            f"zero_one_decomposition: truth has shape {truth.shape}; give {m} labels or {m} rows of probabilities"
        )
    if classes is None:
        raise ValueError("zero_one_decomposition: give classes, the order of the columns of the probabilities")
    known = np.asarray(classes)
    if known.shape != (truth.shape[1],) or len(np.unique(known)) != len(known):
        raise ValueError(f"zero_one_decomposition: {len(known)} classes for {truth.shape[1]} columns; give one each")
    unknown = np.setdiff1d(labels, known)
    if len(unknown):
        raise ValueError(f"zero_one_decomposition: the prediction {unknown[0]} is not among classes {known.tolist()}")
    if not ((truth >= 0).all() and np.allclose(truth.sum(axis=1), 1)):
        raise ValueError("zero_one_decomposition: each row of probabilities must be >= 0 and sum to 1")
    return known, truth.astype(float)

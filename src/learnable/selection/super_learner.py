"""The super learner's weights: the best convex combination of learners, judged by predictions out of fold."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.plain import plain

# Steps of Newton's method at most, where a dozen do; and how far one is shortened before rounding has the word.
NEWTON = 100
LEAST_STEP = 1e-6
ORACLE = (
    "the blend's expected loss is at most (1 + 2δ) times that of the best combination of these learners, plus "
    "C(δ)·(1 + log K)/n for K combinations tried and n rows held out (van der Laan, Dudoit and van der Vaart, for "
    "bounded losses)"
)
"""What the oracle inequality says, in words."""


class Blending(NamedTuple):
    """Weights of learners.

    Attributes
    ----------
    weights : (learners,), not negative, with sum 1.
    loss : mean loss of the combination on the rows given.
    gap : bound on how far `loss` is above the least possible, from the gradient alone (Frank and Wolfe's gap).
    """

    weights: NDArray[np.float64]
    loss: float
    gap: float


def blend_weights(predictions: ArrayLike, y: ArrayLike | None = None, *, sample_weight: ArrayLike | None = None):
    """The weights on the simplex with the least mean loss.

    With `y`, predictions of a quantity and squared error: min over w of mean (y − Σ_j w_j f_j)². Without `y`, the
    probability that each learner gave to what happened, and log loss: min over w of −mean log Σ_j w_j p_j. Both are
    convex, so ⟨∇, w⟩ − min_j ∇_j bounds the distance to the least value.
    (M. van der Laan, E. Polley and A. Hubbard, Super Learner, 2007; L. Breiman, Stacked regressions, 1996.)

    Parameters
    ----------
    predictions : (rows, learners), of rows that the learners were not trained on.
    y : (rows,) or None.
    sample_weight : (rows,), weights of the rows.

    >>> import numpy as np
    >>> y = np.array([1.0, 2.0, 3.0, 4.0])
    >>> found = blend_weights(np.column_stack([y + 1, y - 1]), y)
    >>> found.weights.round(6).tolist(), found.gap < 1e-9
    ([0.5, 0.5], True)
    """
    P = np.asarray(predictions, dtype=float)
    if P.ndim != 2 or not P.size:
        raise ValueError(
            f"blend_weights: predictions have shape {P.shape}; give one row a row and one column a learner"
        )
    if not np.isfinite(P).all():
        raise ValueError("blend_weights: predictions must be finite; leave out the learner that fails")
    rows = np.ones(len(P)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if rows.shape != (len(P),) or not (rows >= 0).all() or rows.sum() <= 0:
        raise ValueError(f"blend_weights(sample_weight={plain(sample_weight)!r}): one weight >= 0 a row, not all zero")
    rows = rows / rows.sum()
    return _log_blend(P, rows) if y is None else _squared_blend(P, np.asarray(y, dtype=float), rows)


def _squared_blend(P: NDArray, y: NDArray, rows: NDArray) -> Blending:
    scale = float(np.sqrt(rows @ (y - rows @ y) ** 2)) or 1.0
    E = (P - y[:, None]) / scale  # Σw = 1, so the error of the blend is the blend of the errors
    gram = (E * rows[:, None]).T @ E
    w = _active_set(gram)
    value, slopes = float(w @ gram @ w), 2 * gram @ w
    return Blending(w, value * scale**2, float(slopes @ w - slopes.min()) * scale**2)


def _active_set(gram: NDArray) -> NDArray:
    """min wᵀGw over the simplex: learners enter by their slope and leave when their weight turns negative."""
    m = len(gram)
    ridge = gram + 1e-12 * max(float(np.trace(gram)) / m, np.finfo(float).tiny) * np.eye(m)
    active = [int(np.argmin(np.diag(gram)))]
    w = np.zeros(m)
    w[active] = 1.0
    for _ in range(50 * m):
        solved = np.linalg.solve(ridge[np.ix_(active, active)], np.ones(len(active)))
        target = np.zeros(m)
        target[active] = solved / solved.sum()
        negative = [j for j in active if target[j] < 0]
        if negative:
            step = min(w[j] / (w[j] - target[j]) for j in negative)
            w = w + step * (target - w)
            gone = min(negative, key=lambda j: w[j])
            w[gone] = 0.0
            active.remove(gone)
            continue
        w = target
        slopes = ridge @ w
        enter = int(np.argmin(slopes))
        if enter in active or slopes[enter] > slopes @ w * (1 - 1e-10):
            break
        active.append(enter)
    w = np.maximum(w, 0.0)
    return w / w.sum()


def _log_blend(P: NDArray, rows: NDArray) -> Blending:
    """Newton's method over w ≥ 0: with the sum of the weights added to the loss, the least value has sum 1 by itself.

    Each step solves a problem of non-negative least squares, and is halved until the loss falls.
    (Y. Kim, P. Carbonetto, M. Stephens and M. Anitescu, mixsqp, 2020.)
    """
    from scipy.optimize import nnls

    m = P.shape[1]
    P = np.maximum(P, np.finfo(float).eps)

    def value(w: NDArray) -> float:
        return -float(rows @ np.log(np.maximum(P @ w, np.finfo(float).tiny)))

    w = np.full(m, 1 / m)
    for _ in range(NEWTON):
        least, gap = value(w), _log_gap(P, rows, w)
        if gap < 1e-12:
            break
        A = P * (np.sqrt(rows) / (P @ w))[:, None]
        H = A.T @ A
        # A column twice, or nearly so, leaves its share open; the ridge divides it.
        R = np.linalg.cholesky(H + 1e-10 * np.trace(H) / m * np.eye(m))
        target = nnls(R.T, np.linalg.solve(R, 2 * H @ w - 1))[0]
        if not target.sum() > 0:
            break
        target /= target.sum()
        step, lower = 1.0, False
        while not lower and step > LEAST_STEP:
            tried = w + step * (target - w)
            found = value(tried)
            # Near the end the loss is flat to its last digit, and the gap, its slope, is not.
            lower = found < least or (found <= least + 1e-14 * abs(least) and _log_gap(P, rows, tried) < gap)
            step /= 2
        if not lower:
            break
        w = tried
    return Blending(w, value(w), _log_gap(P, rows, w))


def _log_gap(P: NDArray, rows: NDArray, w: NDArray) -> float:
    return max(float(np.max(P.T @ (rows / (P @ w)))) - 1, 0.0)

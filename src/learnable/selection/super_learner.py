"""The super learner's weights: the best convex combination of learners, judged by predictions out of fold."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.plain import plain

# Steps at most; fewer where the optimum is reached to 1e-9.
POLISHING = 200
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
    from scipy.optimize import minimize

    m = P.shape[1]
    P = np.maximum(P, np.finfo(float).eps)

    def value(w: NDArray) -> float:
        return -float(rows @ np.log(np.maximum(P @ w, np.finfo(float).tiny)))

    def slopes(w: NDArray) -> NDArray:
        return -P.T @ (rows / np.maximum(P @ w, np.finfo(float).tiny))

    start = np.full(m, 1 / m)
    found = minimize(
        value,
        start,
        jac=slopes,
        bounds=[(0, 1)] * m,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(m)},
        method="SLSQP",
        options={"ftol": 1e-10},
    ).x
    w = np.maximum(found, 0)
    w = w / w.sum() if np.isfinite(w).all() and w.sum() > 0 else start
    w = w if value(w) <= value(start) else start
    for _ in range(POLISHING):  # each step of this fixed-point iteration (EM for mixture proportions) lowers the loss
        g = -slopes(w)
        if g.max() - 1 < 1e-9:
            break
        w = w * g
        w /= w.sum()
    return Blending(w, value(w), float(np.max(-slopes(w)) - 1))

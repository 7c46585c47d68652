"""Forward stagewise additive modelling on a pool of base functions."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from learnable.problems.ensembles.votes import Stumps


class StagewiseFit(NamedTuple):
    """f = Σ β_m G_m: which function of the pool entered each round, its coefficient, and the mean loss after it."""

    chosen: np.ndarray
    beta: np.ndarray
    losses: np.ndarray


def stump_pool(X) -> Stumps:
    """All stumps that label the rows of X differently, thresholds at the middles, constants too.

    >>> len(stump_pool(np.array([[1.0], [2.0], [2.0]])).sign)
    4
    """
    X = np.asarray(X, dtype=float)
    feature, threshold, sign = [0, 0], [-np.inf, -np.inf], [1, -1]
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for middle in 0.5 * values[:-1] + 0.5 * values[1:]:
            feature += [j, j]
            threshold += [middle, middle]
            sign += [1, -1]
    return Stumps(np.array(feature), np.array(threshold), np.array(sign))


def forward_stagewise(
    pool, y, loss: Callable[[np.ndarray, np.ndarray], np.ndarray], n_rounds: int, sample_weight=None
) -> StagewiseFit:
    """(β_m, G_m) = argmin over β and G in the pool of Σ w L(y, f + β G), round by round, with f kept.

    With the loss exp(−y f) and a pool of ±1 functions this is AdaBoost: the same G_m and β_m = ½ log((1 − ε)/ε).
    Every candidate is minimised by itself, by a search over β; nothing about the loss is used but its values.
    Syllabus: B5.

    Parameters
    ----------
    pool : (J, n) values of the base functions on the rows.
    y : (n,)
    loss : function of (y, f), elementwise and convex in f.
    n_rounds : int
    sample_weight : (n,), default=None

    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([1.0, -1.0, 1.0, 1.0])
    >>> fit = forward_stagewise(stump_pool(X).predict(X), y, lambda y, f: np.exp(-y * f), 2)
    >>> fit.beta.round(4)
    array([0.5493, 0.8047])
    """
    pool, y = np.asarray(pool, dtype=float), np.asarray(y, dtype=float)
    if pool.ndim != 2 or pool.shape[1] != len(y) or not len(pool):
        raise ValueError(f"forward_stagewise: pool has shape {pool.shape}; give one row a function, {len(y)} columns")
    if n_rounds < 1:
        raise ValueError(f"forward_stagewise(n_rounds={n_rounds}): at least one round is needed")
    w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    w = w / w.sum()
    f = np.zeros(len(y))
    chosen, beta, losses = [], [], []
    for _ in range(n_rounds):
        best = (np.inf, 0, 0.0)
        for j, G in enumerate(pool):
            found = minimize_scalar(lambda b, G=G, f=f: float(w @ loss(y, f + b * G)), bracket=(0.0, 0.5), tol=1e-12)
            if found.fun < best[0] - 1e-12 * abs(found.fun):
                best = (float(found.fun), j, float(found.x))
        chosen.append(best[1])
        beta.append(best[2])
        losses.append(best[0])
        f = f + best[2] * pool[best[1]]
    return StagewiseFit(np.array(chosen), np.array(beta), np.array(losses))

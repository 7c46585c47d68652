"""Least angle regression and the lasso path: the conditions at every knot, from the data. Syllabus: L7, L3.

Midway between two knots they are checked as well. Correlations are linear between knots and never above the level at
the ends, so that one at the level midway is at it all the way: the two checks prove the whole path.
"""

from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.sparse.lasso import Penalised


@certifies("Lars", "LassoLars")
def lars_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The path, target by target, and the duality gap at its end where it is a lasso."""
    X, targets = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    targets = targets[:, None] if targets.ndim == 1 else targets
    jitter = getattr(model, "jitter_", None)
    targets = targets if jitter is None else targets + np.asarray(jitter)[:, None]
    coefs = np.atleast_2d(model.coef_)
    one = len(coefs) == 1
    positive, lasso = bool(getattr(model, "positive", False)), hasattr(model, "alpha")
    problem = Penalised(X, None, model.fit_intercept)
    Z = X - X.mean(axis=0) if model.fit_intercept else X
    claims = []
    for k in range(len(coefs)):
        name = "" if one else f" (target {k})"
        alphas = np.asarray(model.alphas_ if one else model.alphas_[k], dtype=float)
        coef, y_k = np.asarray(coefs[k], dtype=float), targets[:, k]
        whole = hasattr(model, "coef_path_")
        path = np.asarray(model.coef_path_ if one else model.coef_path_[k], dtype=float) if whole else coef[:, None]
        t = y_k - y_k.mean() if model.fit_intercept else y_k
        at = _standing(Z, t, alphas, path, positive, lasso, np.finfo(model.coef_.dtype).eps)
        claims += [
            Claim.at_most(
                "L7", f"at every knot and midway between two, no column is above the level (largest excess){name}",
                at.excess, at.bound,
            ),
            Claim.at_most(
                "L7", "at every knot and midway between two, every column in use is at the level"
                + (f", on the side of its sign (largest distance){name}" if lasso else f" (largest distance){name}"),
                at.distance, at.bound,
            ),
        ]  # fmt: skip
        if whole:
            climb = float(np.diff(alphas).max(initial=-np.inf)) if len(alphas) > 1 else 0.0
            broken = np.abs(path[:, 0]).max(initial=0.0) + np.abs(path[:, -1] - coef).max(initial=0.0)
            claims += [
                Claim.at_most("L7", f"the levels fall from knot to knot (largest climb){name}", climb, 0.0),
                Claim.at_most("L7", f"the path begins at zero and ends at the answer (distance){name}", broken, 0.0),
            ]
        offset = float(np.broadcast_to(model.intercept_, len(coefs))[k])
        if model.fit_intercept:
            claims.append(problem.intercept(y_k, coefs[k], offset, name))
        if lasso and model.alpha > 0.0:
            penalty = problem.penalty(float(model.alpha), 1.0, positive)
            gap, _, mean_square = problem.standing(y_k, coef, offset, penalty)
            claims.append(
                Claim.at_most(
                    "L3", f"duality gap at alpha: the objective is above its minimum by at most{name}",
                    max(gap.gap, 0.0), 1e-12 * mean_square + at.worth,
                )
            )  # fmt: skip
    return claims


class _Standing(NamedTuple):
    """Largest violations over the path, in units of the size of what is added up; their bound; its worth in the gap."""

    excess: float
    distance: float
    bound: float
    worth: float


def _standing(Z, t, alphas, path, positive: bool, lasso: bool, eps: float) -> _Standing:
    n, p = Z.shape
    alphas = np.concatenate([alphas, 0.5 * (alphas[1:] + alphas[:-1])])
    path = np.concatenate([path, 0.5 * (path[:, 1:] + path[:, :-1])], axis=1)
    length = np.sqrt(np.einsum("ij,ij->j", Z, Z) / n)
    size = length[:, None] * (np.sqrt(t @ t / n) + length @ np.abs(path))
    unit = np.where(size > 0.0, size, 1.0)
    c = Z.T @ (t[:, None] - Z @ path) / n
    excess = (c if positive else np.abs(c)) - alphas
    distance = np.abs((c * np.sign(path) if lasso else np.abs(c)) - alphas)
    bound = 4.0 * (p + np.sqrt(n) + 10.0) * eps
    worth = bound * float(size[:, -1] @ np.abs(path[:, -1]) + size[:, -1].max(initial=0.0) * np.abs(path[:, -1]).sum())
    negative = float(np.maximum(-path, 0.0).max(initial=0.0)) if positive else 0.0
    return _Standing(
        float(np.max(excess / unit, initial=0.0)),
        float(np.max(np.where(path != 0.0, distance / unit, 0.0), initial=0.0)) + negative,
        bound,
        worth,
    )

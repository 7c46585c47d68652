"""Certificates of linear machines with few weights, and of all classes in one machine. Syllabus: S7.

With ‖w‖₁ any β in the box whose slopes Xᵀβ are within ±1 bounds the minimum from below: −C∂ℓ at `coef_`, shortened
until it is. Crammer and Singer's machine brings its dual point; without one nothing is claimed.
"""

from typing import Any

import numpy as np

from learnable.certificates.core import Claim, allowed, thorough
from learnable.certificates.core.worst import worst_of
from learnable.certificates.kernels.conditions import FEASIBLE, TINY
from learnable.certificates.kernels.linear_reading import (
    AGREE,
    CONSTANT,
    EPS,
    GAP,
    SHARP_GAP,
    distance,
    gained_claim,
    read_dual,
    read_weights,
    scores_apart,
    scores_claim,
)
from learnable.certificates.kernels.reading import is_foreign
from learnable.problems.kernels.multiclass import values


def sparse_claims(model: Any, X: Any, targets: list[np.ndarray], each: list[np.ndarray]) -> list[Claim]:
    """‖(w, b/s)‖₁ + Σ C (1 − y f)₊² against y·β − Σ β²/(4C), of the worst machine; and that dual_coef_ is −C∂ℓ."""
    coef, offset, scale = read_weights(model, len(targets), X.shape[1])
    dual = None if is_foreign(model) else read_dual(model, len(targets), X.shape[0])
    worst, apart, beside = 0.0, 0.0, 0.0
    for k, (y, C) in enumerate(zip(targets, each)):
        b, counts = float(offset[k]), C > 0.0
        own = b / scale if scale > 0.0 else (0.0 if b == 0.0 else np.inf)
        scores = np.asarray(X @ coef[k]).ravel() + b
        slack = np.maximum(1.0 - y * scores, 0.0)
        primal = float(np.abs(coef[k]).sum()) + abs(own) + float(C @ slack**2)
        beta = 2.0 * C * y * slack
        steepest = max(float(np.abs(np.asarray(beta @ X)).max(initial=0.0)), scale * abs(float(beta.sum())))
        line, bend = float(y @ beta), 0.25 * float(np.sum(beta[counts] ** 2 / C[counts]))
        length = min(1.0 / steepest if steepest > 0.0 else np.inf, line / (2.0 * bend) if bend > 0.0 else 0.0)
        bound = length * line - length**2 * bend
        worst = worst_of(worst, (primal - bound) / max(primal, np.finfo(float).tiny))
        if float(np.ptp(scores)) > CONSTANT:
            gained = _of_best_constant(y, C, scale) - bound
            beside = worst_of(beside, (primal - bound + len(y) * EPS * primal) / max(gained, TINY))
        if dual is not None:
            given = dual[k]
            size = max(float(np.abs(beta).max(initial=0.0)), np.finfo(float).tiny)
            apart = worst_of(apart, float(np.abs(given - beta).max(initial=0.0)) / size)
    bound = SHARP_GAP if is_foreign(model) else GAP
    found = [Claim.reached("S7", "relative duality gap P(w) - D(alpha)", worst, allowed(bound), allowed(GAP))]
    found.append(gained_claim("S7", beside))
    if not is_foreign(model):
        found.append(Claim.at_most("S6", "dual coefficients against the slopes of the losses", apart, AGREE))
    return found


def _of_best_constant(y: np.ndarray, C: np.ndarray, scale: float) -> float:
    """The least of |b|/s + Σ C (1 − y b)₊²: the balance of the classes, shortened by the penalty."""
    above, below = float(C[y > 0.0].sum()), float(C[y < 0.0].sum())
    lead, penalty = above - below, 1.0 / scale if scale > 0.0 else np.inf
    b = float(np.sign(lead)) * max(abs(lead) - 0.5 * penalty, 0.0) / max(above + below, TINY)
    return (penalty * abs(b) if b else 0.0) + above * (1.0 - b) ** 2 + below * (1.0 + b) ** 2


def joint_claims(model: Any, X: Any, index: np.ndarray, K: int, C: np.ndarray) -> list[Claim]:
    """The relative gap of Crammer and Singer's machine, that α is feasible, and that the weights are Σ α_im xᵢ."""
    if is_foreign(model):
        return [Claim.disclosure("S7", "machines without a dual point, for which nothing is claimed", 1.0)]
    coef, offset, scale = read_weights(model, K if K > 2 else 1, X.shape[1])
    # Weights of all classes add up to 0: of two, half of the difference each.
    W, b = (coef, offset) if K > 2 else (np.vstack([-0.5 * coef, 0.5 * coef]), np.array([-0.5, 0.5]) * offset[0])
    alpha = read_dual(model, K, X.shape[0]).T
    most = np.zeros(alpha.shape)
    most[np.arange(len(index)), index] = C
    size = max(float(C.max(initial=0.0)), np.finfo(float).tiny)
    beyond = max(float(np.max(alpha - most)), float(np.abs(alpha.sum(axis=1)).max(initial=0.0))) / size
    own = b / scale if scale > 0.0 else np.where(b == 0.0, 0.0, np.inf)
    made, made_own = np.asarray(X.T @ alpha).T, scale * alpha.sum(axis=0)
    norm, square = float(np.sum(W**2) + np.sum(own**2)), float(np.sum(made**2) + np.sum(made_own**2))
    away = float(np.sum((W - made) ** 2) + np.sum((own - made_own) ** 2))
    apart = distance(away, max(norm, square), X, scale, alpha)
    scores = np.asarray(X @ W.T) + b
    told = values(scores, norm, index, C, alpha, square)
    found = [
        Claim.at_most("S7", "relative duality gap P(W) - D(alpha)", told.relative_gap, allowed(GAP)),
        Claim.at_most("S6", "dual coefficients outside their box or not in balance", beyond, FEASIBLE),
        Claim.at_most("S6", "weights against those of the dual coefficients", apart, AGREE),
    ]
    if thorough():
        said = [scores_apart(X, *machine) for machine in zip(W - made, alpha.T, scores.T)]
        found.append(scores_claim("S6", worst_of(*said)))
    return found

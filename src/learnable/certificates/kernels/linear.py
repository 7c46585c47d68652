"""Certificate of linear machines, ours and liblinear's through scikit-learn. Syllabus: S7, S9.

The primal value is that of `coef_`. The dual value is that of `dual_coef_` where the model brings it, computed from
w_β = Σ βᵢ(xᵢ, s) and not from `coef_`; without it, that of a dual point found here.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils.class_weight import compute_class_weight

from learnable.certificates.core import Claim, Ledger, allowed, certifies, thorough
from learnable.certificates.core.refitted import only_theirs
from learnable.certificates.core.worst import worst_of
from learnable.certificates.kernels.conditions import FEASIBLE, TINY
from learnable.certificates.kernels.linear_forms import joint_claims, sparse_claims
from learnable.certificates.kernels.linear_reading import (
    AGREE,
    CLOSE_GAP,
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
from learnable.certificates.kernels.reading import is_foreign, weights
from learnable.problems.linear.losses import Hinge, conjugate, gradient, value
from learnable.problems.linear.margin_losses import SquaredHinge
from learnable.problems.linear.regression_losses import EpsilonInsensitive, SquaredEpsilonInsensitive

# Rows whose coefficients are looked for, at most, and beyond which without bounds in mind.
MOST_FREE, MANY_FREE = 3000, 600
# Columns up to which a matrix of second derivatives is formed.
MOST_COLUMNS = 1500
# Distances of y f from its kink up to which a row may be on it, in a fit of liblinear's.
NEAR = (1e-6, 1e-4, 1e-3, 1e-2)
# How far scores and the offset may be from those of the minimiser, relatively, where that is found here; an offset
# counts as this share of the scores at least.
APART, LEAST_OFFSET = 2e-3, 0.03
LOSSES: dict[str, Any] = {
    "hinge": Hinge, "squared_hinge": SquaredHinge, "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
}  # fmt: skip
LEDGER = Ledger(verified=("coef_", "intercept_", "dual_coef_"), unverified=("n_iter_",))


@certifies("LinearSVC", ledger=LEDGER, double=True, again=only_theirs)
def linear_svc_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The relative gap of each class against the rest."""
    K = len(model.classes_)
    index = np.searchsorted(model.classes_, y)
    own = C = model.C * weights(len(index), sample_weight)
    if model.class_weight is not None:
        balance = compute_class_weight(
            model.class_weight,
            classes=model.classes_,
            y=np.asarray(y),
            sample_weight=weights(len(index), sample_weight),
        )
        C = C * balance[index]
    if model.multi_class == "crammer_singer":
        return joint_claims(model, X, index, K, C)
    targets = [np.where(index == k, 1.0, -1.0) for k in ([1] if K == 2 else range(K))]
    # One class against the rest: its weight counts there, those of the others in their own machines.
    each = [C] if K == 2 else [np.where(index == k, C, own) for k in range(K)]
    if model.penalty == "l1":
        return sparse_claims(model, X, targets, each)
    return claims(model, X, targets, each, LOSSES[model.loss](), "S7")


@certifies("LinearSVR", ledger=LEDGER, double=True, again=only_theirs)
def linear_svr_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The relative gap."""
    y = np.asarray(y, dtype=float)
    C = model.C * weights(len(y), sample_weight)
    return claims(model, X, [y], [C], LOSSES[model.loss](float(model.epsilon)), "S9")


def claims(model: Any, X: Any, targets: list[np.ndarray], each: list[np.ndarray], loss: Any, row: str) -> list[Claim]:
    """Feasibility of the witness, agreement with the weights, and the gap, of the worst machine; C of `each`."""
    coef, offset, scale = read_weights(model, len(targets), X.shape[1])
    dual_coef = None if is_foreign(model) else read_dual(model, len(targets), X.shape[0])
    worst, infeasible, apart, said, worse, astray, beside = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    # Our own machines of classes come with dual coefficients that their weights are made of.
    measured = is_foreign(model) or not isinstance(loss, Hinge | SquaredHinge)
    smooth = isinstance(loss, SquaredHinge | SquaredEpsilonInsensitive) and X.shape[1] < MOST_COLUMNS
    for k, (y, C) in enumerate(zip(targets, each)):
        w, b = coef[k], float(offset[k])
        if scale == 0.0 and b != 0.0:
            infeasible = np.inf
        own = b / scale if scale > 0.0 else 0.0
        scores = np.asarray(X @ w).ravel() + b
        counts = C > 0.0
        cost, told = C[counts], y[counts]
        norm = float(w @ w) + own**2
        primal = 0.5 * norm + float(cost @ value(loss, told, scores[counts]))
        if dual_coef is None:
            beta = dual_point(X, y, C, loss, w, own, scale, scores)
        else:
            given = dual_coef[k]
            lower, upper = _box(loss, y, C)
            beta = np.clip(given, lower, upper)
            size = max(float(np.abs(given).max(initial=0.0)), TINY)
            infeasible = worst_of(infeasible, float(np.abs(given - beta).max(initial=0.0)) / size)
        w_beta, own_beta = np.asarray(beta @ X).ravel(), scale * float(beta.sum())
        square = float(w_beta @ w_beta) + own_beta**2
        between = w - w_beta
        away = float(between @ between) + (own - own_beta) ** 2
        apart = worst_of(apart, distance(away, max(norm, square), X, scale, beta))
        if thorough() and dual_coef is not None:
            if smooth:
                said = worst_of(said, _to_minimiser(X, y, C, loss, w, own, scale, scores))
            else:
                said = worst_of(said, scores_apart(X, between, beta, scores))
        dual = -float(cost @ conjugate(loss, told, -beta[counts] / cost)) - 0.5 * square
        size = max(abs(primal), abs(dual), TINY)
        worst = worst_of(worst, (primal - dual) / size)
        if measured and float(np.ptp(scores)) > CONSTANT * float(np.abs(told).max(initial=0.0)):
            gained = _of_best_constant(loss, told, cost, scale) - dual
            beside = worst_of(beside, (primal - dual + len(told) * EPS * size) / max(gained, TINY))
        if is_foreign(model):
            # Multiples of w, and the weights of the dual point.
            others = [(t * scores, t * t * norm) for t in (0.5, 0.8, 0.95, 1.05, 1.2, 2.0)]
            best_scores = np.asarray(X @ w_beta).ravel() + scale * own_beta
            others.append((best_scores, square))
            best = min(0.5 * n2 + float(cost @ value(loss, told, f[counts])) for f, n2 in others)
            worse = worst_of(worse, (primal - best) / size)
            if smooth:
                # Newton's steps end at the minimiser: (w, own) is as far from it as from the weights of the dual point.
                extent = max(float(np.sqrt(np.mean(best_scores**2))), TINY)
                off = abs(b - scale * own_beta) / max(scale * abs(own_beta), LEAST_OFFSET * extent)
                differ = scores - best_scores
                astray = worst_of(astray, off, float(np.sqrt(np.mean(differ**2))) / extent)
                # Beside a large offset, by how far scores are apart.
                astray = worst_of(astray, float(np.std(differ)) / max(float(np.std(best_scores)), TINY))
    # A dual point found here may be far from the best one. Then the gap refutes nothing, unless better weights exist.
    unsure = is_foreign(model) and isinstance(loss, Hinge | EpsilonInsensitive) and worse <= allowed(GAP)
    bound, asked = (SHARP_GAP, 1e300 if unsure else allowed(GAP)) if is_foreign(model) else (CLOSE_GAP, 0.0)
    found = [Claim.reached(row, "relative duality gap P(w) - D(alpha)", worst, allowed(bound), asked)]
    if measured:
        found.append(gained_claim(row, beside))
    if is_foreign(model):
        what = "scores and offset against those of the minimiser, relative"
        found.append(Claim.reached(row, what, astray, APART, 1e300))
    else:
        found.append(Claim.at_most("S6", "dual coefficients outside their box", infeasible, FEASIBLE))
        found.append(Claim.at_most("S6", "weights against those of the dual coefficients", apart, AGREE))
        if thorough() and smooth:
            what = "scores after one step of Newton's, against those before, relative"
            found.append(Claim.reached(row, what, said, APART, 1e300))
        elif thorough():
            found.append(scores_claim("S6", said))
    return found


def _of_best_constant(loss: Any, y: np.ndarray, C: np.ndarray, scale: float) -> float:
    """The least objective of constant scores: of zero without an intercept, which is penalised where there is one."""
    if scale == 0.0:
        b = 0.0
    elif isinstance(loss, EpsilonInsensitive):
        b = _best_of_tubes(y, loss.epsilon, C, scale**2)
    else:
        b = _best_constant(loss, y, C, scale**2)
    penalty = 0.5 * b**2 / scale**2 if b else 0.0
    return penalty + float(C @ value(loss, y, np.full(len(y), b)))


def _best_of_tubes(y: np.ndarray, epsilon: float, C: np.ndarray, square: float) -> float:
    """argmin Σ C max(0, |y − b| − ε) + b²/(2 square), whose slope rises by C at both ends of the tube of each row.

    >>> y = np.array([0.0, 1.0, 5.0])
    >>> _best_of_tubes(y, 0.5, np.ones(3), 1e9), _best_of_tubes(y, 0.0, np.ones(3), 0.2)
    (0.5, 0.2)
    """
    ends = np.concatenate([y - epsilon, y + epsilon])
    order = ends.argsort()
    ends, slope = ends[order], np.cumsum(np.append(-C.sum(), np.concatenate([C, C])[order]))
    k = int(np.argmax(slope[1:] + ends / square >= 0.0))
    return float(min(ends[k], -slope[k] * square))


def _best_constant(loss: Any, y: np.ndarray, C: np.ndarray, square: float) -> float:
    from scipy.optimize import brentq

    def slope(b: float) -> float:
        return b / square + float(C @ gradient(loss, y, np.full(len(y), b)))

    far = float(np.abs(y).max(initial=0.0)) + 1.0
    return float(brentq(slope, -far, far, xtol=1e-12 * far)) if slope(-far) < 0.0 < slope(far) else 0.0


def _box(loss: Any, y: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    most = C if isinstance(loss, Hinge | EpsilonInsensitive) else np.where(C > 0.0, np.inf, 0.0)
    if isinstance(loss, Hinge | SquaredHinge):
        return np.where(y > 0.0, 0.0, -most), np.where(y > 0.0, most, 0.0)
    return -most, most


def dual_point(X, y, C, loss, w, own, scale, scores) -> np.ndarray:
    """A dual point near that of the weights: −C ∂ℓ where the loss has a slope; where it has a kink, what makes up w.

    For a squared loss −C ∂ℓ is dual feasible, and Newton steps bring it nearer to the best one.
    """
    if isinstance(loss, SquaredHinge | SquaredEpsilonInsensitive):
        return _newton(X, y, C, loss, np.append(w, own), scale)
    away = np.abs(1.0 - y * scores) if isinstance(loss, Hinge) else np.abs(np.abs(y - scores) - loss.epsilon)
    # Classes that no weights tell apart have all rows of one on the kink.
    on_kink = [int(np.count_nonzero(away <= near)) for near in NEAR]
    numbers = {min(many, MOST_FREE) for many in (len(w) + 1, len(w) + 3, 2 * len(w) + 10, *on_kink)}
    candidates = [_with_free(X, y, C, loss, w, own, scale, scores, away, many) for many in sorted(numbers)]
    return max(candidates, key=lambda beta: _dual_value(X, y, C, loss, scale, beta))


def _dual_value(X, y, C, loss, scale, beta) -> float:
    made, counts = np.append(np.asarray(beta @ X).ravel(), scale * beta.sum()), C > 0.0
    return -float(C[counts] @ conjugate(loss, y[counts], -beta[counts] / C[counts])) - 0.5 * float(made @ made)


def _with_free(X, y, C, loss, w, own, scale, scores, away, many: int) -> np.ndarray:
    """−C ∂ℓ, but for the `many` rows least away from the kink, whose coefficients make up what is missing of w."""
    from scipy.optimize import lsq_linear

    lower, upper = _box(loss, y, C)
    beta = np.clip(-C * gradient(loss, y, scores), lower, upper)
    near = np.argsort(away)[:many]
    near = near[upper[near] > lower[near]]
    beta[near] = 0.0
    left = np.append(w, own) - np.append(np.asarray(beta @ X).ravel(), scale * beta.sum())
    part = X[near]
    if len(near) > MANY_FREE:
        # With more columns than free rows the coefficients that make up w are unique, and within their bounds.
        gram = part @ part.T
        gram = (gram.toarray() if sparse.issparse(gram) else gram) + scale**2
        gram.ravel()[:: len(near) + 1] += 1e-12 * max(float(np.trace(gram)), np.finfo(float).tiny)
        fitted = cho_solve(cho_factor(gram), part @ left[:-1] + scale * left[-1])
        beta[near] = np.clip(fitted, lower[near], upper[near])
        return beta
    columns = np.column_stack([part.toarray() if sparse.issparse(part) else part, np.full(len(near), scale)])
    beta[near] = lsq_linear(columns.T, left, (lower[near], upper[near]), tol=1e-12).x
    return beta


def _newton(X, y, C, loss, w, scale, steps: int = 20) -> np.ndarray:
    """−C ∂ℓ at the end of a few Newton steps from w, of the best dual value met; of many columns at w itself."""
    columns = _with_offset(X, scale)
    best, kept = -np.inf, np.zeros(len(y))
    for _ in range(steps):
        scores = np.asarray(columns @ w).ravel()
        beta = -C * gradient(loss, y, scores)
        made = np.asarray(beta @ columns).ravel()
        counts = C > 0.0
        dual = -float(C[counts] @ conjugate(loss, y[counts], -beta[counts] / C[counts])) - 0.5 * float(made @ made)
        if dual <= best * (1.0 + 1e-12 * np.sign(best)):
            break
        best, kept = dual, beta
        if len(w) > MOST_COLUMNS:
            break
        w = w - _newton_step(columns, C, beta, w - made)
    return kept


def _with_offset(X, scale):
    """The columns, and one of `scale`."""
    if sparse.issparse(X):
        return sparse.hstack([X, np.full((X.shape[0], 1), scale)]).tocsr()
    return np.column_stack([X, np.full(X.shape[0], scale)])


def _newton_step(columns, C, beta, slope) -> np.ndarray:
    """(I + Σ 2C xxᵀ)⁻¹ times the slope, summed over the rows that have a loss."""
    inside = beta != 0.0
    part = columns[inside]
    weighted = part.multiply(2.0 * C[inside][:, None]) if sparse.issparse(part) else part * (2.0 * C[inside][:, None])
    hessian = part.T @ weighted
    hessian = (hessian.toarray() if sparse.issparse(hessian) else hessian) + np.eye(columns.shape[1])
    unit = np.sqrt(np.diag(hessian))
    return np.linalg.solve(hessian / unit / unit[:, None], slope / unit) / unit


def _to_minimiser(X, y, C, loss, w, own, scale, scores) -> float:
    """How far a step of Newton's moves the scores, beside what they differ by."""
    columns, weights_of = _with_offset(X, scale), np.append(w, own)
    beta = -C * gradient(loss, y, scores)
    moved = np.asarray(columns @ _newton_step(columns, C, beta, weights_of - np.asarray(beta @ columns).ravel()))
    extent = max(float(np.std(scores)), 1e-6 * float(np.sqrt(np.mean(scores**2))), TINY)
    return float(np.sqrt(np.mean(moved**2))) / extent

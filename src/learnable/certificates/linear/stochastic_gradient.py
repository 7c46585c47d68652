"""Stochastic gradient descent: what its answer is, and how far from the minimum at most. Syllabus: O2, O6, P3.

The algorithm promises no accuracy. The numbers reported with the answer, the objective J and the smallest margin, must
be those of this answer on these data; that the answer is near the minimum is proved where a bound on J − min J is a
small share of J without coefficients, and left open elsewhere. The bound is a duality gap; without an intercept and
with the ℓ2 penalty it equals ‖∇J‖² / (2α), the bound that strong convexity gives. For the squared loss with that
penalty it is J − min J itself, ½ ∇Jᵀ H⁻¹ ∇J.
"""

import math
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.shapes import check_shapes
from learnable.certificates.linear.stochastic_gradient_in_blocks import (
    MANY,
    Point,
    Standing,
    excess,
    standing_in_blocks,
)
from learnable.problems.core.duality import EPS, dual_value
from learnable.problems.linear import losses, margin_losses, regression_losses
from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import L1, L2, ElasticNet
from learnable.rows import Block, Rows, as_rows, is_streamed
from learnable.rows.stretches import stretches

_LOSSES = {
    "hinge": lambda epsilon: losses.Hinge(),
    "squared_hinge": lambda epsilon: margin_losses.SquaredHinge(),
    "perceptron": lambda epsilon: losses.PerceptronLoss(),
    "log_loss": lambda epsilon: losses.Logistic(),
    "modified_huber": lambda epsilon: margin_losses.ModifiedHuber(),
    "squared_error": lambda epsilon: losses.Squared(),
    "huber": regression_losses.Huber,
    "epsilon_insensitive": regression_losses.EpsilonInsensitive,
    "squared_epsilon_insensitive": regression_losses.SquaredEpsilonInsensitive,
}


# J − min J that counts as near, as a share of J without coefficients.
NEAR = 1e-6


@np.errstate(over="ignore", invalid="ignore")
def standing(
    X, target: np.ndarray, weight: np.ndarray, coef, intercept, loss, penalty, free_intercept, longest: float
) -> Standing:
    """How (θ, b) stands; `weight` already divided by n. Of a fit that ran away the numbers may be infinite.

    Parameters
    ----------
    longest : bound on the length of the rows, as `longest_row` gives it.
    """
    coef = np.asarray(coef, dtype=float)
    f = np.concatenate([np.asarray(part @ coef).ravel() for _, part in stretches(X)]) + intercept
    objective = float(weight @ losses.value(loss, target, f)) + penalties.total(penalty, coef)
    u = np.asarray(losses.gradient(loss, target, f), dtype=float)
    pull, total = weight * u, float(weight.sum())
    steep = float(pull.sum()) if free_intercept else 0.0
    quadratic = isinstance(loss, losses.Squared) and penalties.l1_level(penalty, 0) == 0.0
    if quadratic and len(coef) <= MANY and math.isfinite(objective):
        (slope,) = _slopes(X, pull[:, None])
        scatter, mean = _scatter(X, weight, total, free_intercept)
        ridge = penalties.curvature(penalty, 0)

        def along(U: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            curvature, slope_there = ridge * (U.T @ U), ridge * (coef @ U)
            for rows, part in stretches(X):
                z = ((part.toarray() if sparse.issparse(part) else part) - mean) @ U
                curvature, slope_there = curvature + (weight[rows, None] * z).T @ z, slope_there + pull[rows] @ z
            return curvature, slope_there

        gap = excess(scatter, mean, total, slope + ridge * coef, steep, ridge, along)
    else:
        dual_point = balanced(u, weight) if free_intercept else u
        slope, dual_slope = _slopes(X, np.stack([pull, weight * dual_point], axis=1))
        gap = objective - dual_value(loss, penalty, target, weight, coef, dual_point, dual_slope)
        gap = max(gap, 0.0) if math.isfinite(gap) else np.inf
    entries = penalties.subdistance(penalty, coef, slope, penalties.EVERY)
    at_zero = float(weight @ losses.value(loss, target, 0.0))
    levels = (float(weight @ target) / total, _median(target)) if free_intercept else ()
    size = longest * float(np.linalg.norm(coef)) + abs(intercept)
    rounding = 4.0 * (len(coef) + math.sqrt(len(target)) + 10.0) * EPS
    return Standing(
        objective,
        at_zero,
        min((float(weight @ losses.value(loss, target, level)) for level in levels), default=at_zero),
        gap,
        max(float(entries.max(initial=0.0)), abs(steep)),
        float((target * f).min()),
        rounding * (size * max(float(np.abs(pull).sum()), 1.0) + abs(objective)),
    )


def _scatter(X, weight: np.ndarray, total: float, free_intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """Σ w (x − x̄)(x − x̄)ᵀ and x̄, the mean where the intercept is free and zero where it is not."""
    p = X.shape[1]
    scatter, mean = np.zeros((p, p)), np.zeros(p)
    if free_intercept:
        for rows, part in stretches(X):
            mean += np.asarray(weight[rows] @ part).ravel() / total
    for rows, part in stretches(X):
        away = (part.toarray() if sparse.issparse(part) else part) - mean
        scatter += (weight[rows, None] * away).T @ away
    return scatter, mean


def _median(values: np.ndarray) -> float:
    """`np.median` of finite numbers, most of whose time goes into other cases.

    >>> _median(np.array([3.0, 1.0, 2.0])), _median(np.array([4.0, 1.0, 2.0, 8.0]))
    (2.0, 3.0)
    """
    middle = (len(values) - 1) // 2, len(values) // 2
    low, high = np.partition(values, middle)[list(middle)].tolist()
    return 0.5 * (low + high)


def _slopes(X, pulls: np.ndarray) -> np.ndarray:
    """(2, p) sums Σ pullᵢ xᵢ in one pass, over the rows that pull: after a good fit by the hinge they are few."""
    pulling = np.flatnonzero(pulls[:, 0])
    if 2 * len(pulling) < len(pulls):
        X, pulls = X[pulling], pulls[pulling]
    slopes = np.zeros((pulls.shape[1], X.shape[1]))
    for rows, part in stretches(X):
        slopes += pulls[rows].T @ part
    return slopes


def longest_row(X) -> float:
    """A bound on every ‖x‖, so that |x·θ| and its rounding are within it times ‖θ‖; of dense rows, the longest."""
    if sparse.issparse(X):
        largest = max(float(X.data.max(initial=0.0)), -float(X.data.min(initial=0.0)))
        return largest * float(np.sqrt(np.diff(X.tocsr().indptr).max(initial=0)))
    squares = [float(np.einsum("ij,ij->i", part, part).max(initial=0.0)) for _, part in stretches(X)]
    return math.sqrt(max(squares, default=0.0))


def balanced(u: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """u with its positive or its negative part scaled down so that Σ w u = 0: feasible when the intercept is free.

    The domain of ℓ* is an interval around 0 or beginning there, so that scaling down never leaves it.
    """
    up, down = weight @ np.maximum(u, 0.0), weight @ np.maximum(-u, 0.0)
    least = min(up, down)
    return np.where(u > 0.0, u * (least / up if up > 0.0 else 0.0), u * (least / down if down > 0.0 else 0.0))


@certifies(
    "SGDClassifier",
    ledger=Ledger(
        ("coef_", "intercept_"),
        derived=("objective_", "smallest_margin_"),
        unverified=("n_iter_", "t_", "standard_coef_", "standard_intercept_"),
    ),
)
def sgd_classifier_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Claims for each binary problem, one class against the rest."""
    classes, coef = model.classes_, _dense(model.coef_)
    positive = classes[1:] if len(classes) == 2 else classes
    offsets = np.atleast_1d(model.intercept_)
    streamed = is_streamed(X)
    rows = as_rows(X, y, sample_weight) if streamed else None
    check_shapes(model, coef_=(len(positive), int(model.n_features_in_)), intercept_=(len(positive),))
    if not streamed:
        y, X = np.asarray(y), _matrix(X)
        longest = longest_row(X)
    claims: list[Claim] = []
    for k, label in enumerate(positive):
        if rows is not None:
            at = _in_blocks(model, rows, partial(_signs, label, rows.n_rows), coef[k], float(offsets[k]))
        else:
            sign = np.where(y == label, 1.0, -1.0)
            weight = _class_weight(model, y, sign) * (
                1.0 if sample_weight is None else np.asarray(sample_weight, float)
            )
            at = standing(
                X, sign, weight / len(y), coef[k], float(offsets[k]), _loss(model), _penalty(model),
                model.fit_intercept, longest,
            )  # fmt: skip
        name = "" if len(positive) == 1 else f" (class {label!s} against the rest)"
        claims += objective_claims(at, _entry(model, "objective_", k), name)
        claims += margin_claims(at, _entry(model, "smallest_margin_", k), name)
    return claims


@certifies(
    "SGDRegressor",
    ledger=Ledger(
        ("coef_", "intercept_"),
        derived=("objective_",),
        unverified=("n_iter_", "t_", "standard_coef_", "standard_intercept_"),
    ),
)
def sgd_regressor_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Claims for one target."""
    check_shapes(model, coef_=(int(model.n_features_in_),))
    coef, offset = _dense(model.coef_).ravel(), float(np.ravel(model.intercept_)[0])
    if is_streamed(X):
        rows = as_rows(X, y, sample_weight)
        at = _in_blocks(model, rows, partial(_targets, rows.n_rows), coef, offset)
        return objective_claims(at, _entry(model, "objective_", 0), "")
    target, X = np.asarray(y, dtype=float), _matrix(X)
    weight = np.ones(len(target)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    at = standing(
        X, target, weight / len(target), coef, offset, _loss(model), _penalty(model), model.fit_intercept,
        longest_row(X),
    )  # fmt: skip
    return objective_claims(at, _entry(model, "objective_", 0), "")


def _in_blocks(model: Any, rows: Rows, posed: Any, coef: np.ndarray, offset: float) -> Standing:
    if getattr(model, "class_weight", None) is not None:
        raise TypeError(f"class_weight={model.class_weight!r} is judged on arrays alone; pass X and y as arrays")
    at = Point(np.asarray(coef, dtype=float), offset, _loss(model))
    return standing_in_blocks(rows, posed, at, _penalty(model), model.fit_intercept)


def _signs(label: Any, n: int, block: Block) -> tuple[np.ndarray, np.ndarray]:
    return np.where(block.y == label, 1.0, -1.0), _share_of(n, block)


def _targets(n: int, block: Block) -> tuple[np.ndarray, np.ndarray]:
    return np.asarray(block.y, dtype=float), _share_of(n, block)


def _share_of(n: int, block: Block) -> np.ndarray:
    return np.full(block.stop - block.start, 1.0 / n) if block.weight is None else np.asarray(block.weight, float) / n


def objective_claims(at: Standing, reported: float | None, name: str) -> list[Claim]:
    """The objective, against the one reported, against zero, and the distance to the minimum."""
    claims = []
    if reported is not None:
        statement = f"the objective reported is that of this answer{name} (difference)"
        claims.append(Claim.at_most("O2", statement, abs(at.objective - reported), at.rounding))
    # A fit that was asked for no accuracy is refuted by none.
    statement = f"the objective is no worse than at θ = 0, b = 0{name}"
    claims.append(Claim.reached("O2", statement, at.objective, at.at_zero + at.rounding, np.inf))
    near = allowed(NEAR) * at.flat + at.rounding
    if np.isfinite(at.gap):
        statement = f"the objective is above its minimum by at most{name}"
        claims.append(Claim.reached("O6", statement, at.gap, near, np.inf))
    else:
        statement = f"nothing bounds how far the objective is above its minimum{name}; the objective"
        claims.append(Claim.disclosure("O6", statement, at.objective)._replace(open=True))
    claims.append(Claim.disclosure("O1", f"largest entry of the gradient of the objective{name}", at.gradient))
    return claims


def margin_claims(at: Standing, reported: float | None, name: str) -> list[Claim]:
    """The smallest margin, against the one reported."""
    if reported is None:
        return [Claim.disclosure("P3", f"smallest margin y·f{name}", at.margin)]
    statement = f"the smallest margin reported is that of this answer{name} (difference)"
    return [Claim.at_most("P3", statement, abs(at.margin - reported), at.rounding)]


def _loss(model) -> Any:
    return _LOSSES[model.loss](float(model.epsilon))


def _penalty(model) -> ElasticNet:
    alpha = float(model.alpha)
    if model.penalty is None:
        return L2(0.0)
    if model.penalty == "elasticnet":
        return ElasticNet(alpha, float(model.l1_ratio))
    return L1(alpha) if model.penalty == "l1" else L2(alpha)


def _class_weight(model, y: np.ndarray, sign: np.ndarray) -> np.ndarray:
    if model.class_weight is None:
        return np.ones(len(y))
    index = np.searchsorted(model.classes_, y)
    if model.class_weight == "balanced":
        counts = np.bincount(index, minlength=len(model.classes_))
        weights = len(y) / (len(counts) * counts)
    else:
        weights = np.array([model.class_weight.get(label, 1.0) for label in model.classes_.tolist()])
    return np.where((sign > 0.0) | (len(model.classes_) == 2), weights[index], 1.0)


def _entry(model, name: str, k: int) -> float | None:
    """Entry k of a number that our estimators report and foreign ones do not."""
    return float(np.atleast_1d(getattr(model, name))[k]) if hasattr(model, name) else None


def _matrix(X):
    return X if sparse.issparse(X) or getattr(X, "dtype", None) == np.float32 else np.asarray(X, dtype=float)


def _dense(coef) -> np.ndarray:
    return coef.toarray() if sparse.issparse(coef) else np.asarray(coef)

"""Linear discriminant analysis: averages, discriminant equations, boundary, canonical coordinates. Syllabus: C1."""

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from scipy.special import log_softmax

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.linear.class_spread import (
    EPS,
    ClassSpread,
    average_claims,
    class_covariances,
    class_rows,
    class_spread,
    expected_priors,
    unchecked_covariance,
)
from learnable.rows import Rows


@certifies("LinearDiscriminantAnalysis")
def linear_discriminant_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about linear discriminants with any solver."""
    rows = class_rows(model, X, y, sample_weight)
    weighted = model.solver != "svd" or hasattr(model, "covariance_")
    by_class = weighted and (model.priors is not None or model.shrinkage == "auto")
    found = class_spread(rows, model.means_, by_class)
    precision = float(np.finfo(model.coef_.dtype).eps)
    claims = average_claims("C1", model, found, found.rounding * precision)
    if getattr(model, "covariance_estimator", None) is not None:
        claims.append(unchecked_covariance("C1"))
    priors = expected_priors(model, found)
    within = _within(model, rows, found, priors) if weighted else found.pooled
    if hasattr(model, "covariance_") and getattr(model, "covariance_estimator", None) is None:
        size = np.sqrt(np.diag(within))
        apart = np.abs(model.covariance_ / np.outer(found.unit, found.unit) - within)
        ratio = apart / np.where(np.outer(size, size) > 0.0, np.outer(size, size), 1.0)
        claims.append(
            Claim.at_most(
                "C1",
                "covariance_ is the mean of the class covariances by the priors (largest relative difference)",
                ratio.max(),
                found.rounding * precision,
            )
        )
    if model.solver == "svd":
        within = found.pooled
    return claims + _equation_claims(model, found, priors, within, precision)


def _within(model, rows: Rows, found: ClassSpread, priors: np.ndarray) -> np.ndarray:
    """Σ_k π_k Σ_k as the parameters define it, in units."""
    if getattr(model, "covariance_estimator", None) is not None:
        return np.asarray(model.covariance_, dtype=float) / np.outer(found.unit, found.unit)
    if len(found.scatter) == len(found.weight) and (model.priors is not None or model.shrinkage == "auto"):
        return np.tensordot(priors, class_covariances(model, rows, found), axes=1)
    # With the shares as priors the mean of the class covariances is the pooled one, and shrinking is linear.
    pooled = found._replace(weight=found.weight.sum(keepdims=True))
    return class_covariances(model, rows, pooled)[0]


class _Equations(NamedTuple):
    """Σ coef = means − reference in columns of unit deviation: A B = D, with A = V diag(values) Vᵀ."""

    A: np.ndarray
    B: np.ndarray
    D: np.ndarray
    values: np.ndarray
    V: np.ndarray
    kept: np.ndarray
    deviation: np.ndarray


def _equations(model, found: ClassSpread, within: np.ndarray, reference: np.ndarray, start: int) -> _Equations:
    deviation = np.sqrt(np.maximum(np.diag(within), 0.0))
    rounding = 32.0 * EPS * np.abs(found.mean).max(axis=0)
    deviation = np.where(deviation > rounding, deviation, 1.0)
    for scale in (deviation, np.ones_like(deviation)):
        A = within / np.outer(scale, scale)
        values, V = linalg.eigh(A)
        noise = 10.0 * len(A) * EPS * values[-1]
        # A singular Σ: "svd" works in columns of unit deviation, least norm by "lsqr" is meant in the original units.
        if model.solver == "svd" or values[0] > noise:
            break
    kept = values > (max(model.tol**2, noise) if model.solver == "svd" else noise)
    B = np.asarray(model.coef_, dtype=float) * found.unit * scale
    return _Equations(A, B, (found.mean[start:] - reference) / scale, values, V, kept, scale)


def _equation_claims(model, found: ClassSpread, priors, within, precision: float) -> list[Claim]:
    two = len(priors) == 2
    start = 1 if two else 0
    if two:
        reference = found.mean[0]
    else:
        reference = priors @ found.mean if model.solver == "svd" else np.zeros(within.shape[0])
    e = _equations(model, found, within, reference, start)
    largest, smallest = e.values[-1], e.values[e.kept].min()
    # A solution through Σ⁻¹ leaves a residual that grows with the condition number.
    tolerance = max(min(found.rounding * (precision + EPS * largest / smallest), 1e-3), 1e-9)
    size = np.linalg.norm(e.D, axis=1) + largest * np.linalg.norm(e.B, axis=1)
    size = np.where(size > 0.0, size, 1.0)
    residual = np.linalg.norm((e.D - e.B @ e.A) @ e.V[:, e.kept], axis=1) / size
    claims = [
        Claim.at_most(
            "C1",
            "Σ coef = class mean − reference (largest relative residual)",
            residual.max(),
            tolerance + _left_out(model, found, priors, e, size),
        )
    ]
    if not e.kept.all():
        along = np.linalg.norm(e.B @ e.V[:, ~e.kept], axis=1) / np.maximum(np.linalg.norm(e.B, axis=1), 1e-300)
        claims += [
            Claim.disclosure(
                "C1", f"directions without within-class variance, left out of {len(e.kept)}", np.sum(~e.kept)
            ),
            Claim.at_most("C1", "coef_ has no part along them (largest relative part)", along.max(), 1e-6),
        ]
    centre, coef = 0.5 * (found.mean[start:] + reference), np.asarray(model.coef_, dtype=float) * found.unit
    log_prior = np.log(priors[1:] / priors[0]) if two else np.log(priors)
    midway = np.sum(centre * coef, axis=1) + np.asarray(model.intercept_, dtype=float)
    entered = 1.0 + np.abs(log_prior) + np.sum(np.abs(centre * coef), axis=1) + np.abs(model.intercept_)
    claims.append(
        Claim.at_most(
            "C1",
            "midway between a class mean and the reference the score is the log prior odds (largest relative "
            "difference)",
            np.max(np.abs(midway - log_prior) / entered),
            found.rounding * precision,
        )
    )
    claims.append(_posterior_claim(model, found, priors, e, tolerance))
    if hasattr(model, "scalings_"):
        claims += _canonical_claims(model, found, priors, e, tolerance)
    return claims


def _left_out(model, found: ClassSpread, priors, e: _Equations, size: np.ndarray) -> float:
    """What "svd" may leave of the equations: directions in which the class means differ by less than tol."""
    rank = min(len(priors) - 1, int(e.kept.sum()))
    if model.solver != "svd" or model.scalings_.shape[1] >= rank or len(priors) == 2:
        return 0.0
    apart = (e.D @ e.V[:, e.kept]) / np.sqrt(e.values[e.kept])
    root = np.sqrt(priors)
    most = np.linalg.norm(root[:, np.newaxis] * apart, 2)
    return float(np.max(np.sqrt(e.values[-1]) * model.tol * most / root / size))


def _posterior_claim(model, found: ClassSpread, priors, e: _Equations, tolerance: float) -> Claim:
    """P(k | x) from the fitted scores against π_k φ(x; μ_k, Σ) / Σ_l π_l φ(x; μ_l, Σ), at the class means."""
    scores = (found.mean * found.unit) @ np.asarray(model.coef_, dtype=float).T + model.intercept_
    if len(priors) == 2:
        scores = np.hstack([np.zeros_like(scores), scores])
    whitened = (found.mean / e.deviation) @ e.V[:, e.kept] / np.sqrt(e.values[e.kept])
    squares = np.sum((whitened[:, np.newaxis, :] - whitened) ** 2, axis=2)
    fitted = np.exp(log_softmax(scores, axis=1))
    off = np.abs(fitted - np.exp(log_softmax(np.log(priors) - 0.5 * squares, axis=1)))
    size = 1.0 + float(np.abs(scores).max()) + float(np.max(whitened**2))
    bound = min((tolerance + (model.tol if model.solver == "svd" and len(priors) > 2 else 0.0)) * size, 0.01)
    return Claim.at_most(
        "C1",
        "posteriors at the class means sum to 1 and follow Bayes' rule (largest difference)",
        max(off.max(), np.abs(fitted.sum(axis=1) - 1.0).max()),
        bound,
    )


def _canonical_claims(model, found: ClassSpread, priors, e: _Equations, tolerance: float) -> list[Claim]:
    """In the coordinates scalings_ the within-class covariance is I, and the between-class one is diagonal, falling."""
    T = np.asarray(model.scalings_, dtype=float) * (found.unit * e.deviation)[:, np.newaxis]
    length = np.linalg.norm(T, axis=0)
    size = 1.0 + e.values[-1] * np.outer(length, length)
    unit = np.abs(T.T @ e.A @ T - np.eye(T.shape[1])) / size
    claims = [
        Claim.at_most(
            "C1", "scalings_ᵀ Σ scalings_ = I (largest relative difference)", unit.max(initial=0.0), tolerance
        )
    ]
    if model.solver == "svd" or (model.shrinkage in (None, 0) and model.covariance_estimator is None):
        shares = priors if model.solver == "svd" or model.priors is None else found.share
        apart = np.sqrt(shares)[:, np.newaxis] * (found.mean - shares @ found.mean) / e.deviation
        extra = found.pooled / np.outer(e.deviation, e.deviation) - e.A
        between = T.T @ (apart.T @ apart + extra) @ T
        variance = np.diag(between)
        scale = max(float(np.abs(variance).max(initial=0.0)), 1e-300)
        off = np.abs(between - np.diag(variance)).max(initial=0.0) / scale
        rise = np.diff(variance).max(initial=0.0) / scale
        claims.append(
            Claim.at_most(
                "C1",
                "along scalings_ the class means are uncorrelated and ever less apart (largest relative violation)",
                max(off, rise),
                min(10.0 * tolerance * float(size.max(initial=1.0)), 1e-2),
            )
        )
    return claims

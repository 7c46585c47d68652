"""Canonical coordinates of linear discriminants: Σ = I in them, and how far apart the classes are. Syllabus: C1."""

from typing import Any

import numpy as np

from learnable.certificates.bayes.shapes import misshapen
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import thorough
from learnable.certificates.linear.class_spread import ClassSpread, inflation_of, overall_covariance
from learnable.rows import Rows

# The entry of largest size of a column may be another one after rounding: both are then positive, or near it.
SIGNED = 1e-6


def canonical_claims(
    model: Any, rows: Rows, found: ClassSpread, priors: np.ndarray, e: Any, tolerance: float, blurred: float
) -> list[Claim]:
    """scalings_, explained_variance_ratio_ and n_components_, with `e` the `Equations` of the discriminants.

    `blurred` is what can be asked of those who take one rounded mean from another.
    """
    K, p = found.mean.shape
    claims = component_claims(model, K, p)
    if model.solver == "lsqr":
        return claims
    columns = np.shape(model.scalings_)[1] if model.solver == "svd" else p
    directions = min(K, int(e.kept.sum())) if model.solver == "svd" else p
    shapes = {"scalings_": (p, columns), "explained_variance_ratio_": (min(_asked(model, K, p), directions),)}
    if wrong_shape := misshapen("C1", model, shapes):
        return claims + wrong_shape
    T = np.asarray(model.scalings_, dtype=float) * (found.unit * e.deviation)[:, np.newaxis]
    length = np.linalg.norm(T, axis=0)
    if e.factor is None:
        size, inner = 1.0 + e.values[-1] * (length[:, np.newaxis] * length), T.T @ e.A @ T
    else:
        size, image = 1.0 + e.values[-1] ** 0.5 * (length[:, np.newaxis] + length), e.factor @ T
        inner = image.T @ image
    unit = float((np.abs(inner - np.eye(T.shape[1])) / size).max(initial=0.0))
    statement = "scalings_ᵀ Σ scalings_ = I (largest relative difference)"
    claims.append(Claim.reached("C1", statement, unit, tolerance, blurred))
    if type(model).__module__.startswith("learnable."):
        claims.append(sign_claim(np.asarray(model.scalings_, dtype=float)))
    # The total covariance that Ledoit and Wolf shrink takes one more pass over the rows: `certify` makes it.
    costly = model.solver == "eigen" and model.shrinkage == "auto"
    if model.covariance_estimator is not None or (costly and not thorough()):
        return claims
    between = _between(model, rows, found, priors, e, T)
    variance = between.diagonal()
    if float(np.abs(variance).max(initial=0.0)) <= (found.noise * length.max(initial=0.0)) ** 2:
        statement = "the class means differ by no more than rounding: the order of the coordinates is none (1)"
        return [*claims, Claim.disclosure("C1", statement, 1.0)]
    scale = max(float(np.abs(variance).max(initial=0.0)), 1e-300)
    off = np.abs(between - np.diag(variance)).max(initial=0.0) / scale
    rise = (variance[1:] - variance[:-1]).max(initial=0.0) / scale
    bound, asked = (min(10.0 * each * float(size.max(initial=1.0)), 1e-2) for each in (tolerance, blurred))
    asked = max(asked, blurred)
    statement = "along scalings_ the class means are uncorrelated and ever less apart (largest relative violation)"
    claims.append(Claim.reached("C1", statement, max(off, rise), bound, asked))
    return [*claims, _share_claim(model, e, variance, bound, asked)]


def component_claims(model: Any, K: int, p: int) -> list[Claim]:
    """n_components_, which scikit-learn keeps to itself."""
    kept = next((name for name in ("n_components_", "_max_components") if hasattr(model, name)), None)
    if kept is None:
        return []
    number = getattr(model, kept)
    wrong = float(isinstance(number, float) or number != _asked(model, K, p))
    return [Claim.at_most("C1", f"{kept} is what was asked for (1 if not)", wrong, 0.0)]


def _asked(model: Any, K: int, p: int) -> int:
    return min(K - 1, p) if model.n_components is None else model.n_components


def _share_claim(model: Any, e: Any, variance: np.ndarray, bound: float, asked: float) -> Claim:
    # A shrunk total may have less variance than Σ: shares of a negative sum come in another order, as in scikit-learn.
    expected = e.shares if model.solver == "svd" else np.sort(variance / np.sum(variance))[::-1]
    stated = np.asarray(model.explained_variance_ratio_, dtype=float)
    statement = "explained_variance_ratio_ are the shares of the between-class variance (largest difference)"
    return Claim.reached("C1", statement, np.abs(stated - expected[: len(stated)]).max(initial=0.0), bound, asked)


def sign_claim(scalings: np.ndarray) -> Claim:
    """Turned about, a column would be as good: the one of the two whose largest entry is positive is taken."""
    below, above = (-scalings).max(axis=0, initial=0.0), scalings.max(axis=0, initial=0.0)
    wrong = int(np.count_nonzero(below > (1.0 + SIGNED) * above))
    return Claim.at_most("C1", "columns of scalings_ whose entry of largest size is negative", wrong, 0.0)


def _between(model: Any, rows: Rows, found: ClassSpread, priors: np.ndarray, e: Any, T: np.ndarray) -> np.ndarray:
    """What the coordinates diagonalise: Σ_k π_k (μ_k − x̄)(μ_k − x̄)ᵀ, or with "eigen" the total covariance less Σ."""
    units = e.deviation[:, np.newaxis] * e.deviation
    shares = priors if model.solver == "svd" else found.share
    apart = np.sqrt(shares)[:, np.newaxis] * found.about_centre(shares)
    if model.solver == "svd" or (e.factor is not None and model.priors is None):
        along = (apart / e.deviation) @ T
        return along.T @ along
    between = apart.T @ apart
    total = overall_covariance(model, rows, found, found.pooled + between)
    return T.T @ (total / units - e.A / inflation_of(model, found.weight)) @ T

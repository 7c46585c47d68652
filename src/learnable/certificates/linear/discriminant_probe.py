"""Discriminants of many rows, tried in random directions at the end of a fit; None where that would prove too little.

What fails here is looked at in full, so a probe never refutes by itself. Syllabus: C1, C2.
"""

from typing import Any

import numpy as np

from learnable.certificates.bayes.shapes import misshapen
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.digest_generator import digest_generator
from learnable.certificates.linear.class_probe import Probe, probe, some_rows
from learnable.certificates.linear.class_spread import ClassSpread, expected_priors, inflation_of, prior_claim
from learnable.rows import Rows

# What a product with Σ may be off by, relative to what it is added up from.
ACCURATE = 1e-9
# Above it a covariance recomputed from cross-products no longer tells its smallest eigenvalue to six digits or so.
TRUSTED_CONDITION = 1e6


def linear_probe_claims(model: Any, rows: Rows, precision: float) -> tuple[ClassSpread | None, list[Claim]]:
    """Σ C = M in a random mixture of the classes, C holding coef_ and M the class means about their reference.

    With C = M T Tᵀ, T being scalings_, of full rank, that says TᵀΣT = I too: Tᵀ times it is A = (TᵀΣT) A for A = TᵀM.
    """
    means, T = np.asarray(model.means_, dtype=float), np.asarray(model.scalings_, dtype=float)
    K, p = means.shape
    columns = min(K - 1, p)
    asked = columns if model.n_components is None else model.n_components
    shapes = {"scalings_": (p, columns), "explained_variance_ratio_": (min(asked, columns),)}
    if model.rank_ != p or misshapen("C1", model, shapes) or (some := some_rows(rows, means)) is None:
        return None, []
    weight, variance, square = some
    coef, centre = np.asarray(model.coef_, dtype=float), np.asarray(model.xbar_, dtype=float)
    M = means[1:] - means[:1] if K == 2 else means - centre
    random = digest_generator(means, coef, model.intercept_, T)
    s, g = random.standard_normal((len(M),)), random.standard_normal((p,)) / np.sqrt(square)
    v, wanted, deviation = s @ coef, s @ M, np.sqrt(variance)
    tried = probe(rows, means, weight, variance, g, v, np.full(K, inflation_of(model, weight) / weight.sum()))
    rounding = tried.found.rounding * precision
    size = float(np.linalg.norm(np.abs(s) @ np.abs(M) / deviation) + np.linalg.norm(v * deviation))
    left = float(np.linalg.norm((tried.image - wanted) / deviation)) / size
    again = M @ T @ T.T
    apart = np.abs((coef - again) * deviation).max() / max(float(np.abs(again * deviation).max()), 1e-300)
    statement = "Σ coef = class mean − reference, in a random mixture of the classes (relative residual)"
    claims = [
        *_average_claims("C1", model, tried, rounding),
        Claim.at_most("C1", statement, left, max(rounding, ACCURATE)),
        Claim.at_most("C1", "coef_ is (class mean − reference) scalings_ scalings_ᵀ (largest relative difference)",
                      apart, max(rounding, ACCURATE)),
    ]  # fmt: skip
    return tried.found, [*claims, *_order_claims(model, expected_priors(model, tried.found), means - centre, T)]


def _order_claims(model: Any, priors: np.ndarray, about: np.ndarray, T: np.ndarray) -> list[Claim]:
    """The class means along scalings_: uncorrelated, ever less apart, by the stated shares."""
    along = np.sqrt(priors)[:, np.newaxis] * (about @ T)
    between = along.T @ along
    spread = np.diag(between)
    stated = np.asarray(model.explained_variance_ratio_, dtype=float)
    off = np.abs(between - np.diag(spread)).max() / max(float(spread.max()), 1e-300)
    rise = np.diff(spread).max(initial=0.0) / max(float(spread.max()), 1e-300)
    shares = (spread / spread.sum())[: len(stated)]
    apart = np.abs(stated[: len(shares)] - shares).max(initial=0.0)
    return [
        Claim.at_most("C1", "along scalings_ the class means are uncorrelated and ever less apart (largest relative "
                      "violation)", max(float(off), float(rise)), ACCURATE),
        Claim.at_most("C1", "explained_variance_ratio_ are the shares of the between-class variance (largest "
                      "difference)", float(apart), ACCURATE),
    ]  # fmt: skip


def quadratic_probe_claims(model: Any, rows: Rows, precision: float) -> list[Claim] | None:
    """Σ_k Σ_k g = Σ_k V_k Λ_k V_kᵀ g for random g, the classes mixed at random."""
    V, values = np.asarray(model.rotations_, dtype=float), np.asarray(model.scalings_, dtype=float)
    means = np.asarray(model.means_, dtype=float)
    K, p = means.shape
    known = model.covariance_estimator is None and (model.solver == "svd" or model.shrinkage is None)
    if not known or np.any(values <= 0.0) or np.max(values.max(axis=1) / values.min(axis=1)) > TRUSTED_CONDITION:
        return None
    if (some := some_rows(rows, means)) is None:
        return None
    weight, variance, square = some
    random = digest_generator(means, values, V)
    g = random.standard_normal((p,)) / np.sqrt(square)
    images = np.einsum("kij,kj->ki", V, values * np.einsum("kij,i->kj", V, g))
    deviations = np.sqrt(np.einsum("kij,kj->ki", V**2, values))
    # Every class weighs as much as any other, however many rows it has and however far they spread.
    sizes = np.sqrt(images @ g)
    mixture = random.standard_normal((K,)) / np.linalg.norm(deviations * np.abs(g), axis=1)
    r = model.reg_param if model.solver == "svd" else 0.0
    tried = probe(rows, means, weight, variance, g, g, (1.0 - r) * mixture / weight)
    rounding = tried.found.rounding * precision
    left = np.abs(tried.image + r * mixture.sum() * g - mixture @ images)
    size = (np.abs(mixture) * sizes) @ deviations
    turned = np.abs(V.transpose(0, 2, 1) @ V - np.eye(p)).max()
    statement = (
        "rotation · scaling · rotationᵀ is the covariance of each class, in a random direction and a random mixture "
        "of the classes (largest relative difference)"
    )
    claims = [
        *_average_claims("C2", model, tried, rounding),
        Claim.at_most("C2", "rotationsᵀ rotations = I (largest difference)", turned, rounding),
        Claim.at_most("C2", statement, float(np.max(left / size)), rounding + tried.found.blur(precision)),
    ]
    if model.store_covariance:
        fitted = (V * values[:, np.newaxis, :]) @ V.transpose(0, 2, 1)
        off = np.abs(np.asarray(model.covariance_, dtype=float) - fitted).max(axis=(1, 2))
        statement = "covariance_ is rotation · scaling · rotationᵀ (largest relative difference)"
        claims.append(Claim.at_most("C2", statement, float((off / np.abs(fitted).max(axis=(1, 2))).max()), rounding))
    return claims


def _average_claims(id: str, model: Any, tried: Probe, rounding: float) -> list[Claim]:
    statement = "means_ are the class averages, in a random combination of the columns (largest relative difference)"
    return [Claim.at_most(id, statement, tried.astray, rounding), prior_claim(id, model, tried.found, rounding)]

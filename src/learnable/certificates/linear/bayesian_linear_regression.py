"""Bayesian linear regression: the posterior solves its equations, and σ is a stationary point of the evidence.

Everything is computed again from the cross-products and residuals of the data, in the coordinates β = m + Lγ in which
the prior is N(0, I). Syllabus: R10, D5.
"""

from typing import Any

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.bayes.shapes import misshapen, stored_precision
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.sums import cross_products, triangle
from learnable.certificates.linear.row_space import ACCURATE
from learnable.certificates.sparse.answer import MOST_MISSED, SUMMED, rounding_of
from learnable.rows import as_rows

# The smallest noise that is looked for, relative to the deviation of the targets from the prior mean: data that fit
# exactly have evidence without bound as σ falls to 0.
SMALLEST_NOISE = 1e-8
# A deviation of the covariance that a certificate must see.
VISIBLE = 1e-4
# Predictions that differ by less than this share of what the prior would let them differ by are alike.
TOLD = 1e-10
TINY = float(np.finfo(float).tiny)


@certifies(
    "BayesianLinearRegression",
    ledger=Ledger(
        verified=("coef_", "intercept_", "coef_covariance_", "noise_scale_"),
        derived=("log_evidence_", "effective_df_", "centre_", "centre_variance_"),
    ),
)
def bayesian_linear_regression_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Posterior mean, posterior covariance, evidence, and the noise level where it was estimated."""
    rows = as_rows(X, y, sample_weight)
    p, eps = rows.n_columns, stored_precision(rows)
    numbers = ("intercept_", "noise_scale_", "log_evidence_", "effective_df_", "centre_variance_")
    arrays: dict[str, tuple[int, ...]] = {"coef_": (p,), "centre_": (p,), "coef_covariance_": (p, p)}
    if wrong := misshapen("R10", model, arrays | dict.fromkeys(numbers, ())):
        return wrong
    noise = Claim.at_most("R10", "σ is positive, and the one given if one was (1 if not)", _wrong_noise(model), 0.0)
    if not noise.holds:
        return [noise]
    coef, intercept = np.asarray(model.coef_, dtype=float), float(model.intercept_)
    sigma2 = float(model.noise_scale_) ** 2
    prior_mean = np.broadcast_to(np.asarray(model.prior_mean, dtype=float), (p,))
    root = (
        linalg.cholesky(np.asarray(model.prior_covariance, dtype=float), lower=True)
        if model.prior_covariance is not None
        else np.diag(np.broadcast_to(np.asarray(model.prior_scale, dtype=float), (p,)))
    )
    found = cross_products(rows, model.fit_intercept)
    scatter_xx, scatter_xy, scatter_yy = found.products[:p, :p], found.products[:p, p], found.products[p, p]
    point = found.mean if model.fit_intercept else np.zeros(p + 1)
    centre = point[:p]
    slope, total, rss = rows.reduce(_residual_sums(coef, intercept, centre))
    gamma = linalg.solve_triangular(root, coef - prior_mean, lower=True)

    # 1. Lᵀ X̃ᵀr = σ² γ, each entry over the size of what was added up to get it.
    n = found.weight
    raw = np.sqrt(np.diag(scatter_xx) + n * centre**2)
    squares = float(scatter_yy) + (n * float(point[p]) ** 2 if model.fit_intercept else 0.0)
    entered = np.sqrt(squares) + raw @ np.abs(coef) + np.sqrt(n) * abs(intercept)
    entered = entered + np.sqrt(sigma2) * np.linalg.norm(gamma)
    lengths = np.abs(root).T @ np.sqrt(np.diag(scatter_xx)) + np.sqrt(sigma2)
    gradient = root.T @ slope - sigma2 * gamma
    ratios = [float(np.max(np.abs(gradient) / lengths))]
    if model.fit_intercept:
        ratios.append(abs(total) / np.sqrt(n))
    rounding = 16.0 * (p + np.sqrt(rows.n_rows) + 10.0) * eps
    claims = [
        noise,
        Claim.at_most(
            "R10",
            "the posterior mean solves Xᵀr/σ² = P⁻¹(β − m) (largest normalised residual)",
            max(ratios) / entered if entered > 0.0 else 0.0,
            max(rounding, ACCURATE),
        ),
        *_centre_claims(model, raw / np.sqrt(n), centre, sigma2 / n, rounding),
    ]

    # 2. The covariance is the inverse of XᵀX/σ² + P⁻¹.
    white = linalg.solve_triangular(root, np.asarray(model.coef_covariance_, dtype=float), lower=True)
    white = linalg.solve_triangular(root, white.T, lower=True)
    precision = root.T @ scatter_xx @ root / sigma2 + np.eye(p)
    # Compared in units in which the precision has a unit diagonal.
    unit = np.sqrt(np.diag(precision))
    step = linalg.lstsq(precision / np.outer(unit, unit), gradient / sigma2 / unit)[0]
    shifted, largest = (total / n, 2.0 * np.sqrt(squares / n)) if model.fit_intercept else (0.0, 0.0)
    # In single precision to the nearest number.
    rounded = max(0.25 * rounding_of(intercept, eps), SUMMED) * largest
    told = TOLD * min(float(linalg.norm(root.T @ scatter_xx @ root)) / sigma2, 1.0) * np.sqrt(scatter_yy / n)
    alike = max(float(told), SUMMED * largest, TINY)
    claims += _beside_claims(root @ (step / unit), coef, shifted, found.products, n, rounded, alike)
    digits_lost = 1e3 * p * np.finfo(float).eps * np.linalg.cond(precision / np.outer(unit, unit))
    # The singular values of a design in the units of the prior are known to the rounding of the largest.
    spread = min(8.0 * p * eps * float(np.sqrt(np.linalg.cond(precision))), VISIBLE)
    if digits_lost < VISIBLE:
        product = (unit[:, None] * white) @ (precision / unit)
        statement = "the posterior covariance times XᵀX/σ² + P⁻¹ is the identity (largest deviation)"
        claims.append(Claim.at_most("R10", statement, float(np.abs(product - np.eye(p)).max()),
                                    digits_lost + rounding + spread))  # fmt: skip
        _, log_volume = np.linalg.slogdet(white)
    else:
        # Directions without data beside directions without noise: cross-products cannot tell the two apart, but the
        # singular values of a triangular factor can.
        R = triangle(rows, point, np.ones(p + 1))
        _, d, Vt = linalg.svd(np.pad(R, ((0, p + 1 - len(R)), (0, 0)))[:p, :p] @ root)
        expected = (Vt.T * (sigma2 / (d**2 + sigma2))) @ Vt
        statement = "the posterior covariance is that of the singular values of X (largest deviation, in prior units)"
        claims.append(Claim.at_most("R10", statement, float(np.abs(white - expected).max()), rounding + spread))
        log_volume = -np.sum(np.log1p(d**2 / sigma2))

    df = p - float(np.trace(white))
    statement = "effective_df_ is Σ d²/(d² + σ²) (difference, relative to the number of columns)"
    claims.append(
        Claim.at_most(
            "R10", statement, abs(df - float(model.effective_df_)) / p, max(1e-9, rounding, min(digits_lost, VISIBLE))
        )
    )

    # 3. log p(y | σ) by Laplace's identity, exact here: from the posterior's volume and the residuals at its mean.
    count = n - model.fit_intercept
    twice = count * np.log(2.0 * np.pi * sigma2) - log_volume + rss / sigma2 + gamma @ gamma
    evidence = -0.5 * (twice + (np.log(n) if model.fit_intercept else 0.0))
    scale = abs(evidence) + count + rss / sigma2 + 1.0
    # What the rounding of stored coefficients does to ‖r‖²/σ².
    step = 4.0 * eps * entered
    blur = min((step**2 + 2.0 * step * np.sqrt(rss)) / sigma2, 0.01 * (max(count, 1.0) + rss / sigma2))
    claims.append(
        Claim.at_most(
            "R10",
            "log_evidence_ is log p(y | σ) (relative difference)",
            abs(evidence - model.log_evidence_) / scale,
            max(1e-8, 1e2 * eps) + blur / scale,
        )
    )

    # 4. At a stationary point of the evidence ‖r‖² = σ² (n − effective degrees of freedom).
    if model.noise_scale is None:
        imbalance = (rss / sigma2 - (count - (p - np.trace(white)))) / max(count, 1.0)
        away = scatter_yy - 2.0 * prior_mean @ scatter_xy
        away = max(float(away + prior_mean @ scatter_xx @ prior_mean), 0.0) / max(count, 1.0)
        if sigma2 <= 1.01 * SMALLEST_NOISE**2 * (away if away > 0.0 else 1.0):
            claims.append(Claim.disclosure("R10", "σ is the smallest looked for: the data fit exactly", sigma2**0.5))
            statement = "and a larger σ would have less evidence (relative excess of ‖r‖²/σ² over n − df)"
            claims.append(Claim.at_most("R10", statement, imbalance, 1e-3))
        else:
            statement = "σ is a stationary point of the evidence (relative imbalance of ‖r‖²/σ² and n − df)"
            claims.append(Claim.at_most("R10", statement, abs(imbalance),
                                        max(1e-7, 1e3 * eps) + blur / max(count, 1.0)))  # fmt: skip
    return claims


def _wrong_noise(model: Any) -> float:
    sigma = float(model.noise_scale_)
    given = model.noise_scale
    return float(not sigma > 0.0 or (given is not None and abs(sigma - float(given)) > 1e-12 * float(given)))


def _beside_claims(
    moved: np.ndarray, coef: np.ndarray, shifted: float, products: np.ndarray, n: float, rounded: float, alike: float
) -> list[Claim]:
    """One that is open, where the posterior mean would move the predictions by more than they bear, however little
    that is beside the rounding of numbers far from zero.

    `moved` and `shifted` are what it is from the coefficients and from the intercept, `rounded` what this rounds to.
    Predictions that differ by less than `alike` are so.
    """
    p = len(coef)
    scatter = products[:p, :p]
    spread, off = (np.sqrt(max(float(each @ scatter @ each), 0.0) / n) for each in (coef, moved))
    deviation = np.sqrt(max(float(products[p, p]), 0.0) / n)
    if deviation <= rounded:
        spread = max(spread, rounded / MOST_MISSED)
    least = max(MOST_MISSED * min(spread, deviation), rounded, TINY)
    beside = max(off / max(spread, alike), MOST_MISSED * abs(shifted) / least)
    what = "what the posterior mean would move the predictions by, beside how far they, or the targets, differ"
    claim = Claim.reached("R10", what, beside, MOST_MISSED, asked=np.inf)
    return [] if claim.holds or not (off or shifted) else [claim]


def _centre_claims(model: Any, size: np.ndarray, centre: np.ndarray, variance: float, rounding: float) -> list[Claim]:
    """Where the mean response is known best, and how well: the means of the columns and σ²/n, with an intercept."""
    apart = np.abs(np.asarray(model.centre_, dtype=float) - centre)
    off = float(np.max(np.divide(apart, size, out=np.where(apart > 0.0, np.inf, 0.0), where=size > 0.0)))
    expected = variance if model.fit_intercept else 0.0
    gap = abs(float(model.centre_variance_) - expected) / variance
    return [
        Claim.at_most("R10", "centre_ holds the means of the columns (largest relative difference)", off, rounding),
        Claim.at_most("R10", "centre_variance_ is σ²/n (relative difference)", gap, rounding),
    ]


def _residual_sums(coef: np.ndarray, intercept: float, centre: np.ndarray):
    """Block -> (Σ w (x − centre) r, Σ w r, Σ w r²)."""

    def sums(block):
        residual = np.asarray(block.y, dtype=float).ravel() - (block.X @ coef + intercept)
        weighted = residual if block.weight is None else residual * block.weight
        total = float(weighted.sum())
        if sparse.issparse(block.X):
            slope = np.asarray(block.X.T @ weighted).ravel() - total * centre
        else:  # less the centre before anything is added up: a column that hardly varies keeps its digits
            slope = (block.X - centre).T @ weighted
        return slope, total, float(weighted @ residual)

    return sums

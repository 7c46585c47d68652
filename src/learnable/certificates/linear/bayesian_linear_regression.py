"""Bayesian linear regression: the posterior solves its equations, and σ is a stationary point of the evidence.

Everything is computed again from the cross-products and residuals of the data, in the coordinates β = m + Lγ in which
the prior is N(0, I). Syllabus: R10, D5.
"""

from typing import Any

import numpy as np
from scipy import linalg

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.core.sums import cross_products, triangle
from learnable.certificates.linear.least_squares import ACCURATE
from learnable.rows import as_rows

# The smallest noise that is looked for, relative to the deviation of the targets from the prior mean: data that fit
# exactly have evidence without bound as σ falls to 0.
SMALLEST_NOISE = 1e-8
# A deviation of the covariance that a certificate must see.
VISIBLE = 1e-4
# A deviation of the covariance that is none.
ACCOUNTED = 1e-6


@certifies(
    "BayesianLinearRegression",
    ledger=Ledger(
        ("coef_", "intercept_", "coef_covariance_", "noise_scale_"),
        derived=("log_evidence_", "effective_df_", "centre_", "centre_variance_"),
    ),
)
def bayesian_linear_regression_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Posterior mean, posterior covariance, evidence, and the noise level where it was estimated."""
    rows = as_rows(X, y, sample_weight)
    p, eps = rows.n_columns, np.finfo(model.coef_.dtype).eps
    coef, intercept, sigma2 = model.coef_.astype(float), float(model.intercept_), float(model.noise_scale_) ** 2
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
    slope, total, rss = rows.reduce(_residual_sums(coef, intercept))
    gamma = linalg.solve_triangular(root, coef - prior_mean, lower=True)

    # 1. Lᵀ X̃ᵀr = σ² γ, each entry over the size of what was added up to get it.
    n = found.weight
    raw = np.sqrt(np.diag(scatter_xx) + n * centre**2)
    squares = float(scatter_yy) + (n * float(point[p]) ** 2 if model.fit_intercept else 0.0)
    entered = np.sqrt(squares) + raw @ np.abs(coef) + np.sqrt(n) * abs(intercept)
    entered = entered + np.sqrt(sigma2) * np.linalg.norm(gamma)
    lengths = np.abs(root).T @ np.sqrt(np.diag(scatter_xx)) + np.sqrt(sigma2)
    gradient = root.T @ (slope - total * centre) - sigma2 * gamma
    ratios = [float(np.max(np.abs(gradient) / lengths))]
    if model.fit_intercept:
        ratios.append(abs(total) / np.sqrt(n))
    rounding = 16.0 * (p + np.sqrt(rows.n_rows) + 10.0) * eps
    claims = [
        Claim.at_most(
            "R10",
            "the posterior mean solves Xᵀr/σ² = P⁻¹(β − m) (largest normalised residual)",
            max(ratios) / entered if entered > 0.0 else 0.0,
            max(rounding, ACCURATE),
        )
    ]

    # 2. The covariance is the inverse of XᵀX/σ² + P⁻¹.
    white = linalg.solve_triangular(root, model.coef_covariance_, lower=True)
    white = linalg.solve_triangular(root, white.T, lower=True)
    precision = root.T @ scatter_xx @ root / sigma2 + np.eye(p)
    # Compared in units in which the precision has a unit diagonal.
    unit = np.sqrt(np.diag(precision))
    digits_lost = 1e3 * p * np.finfo(float).eps * np.linalg.cond(precision / np.outer(unit, unit))
    if digits_lost < VISIBLE:
        product = (unit[:, None] * white) @ (precision / unit)
        statement = "the posterior covariance times XᵀX/σ² + P⁻¹ is the identity (largest deviation)"
        claims.append(
            Claim.at_most("R10", statement, float(np.abs(product - np.eye(p)).max()), max(digits_lost, ACCOUNTED))
        )
        _, log_volume = np.linalg.slogdet(white)
    else:
        # Directions without data beside directions without noise: cross-products cannot tell the two apart, but the
        # singular values of a triangular factor can.
        R = triangle(rows, point, np.ones(p + 1))
        _, d, Vt = linalg.svd(R[:p, :p] @ root)
        expected = (Vt.T * (sigma2 / (d**2 + sigma2))) @ Vt
        statement = "the posterior covariance is that of the singular values of X (largest deviation, in prior units)"
        claims.append(Claim.at_most("R10", statement, float(np.abs(white - expected).max()), rounding))
        log_volume = -np.sum(np.log1p(d**2 / sigma2))

    # 3. log p(y | σ) by Laplace's identity, exact here: from the posterior's volume and the residuals at its mean.
    count = n - model.fit_intercept
    twice = count * np.log(2.0 * np.pi * sigma2) - log_volume + rss / sigma2 + gamma @ gamma
    evidence = -0.5 * (twice + (np.log(n) if model.fit_intercept else 0.0))
    scale = abs(evidence) + count + rss / sigma2 + 1.0
    # Residuals that rounding of the coefficients makes: of data that fit exactly they may be all there are.
    made = 8.0 * float(eps) * (p + 1.0) * float(entered)
    unsure = (2.0 * np.sqrt(rss) * made + made**2) / sigma2
    bound = max(1e-8, 1e2 * float(eps))
    apart = abs(evidence - model.log_evidence_) / scale
    statement = "log_evidence_ is log p(y | σ) (relative difference)"
    claims.append(Claim.reached("R10", statement, apart, bound, bound + unsure / scale))

    # 4. At a stationary point of the evidence ‖r‖² = σ² (n − effective degrees of freedom).
    if model.noise_scale is None:
        imbalance = (rss / sigma2 - (count - (p - np.trace(white)))) / max(count, 1.0)
        away = scatter_yy - 2.0 * prior_mean @ scatter_xy
        away = max(float(away + prior_mean @ scatter_xx @ prior_mean), 0.0) / max(count, 1.0)
        if sigma2 <= 1.01 * SMALLEST_NOISE**2 * (away if away > 0.0 else 1.0):
            claims.append(Claim.disclosure("R10", "σ is the smallest looked for: the data fit exactly", sigma2**0.5))
        else:
            statement = "σ is a stationary point of the evidence (relative imbalance of ‖r‖²/σ² and n − df)"
            bound = max(1e-7, 1e3 * float(eps))
            claims.append(Claim.reached("R10", statement, abs(imbalance), bound, bound + unsure / max(count, 1.0)))
    return [*claims, *_reported(model, n, point[:p], raw / np.sqrt(n), p - float(np.trace(white)))]


def _reported(model: Any, n: float, centre: np.ndarray, spread: np.ndarray, df: float) -> list[Claim]:
    """What the predictive distribution is made of, and the noise where it was given."""
    noise = float(model.noise_scale_)
    unit = np.where(spread > 0.0, spread, 1.0)
    stated = np.asarray(model.centre_, dtype=float)
    stated = stated / unit if stated.shape == unit.shape else stated
    given = abs(noise) if model.noise_scale is None else float(model.noise_scale)
    variance = given**2 / n if model.fit_intercept else 0.0
    return [
        reported("R10", "noise_scale_", noise, given, 1e-12, max(given, np.finfo(float).tiny)),
        reported("R10", "effective_df_", model.effective_df_, df, 1e-6, float(max(len(unit), 1))),
        reported("R10", "centre_", stated, centre / unit, 1e-7, 1.0),
        reported("R10", "centre_variance_", model.centre_variance_, variance, 1e-9, given**2 / n),
    ]


def _residual_sums(coef: np.ndarray, intercept: float):
    """Block -> (Σ w x r, Σ w r, Σ w r²)."""

    def sums(block):
        residual = np.asarray(block.y, dtype=float).ravel() - (block.X @ coef + intercept)
        weighted = residual if block.weight is None else residual * block.weight
        return np.asarray(block.X.T @ weighted).ravel(), float(weighted.sum()), float(weighted @ residual)

    return sums

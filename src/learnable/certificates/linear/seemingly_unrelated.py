"""Seemingly unrelated regressions: the generalised normal equations, from the data. Syllabus: R15."""

from collections.abc import Sequence

import numpy as np
from scipy import linalg

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.worst import worst_of

# How far Σ may be from the covariance of the residuals that it leads to, as a correlation.
SETTLED = 1e-6


def seemingly_unrelated_certificate(
    designs: Sequence[np.ndarray],
    Y: np.ndarray,
    weight: np.ndarray,
    coefs: Sequence[np.ndarray],
    intercepts: np.ndarray,
    sigma: np.ndarray,
    estimated: bool,
    asked: float,
) -> Certificate:
    """Σ_k (Σ⁻¹)_jk X_jᵀ r_k = 0 for every equation j; where Σ was estimated, that it is the residual covariance."""
    fitted = np.column_stack([X @ b + a for X, b, a in zip(designs, coefs, intercepts)])
    residual = Y - fitted
    mixed = np.linalg.solve(sigma, (weight[:, None] * residual).T).T
    inverse = linalg.inv(sigma)
    sizes = np.array(
        [
            np.sqrt(weight @ y**2) + sum(np.sqrt(weight @ X**2) * np.abs(b)) + abs(a) * np.sqrt(weight.sum())
            for X, y, b, a in zip(designs, Y.T, coefs, intercepts)
        ]
    )
    worst = 0.0
    for j, X in enumerate(designs):
        length = np.sqrt(weight @ X**2)
        size = np.where(length > 0.0, length, 1.0) * (np.abs(inverse[j]) @ sizes)
        worst = worst_of(worst, float(np.max(np.abs(X.T @ mixed[:, j]) / size, initial=0.0)))
    claims = [
        Claim.at_most(
            "R15",
            "the generalised normal equations Xᵀ(Σ⁻¹⊗I)r = 0 hold (largest normalised entry)",
            worst,
            16.0 * (sum(X.shape[1] for X in designs) + np.sqrt(len(Y)) + 10.0) * np.finfo(float).eps
            * max(1.0, np.sqrt(np.linalg.cond(sigma))),
        )
    ]  # fmt: skip
    if estimated:
        found = (weight[:, None] * residual).T @ residual / weight.sum()
        scale = np.sqrt(np.outer(np.diag(found), np.diag(found)))
        claims.append(
            Claim.reached(
                "R15",
                "Σ is the covariance of the residuals (largest difference, as a correlation)",
                float(np.abs((found - sigma) / scale).max()),
                SETTLED,
                asked,
            )
        )
    return Certificate("seemingly_unrelated", claims)

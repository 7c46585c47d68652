"""Indicator regression: normal equations of the one-hot targets, fitted values that sum to 1. Syllabus: C3."""

from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.linear.class_spread import class_rows
from learnable.certificates.linear.least_squares import null_directions, orthogonality
from learnable.rows import Block
from learnable.rows.mapped import with_indicators


@certifies("IndicatorRegression")
def indicator_regression_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, coefficients) prove about least squares on indicators of the classes."""
    rows = with_indicators(class_rows(model, X, y, sample_weight), len(model.classes_))
    coef, intercept = np.asarray(model.coef_).T, np.asarray(model.intercept_)
    found = orthogonality(rows, coef, intercept, 0.0, model.fit_intercept)
    claims = [
        Claim.at_most(
            "C3",
            "the residual of every indicator is orthogonal to every column (largest normalised |Xᵀr|)",
            found.worst,
            found.rounding,
        )
    ]
    if model.rank_ < rows.n_columns:
        null, _, condition = null_directions(rows, model.fit_intercept)
        along = np.linalg.norm(null.T @ coef, axis=0).max(initial=0.0)
        length = max(float(np.linalg.norm(coef, axis=0).max(initial=0.0)), np.finfo(float).tiny)
        claims.append(
            Claim.at_most(
                "C3",
                f"the solution is not unique ({null.shape[1]} free directions); this one has least norm",
                along / length,
                1e3 * condition * np.finfo(coef.dtype).eps,
            )
        )
    if model.fit_intercept:
        B, b = coef.astype(float), intercept.astype(float)

        def unbalance(block: Block) -> np.ndarray:
            total = np.asarray(block.X @ B.sum(axis=1)) + b.sum()
            size = np.asarray(abs(block.X) @ np.abs(B).sum(axis=1)) + np.abs(b).sum() + 1.0
            return np.array([np.max(np.abs(total - 1.0) / size)])

        claims.append(
            Claim.at_most(
                "C3",
                "the fitted values of every row sum to 1 (largest relative difference)",
                rows.reduce(unbalance, np.maximum)[0],
                found.rounding,
            )
        )
    return claims

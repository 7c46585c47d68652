"""Indicator regression: normal equations of the one-hot targets, fitted values that sum to 1. Syllabus: C3."""

from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.linear.class_spread import class_rows
from learnable.certificates.linear.least_squares import orthogonality
from learnable.certificates.linear.row_space import row_space
from learnable.rows import Block, Rows
from learnable.rows.mapped import with_indicators


@certifies(
    "IndicatorRegression",
    ledger=Ledger(
        ("coef_", "intercept_"),
        derived=("rank_", "class_means_", "class_weight_sums_", "predicted_weight_sums_"),
        unverified=("condition_",),
    ),
)
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
            found.bound,
        )
    ]
    claims += _reported(model, rows)
    if thorough() or model.rank_ < rows.n_columns:
        design = row_space(rows, model.fit_intercept)
        apart = abs(model.rank_ - design.rank)
        claims.append(Claim.at_most("A8", "rank_ is the rank of the design (difference)", apart, 0.0))
        if thorough():
            claims.append(design.projection("C3", coef))
        if design.free:
            statement = f"the solution is not unique ({design.free} free directions); this one has least norm"
            claims.append(design.least_norm("C3", statement, coef))
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
                found.bound,
            )
        )
    return claims


def _reported(model: Any, rows: Rows) -> list[Claim]:
    """Means and weights of the classes, and how much weight is predicted to be in each."""
    K, B, b = len(model.classes_), np.asarray(model.coef_, dtype=float), np.asarray(model.intercept_, dtype=float)

    def sums(block: Block):
        weight = np.ones(block.X.shape[0]) if block.weight is None else np.asarray(block.weight, dtype=float)
        inside = np.asarray(block.y, dtype=float) * weight[:, None]
        scores = np.asarray(block.X @ B.T) + b
        # Rows whose two largest scores are equal to rounding may be counted in either class.
        size = np.max(np.asarray(abs(block.X) @ np.abs(B).T) + np.abs(b), axis=1)
        tied = np.diff(np.partition(scores, -2, axis=1)[:, -2:])[:, 0] <= rounding * size
        predicted = np.bincount(np.argmax(scores, axis=1), weight, minlength=K)
        sizes = np.asarray(weight @ abs(block.X))
        return inside.sum(axis=0), np.asarray(inside.T @ block.X), predicted, float(weight @ tied), sizes

    dtype = np.asarray(model.coef_).dtype
    rounding = 4.0 * (B.shape[1] + 4) * np.finfo(dtype).eps
    weight, total, predicted, tied, sizes = rows.reduce(sums)
    means = total / np.maximum(weight, np.finfo(float).tiny)[:, None]
    whole = max(float(weight.sum()), np.finfo(float).tiny)
    unit = np.maximum(sizes / whole, np.finfo(float).tiny)
    return [
        reported("C3", "class_weight_sums_", model.class_weight_sums_, weight),
        reported(
            "C3", "class_means_", model.class_means_ / unit, means / unit, 1e-5 if dtype == np.float32 else 1e-9, 1.0
        ),
        reported(
            "C3", "predicted_weight_sums_", model.predicted_weight_sums_, predicted, 1e-9 + tied / whole, scale=whole
        ),
    ]

"""Nodewise regression: the duality gap of every lasso, and what follows from its coefficients. Syllabus: G2."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, allowed, certifies, check_shapes
from learnable.certificates.core.sums import weights
from learnable.certificates.graphical.table import moments_of
from learnable.rows import Block, as_rows

# Duality gap of each regression, relative to the variance of its column.
GAP = 1e-6
AGREE = 1e-9


@certifies(
    "NodewiseRegression",
    ledger=Ledger(
        verified=("coef_",), derived=("residual_variances_", "adjacency_", "precision_", "location_"),
    ),
    foreign=False,
)  # fmt: skip
def nodewise_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """All regressions at once, on the rows themselves: row i of a matrix belongs to the regression of column i."""
    rows = as_rows(X)
    p = rows.n_columns
    check_shapes(model, coef_=(p, p), adjacency_=(p, p), precision_=(p, p), residual_variances_=(p,))
    table = moments_of(rows, model.assume_centered)
    unit = np.sqrt(np.diag(table.S))
    scale = unit if model.standardize else np.ones(p)
    coef, alpha = np.asarray(model.coef_, dtype=float) * (scale / scale[:, None]), float(model.alpha)

    def sums(block: Block) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Σ w, and Σ w r z, Σ w r², Σ w z² of scaled rows z and what the regressions leave of them, r."""
        Z, w = (np.asarray(block.X, dtype=float) - table.location) / scale, weights(block)
        residual = Z - Z @ coef.T
        weighted = w[:, None] * residual
        return float(w.sum()), weighted.T @ Z, np.sum(weighted * residual, axis=0), w @ Z**2

    n, products, squares, whole = rows.reduce(sums)
    pull, square, whole, along = products / n, squares / n, whole / n, np.diag(products) / n
    np.fill_diagonal(pull, 0.0)
    primal = 0.5 * square + alpha * np.abs(coef).sum(axis=1)
    # The residual, shrunk until no column pulls harder than alpha, is a point of the dual.
    strongest = np.abs(pull).max(axis=1, initial=0.0)
    shrink = np.where(strongest > alpha, alpha / np.maximum(strongest, np.finfo(float).tiny), 1.0)
    dual = shrink * along - 0.5 * shrink**2 * square
    gap = np.max(np.abs(primal - dual) / whole)
    variance = square * scale**2
    told = np.asarray(model.residual_variances_, dtype=float)
    chosen = np.asarray(model.coef_) != 0.0
    edges = chosen & chosen.T if model.rule == "and" else chosen | chosen.T
    theta = np.asarray(model.precision_, dtype=float) * scale * scale[:, None]
    with np.errstate(divide="ignore", over="ignore"):
        diagonal = np.minimum(1.0 / square, np.finfo(float).max)
        half = -coef * diagonal[:, None]
    expected = np.where(edges, 0.5 * (half + half.T), 0.0)
    np.fill_diagonal(expected, diagonal)
    size = np.abs(expected).max()
    return [
        Claim.at_most("G2", "no column is its own neighbour (how many)", int(np.count_nonzero(np.diag(coef))), 0.0),
        Claim.at_most(
            "G2", "duality gap of a lasso, relative to the variance of its column (largest)",
            gap, allowed(GAP),
        ),
        Claim.at_most(
            "G2", "residual variances are those of the rows", np.max(np.abs(told - variance) / (unit**2)), AGREE
        ),
        Claim.at_most(
            "G2", "edges follow from the coefficients by the rule (pairs that do not)",
            int(np.sum(edges != model.adjacency_)), 0.0,
        ),
        Claim.at_most(
            "G2", "the precision follows from coefficients and variances",
            np.abs(theta - expected).max() / size, 1e-7,
        ),
        Claim.at_most("G2", "the location is that of the rows", table.shift(model.location_), AGREE),
    ]  # fmt: skip

"""Certificates of kernel smoothing and of penalised splines. Syllabus: K15."""

from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, allowed, certifies, check_shapes, reported, thorough
from learnable.certificates.kernels.expansion import kept_rows
from learnable.problems.kernels.basic import RBF
from learnable.problems.kernels.named import width
from learnable.problems.kernels.splines import basis, basis_mean, knots_of, second_differences

AGREE = 1e-7
GRADIENT = 1e-9
# Singular values below which, beside the largest, nothing tells lines of several columns apart.
FREE = 5e-12
# Rows left out one by one.
BLOCK = 256


@certifies(
    "NadarayaWatson", ledger=Ledger(verified=("y_fit_", "gamma_"), derived=("loo_error_", "X_fit_")), double=True
)
def nadaraya_watson_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The data kept are these, and the leave-one-out error is that of rows left out."""
    y = np.asarray(y, dtype=float)
    gamma = width(model.gamma, X, "NadarayaWatson")
    kernel, n = RBF(gamma), len(y)
    errors = np.empty(n)
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(start + BLOCK, n))
        K = kernel(X[rows], X)
        K[np.arange(len(rows)), rows] = 0.0
        total = K.sum(axis=1)
        fallback = (y.sum() - y[rows]) / max(n - 1, 1)
        left_out = np.where(total > 1e-12, (K @ y) / np.maximum(total, 1e-12), fallback)
        errors[rows] = y[rows] - left_out
    error, size = float(np.mean(errors**2)), max(float(np.mean(y**2)), np.finfo(float).tiny)
    kept = np.asarray(model.y_fit_, dtype=float)
    other = float(np.count_nonzero(kept != y)) if kept.shape == y.shape else float(n)
    return [
        Claim.at_most("K15", "leave-one-out error against rows left out", abs(error - model.loo_error_) / size, AGREE),
        Claim.at_most("K15", "targets kept that are not the training targets", other, 0.0),
        Claim.at_most("K15", "rows kept that are not the training rows", kept_rows(model, X), 0.0),
        Claim.at_most("K15", "width of the kernel, off the one asked for", abs(gamma - model.gamma_), 1e-12 * gamma),
    ]


@certifies("SplineRegression", ledger=Ledger(verified=("coef_", "intercept_"), derived=("knots_", "basis_mean_")))
def spline_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The gradient of the penalised squares is zero; knots and offset are those of the data."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    check_shapes(model, knots_=(X.shape[1], int(model.n_knots) + 2 * int(model.degree)))
    knots = knots_of(X[w > 0.0], int(model.n_knots), int(model.degree))
    B = basis(X, knots, int(model.degree))
    mean = basis_mean(B, w)
    B = B - mean
    D = second_differences(knots.shape[0], knots.shape[1] - int(model.degree) - 1)
    coef = np.asarray(model.coef_, dtype=float)
    offset = float(w @ y) / float(w.sum())
    offset += float(w @ (y - offset)) / float(w.sum())
    residual = y - offset - B @ coef
    pull = B.T @ (w * residual) - float(model.alpha) * (D.T @ (D @ coef))
    # What the differences of a large penalty lose to rounding is allowed for, 1e-13 of their terms, and what targets
    # far from zero lose, 1e-17 of theirs.
    size = float(np.abs(B.T @ (w * (y - offset))).max(initial=0.0))
    size += 1e-4 * float(model.alpha) * 16.0 * float(np.abs(coef).max(initial=0.0))
    size += 1e-8 * float(np.abs(y).max()) * float((w @ np.abs(B)).max(initial=0.0))
    # A shift of all weights of one column moves nothing that is centred: the shortest solution has none.
    parts = coef.reshape(knots.shape[0], -1)
    largest = max(float(np.abs(coef).max(initial=0.0)), 1e-300)
    drift = float(np.abs(parts.mean(axis=1)).max(initial=0.0)) / largest
    spread = max(float(np.abs(y - offset).max()) + 1e-5 * float(np.abs(y).max()), np.finfo(float).tiny)
    # In units of its column: knots of large numbers would hide those of all other columns.
    unit = np.diff(knots[:, :2]) + np.finfo(float).eps / 1e-12 * np.abs(knots).max(axis=1, keepdims=True)
    claims = [
        Claim.at_most(
            "K15", "gradient of the penalised squares, relative", float(np.abs(pull).max()) / max(size, 1e-300),
            allowed(GRADIENT),
        ),
        Claim.at_most("K15", "mean of each column's weights, relative", drift, 1e-6),
        Claim.at_most("K15", "offset, off the mean of the targets", abs(model.intercept_ - offset) / spread, 1e-10),
        reported("K15", "knots_", model.knots_ / unit, knots / unit, 1e-12, scale=1.0),
        reported("K15", "basis_mean_", model.basis_mean_, mean, 1e-12, scale=1.0),
    ]  # fmt: skip
    if thorough():
        root = np.sqrt(w)[:, np.newaxis]
        _, found, directions = np.linalg.svd(np.vstack([root * B, np.sqrt(float(model.alpha)) * D]))
        free = directions[np.count_nonzero(found > FREE * found[0]) :]
        along = float(np.abs(free @ coef).max(initial=0.0)) / largest
        statement = "weights along what no row and no difference tells apart, relative"
        claims.append(Claim.at_most("K15", statement, along, 1e-6))
    return claims

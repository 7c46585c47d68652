"""Ridge with the penalty chosen by leave-one-out: the equations at that penalty, and that no other does better.

The leave-one-out errors are computed again, for every penalty of the grid, by another route than the solver's: with
many rows from the singular values of a triangle, with few from the Gram matrix of the rows. Syllabus: R7, R9.
"""

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import lapack

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.refitted import only_theirs, unless_refitted
from learnable.certificates.core.reported import reported
from learnable.certificates.core.sums import cross_products, targets, triangle, weights
from learnable.certificates.linear.least_squares import ALL_READ, orthogonality
from learnable.certificates.linear.row_space import RowSpace, row_space
from learnable.rows import Rows, as_rows

# The least eigenvalue of the cross-products, relative to the largest, that leaves eight digits to the errors.
TRUSTED = 1e-7
# Penalties that are carried along one by one.
FEW = 16
# Numbers that are spread over all penalties at a time, which stay in the cache. The fewest rows.
STRIP_CELLS, STRIP = 2**15, 256
# What Gram matrices leave of the projection on the columns, of few rows and all but no penalty: such are left open.
GRAM_DIGITS = 1e-6


@certifies(
    "RidgeCV",
    ledger=Ledger(
        ("coef_", "intercept_", "alpha_"),
        derived=("best_score_", "grid_scores_", "grid_df_"),
        unverified=("cv_results_",),
        sometimes=("grid_df_",),
    ),
    again=only_theirs,
)
def ridge_cv_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The ridge equations at `alpha_`, and that no other penalty of the grid has a better score, computed again."""
    rows = as_rows(X, y, sample_weight)
    coef = np.asarray(model.coef_)
    coef = coef[:, None] if coef.ndim == 1 else coef.T
    intercept = np.atleast_1d(model.intercept_)
    intercept = intercept if intercept.shape == coef.shape[1:] else np.broadcast_to(intercept, coef.shape[1:])
    alphas, chosen = np.atleast_1d(np.asarray(model.alphas, dtype=float)), np.atleast_1d(model.alpha_).astype(float)
    found = orthogonality(rows, coef, intercept, chosen, model.fit_intercept)
    off_grid = float(np.abs(chosen[:, None] - alphas).min(axis=1).max())
    # scikit-learn's own Ridge, at the `tol` that it has by default, is fitted where folds are given.
    theirs = model.cv is not None and not is_ours(model)
    statement = "the gradient Xᵀr − αβ vanishes at alpha_ (largest normalised entry)"
    claims = [
        Claim.reached("R7", statement, found.worst, found.bound, asked=found.asked(1e-4) if theirs else 0.0),
        Claim.at_most("R7", "alpha_ is on the grid (distance)", off_grid, 0.0),
    ]
    if off_grid > 0.0:
        return claims
    few, told = rows.n_rows * rows.n_columns <= ALL_READ, hasattr(model, "grid_df_")
    design = row_space(rows, model.fit_intercept) if thorough() and (few or told) else None
    if design is not None:
        asked = GRAM_DIGITS if is_ours(model) else np.inf
        claims.append(design.projection("R7", coef, chosen, asked))
    if model.cv is None and model.scoring is None:
        return claims + _leave_one_out_claims(model, rows, design, alphas, chosen, coef.shape[1])
    # Another scorer or other folds: those are the caller's code, and what they said is not looked into.
    statement = "alpha_ is the choice of the caller's folds and scorer, which were not run again (1: not checked)"
    return [*claims, unless_refitted("R9", statement)]


def _leave_one_out_claims(
    model: Any, rows: Rows, design: RowSpace | None, alphas: np.ndarray, chosen: np.ndarray, n_targets: int
) -> list[Claim]:
    errors, size = leave_one_out(rows, alphas, model.fit_intercept)
    if len(chosen) == 1:
        errors, size = errors.sum(axis=0, keepdims=True), size.sum(keepdims=True)
    at_choice = np.arange(len(chosen)), (alphas == chosen[:, None]).argmax(axis=1)
    least = errors.min(axis=1)
    # Errors below the square of the rounding of y are rounding themselves.
    floor = np.maximum(size * (1e4 * np.finfo(float).eps) ** 2, np.finfo(float).tiny)
    excess = (errors[at_choice] - least) / (least + floor)
    claims = [
        Claim.at_most(
            "R9",
            f"no other of the {len(alphas)} penalties has a smaller leave-one-out error (relative excess)",
            float(excess.max()),
            1e-7,
        )
    ]
    if hasattr(model, "grid_scores_"):
        scores = -errors / (rows.n_rows * (1 if len(errors) > 1 else n_targets))
        each, at_best = np.ndim(model.grid_scores_) > 1, scores[at_choice]
        scale = float(np.abs(scores).max() + floor.max())
        claims += [
            reported("R9", "grid_scores_", model.grid_scores_, scores if each else scores[0], 1e-6, scale),
            reported("R9", "best_score_", model.best_score_, at_best if each else at_best[0], 1e-6, scale),
        ]
        if design is not None:
            singular = design.singular
            df = np.array([np.sum(singular**2 / (singular**2 + alpha)) for alpha in alphas])
            claims.append(reported("R9", "grid_df_", model.grid_df_, df, 1e-6, max(1.0, float(df.max()))))
    return claims


def leave_one_out(rows: Rows, alphas: np.ndarray, free_intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """(Σ wᵢ eᵢ² of the leave-one-out residuals (q, m), Σ wᵢ yᵢ² (q,))."""
    if rows.n_rows <= 2 * rows.n_columns:
        return _from_gram_matrix(rows, alphas, free_intercept)
    return _from_triangle(rows, alphas, free_intercept)


def _from_triangle(rows: Rows, alphas: np.ndarray, free_intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """Leverages wᵢ (1/W + |x̃ᵢ (RᵀR + αI)^(−1/2)|²) with R = U diag(d) Vᵀ the triangle of the centred data x̃."""
    p = rows.n_columns
    weight, mean, R, (U, d, Vt) = _factor(rows, free_intercept)
    least = d**2 + alphas.min()
    left, right = _compressed(least[:, None] / (d[:, None] ** 2 + alphas))
    left /= least[:, None]
    spread = np.concatenate([right, np.ones((1, len(alphas)))]).T
    scores = d[:, None] * (U.T @ R[:p, p:])
    share = 1.0 / weight if free_intercept else 0.0
    step = max(STRIP, STRIP_CELLS // len(alphas))

    def sums(block):
        y, w = targets(block), weights(block)
        T = block.X @ Vt.T - mean[:p] @ Vt.T if sparse.issparse(block.X) else (block.X - mean[:p]) @ Vt.T
        fitted = [(scores[:, [k]] * left).T @ T.T for k in range(y.shape[1])]
        leverage = left.T @ np.square(T, out=T).T
        known = np.concatenate([leverage * -w, 1.0 - w[None] * share])
        squares = np.zeros((y.shape[1], len(alphas)))
        for rows_here in (slice(start, start + step) for start in range(0, len(w), step)):
            free = spread @ known[:, rows_here]
            for k, total in enumerate(squares):
                error = spread @ np.concatenate([-fitted[k][:, rows_here], y[None, rows_here, k] - mean[p + k]])
                error /= free
                total += np.square(error, out=error) @ w[rows_here]
        return squares, w @ y**2

    return rows.reduce(sums)


def _factor(rows: Rows, free_intercept: bool) -> tuple[float, np.ndarray, np.ndarray, tuple]:
    """(Σ w, the point subtracted, R with RᵀR the cross-products of the columns and targets about it, its columns' SVD).

    By Cholesky where the cross-products carry the digits, by reflections of the rows where they do not.
    """
    found = cross_products(rows, free_intercept)
    mean, p = (found.mean if free_intercept else np.zeros_like(found.mean)), rows.n_columns
    L, failed = lapack.dpotrf(found.products[:p, :p], lower=1, clean=1)
    if not failed:
        svd = lapack.dgesdd(L.T)[:3]
        if svd[1][-1] ** 2 > TRUSTED * svd[1][0] ** 2:
            along, _ = lapack.dtrtrs(L, found.products[:p, p:], lower=1)
            return found.weight, mean, np.concatenate([L.T, along], axis=1), svd
    R = triangle(rows, mean, np.ones_like(mean))
    return found.weight, mean, R, np.linalg.svd(R[:p, :p])


def _compressed(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(A, B) with A B = `matrix` to rounding, and A as narrow as that allows.

    The shrinkage of p directions under m penalties has entries in (0, 1] and depends smoothly on both: some ten columns
    serve where there are hundreds of penalties.
    """
    if matrix.shape[1] <= FEW:
        return matrix, np.eye(matrix.shape[1])
    U, s, Vt = linalg.svd(matrix, full_matrices=False)
    rank = int(np.count_nonzero(s > np.finfo(float).eps * s[0]))
    return U[:, :rank] * s[:rank], Vt[:rank]


def _from_gram_matrix(rows: Rows, alphas: np.ndarray, free_intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """eᵢ = (G⁻¹y)ᵢ/(G⁻¹)ᵢᵢ with G = K + αI, K the Gram matrix of the rows √wᵢ x̃ᵢ.

    With a free intercept √w is a null vector of K: K is lifted along it, and its share taken off the diagonal again.
    """
    X = rows.concatenate(lambda block: np.asarray(_dense(block.X), dtype=float))
    y, w = rows.concatenate(targets), rows.concatenate(weights)
    X, y, w = X[w > 0.0], y[w > 0.0], w[w > 0.0]
    size = w @ y**2
    root = np.sqrt(w)[:, None]
    if free_intercept:
        X, y = X - w @ X / w.sum(), y - w @ y / w.sum()
    X, y = root * X, root * y
    K = X @ X.T
    lift = np.trace(K) / len(K) + alphas.max() if free_intercept else 0.0
    share = w / w.sum()
    K += lift * np.outer(root, root) / w.sum()
    values, G = linalg.eigh(K)
    inverse = 1.0 / (np.maximum(values, 0.0) + alphas[:, None])
    diagonal = inverse @ (G**2).T
    if free_intercept:
        diagonal -= share / (lift + alphas[:, None])
    projected = G.T @ y
    return np.array([np.sum(((inverse * t) @ G.T / diagonal) ** 2, axis=1) for t in projected.T]), size


def _dense(X):
    return X.toarray() if sparse.issparse(X) else X

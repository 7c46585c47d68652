"""Reduced-rank regression: the answer attains a bound that no matrix of its rank can undercut. Syllabus: L17."""

from typing import Any

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim


@certifies("ReducedRankRegression")
def reduced_rank_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The rank, and the sum of squares against least squares + Σ_{j>r} σ_j², both from the data.

    Least squares is found anew, by an orthogonal factorisation of the design.
    """
    n, r = X.shape[0], int(model.rank)
    eps = float(np.finfo(np.asarray(model.coef_).dtype).eps)
    B = np.atleast_2d(np.asarray(model.coef_, dtype=float)).T
    q = B.shape[1]
    root_weight = np.sqrt(
        np.broadcast_to(np.asarray(1.0 if sample_weight is None else sample_weight, dtype=float), (n,))
    )
    Z = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
    Y = np.asarray(y, dtype=float).reshape(n, q)
    E = root_weight[:, None] * (Y - Z @ B - model.intercept_)
    if model.fit_intercept:
        Z, Y = (A - np.average(A, axis=0, weights=root_weight**2) for A in (Z, Y))
    Z, Y = root_weight[:, None] * Z, root_weight[:, None] * Y
    fitted = _projection(Z, Y)
    gamma = _weight(model, Y - fitted)
    values, vectors = linalg.eigh(gamma)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    sigma = linalg.svdvals(fitted @ root)
    least = float(np.sum(((Y - fitted) @ root) ** 2))
    floor = least + float(np.sum(sigma[r:] ** 2))
    size = float(np.sum((Y @ root) ** 2))
    attained = float(np.sum((E @ root) ** 2))
    whole = linalg.svdvals(B)
    room = 1e4 * eps * np.sqrt(linalg.norm(gamma) * linalg.norm(linalg.pinvh(gamma)))
    claims = [
        Claim.at_most(
            "L17", f"the rank of the coefficients is at most {r} (singular value {r + 1} over the first)",
            float(whole[r] / max(whole[0], np.finfo(float).tiny)) if r < len(whole) else 0.0, room,
        ),
        Claim.at_most(
            "L17", "the sum of squares is that of least squares + the squared singular values after the rank, below "
            "which no such matrix gets (difference over the sum of squares of y)",
            abs(attained - floor) / max(size, np.finfo(float).tiny), room,
        ),
        Claim.disclosure(
            "L17", "what the bound on the rank costs: share of the squares of y",
            (floor - least) / max(size, np.finfo(float).tiny),
        ),
    ]  # fmt: skip
    if r < len(sigma):
        apart = float(1.0 - sigma[r] / max(sigma[r - 1], np.finfo(float).tiny))
        claims.append(
            Claim.disclosure(
                "L17", "relative distance of singular values r and r + 1: above 0, the minimum is unique", apart
            )
        )
    return claims


def _projection(Z: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Y projected onto the columns of Z, which may depend on each other."""
    length = np.linalg.norm(Z, axis=0)
    Z = Z[:, length > 0.0] / length[length > 0.0]
    if not Z.size:
        return np.zeros_like(Y)
    Q, R, _ = linalg.qr(Z, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    kept = Q[:, : np.count_nonzero(diagonal > max(Z.shape) * np.finfo(float).eps * diagonal[0])]
    return kept @ (kept.T @ Y)


def _weight(model: Any, residuals: np.ndarray) -> np.ndarray:
    """Γ as the parameter asks for it: from the data, not from the fit."""
    q = residuals.shape[1]
    if not isinstance(model.weight, str):
        return np.asarray(model.weight, dtype=float)
    if model.weight == "identity":
        return np.eye(q)
    # A factor of Γ changes nothing but the units of both sides.
    return linalg.pinvh(residuals.T @ residuals / len(residuals))

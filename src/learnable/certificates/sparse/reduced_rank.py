"""Reduced-rank regression: the answer attains a bound that no matrix of its rank can undercut. Syllabus: L17."""

from typing import Any

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.sparse.answer import (
    MOST_MISSED,
    borne,
    coefficients,
    fixed_intercept,
    intercepts,
    precision,
    rounding_of,
)

EPS = float(np.finfo(float).eps)
# Reciprocal condition of cross-products above which they lose too few digits to matter.
CLEARLY = 1e-4


@certifies(
    "ReducedRankRegression",
    ledger=Ledger(("coef_", "intercept_"), ("singular_values_", "weight_", "rank_")),
)
def reduced_rank_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The rank, and the sum of squares against least squares + Σ_{j>r} σ_j², both from the data.

    Least squares is found anew, by an orthogonal factorisation of the design.
    """
    n, r = X.shape[0], int(model.rank)
    B = coefficients(model.coef_, X.shape[1])
    eps, B, q = precision(X, B), B.astype(float).T, len(B)
    offset = intercepts(model.intercept_, q)
    weight = np.broadcast_to(np.asarray(1.0 if sample_weight is None else sample_weight, dtype=float), (n,))
    Z = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
    Y = np.asarray(y, dtype=float).reshape(n, -1)
    if Y.shape[1] != q:
        raise IndexError(f"coef_ has {q} rows, y has {Y.shape[1]} columns")
    largest = float(np.abs(Y).max(initial=0.0))
    if model.fit_intercept:
        middle, mean = weight @ Z / weight.sum(), weight @ Y / weight.sum()
        # Far from zero a mean has few digits after the point: that of what is left is taken off too.
        Z, Y = Z - middle, Y - mean
        more, rest = weight @ Z / weight.sum(), weight @ Y / weight.sum()
        Z, Y, middle, mean = Z - more, Y - rest, middle + more, mean + rest
        off = np.abs(offset - (mean - middle @ B))
        miss = float(off.max(initial=0.0))
        size = largest + float(np.max(np.abs(middle) @ np.abs(B), initial=0.0))
        free = Claim.at_most("L17", "no intercept is better for these coefficients (distance)", miss, 1e3 * eps * size)
    else:
        free = fixed_intercept("L17", offset)
    root_weight = np.sqrt(weight)[:, None]
    Z, Y = root_weight * Z, root_weight * Y
    fitted = _projection(Z, Y)
    gamma = _weight(model, Y - fitted, float(weight.sum()))
    values, vectors = linalg.eigh(gamma)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    sigma = linalg.svdvals(fitted @ root)
    sigma = np.append(sigma, np.zeros(q - len(sigma)))
    least = float(np.sum(((Y - fitted) @ root) ** 2))
    floor = least + float(np.sum(sigma[r:] ** 2))
    # What the rounding of targets far from zero leaves about their mean; of constant ones, nothing else.
    noise = 64.0 * EPS * largest * float(np.sqrt(weight.sum() * linalg.norm(gamma)))
    size = max(float(np.sum((Y @ root) ** 2)), noise**2, np.finfo(float).tiny)
    attained = float(np.sum(((Y - Z @ B) @ root) ** 2))
    told = Z @ B
    about = float(np.sum(((told - root_weight * (root_weight.T @ told / weight.sum())) @ root) ** 2))
    whole = linalg.svdvals(B)
    top = max(float(sigma[0]), noise, np.finfo(float).tiny)
    nothing = max(float(np.sqrt(max(X.shape) * EPS)), noise / top)
    uneven = np.sqrt(linalg.norm(gamma) * linalg.norm(linalg.pinvh(gamma)))
    room, of_rank = (1e4 * each * uneven + noise / np.sqrt(size) for each in (EPS, eps))
    # The least sum of squares is flat: what coefficients are rounded by counts as its square.
    stored = 16.0 * eps * uneven * linalg.norm(np.abs(Z) @ np.abs(B) @ np.abs(root)) / np.sqrt(size)
    claims = [
        Claim.at_most(
            "L17", f"the rank of the coefficients is at most {r} (singular value {r + 1} over the first)",
            float(whole[r] / max(whole[0], np.finfo(float).tiny)) if r < len(whole) else 0.0, of_rank,
        ),
        Claim.at_most(
            "L17", "the sum of squares is that of least squares + the squared singular values after the rank, below "
            "which no such matrix gets (difference over the sum of squares of y)", abs(attained - floor) / size,
            room + stored**2 + 16.0 * eps,
        ),
        free,
        # Singular values come from squares, which keep half of the digits of the small ones.
        reported("L17", "singular_values_", model.singular_values_, sigma, 1e-6 + room, scale=top),
        reported("L17", "weight_", model.weight_, gamma, 1e-9 + room),
        _rank_claim(int(model.rank_), sigma[:r] / top, nothing),
        Claim.disclosure("L17", "what the bound on the rank costs: share of the squares of y", (floor - least) / size),
    ]  # fmt: skip
    beside = np.sqrt(max(attained - floor, 0.0) / max(about, 1e-12 * size, noise**2))
    if model.fit_intercept:
        differ = np.sqrt(np.sum(Y**2, axis=0) / weight.sum())
        # Targets that differ by little more than they are rounded by are met by whatever is as near.
        rounded = rounding_of(offset, eps) * 2.0 * largest + np.finfo(float).tiny
        beside = max(beside, float(np.max(MOST_MISSED * off / borne(differ, rounded), initial=0.0)))
    if beside > MOST_MISSED:
        what = "how far predictions are from the best, beside how far they, or the targets, differ"
        claims.append(Claim.reached("L17", what, float(beside), MOST_MISSED, asked=np.inf))
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
    # By cross-products where they keep the digits, by reflections where they do not.
    G = Z.T @ Z
    factor, failed = linalg.lapack.dpotrf(G)
    if not failed and linalg.lapack.dpocon(factor, linalg.norm(G, 1))[0] > CLEARLY:
        return Z @ linalg.cho_solve((factor, False), Z.T @ Y)
    Q, R, _ = linalg.qr(Z, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    kept = Q[:, : np.count_nonzero(diagonal > max(Z.shape) * np.finfo(float).eps * diagonal[0])]
    return kept @ (kept.T @ Y)


def _rank_claim(stated: int, sizes: np.ndarray, floor: float) -> Claim:
    """`rank_` counts the singular values kept that are above the floor; those near it may count or not."""
    most, least = (int(np.count_nonzero(sizes > share * floor)) for share in (0.1, 10.0))
    off = max(least - stated, stated - most, 0)
    return Claim.at_most("L17", "rank_ is how many singular values kept are not zero (difference)", off, 0.0)


def _weight(model: Any, residuals: np.ndarray, total: float) -> np.ndarray:
    """Γ as the parameter asks for it: from the data, not from the fit."""
    q = residuals.shape[1]
    if not isinstance(model.weight, str):
        return np.asarray(model.weight, dtype=float)
    if model.weight == "identity":
        return np.eye(q)
    return linalg.pinvh(residuals.T @ residuals / total)

"""The dimensions of a design, and what a fit leaves of the targets in the space of its columns. Syllabus: A8, R1."""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from learnable.certificates.core.claim import Claim
from learnable.certificates.core.sums import means, triangle
from learnable.rows import Rows, largest_magnitudes

# Shares of the targets below which nothing is left to be explained; and which are too large to be called rounding.
ACCURATE, MOST_ROUNDING = 1e-9, 1e-3
_TINY, _EPS = float(np.finfo(float).tiny), float(np.finfo(float).eps)


class RowSpace(NamedTuple):
    """What the rows of a (centred) design can tell apart.

    Attributes
    ----------
    basis : (p, rank) orthonormal, in the units of the columns.
    condition : of the design on it, columns of unit length.
    singular : (min(n, p),) singular values of the design.
    least : beside which singular values are rounding, if all are smaller.
    factor, scale : triangular factor of the design and its targets, (p + q) columns, each divided by its scale.
    raw : lengths of these columns as they are, before their means are taken off.
    alive : (p,) which columns vary by more than rounding.
    noise : what rounding leaves of a singular value, columns of unit length.
    """

    basis: np.ndarray
    condition: float
    singular: np.ndarray
    least: float
    factor: np.ndarray
    scale: np.ndarray
    raw: np.ndarray
    alive: np.ndarray
    noise: float

    @property
    def rank(self) -> int:
        return self.basis.shape[1]

    @property
    def free(self) -> int:
        """Directions along which coefficients may move and no fitted value does."""
        return len(self.basis) - self.rank

    def least_norm(self, row: str, statement: str, coef: np.ndarray) -> Claim:
        """The share of the coefficients along free directions is rounding."""
        outside = coef - self.basis @ (self.basis.T @ coef)
        size = max(float(np.linalg.norm(coef, axis=0).max(initial=0.0)), _TINY)
        along = float(np.linalg.norm(outside, axis=0).max(initial=0.0)) / size
        return Claim.at_most(row, statement, along, 1e3 * self.condition * float(np.finfo(coef.dtype).eps))

    def projection(self, row: str, coef: np.ndarray, alpha: Any = 0.0, asked: float = 0.0) -> Claim:
        """The targets less Xβ, and with a penalty −√α β below them, have no part in the space of the columns.

        With (X, y) = QR that part is QᵀY − RB, to the rounding of its terms: columns that all but repeat others, whose
        equations are those of the others, have a direction of their own here.
        """
        p, q = coef.shape
        units, sizes = self.scale[:p, None], self.scale[p:]
        B, told = coef.astype(float) * units / sizes, np.linalg.norm(self.factor[:, p:], axis=0)
        rounding = 4.0 * (p + math.sqrt(len(self.factor)) + 10.0) * float(np.finfo(coef.dtype).eps)
        fixed = ACCURATE * told + rounding * self.raw[p:] + self.noise**2 * told
        alphas, off, entered = np.broadcast_to(np.asarray(alpha, dtype=float), (q,)), np.zeros(q), np.zeros(q)
        for a in np.unique(alphas).tolist():
            of = np.flatnonzero(alphas == a)
            R, Y = self.factor[:, :p] * self.alive, self.factor[:, p + of]
            if a > 0.0:
                R, Y = np.vstack([R, np.diag(math.sqrt(a) / units[:, 0])]), np.vstack([Y, np.zeros((p, len(of)))])
            length = np.linalg.norm(R, axis=0)
            U, d, _ = linalg.svd(R / np.where(length > 0.0, length, 1.0), full_matrices=False)
            kept, left = d > self.noise, Y - R @ B[:, of]
            off[of] = np.linalg.norm(U[:, kept].T @ left, axis=0)
            # Rounding turns the directions of near dependences, and with them some of what is left over.
            turned = np.linalg.norm(left, axis=0) / np.min(d[kept], initial=1.0)
            entered[of] = rounding * (length @ np.abs(B[:, of]) + turned)
        size = np.maximum(fixed + np.minimum(entered, MOST_ROUNDING * told), _TINY) / ACCURATE
        borne = ACCURATE * float(np.max((fixed + entered) / (ACCURATE * size)))
        statement = "the residual has no part in the space of the columns (relative to what it is added up from)"
        return Claim.reached(row, statement, float(np.max(off / size)), ACCURATE, max(borne, asked))


def row_space(rows: Rows, free_intercept: bool) -> RowSpace:
    """From the singular vectors of a triangular factor of the design, columns of unit length."""
    p = rows.n_columns
    weight, mean = means(rows)
    largest = largest_magnitudes(rows)
    scale = np.exp2(np.floor(np.log2(np.where(largest > 0.0, largest, 1.0))))
    factor = triangle(rows, mean if free_intercept else np.zeros_like(mean), scale)
    lengths = np.linalg.norm(factor, axis=0)
    all_raw = np.sqrt(lengths**2 + (weight * (mean / scale) ** 2 if free_intercept else 0.0))
    R, length, raw = factor[:p, :p], lengths[:p].copy(), all_raw[:p]
    length[length <= np.sqrt(rows.n_rows) * np.finfo(float).eps * raw] = np.inf
    _, d, Vt = linalg.svd(R / length, full_matrices=False)
    # Subtracting a mean that is large against what remains leaves noise of that ratio, in units of eps, in each column.
    noise = max(max(rows.n_rows, p) * d.max(initial=0.0), np.sqrt(p) * float(np.max(raw / length, initial=0.0)))
    noise *= _EPS
    rank = int(np.count_nonzero(d > noise))
    condition = float(d[0] / d[rank - 1]) if rank else 1.0
    # A column that is zero comes last: first, it would be given the rounding of all others.
    units = np.where(np.isfinite(length), length, 0.0) * scale[:p]
    # Long columns first, and pivoting: a short one keeps its digits beside them.
    order = np.argsort(-units, kind="stable")
    basis = np.empty((p, rank))
    if rank:
        basis[order] = linalg.qr((Vt[:rank] * (units / units.max())).T[order], mode="economic", pivoting=True)[0]
    least = max(1e6 * math.sqrt(rows.n_rows) * _EPS * float(np.max(raw * scale[:p], initial=0.0)), _TINY)
    singular, alive = linalg.svdvals(R * scale[:p]), np.isfinite(length)
    return RowSpace(basis, condition, singular, least, factor, scale, all_raw, alive, noise)

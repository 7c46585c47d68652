"""The E-step of a Gaussian mixture on rows of which cells are missing. Syllabus: U5.

With P = Σ⁻¹, the missing cells m of a row, given those observed o, are Gaussian about μ_m − P_mm⁻¹ P_mo (x_o − μ_o)
with covariance P_mm⁻¹. The row filled with these means is as far from μ as its observed part, and log |Σ_oo| =
log |Σ| + log |P_mm|: no covariance of observed cells is ever factored.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable.rows import Block
from learnable.solvers.unsupervised.gaussian_mixture import Mixture, Sums, Whitening, memberships


class Completion(NamedTuple):
    """What a mixture says of m rows.

    Attributes
    ----------
    memberships : (m, K). log_density : (m,), of the observed cells.
    away : (K, m, d), the row as component k expects it, minus μ_k.
    gaps : for each pattern of missing cells its rows, its columns and their covariance under each component, (K, q, q).
    """

    memberships: np.ndarray
    log_density: np.ndarray
    away: np.ndarray
    gaps: list[tuple[np.ndarray, np.ndarray, np.ndarray]]


def patterns(missing: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(rows, columns that are missing in them), one pattern of missing cells after the other."""
    _, first, pattern = np.unique(np.packbits(missing, axis=1), axis=0, return_index=True, return_inverse=True)
    pattern = pattern.reshape(-1)
    ends = np.cumsum(np.bincount(pattern))
    for row, members in zip(first, np.split(np.argsort(pattern, kind="stable"), ends[:-1]), strict=True):
        yield members, np.flatnonzero(missing[row])


def completed(X: np.ndarray, mixture: Mixture, white: Whitening) -> Completion:
    """Rows about the origin of the fit, NaN where a cell is missing, completed under each component."""
    K, _d = mixture.means.shape
    factors = precision_factors(mixture, white)
    precisions = factors @ np.swapaxes(factors, 1, 2)
    away = X - mixture.means[:, None, :]
    r, gaps = np.empty((len(X), K)), []
    for rows, columns in patterns(np.isnan(X)):
        part = away[:, rows]
        correction = np.zeros(K)
        if len(columns):
            covariances, logdet = inverses(precisions[:, columns[:, None], columns])
            part[:, :, columns] = 0.0
            part[:, :, columns] = -(part @ precisions[:, :, columns]) @ covariances
            away[:, rows] = part
            gaps.append((rows, columns, covariances))
            correction = logdet - len(columns) * np.log(2.0 * np.pi)
        r[rows] = np.sum((part @ factors) ** 2, axis=2).T + correction
    log_density = memberships(r, white.offsets)
    return Completion(r, log_density, away, gaps)


def precision_factors(mixture: Mixture, white: Whitening) -> np.ndarray:
    """F_k with F_k F_kᵀ = Σ_k⁻¹, (K, d, d)."""
    K, d = mixture.means.shape
    if mixture.kind == "full":
        return np.ascontiguousarray(white.factors.reshape(d, K, d).transpose(1, 0, 2))
    if mixture.kind == "tied":
        return np.broadcast_to(white.factors, (K, d, d))
    return np.sqrt(white.factors)[:, :, None] * np.eye(d)


def inverses(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(inverse, log-determinant) of each positive definite matrix, in units that make its diagonal 1."""
    unit = np.sqrt(np.diagonal(matrices, axis1=1, axis2=2))
    outer = unit[:, :, None] * unit[:, None, :]
    scaled = matrices / outer
    return np.linalg.inv(scaled) / outer, np.linalg.slogdet(scaled)[1] + 2.0 * np.log(unit).sum(axis=1)


def expected(block: Block, mixture: Mixture, white: Whitening, origin: np.ndarray) -> Sums:
    """The E-step on one block: missing cells enter with their means, and their covariances are added to the squares."""
    found = completed(np.asarray(block.X - origin, dtype=float), mixture, white)
    weight = np.ones(len(found.log_density)) if block.weight is None else np.asarray(block.weight, dtype=float)
    r = found.memberships * weight[:, None]
    firsts = np.einsum("mk,kmj->kj", r, found.away)
    seconds = np.swapaxes(found.away * r.T[:, :, None], 1, 2) @ found.away
    for rows, columns, covariances in found.gaps:
        seconds[:, columns[:, None], columns] += r[rows].sum(axis=0)[:, None, None] * covariances
    if mixture.kind == "tied":
        seconds = seconds.sum(axis=0)
    elif mixture.kind != "full":
        seconds = np.diagonal(seconds, axis1=1, axis2=2).copy()
    return Sums(float(weight @ found.log_density), r.sum(axis=0), firsts, seconds)


def imputed(X: np.ndarray, mixture: Mixture, white: Whitening) -> np.ndarray:
    """The rows with each missing cell at its mean given those observed, over all components."""
    found = completed(X, mixture, white)
    means = np.einsum("mk,kmj->mj", found.memberships, found.away + mixture.means[:, None, :])
    return np.where(np.isnan(X), means, X)

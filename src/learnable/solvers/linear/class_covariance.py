"""The within-class and total covariance from class moments, shrunk if asked. Syllabus: C1, C2."""

from typing import NamedTuple

import numpy as np

from learnable.rows import Rows
from learnable.solvers.linear.class_moments import ClassMoments, class_moments, clear_constant_columns, fourth_moments
from learnable.solvers.linear.shrinkage import ledoit_wolf_intensity, shrunk


class Estimated(NamedTuple):
    """Covariances from an estimator of the caller's: (K, p, p) by class, (p, p) over all rows."""

    each: np.ndarray
    total: np.ndarray


class Dispersion(NamedTuple):
    """Class moments and the covariance matrices that follow.

    Attributes
    ----------
    moments : of the rows.
    priors : (K,).
    within : (p, p), Σ_k π_k Σ̂_k.
    total : (p, p) covariance of all rows about their mean.
    """

    moments: ClassMoments
    priors: np.ndarray
    within: np.ndarray
    total: np.ndarray


def dispersion(
    rows: Rows,
    n_classes: int,
    priors: np.ndarray | None,
    shrinkage: float | str | None,
    estimated: Estimated | None,
    n_jobs: int | None = None,
) -> Dispersion:
    """Covariances that divide by the weight, shrunk by `shrinkage` ("auto": Ledoit and Wolf's), or as estimated."""
    # With the proportions as priors, Σ π_k S_k / W_k is the pooled scatter over W: no scatter by class is needed.
    each = shrinkage == "auto" or priors is not None
    found = class_moments(rows, n_classes, each=each, n_jobs=n_jobs)
    pi = found.share if priors is None else priors
    if estimated is not None:
        return Dispersion(found, pi, np.tensordot(pi, estimated.each, axes=1), estimated.total)
    total = found.pooled + _between(found)
    clear_constant_columns(total, np.ones(1), found.mean)
    if shrinkage == "auto":
        by_class, overall = ledoit_wolf(rows, found, total, n_jobs)
        return Dispersion(found, pi, np.tensordot(pi, by_class, axes=1), overall)
    within = np.tensordot(pi / found.weight, found.scatter, axes=1) if each else found.pooled
    if shrinkage:
        # Shrinking is linear in the matrix: the mean of the shrunk ones is the shrunk mean.
        within, total = shrunk(within, float(shrinkage)), shrunk(total, float(shrinkage))
    return Dispersion(found, pi, within, total)


def ledoit_wolf(
    rows: Rows, found: ClassMoments, total: np.ndarray, n_jobs: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """((K, p, p), (p, p)): covariances of columns of unit deviation, shrunk by Ledoit and Wolf, in original units."""
    plain = np.concatenate([found.scatter / found.weight[:, np.newaxis, np.newaxis], total[np.newaxis]])
    deviation = np.sqrt(np.diagonal(plain, axis1=1, axis2=2))
    deviation = np.where(deviation > 0.0, deviation, 1.0)
    centre = np.vstack([found.mean, found.share @ found.mean])
    fourth = np.append(*fourth_moments(rows, centre, deviation, n_jobs))
    weight = np.append(found.weight, found.weight.sum())
    units = deviation[:, :, np.newaxis] * deviation[:, np.newaxis, :]
    standard = plain / units
    pulled = [shrunk(c, ledoit_wolf_intensity(c, w, f)) for c, w, f in zip(standard, weight, fourth)]
    matrices = np.array(pulled) * units
    return matrices[:-1], matrices[-1]


def _between(found: ClassMoments) -> np.ndarray:
    """Σ_k (W_k / W)(μ_k − x̄)(μ_k − x̄)ᵀ."""
    apart = np.sqrt(found.share)[:, np.newaxis] * found.about_centre(found.share)
    return apart.T @ apart

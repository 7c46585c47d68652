"""Gaussian mixtures: what the kinds of covariance mean, how many numbers are free, criteria for the number of parts.

Syllabus: U5.
"""

import numpy as np

from learnable.problems.core.information import bic

# shared_spherical is the mixture of soft k-means: one variance for all components and all directions.
KINDS = ("full", "tied", "diag", "spherical", "shared_spherical")


def n_free(kind: str, K: int, d: int) -> int:
    """Free numbers of a mixture: weights, means and covariances.

    >>> n_free("full", 2, 3), n_free("shared_spherical", 2, 3)
    (19, 8)
    """
    triangle = d * (d + 1) // 2
    covariances = {"full": K * triangle, "tied": triangle, "diag": K * d, "spherical": K, "shared_spherical": 1}[kind]
    return K - 1 + K * d + covariances


def covariance_shape(kind: str, K: int, d: int) -> tuple[int, ...]:
    """The shape in which the covariances of a mixture are kept.

    >>> covariance_shape("diag", 3, 2)
    (3, 2)
    """
    return {"full": (K, d, d), "tied": (d, d), "diag": (K, d), "spherical": (K,), "shared_spherical": (1,)}[kind]


def covariance_matrices(covariances: np.ndarray, kind: str, K: int, d: int) -> np.ndarray:
    """The covariance of each component as a matrix, (K, d, d).

    >>> covariance_matrices(np.array([2.0]), "shared_spherical", 1, 2)
    array([[[2., 0.],
            [0., 2.]]])
    """
    covariances = np.asarray(covariances, dtype=float)
    if kind == "full":
        return covariances
    if kind == "tied":
        return np.broadcast_to(covariances, (K, d, d))
    if kind == "diag":
        return covariances[:, :, None] * np.eye(d)
    return np.broadcast_to(covariances.reshape(-1, 1, 1) * np.eye(d), (K, d, d))


def icl(log_likelihood: float, free: int, n: float, entropy: float) -> float:
    """BIC + 2 · entropy of the memberships, −Σ_i Σ_k r_ik log r_ik: components that overlap are charged for it.

    >>> icl(-10.0, 3, 1.0, 2.0)
    24.0
    """
    return float(bic(log_likelihood, free, n)) + 2.0 * entropy

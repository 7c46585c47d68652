"""Unsupervised learners under the checks: three clouds of points."""

import numpy as np

from learnable.checks.registry import register
from learnable.unsupervised import AgglomerativeClustering, GaussianMixture, KernelPCA, SpectralClustering


def few_points(seed: int) -> tuple[np.ndarray, None]:
    """15 of them, for learners, or bounds in their certificates, that join every row with every other."""
    return three_clouds(seed)[0][:15].copy(), None


def three_clouds(seed: int) -> tuple[np.ndarray, None]:
    """120 points of four columns in three clouds, none on the border between two."""
    random = np.random.default_rng(seed)
    centres = np.array([[0.0, 0.0, 0.0, 0.0], [6.0, 0.0, 1.0, 0.0], [0.0, 6.0, 0.0, -1.0]])
    return np.repeat(centres, 40, axis=0)[random.permutation(120)] + random.standard_normal((120, 4)), None


for name in ("KMeans", "MiniBatchKMeans"):
    register(name, data=few_points)
register("GaussianMixture", data=three_clouds, make=lambda: GaussianMixture(3, tol=1e-8))
register("SpectralClustering", data=few_points, make=lambda: SpectralClustering(3, gamma=0.1), copies=20)
register("KernelPCA", data=few_points, make=lambda: KernelPCA(2, kernel="rbf", gamma=0.1), copies=20)
register("AgglomerativeClustering", data=few_points, make=lambda: AgglomerativeClustering(3))

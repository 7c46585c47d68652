"""Clusterings, mixtures, projections and similarity graphs."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.problems.unsupervised.scatter import Scatter, kmeans_objective, pairwise_within, scatter_split
    from learnable.unsupervised.gaussian_mixture import GaussianMixture
    from learnable.unsupervised.kmeans import KMeans
    from learnable.unsupervised.mini_batch_kmeans import MiniBatchKMeans
    from learnable.unsupervised.pca import PCA

__all__ = ["GaussianMixture", "KMeans", "MiniBatchKMeans", "PCA", "Scatter", "kmeans_objective", "pairwise_within", "scatter_split"]

import_when_used(__name__)

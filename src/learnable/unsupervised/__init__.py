"""Clusterings, mixtures, projections and similarity graphs."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.problems.unsupervised.graphs import cut_values, laplacian, quadratic_form
    from learnable.problems.unsupervised.scatter import Scatter, kmeans_objective, pairwise_within, scatter_split
    from learnable.unsupervised.davis_kahan import davis_kahan
    from learnable.unsupervised.gaussian_mixture import GaussianMixture
    from learnable.unsupervised.kmeans import KMeans
    from learnable.unsupervised.mini_batch_kmeans import MiniBatchKMeans
    from learnable.unsupervised.pca import PCA
    from learnable.unsupervised.similarity_graph import certify_graph, similarity_graph
    from learnable.unsupervised.spectral_clustering import SpectralClustering

__all__ = [
    "PCA", "GaussianMixture", "KMeans", "MiniBatchKMeans", "Scatter", "SpectralClustering", "certify_graph",
    "cut_values", "davis_kahan", "kmeans_objective", "laplacian", "pairwise_within", "quadratic_form", "scatter_split",
    "similarity_graph",
]  # fmt: skip

import_when_used(__name__)

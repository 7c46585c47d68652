"""Clusterings, mixtures, projections and similarity graphs."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.problems.unsupervised.graphs import cut_values, laplacian, quadratic_form
    from learnable.problems.unsupervised.scatter import Scatter, kmeans_objective, pairwise_within, scatter_split
    from learnable.unsupervised.agglomerative_clustering import AgglomerativeClustering
    from learnable.unsupervised.davis_kahan import davis_kahan
    from learnable.unsupervised.dendrogram_display import DendrogramDisplay
    from learnable.unsupervised.gap_statistic import GapDisplay, GapStatistic, gap_statistic
    from learnable.unsupervised.gaussian_mixture import GaussianMixture
    from learnable.unsupervised.kernel_pca import KernelPCA
    from learnable.unsupervised.kmeans import KMeans
    from learnable.unsupervised.mini_batch_kmeans import MiniBatchKMeans
    from learnable.unsupervised.pca import PCA
    from learnable.unsupervised.silhouette import SilhouetteDisplay, silhouette_values
    from learnable.unsupervised.similarity_graph import certify_graph, similarity_graph
    from learnable.unsupervised.spectral_clustering import SpectralClustering
    from learnable.unsupervised.stability import Stability, StabilityDisplay, adjusted_rand, cluster_stability

__all__ = [
    "PCA", "AgglomerativeClustering", "DendrogramDisplay", "GapDisplay", "GapStatistic", "GaussianMixture", "KMeans",
    "KernelPCA", "MiniBatchKMeans", "Scatter", "SilhouetteDisplay", "SpectralClustering", "Stability",
    "StabilityDisplay", "adjusted_rand", "certify_graph", "cluster_stability", "cut_values", "davis_kahan",
    "gap_statistic", "kmeans_objective", "laplacian", "pairwise_within", "quadratic_form", "scatter_split",
    "silhouette_values", "similarity_graph",
]  # fmt: skip

import_when_used(__name__)

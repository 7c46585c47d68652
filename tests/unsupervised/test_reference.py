"""Values from R: kmeans (Lloyd), prcomp and hclust on iris."""

import json
from pathlib import Path

import numpy as np

from learnable.unsupervised import PCA, AgglomerativeClustering, KMeans, adjusted_rand

R = {
    name: np.array(value) if isinstance(value, list) else value
    for name, value in json.loads((Path(__file__).parents[1] / "reference" / "unsupervised_r.json").read_text()).items()
}


def test_kmeans_is_that_of_r():
    model = KMeans(3, init=R["X"][R["start"]], n_init=1, tol=0.0).fit(R["X"])
    np.testing.assert_allclose(model.cluster_centers_, R["kmeans_centres"], rtol=1e-12)
    np.testing.assert_array_equal(model.labels_, R["kmeans_labels"])
    np.testing.assert_allclose(model.inertia_, R["kmeans_withinss"].sum(), rtol=1e-12)


def test_pca_is_that_of_r():
    model = PCA().fit(R["X"])
    np.testing.assert_allclose(np.sqrt(model.explained_variance_), R["prcomp_sdev"], rtol=1e-10)
    np.testing.assert_allclose(np.abs(model.components_), np.abs(R["prcomp_rotation"]), atol=1e-10)


def test_dendrograms_are_those_of_r():
    Y = R["X"] + 1e-2 * np.sin(np.outer(np.arange(1, 151), np.arange(1, 5)))  # without ties
    for ours, theirs in (("single", "single"), ("complete", "complete"), ("average", "average"), ("ward", "ward.D2")):
        model = AgglomerativeClustering(3, linkage=ours).fit(Y)
        np.testing.assert_allclose(model.distances_, R[f"hclust_{theirs}"], rtol=1e-7)
    assert adjusted_rand(AgglomerativeClustering(3, linkage="average").fit(Y).labels_, R["cutree_average"]) == 1.0

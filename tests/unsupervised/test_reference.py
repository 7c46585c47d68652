"""Values from R: kmeans (Lloyd), prcomp, hclust and mclust on iris."""

import json
from pathlib import Path

import numpy as np

from learnable.problems.unsupervised.mixtures import KINDS, covariance_matrices
from learnable.unsupervised import PCA, AgglomerativeClustering, GaussianMixture, KMeans, adjusted_rand

HERE = Path(__file__).parents[1] / "reference"
R = {
    name: np.array(value) if isinstance(value, list) else value
    for name, value in json.loads((HERE / "unsupervised_r.json").read_text()).items()
}
MCLUST = json.loads((HERE / "mclust_r.json").read_text())


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


def test_mixtures_are_those_of_mclust():
    """From the species as in R; mclust's criteria have the other sign."""
    for kind in KINDS:
        theirs = MCLUST[kind]
        means = R["X"].reshape(3, 50, 4).mean(axis=1)
        options = {"reg_covar": 0.0, "tol": 1e-14, "max_iter": 5000, "means_init": means, "init_params": "random"}
        spread = np.linalg.inv(np.cov((R["X"].reshape(3, 50, 4) - means[:, None]).reshape(150, 4).T))
        options["precisions_init"] = {
            "full": np.array([spread] * 3), "tied": spread, "diag": np.full((3, 4), 5.0), "spherical": np.full(3, 5.0),
            "shared_spherical": np.full(1, 5.0),
        }[kind]  # fmt: skip
        options["weights_init"] = np.full(3, 1.0 / 3.0)
        model = GaussianMixture(3, covariance_type=kind, random_state=0, **options).fit(R["X"])
        np.testing.assert_allclose(150 * model.lower_bound_, theirs["log_likelihood"], rtol=1e-8)
        np.testing.assert_allclose(model.bic(R["X"]), -theirs["bic"], rtol=1e-8)
        np.testing.assert_allclose(model.weights_, theirs["weights"], atol=1e-4)
        np.testing.assert_allclose(model.means_, theirs["means"], atol=1e-4)
        matrices = covariance_matrices(model.covariances_, kind, 3, 4).reshape(3, 16)
        np.testing.assert_allclose(matrices, theirs["covariances"], atol=1e-4)

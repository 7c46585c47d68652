"""Fitted attributes of another shape are refuted with their name, whatever the certificate makes of them."""

import copy

import numpy as np

from learnable import certify
from learnable.certificates import Verdict
from learnable.graphical import CLIME, GraphicalLasso, NodewiseRegression
from learnable.unsupervised import (
    PCA,
    AgglomerativeClustering,
    GaussianMixture,
    KernelPCA,
    KMeans,
    MiniBatchKMeans,
    SpectralClustering,
)

X = np.random.default_rng(0).standard_normal((30, 4)) + 5.0 * np.random.default_rng(1).integers(2, size=(30, 1))
MODELS = (
    KMeans(2, random_state=0), MiniBatchKMeans(2, random_state=0), SpectralClustering(2, gamma=0.1, random_state=0),
    *(GaussianMixture(2, covariance_type=kind, random_state=0) for kind in ("full", "tied", "diag", "spherical")),
    PCA(2), PCA(2, svd_solver="randomized", random_state=0), KernelPCA(2, kernel="rbf"), AgglomerativeClustering(2),
    GraphicalLasso(0.1), NodewiseRegression(), CLIME(0.2),
)  # fmt: skip
REPORTS = {"history_", "counts_", "certificate_"}


def other_shapes(value):
    yield value[:-1]
    yield np.concatenate([value, value[-1:]])
    if value.ndim == 2:
        yield np.hstack([value, value[:, -1:]])


def test_other_shapes_are_refuted():
    for model in MODELS:
        model.fit(X)
        seen = 0
        for name, value in vars(model).items():
            if name.endswith("_") and name not in REPORTS and isinstance(value, np.ndarray) and value.ndim:
                for other in other_shapes(value):
                    forged = copy.deepcopy(model)
                    setattr(forged, name, other)
                    assert certify(forged, X).verdict is Verdict.REFUTED, (type(model).__name__, name, other.shape)
                    seen += 1
        assert seen >= 4


def test_merges_by_halves_are_refuted():
    model = AgglomerativeClustering(2).fit(X)
    model.children_ = model.children_ + 0.5
    assert certify(model, X).verdict is Verdict.REFUTED

"""What decides where new rows are projected cannot be replaced: the way axes point, the rows that a kernel compares."""

import copy

import numpy as np

from learnable import certify
from learnable.unsupervised import PCA, KernelPCA


def test_turned_axes_and_other_rows_are_refused():
    X = np.random.default_rng(3).standard_normal((30, 4)) * [1.0, 2.0, 0.5, 3.0]
    for model, turned in ((PCA(2), "components_"), (KernelPCA(2, kernel="rbf", gamma=0.2), "eigenvectors_")):
        model.fit(X)
        assert certify(model, X).holds
        forged = copy.deepcopy(model)
        setattr(forged, turned, -getattr(forged, turned))
        assert not certify(forged, X).holds
    for other in (1.3 * X, -X, X[::-1].copy(), X[:-1]):
        forged = copy.deepcopy(model)
        forged.X_fit_ = other
        assert not certify(forged, X).holds


def test_honest_axes_point_forward_whatever_the_data():
    random = np.random.default_rng(0)
    for n, p in ((40, 3), (12, 20), (25, 25)):
        for scale, dtype in ((1.0, float), (1e-6, float), (1e6, np.float32)):
            X = (scale * random.standard_normal((n, p))).astype(dtype)
            assert certify(PCA().fit(X), X).holds
            # Columns in pairs make entries equally large.
            twice = np.hstack([X, X])
            assert certify(PCA(2).fit(twice), twice).holds
            assert certify(KernelPCA(3, kernel="rbf", gamma=0.1 / scale**2).fit(X), X).holds


def test_honest_axes_that_leave_no_variance_are_proved():
    # What power steps make of a direction without variance is rounding, which may lie along the axes.
    for seed in range(40):
        X = np.random.default_rng(seed).standard_normal((6, 3))
        X[:, 0] = 7.0
        for table in (X, X.astype(np.float32)):
            model = PCA(2).fit(table)
            assert model.certificate_.holds
            assert certify(model, table).holds

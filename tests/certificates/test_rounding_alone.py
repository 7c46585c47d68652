"""Fits of which rounding is all that could be told: proved, since there is nothing else to find."""

import numpy as np
from scipy import sparse

from learnable import certify
from learnable.certificates import Verdict
from learnable.ensembles import ExtraTreesRegressor, RandomForestRegressor
from learnable.kernels import KernelRidge, SplineRegression
from learnable.trees import DecisionTreeRegressor


def proved(model, X, y, weight) -> bool:
    return certify(model.fit(X, y, sample_weight=weight), X, y, sample_weight=weight).verdict is Verdict.PROVED


def test_nodes_of_one_number_however_often_it_is_drawn():
    # The mean of three times 0.174… is another number, by its last bit.
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((3, 3)), rng.standard_normal(3)
        for model in (RandomForestRegressor(5, random_state=seed), ExtraTreesRegressor(3, bootstrap=True)):
            assert proved(model, X, y, None)
        for weight in (None, rng.random(3)):
            assert proved(DecisionTreeRegressor(random_state=0), X, np.full(3, y[0]), weight)


def test_splines_of_equal_and_of_far_targets():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((25, 3))
    for y in (np.full(25, 7.1), np.full(25, -1e9 / 3), 1e9 + rng.standard_normal(25)):
        for weight in (None, rng.random(25)):
            model = SplineRegression()
            assert proved(model, X, y, weight)
            assert np.ptp(y) or not model.coef_.any()
    model.coef_ *= 1.0 + 1e-5
    assert certify(model, X, y, sample_weight=weight).verdict is Verdict.REFUTED


def test_kernel_ridge_reads_sparse_floats_in_double_as_its_fit_does():
    y = np.random.default_rng(0).standard_normal(40)
    for kind in ("csr", "csc"):
        X = sparse.random(40, 6, 0.4, format=kind, dtype=np.float32, random_state=0)
        assert proved(KernelRidge(kernel="rbf"), X, y, None)

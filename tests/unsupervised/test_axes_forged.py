"""What decides where new rows are projected cannot be replaced: the way axes point, the rows that a kernel compares."""

import copy

import numpy as np
from scipy.linalg import expm
from sklearn import decomposition
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
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


def pointing_forward(axes):
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)]
    return axes * np.sign(largest)[:, None]


def mixed(axes, one, other):
    turned = axes.copy()
    turned[one], turned[other] = (axes[one] + axes[other]) / 2**0.5, (axes[one] - axes[other]) / 2**0.5
    return pointing_forward(turned)


@each("ratio", [1.0, 1e4, 1e6, 1e9])
def test_small_variances_are_those_of_the_rows_whatever_the_first(ratio):
    # A variance 1e18 times as large leaves no digit of the others in cross-products, and none in errors beside it.
    random = np.random.default_rng(1)
    Q = np.linalg.qr(random.standard_normal((4, 4)))[0]
    X = (random.standard_normal((60, 4)) * [3.0 * ratio, 2.0, 1.0, 0.5]) @ Q
    for solver in ("auto", "full", "covariance_eigh"):
        model = PCA(svd_solver=solver).fit(X)
        assert certify(model, X).holds
        exact = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2 / 59
        np.testing.assert_allclose(model.explained_variance_, exact, rtol=1e-16 * ratio + 1e-9)
        for forged_attribute in ("components_", "explained_variance_"):
            forged = copy.deepcopy(model)
            if forged_attribute == "components_":
                forged.components_ = mixed(model.components_, 1, 3)
            else:
                forged.explained_variance_ = model.explained_variance_ * [1.0, 1.0, 1.5, 1.0]
                forged.singular_values_ = np.sqrt(59 * forged.explained_variance_)
                forged.explained_variance_ratio_ = forged.explained_variance_ / exact.sum()
            assert certify(forged, X).verdict == "refuted", (solver, forged_attribute)


@each("gamma", [1e-3, 1e-2, 1.0])
def test_small_eigenvalues_of_a_kernel_are_judged_by_their_own_size(gamma):
    X = np.random.default_rng(0).standard_normal((40, 3))
    model = KernelPCA(14, kernel="rbf", gamma=gamma).fit(X)
    assert certify(model, X).holds
    for forged_attribute in ("eigenvectors_", "eigenvalues_", "left out"):
        forged = copy.deepcopy(model)
        if forged_attribute == "eigenvectors_":
            forged.eigenvectors_ = mixed(model.eigenvectors_.T, 10, 12).T
        elif forged_attribute == "eigenvalues_":
            forged.eigenvalues_ = model.eigenvalues_ * np.append(np.ones(13), 0.5)
        else:
            longer = KernelPCA(15, kernel="rbf", gamma=gamma).fit(X)
            kept = np.delete(np.arange(15), 13)
            forged.eigenvalues_, forged.eigenvectors_ = longer.eigenvalues_[kept], longer.eigenvectors_[:, kept]
        assert not certify(forged, X).holds, forged_attribute


@each("kind", [KernelPCA, decomposition.KernelPCA])
@each("kept", [1, 2, 4])
def test_axes_of_a_kernel_turned_towards_a_near_one_are_not_proved(kind, kept):
    random = np.random.default_rng(5)
    about = random.standard_normal((12, 12))
    V = np.linalg.qr(np.column_stack([np.ones(12), about[:, :11]]))[0][:, 1:]
    for apart in (1e-3, 1e-5, 1e-7):
        K = (V * np.r_[1.0, 1.0 - apart, 0.3, 0.3 - apart, np.full(7, 0.01)]) @ V.T
        K = 0.5 * (K + K.T)
        model = kind(kept, kernel="precomputed").fit(K)
        assert certify(model, K).holds
        for first in (0, 2):
            swing = np.zeros((11, 11))
            swing[first, first + 1], swing[first + 1, first] = 0.05, -0.05
            forged = copy.deepcopy(model)
            forged.eigenvectors_ = pointing_forward((V @ expm(swing))[:, :kept].T).T
            if first < kept:
                assert not certify(forged, K).holds, (apart, first)


def test_axes_that_nothing_tells_apart_are_those_of_the_fit_or_not_proved():
    K = np.eye(8)
    for kind in (KernelPCA, decomposition.KernelPCA):
        model = kind(kernel="precomputed").fit(K)
        assert certify(model, K).verdict is Verdict.PROVED
        model.eigenvectors_ = model.eigenvectors_[::-1]
        assert not certify(model, K).holds


def test_kernels_of_which_rounding_is_left_and_those_that_are_no_inner_products_are_not_refuted():
    X = np.random.default_rng(7).standard_normal((20, 3))
    for table, level in ((X, 14.0), (X, 17.0), (X.astype(np.float32), 9.0)):
        model = decomposition.KernelPCA(kernel="sigmoid", coef0=level).fit(table)
        assert certify(model, table).verdict is not Verdict.REFUTED, level

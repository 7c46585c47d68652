"""Corners in which the unsupervised learners must do as scikit-learn's do."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import cluster, decomposition
from sklearn.exceptions import ConvergenceWarning

from learnable import certify
from learnable.certificates import Verdict
from learnable.graphical import GraphicalLassoCV
from learnable.unsupervised import PCA, GaussianMixture, KernelPCA, KMeans, MiniBatchKMeans

X = np.random.default_rng(0).uniform(size=(60, 4)) + np.repeat(np.eye(4)[:3] * 3.0, 20, axis=0)


def test_axes_of_sparse_tables_are_those_of_the_dense_ones():
    table = sparse.random_array((80, 12), density=0.3, rng=np.random.default_rng(1), format="csr") * 3.0
    wanted = decomposition.PCA(4).fit(table.toarray())
    for solver in ("auto", "arpack", "covariance_eigh", "randomized"):
        model = PCA(4, svd_solver=solver, random_state=0).fit(table)
        np.testing.assert_allclose(model.explained_variance_, wanted.explained_variance_, rtol=1e-9)
        np.testing.assert_allclose(np.abs(model.transform(table)), np.abs(wanted.transform(table.toarray())), atol=1e-6)
        np.testing.assert_allclose(model.score(table), wanted.score(table.toarray()), rtol=1e-8)
        assert certify(model, table).holds, model.certificate_
        model.mean_ = model.mean_ + 0.1
        assert not certify(model, table).holds
    with pytest.raises(TypeError, match="dense table"):
        PCA(2, svd_solver="full").fit(table)


def test_no_axes_at_all():
    none = PCA(0).fit(X)
    assert certify(none, X).holds
    np.testing.assert_allclose(none.noise_variance_, X.var(axis=0, ddof=1).mean())


def test_max_iter_counts_moves():
    centres, firsts = X[[0, 1, 2]], []
    for k in range(3):
        nearest = np.argmin(((X[:, None] - centres) ** 2).sum(axis=2), axis=1)
        firsts.append(X[nearest == k].mean(axis=0))
    for algorithm in ("lloyd", "full"):
        with pytest.warns(ConvergenceWarning):
            one = KMeans(3, init=centres, max_iter=1, tol=0.0, algorithm=algorithm).fit(X)
        np.testing.assert_allclose(one.cluster_centers_, firsts)
        assert one.n_iter_ == 1
    with pytest.warns(ConvergenceWarning):
        start = GaussianMixture(2, means_init=[[0, 0, 0, 1], [1, 1, 1, 1]], max_iter=0, random_state=0).fit(X)
    np.testing.assert_allclose(start.means_, [[0, 0, 0, 1], [1, 1, 1, 1]])
    assert start.n_iter_ == 0


def test_small_things():
    centres = KMeans(3, random_state=0, init=lambda X, k, random_state: X[:k].toarray()).fit(sparse.csr_array(X))
    assert np.all(centres.transform(centres.cluster_centers_).diagonal() == 0.0)
    ones, none = (MiniBatchKMeans(3, random_state=0).fit(X, sample_weight=w) for w in (np.ones(len(X)), None))
    np.testing.assert_allclose(ones.cluster_centers_, none.cluster_centers_)
    with pytest.raises(ValueError, match="must be > 0"):
        GraphicalLassoCV(alphas=[0.1, 0.0]).fit(X)
    with pytest.raises(TypeError, match="must be an instance of float"):
        GraphicalLassoCV(alphas=["much"]).fit(X)


def test_kernels_of_sparse_tables_are_those_of_the_dense_ones():
    table = sparse.random_array((30, 6), density=0.4, rng=np.random.default_rng(2), format="csr")
    new = table[:4]
    for options in ({}, {"kernel": "rbf"}, {"kernel": "poly"}, {"kernel": "rbf", "fit_inverse_transform": True}):
        ours, dense = KernelPCA(3, **options).fit(table), KernelPCA(3, **options).fit(table.toarray())
        np.testing.assert_allclose(ours.eigenvalues_, dense.eigenvalues_, rtol=1e-12)
        np.testing.assert_allclose(ours.transform(new), dense.transform(new.toarray()), atol=1e-10)
        assert sparse.issparse(ours.X_fit_)
        assert certify(ours, table).holds
        ours.X_fit_ = 2.0 * ours.X_fit_
        assert not certify(ours, table).holds


def test_a_kernel_matrix_is_centred_by_rows_and_by_columns():
    """Centred, some matrices are symmetric that are not so before."""
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((8, 3))
    given = rows @ rows.T + rng.standard_normal((8, 1)) + rng.standard_normal(8)
    model, wanted = KernelPCA(2, kernel="precomputed").fit(given), KernelPCA(2).fit(rows)
    np.testing.assert_allclose(model.eigenvalues_, wanted.eigenvalues_, rtol=1e-10)
    np.testing.assert_allclose(np.abs(model.eigenvectors_), np.abs(wanted.eigenvectors_), atol=1e-8)
    assert certify(model, given).holds
    with pytest.raises(ValueError, match=r"There are significant negative eigenvalues .* no kernel"):
        KernelPCA(8, kernel="precomputed").fit(-given)


def test_what_scikit_learn_does_not_keep_is_that_of_the_same_fit_or_left_open():
    """Labels and J of batches; the rotation that told labels apart, without which any would do."""
    for model, name in (
        (cluster.MiniBatchKMeans(3, compute_labels=False, n_init=3, random_state=0), "cluster_centers_"),
        (cluster.SpectralClustering(3, assign_labels="discretize", random_state=0), "labels_"),
        (cluster.SpectralClustering(3, assign_labels="cluster_qr", random_state=0), "labels_"),
    ):
        assert certify(model.fit(X), X).verdict is Verdict.PROVED
        setattr(model, name, getattr(model, name)[::-1])
        assert certify(model, X).verdict is Verdict.NOTHING_ASSERTED

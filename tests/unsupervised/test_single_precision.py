"""Tables in single precision: answers in it, from sums in double; proved, and refuted once altered."""

import copy

import numpy as np
import pytest
import sklearn.decomposition
from scipy import sparse
from sklearn.datasets import make_blobs

from learnable import certify
from learnable.certificates import Verdict
from learnable.rows import column_sums, squares_about
from learnable.trace import Status
from learnable.unsupervised import PCA, KMeans, MiniBatchKMeans

BLOBS = make_blobs(400, 5, centers=4, random_state=0)[0]


def test_answers_are_those_in_double_precision_rounded():
    for far in (0.0, 1e5):  # there, single precision keeps two digits behind the point
        single = (BLOBS + far).astype(np.float32)
        double = single.astype(float)
        for model in (KMeans(4, random_state=0), MiniBatchKMeans(4, random_state=0)):
            exact = copy.deepcopy(model).fit(double)
            model.fit(single)
            assert (model.cluster_centers_.dtype, exact.cluster_centers_.dtype) == (np.float32, float)
            np.testing.assert_array_equal(model.cluster_centers_, exact.cluster_centers_.astype(np.float32))
            np.testing.assert_array_equal(model.labels_, model.predict(single))
            assert model.inertia_ == pytest.approx(-model.score(single), rel=1e-12)
            assert certify(model, single).holds
        axes, exact = PCA(2).fit(single), PCA(2).fit(double)
        np.testing.assert_array_equal(axes.components_, exact.components_.astype(np.float32))
        np.testing.assert_array_equal(axes.mean_, exact.mean_)  # in double: scores far from zero hang on it
        scores = axes.transform(single)
        assert scores.dtype == np.float32
        np.testing.assert_allclose(scores, exact.transform(double), atol=1e-5)
        assert axes.inverse_transform(scores).dtype == np.float32
        assert axes.transform(double).dtype == float
        assert certify(axes, single).holds


def test_sparse_tables_and_batches_given_one_by_one():
    table = sparse.csr_array(np.where(np.abs(BLOBS) > 3.0, BLOBS, 0.0).astype(np.float32))
    for model in (KMeans(4, random_state=0), MiniBatchKMeans(4, random_state=0)):
        assert model.fit(table).cluster_centers_.dtype == np.float32
        assert certify(model, table).holds
    assert PCA(2).fit(table).components_.dtype == np.float32
    batches = MiniBatchKMeans(4, random_state=0)
    for kind in (np.float32, float):  # the first batch says which precision
        batches.partial_fit(BLOBS[:50].astype(kind))
        assert batches.cluster_centers_.dtype == np.float32


def test_altered_answers_in_single_precision_are_refuted():
    single = BLOBS.astype(np.float32)
    for model, name in ((KMeans(4, random_state=0), "cluster_centers_"), (PCA(2), "components_")):
        forged = copy.deepcopy(model.fit(single))
        getattr(forged, name)[0, 0] += np.float32(0.05)
        assert certify(forged, single).verdict is Verdict.REFUTED


def test_what_pca_keeps_in_double_is_held_to_double():
    single = BLOBS.astype(np.float32)
    honest = PCA(2).fit(single)
    for name, factor in (("mean_", 1.0 + 1e-5), ("noise_variance_", 1.0001), ("singular_values_", 1.0 + 1e-6)):
        forged = copy.deepcopy(honest)
        setattr(forged, name, factor * getattr(forged, name))
        assert certify(forged, single).verdict is Verdict.REFUTED, name


def test_axes_of_a_kernel_that_scikit_learn_found_in_single_precision():
    """What they leave of themselves is no variance left out; but an axis that is taken away is."""
    for seed in range(6):
        table = np.random.default_rng(seed).standard_normal((60, 5)).astype(np.float32)
        for asked in (None, 3):
            model = sklearn.decomposition.KernelPCA(asked).fit(table)
            assert certify(model, table).holds
            model.eigenvectors_, model.eigenvalues_ = model.eigenvectors_[:, 1:], model.eigenvalues_[1:]
            assert not certify(model, table).holds


def test_sums_over_sparse_rows_of_single_precision_are_those_of_the_doubles():
    # SciPy adds up sparse floats in single precision, whatever precision is asked for.
    for seed in range(3):
        X = sparse.random(300, 12, 0.3, format="csr", dtype=np.float32, random_state=seed)
        table = X.toarray().astype(float)
        assert np.array_equal(column_sums(X), column_sums(X.astype(float)))
        off = squares_about(X, table.mean(axis=0)) / squares_about(table, table.mean(axis=0)) - 1.0
        assert np.abs(off).max() <= 1e-13
        for solver in ("randomized", "covariance_eigh", "auto"):
            model = PCA(11, svd_solver=solver, random_state=0).fit(X)
            assert model.status_ is Status.OPTIMAL
            assert certify(model, X).verdict is Verdict.PROVED
            assert np.abs(model.mean_ - table.mean(axis=0)).max() <= 1e-15

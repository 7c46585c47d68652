"""Naive Bayes over threads, files and clusters: the same counts wherever the rows are."""

from fractions import Fraction

import dask
import dask.array
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from scipy import sparse
from tests.cases import each
from threadpoolctl import threadpool_limits

from learnable import certify
from learnable.bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from learnable.certificates.bayes import naive_bayes as certificates
from learnable.rows import ParquetRows, as_rows, sparse_views

EVERY = (BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB)


def data(kind, n=30_000, p=12):
    random = np.random.default_rng(10)
    y = random.integers(3, size=n)
    if kind is GaussianNB:
        return 100.0 + random.standard_normal((n, p)) + y[:, None], y
    return np.minimum(random.poisson(0.3 + 0.4 * y[:, None], (n, p)), 4).astype(float), y


def numbers(model):
    flat = [model.class_count_]
    for name in ("feature_count_", "category_count_", "feature_log_prob_", "theta_", "var_"):
        if hasattr(model, name):
            flat.append(np.hstack([np.ravel(part) for part in getattr(model, name)]))
    return np.concatenate(flat)


@pytest.mark.parametrize("kind", EVERY)
def test_file_cluster_and_memory_agree(kind, tmp_path):
    X, y = data(kind)
    model = kind().fit(X, y)
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "rows.parquet")
    for rows in (ParquetRows(tmp_path / "rows.parquet", target="y"), as_rows(X, y)):
        streamed = kind().fit(rows)
        np.testing.assert_array_equal(numbers(streamed), numbers(model))
        assert streamed.certificate_.holds
        assert certify(model, rows).holds
    chunks = dask.array.from_array(X, chunks=(7_000, -1))
    with dask.config.set(scheduler="threads", num_workers=2):
        spread = kind().fit(chunks, y)
        np.testing.assert_allclose(numbers(spread), numbers(model), rtol=1e-12)
        np.testing.assert_array_equal(spread.predict(chunks), model.predict(X))


@each("kind", EVERY)
def test_the_same_bits_for_one_thread_and_two(kind):
    X, y = data(kind)
    with threadpool_limits(1):
        one = kind().fit(X, y)
        answer = one.predict_joint_log_proba(X)
    with threadpool_limits(2):
        two = kind().fit(X, y)
        np.testing.assert_array_equal(two.predict_joint_log_proba(X), answer)
    np.testing.assert_array_equal(numbers(one), numbers(two))


def test_a_class_whose_first_row_is_far_away_keeps_its_digits():
    X, y = np.random.default_rng(3).normal(size=(6_400, 1)), np.zeros(6_400, dtype=int)
    y[37::50], X[37] = 1, 3e7  # none of the second class is among the rows that are looked at first
    cells = [Fraction(cell) for cell in X[y == 1, 0].tolist()]
    mean = sum(cells) / len(cells)
    variance = sum((cell - mean) ** 2 for cell in cells) / len(cells)
    model = GaussianNB(var_smoothing=0.0).fit(X, y)
    np.testing.assert_allclose((model.theta_[1, 0], model.var_[1, 0]), (float(mean), float(variance)), rtol=5e-15)


@each(("kind", "n_classes"), [(BernoulliNB, 2), (ComplementNB, 5), (MultinomialNB, 2)])
def test_the_same_bits_of_long_texts_for_one_thread_and_two(kind, n_classes):
    random = np.random.default_rng(14)
    n, p = 9_000, 60_000  # more entries than are worth a thread
    y, w = random.integers(n_classes, size=n), random.random(n)
    words = (p * random.random((n, 150)) ** 3).astype(int)
    X = sparse.csr_array((random.random(words.size), (np.repeat(np.arange(n), 150), words.ravel())), (n, p))
    models = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            models.append(kind().fit(X, y, sample_weight=w))
    one, two = models
    np.testing.assert_array_equal(numbers(one), numbers(two))
    assert one.certificate_.holds
    assert [claim.value for claim in one.certificate_.claims] == [claim.value for claim in two.certificate_.claims]
    entries = X > 0.0 if kind is BernoulliNB else X
    belongs = sparse.csr_array((w, (y, np.arange(n))), (n_classes, n))
    np.testing.assert_allclose(one.feature_count_, (belongs @ entries).toarray(), rtol=1e-12, atol=1e-12)


@each("kind", [BernoulliNB, ComplementNB, MultinomialNB])
def test_sparse_of_every_kind_is_dense(kind):
    X, y = data(kind)
    w = np.random.default_rng(11).random(len(y))
    model = kind().fit(X, y, sample_weight=w)
    csr = sparse.csr_array(X)
    wide = sparse.csr_array((csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64)), csr.shape)
    doubled = sparse.coo_array(
        (
            np.tile(csr.data / 2.0, 2),
            (np.tile(np.repeat(np.arange(len(y)), np.diff(csr.indptr)), 2), np.tile(csr.indices, 2)),
        ),
        csr.shape,
    )
    for given in (csr, sparse.csc_matrix(X), wide, doubled, csr.astype(np.float32), sparse.csr_matrix(X.astype(int))):
        other = kind().fit(given, y, sample_weight=w)
        # With float32 the weights are rounded to float32 as well.
        precision = 1e-7 if given.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(numbers(other), numbers(model), rtol=precision)
        scores = other.predict_joint_log_proba(given)
        np.testing.assert_allclose(scores, model.predict_joint_log_proba(X), rtol=10.0 * precision)
        assert other.certificate_.holds


@pytest.mark.parametrize("dtype", [float, int, bool])
@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_presences_are_summed_in_stretches(dtype, threshold, monkeypatch):
    """In some stretches every stored entry is larger than the threshold, in others not; rows may be empty."""
    random = np.random.default_rng(15)
    X = np.minimum(random.poisson(0.5, (60, 9)), 2)
    X[:20] *= 2
    X[[0, 30, 31, 59]] = 0
    X, direction = X.astype(dtype), random.random(9)
    for stretch in (1, 25, 1000):
        monkeypatch.setattr(certificates, "STRETCH", stretch)
        given = sparse.csr_array(X)
        along, missing = certificates._presence_products(given, direction, threshold)
        np.testing.assert_allclose(along, np.greater(X, threshold) @ direction, rtol=1e-14)
        np.testing.assert_array_equal(given.toarray(), X)
        assert not missing
        if dtype is float:
            given.data[-1] = np.nan
            assert certificates._presence_products(given, direction, threshold)[1]


def test_stored_entries_at_the_threshold_are_absent():
    X, y = data(BernoulliNB)
    model = BernoulliNB(binarize=1.0).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(model.feature_count_, BernoulliNB(binarize=1.0).fit(X, y).feature_count_)
    np.testing.assert_array_equal(model.feature_count_, [(X[y == c] > 1.0).sum(axis=0) for c in range(3)])
    assert model.certificate_.holds


def test_missing_cells_in_blocks():
    for kind in (BernoulliNB, CategoricalNB, GaussianNB):
        X, y = data(kind, n=20_000)
        X[np.random.default_rng(12).random(X.shape) < 0.1] = np.nan
        model, spread = kind().fit(X, y), kind().fit(dask.array.from_array(X, chunks=(6_000, -1)), y)
        np.testing.assert_allclose(numbers(spread), numbers(model), rtol=1e-12)
        assert spread.certificate_.holds
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        GaussianNB().fit(dask.array.from_array(X, chunks=(6_000, -1)), y)


def test_columns_far_from_zero_keep_their_digits():
    random = np.random.default_rng(13)
    Z, y = random.integers(-8, 8, size=(20_000, 3)).astype(float), random.integers(2, size=20_000)
    far = GaussianNB(var_smoothing=0.0).fit(Z + 2.0**30, y)
    near = GaussianNB(var_smoothing=0.0).fit(Z, y)
    np.testing.assert_allclose(far.var_, near.var_, rtol=1e-10)
    assert far.certificate_.holds


@pytest.mark.parametrize("n_blocks", [1, 2, 7])
def test_blocks_of_sparse_rows_are_views_that_cover_every_row_once(n_blocks, monkeypatch):
    random = np.random.default_rng(16)
    X = sparse.csr_array(random.poisson(0.5, (40, 9)) * (np.arange(40) != 3)[:, None])
    monkeypatch.setattr(sparse_views, "FEWEST_ENTRIES", X.nnz // n_blocks)
    rows = sparse_views.SparseViewRows(X, np.arange(40))
    blocks = [load() for load in rows.blocks()]
    assert len(blocks) == n_blocks
    assert all(np.shares_memory(block.X.data, X.data) for block in blocks)
    np.testing.assert_array_equal(np.vstack([block.X.toarray() for block in blocks]), X.toarray())
    np.testing.assert_array_equal(np.concatenate([block.y for block in blocks]), np.arange(40))
    np.testing.assert_array_equal(rows.reduce(lambda block: block.X.sum(axis=0)), X.sum(axis=0))

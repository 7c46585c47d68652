"""Columns of a design: whatever way they are stored, the products are those of the array."""

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable.solvers.sparse.design_columns import DesignColumns

RNG = np.random.default_rng(12)
N, P = 37, 23
DENSE = RNG.standard_normal((N, P)) * (RNG.uniform(size=(N, P)) < 0.3)
DENSE[5], DENSE[:, 7] = 0.0, 0.0


def wide_indices(form):
    def convert(X):
        X = form(X)
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
        return X

    return convert


FORMS = {
    "array": np.asarray,
    "by columns": np.asfortranarray,
    "single": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "csr, single": lambda X: sparse.csr_matrix(X, dtype=np.float32),
    "csr, wide": wide_indices(sparse.csr_array),
    "csc, wide": wide_indices(sparse.csc_array),
}
CHOICES = [np.arange(P), np.array([0, 3, 7, 8, P - 1]), np.array([4]), np.zeros(0, dtype=int)]


@pytest.fixture(params=FORMS, ids=str)
def given(request):
    X = FORMS[request.param](DENSE)
    return X, np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)


@each("wanted", CHOICES, ids=len)
def test_products_of_a_part(given, wanted):
    X, exact = given
    part, exact = DesignColumns.of(X).part(wanted), exact[:, wanted]
    for shape in ((), (1,), (3,)):
        coef, v = RNG.standard_normal((len(wanted), *shape)), RNG.standard_normal((N, *shape))
        np.testing.assert_allclose(part.times(coef), exact @ coef, rtol=0, atol=1e-13)
        np.testing.assert_allclose(part.pulled(v), exact.T @ v, rtol=0, atol=1e-13)
    h = RNG.uniform(size=N)
    gram = part.gram(h)
    assert gram.flags.c_contiguous
    np.testing.assert_allclose(gram, exact.T @ (h[:, None] * exact), rtol=0, atol=1e-13)
    np.testing.assert_array_equal(part.places, wanted)


def test_a_part_of_a_part_is_a_part(given):
    X, exact = given
    every = DesignColumns.of(X)
    some = every.part(np.array([1, 2, 7, 9, 20, 22]))
    few = some.part(np.array([2, 9, 22]))
    coef = RNG.standard_normal(3)
    np.testing.assert_allclose(few.times(coef), exact[:, [2, 9, 22]] @ coef, rtol=0, atol=1e-13)
    assert some.entries <= every.entries
    if sparse.issparse(X):
        assert few.entries == np.count_nonzero(exact[:, [2, 9, 22]])


def test_what_a_part_holds():
    some = DesignColumns.of(DENSE).part(np.array([1, 4, 9]))
    assert some.hold(np.array([1, 9]))
    assert some.hold(np.zeros(0, dtype=int))
    assert not some.hold(np.array([1, 2]))
    assert not some.hold(np.array([4, 10]))
    assert not some.hold(np.array([0]))


def test_the_data_stay_as_they_are(given):
    X, _ = given
    before = X.copy()
    part = DesignColumns.of(X).part(np.array([0, 3, 8]))
    part.times(np.ones(3)), part.pulled(np.ones(N)), part.gram(np.ones(N))
    assert (before != X).sum() == 0

"""Columns and rows of a design give the same numbers whether it is dense or compressed."""

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable._jit.core.vectors import add, columns_of, dot, rows_of

RNG = np.random.default_rng(3)
A = RNG.standard_normal((7, 5)) * (RNG.uniform(size=(7, 5)) < 0.5)
FORMS = {
    "C": lambda: np.ascontiguousarray(A),
    "F": lambda: np.asfortranarray(A),
    "strided": lambda: np.repeat(A, 2, axis=0)[::2],
    "csr": lambda: sparse.csr_matrix(A),
    "csc": lambda: sparse.csc_array(A),
    "coo twice": lambda: _in_halves(sparse.coo_array(A)),
}  # fmt: skip


def _in_halves(S):
    """Every entry stored twice, half each."""
    return sparse.coo_array((np.tile(S.data / 2, 2), (np.tile(S.row, 2), np.tile(S.col, 2))), S.shape)


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@each("form", FORMS)
def test_columns(form, rng):
    columns = columns_of(FORMS[form]())
    for j in range(5):
        v = rng.standard_normal(7)
        assert dot(columns, j, v) == pytest.approx(A[:, j] @ v)
        expected = v + 2.5 * A[:, j]
        add(columns, j, 2.5, v)
        np.testing.assert_allclose(v, expected)


@each("form", FORMS)
def test_rows(form, rng):
    rows = rows_of(FORMS[form]())
    for i in range(7):
        v = rng.standard_normal(5)
        assert dot(rows, i, v) == pytest.approx(A[i] @ v)
        expected = v - 1.5 * A[i]
        add(rows, i, -1.5, v)
        np.testing.assert_allclose(v, expected)


def test_reading_columns_leaves_the_matrix_alone():
    given = sparse.csc_matrix((np.ones(2), np.array([1, 1]), np.array([0, 2])), shape=(3, 1))
    columns_of(given)
    assert given.nnz == 2
    assert given.indices.tolist() == [1, 1]

"""Asking for rows ahead of their visit changes no number, for rows of any kind and visits up to the last."""

import numpy as np
from scipy import sparse
from tests.cases import each

from learnable._jit.core.compile import kernel
from learnable._jit.core.prefetch import SPARSE_VISITS, ask_for, visits_ahead
from learnable._jit.core.vectors import dot
from learnable.solvers.linear.perceptron import visited_rows


@kernel
def scores(rows, order, theta, out):
    ahead = visits_ahead(rows)
    for k in range(order.shape[0]):
        ask_for(rows, order[min(k + ahead, order.shape[0] - 1)])
        out[k] = dot(rows, order[k], theta)
    return ahead


@each("form", [np.asarray, np.float32, sparse.csr_array], ids=["double", "single", "sparse"])
@each(("shape", "visits"), [((50, 3), 32), ((7, 200), 16), ((4, 1000), 3), ((2, 4000), 1)])
def test_rows_asked_for_are_the_rows_visited(form, shape, visits):
    rng = np.random.default_rng(5)
    X, theta, order = rng.standard_normal(shape), rng.standard_normal(shape[1]), rng.permutation(shape[0])
    found = np.empty(shape[0])
    ahead = scores(visited_rows(form(X)), order, theta, found)
    assert ahead == (SPARSE_VISITS if form is sparse.csr_array else visits)
    np.testing.assert_allclose(found, form(X)[order] @ theta, rtol=1e-5)


def test_rows_without_entries():
    order, found = np.arange(3), np.ones(3)
    scores(visited_rows(sparse.csr_array((3, 4))), order, np.ones(4), found)
    np.testing.assert_array_equal(found, np.zeros(3))

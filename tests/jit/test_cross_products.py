"""Products of a few columns with many, where they stand."""

import numpy as np
from tests.cases import each

from learnable._jit.core.vectors import columns_of
from learnable._jit.sparse.cross_products import ROWS, cross_products


@each("n", [1, 7, ROWS, ROWS + 1, 2 * ROWS + 5])
@each(("old", "m"), [(0, 1), (0, 5), (3, 1), (4, 2), (5, 3), (6, 4), (7, 9)])
def test_they_are_those_of_the_matrix(n, old, m):
    rng = np.random.default_rng(n + 10 * m)
    X = np.asfortranarray(rng.standard_normal((n, 20)))
    every = rng.permutation(20)[: old + m]
    gram = np.full((25, 25), np.nan)
    cross_products(columns_of(X), every[old:], every, 4.0, gram)
    expected = X[:, every].T @ X[:, every] / 4.0
    found = gram[: old + m, : old + m]
    np.testing.assert_allclose(found[old:], expected[old:], atol=1e-12 * n)
    np.testing.assert_array_equal(found[:, old:], found[old:].T)
    assert np.isnan(found[:old, :old]).all()
    assert np.isnan(gram[old + m :]).all()
    assert np.isnan(gram[:, old + m :]).all()

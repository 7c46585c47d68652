"""Both products in one reading: those of the whole table, whatever the stretches."""

import numpy as np
from scipy import sparse
from tests.cases import each

from learnable.certificates.core.one_reading import scores_and_sums


@each("kind", [np.asarray, sparse.csr_array, np.asfortranarray, np.float32])
@each("n_scores", [None, 1, 3])
@each("rows", [1, 63, 64, 65, 200])
def test_products_are_those_of_the_whole_table(monkeypatch, kind, n_scores, rows):
    monkeypatch.setattr("learnable.rows.stretches.STRETCH", 0)  # the fewest rows a stretch
    rng = np.random.default_rng(rows)
    dense, coef = rng.standard_normal((rows, 4)), rng.standard_normal((4, *([n_scores] if n_scores else [])))
    X, known, fixed = kind(dense), rng.standard_normal((2, rows)), rng.standard_normal(coef.shape[1:])
    shift = rng.standard_normal((rows, *coef.shape[1:]))
    scores, sums = scores_and_sums(X, coef, fixed, lambda part, which: np.exp(part + shift[which]).T, known)
    table = X.toarray() if sparse.issparse(X) else X.astype(float)
    expected = table @ coef + fixed
    weights = np.concatenate([np.atleast_2d(np.exp(expected + shift).T), known])
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sums, weights @ table, rtol=1e-11, atol=1e-11)


def test_without_known_weights():
    X = np.arange(6.0).reshape(3, 2)
    scores, sums = scores_and_sums(X, np.ones(2), 0.0, lambda part, which: part, np.empty((0, 3)))
    np.testing.assert_array_equal(scores, X.sum(axis=1))
    np.testing.assert_array_equal(sums, [X.sum(axis=1) @ X])

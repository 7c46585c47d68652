"""Eigenpairs where one eigenvalue has many eigenvectors, of which LAPACK finds no part for some sizes."""

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.solvers.core.eigenpairs import one_eigenvalue, some_eigenpairs
from learnable.unsupervised import PCA, KernelPCA

SIZES = range(2, 66)


@each("matrix", [lambda n: np.eye(n) - 1.0 / n, lambda n: np.eye(n) + 1.0, lambda n: 1.0 / n - np.eye(n)])
def test_as_many_as_are_asked_for(matrix):
    for n in SIZES:
        S = matrix(n)
        known = np.linalg.eigvalsh(S)
        for first, last in ((0, 0), (n - 1, n - 1), (0, n // 2), (n // 2, n - 1)):
            values, vectors = some_eigenpairs(S, first, last)
            np.testing.assert_allclose(values, known[first : last + 1], atol=1e-12)
            np.testing.assert_allclose(S @ vectors, vectors * values, atol=1e-12)
            np.testing.assert_allclose(vectors.T @ vectors, np.eye(last - first + 1), atol=1e-12)
            np.testing.assert_allclose(one_eigenvalue(S, first), known[first], atol=1e-12)


@each("model", [PCA(1), PCA(2), KernelPCA(2, kernel="rbf", gamma=1e6)], ids=repr)
def test_axes_of_rows_that_are_all_as_far_from_each_other(model):
    """Categories as columns of zeros and ones, each met as often, have as much variance along every axis."""
    for n in SIZES[2::3]:
        for X in (np.eye(n), np.vstack([np.eye(n)] * 3)):
            fitted = model.fit(X)
            assert fitted.transform(X).shape == (len(X), model.n_components)
            assert certify(fitted, X).holds

"""The certificate's leave-one-out errors are those of as many fits as there are rows."""

import numpy as np
from scipy import sparse
from tests.cases import each

from learnable.certificates.linear.ridge_cv import leave_one_out
from learnable.rows import as_rows

ALPHAS = np.array([0.01, 1.0, 30.0])


def refitted(X, y, weight, alpha, intercept):
    """Σ wᵢ eᵢ² with eᵢ the error at row i of the ridge regression on the other rows."""
    total = 0.0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        w, A = weight[rest], X[rest]
        mean, y_mean = (w @ A / w.sum(), w @ y[rest] / w.sum()) if intercept else (np.zeros(X.shape[1]), 0.0)
        A = A - mean
        coef = np.linalg.solve((w[:, None] * A).T @ A + alpha * np.eye(X.shape[1]), A.T @ (w * (y[rest] - y_mean)))
        total += weight[i] * (y[i] - y_mean - (X[i] - mean) @ coef) ** 2
    return total


@each("storage", [np.asarray, sparse.csr_array])
@each("weighted", [False, True])
@each("intercept", [False, True])
@each(("n", "p"), [(25, 4), (9, 6)])
def test_leave_one_out_by_leaving_out(n, p, intercept, weighted, storage):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((n, p)) + 2.0, rng.standard_normal((n, 2)) + 5.0
    weight = rng.uniform(0.3, 3.0, n) if weighted else np.ones(n)
    errors, size = leave_one_out(as_rows(storage(X), Y, weight if weighted else None), ALPHAS, intercept)
    expected = [[refitted(X, y, weight, alpha, intercept) for alpha in ALPHAS] for y in Y.T]
    np.testing.assert_allclose(errors, expected, rtol=1e-9)
    np.testing.assert_allclose(size, weight @ Y**2)

"""Multinomial logistic regression with many more parameters than rows.

Σ (log Σ_c exp(xᵢ·β_c + b_c) − (xᵢ·β_yᵢ + b_yᵢ)) / n + ½ α ‖B‖²: mean loss + penalty, intercepts free and unpenalised.
An answer has one row a class, and so have the penalties, which are all the same.
"""

from typing import Any

import numpy as np
from scipy import sparse

SEED = 20


def texts(scale: float) -> Any:
    """2000 texts of about 150 words out of 5000, by Zipf's law, in rows of length one; 20 classes, C = 10."""
    from sklearn.preprocessing import normalize

    from benchmarks.cases_naive_bayes import text

    X, y = text(0.1 * scale)
    # Frequent words weigh less, as in TF-IDF.
    present = np.bincount(X.indices, minlength=X.shape[1])
    X = X @ sparse.diags_array(1.0 + np.log((1.0 + X.shape[0]) / (1.0 + present)))
    X = sparse.csr_matrix(normalize(X))
    return _problem(X, y, 10.0)


def digits(scale: float) -> Any:
    """All 2144 monomials of degree ≤ 2 in the 64 pixels of the digits, each pixel between 0 and 1; C = 1."""
    from sklearn.datasets import load_digits
    from sklearn.preprocessing import PolynomialFeatures

    from benchmarks.problems import share

    X, y = load_digits(return_X_y=True)
    n, p = share(len(y), scale, 200), share(2144, scale, 400)
    columns = np.linspace(0, 2143, p).astype(int)
    return _problem(PolynomialFeatures(2, include_bias=False).fit_transform(X[:n] / 16.0)[:, columns], y[:n], 1.0)


def wide(scale: float) -> Any:
    """300 rows of 5000 normal columns, of which every tenth differs between five classes; C = 0.01."""
    from benchmarks.problems import share

    rng = np.random.default_rng(SEED)
    n, p = 300, share(5000, scale, 400)
    y = np.arange(n) % 5
    centres = np.where(np.arange(p) % 10 == 0, rng.standard_normal((5, p)), 0.0)
    return _problem(rng.standard_normal((n, p)) + centres[y], y, 0.01)


def gradient(problem: Any, answer: Any) -> float:
    """Largest entry of the gradient of mean loss + penalty, the intercepts' included."""
    X, y, coef = problem.X, problem.y, answer.coef
    scores = X @ coef.T + answer.intercept
    pull = np.exp(scores - scores.max(axis=1, keepdims=True))
    pull /= pull.sum(axis=1, keepdims=True)
    pull[np.arange(len(y)), y] -= 1.0
    pull /= len(y)
    slope = (X.T @ pull).T + problem.alphas[:, np.newaxis] * coef
    return float(max(np.abs(slope).max(), np.abs(pull.sum(axis=0)).max()))


def _problem(X: Any, y: np.ndarray, C: float) -> Any:
    from benchmarks.problems import Problem

    return Problem("multinomial", X, y, np.full(int(y.max()) + 1, 1.0 / (C * len(y))))

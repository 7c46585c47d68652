"""Linear and quadratic discriminants: Gaussian classes with one covariance, or each with its own.

An answer has one row a class:

- fit: `coef` is (K, p), log P(class | x) at the first p rows; `intercept` the log priors.
- predict: `intercept` is how many rows go to each class, `coef` zeros.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import log_softmax

SEED = 20
CLASSES, COLUMNS = 5, 100
KINDS = ("linear", "quadratic")


def builder(kind: str, what: str) -> Callable[[float], Any]:
    """200 000 rows of 100 correlated columns, 5 classes; to "fit" or to "predict"."""

    def build(scale: float):
        from benchmarks.problems import Problem

        rng = np.random.default_rng(SEED)
        n = max(300 * CLASSES, round(200_000 * scale))
        y = np.concatenate([np.arange(CLASSES), rng.integers(CLASSES, size=n - CLASSES)])
        mixing = np.eye(COLUMNS) + 0.05 * rng.standard_normal((COLUMNS, COLUMNS))
        X = rng.standard_normal((n, COLUMNS)) @ mixing + 0.3 * rng.standard_normal((CLASSES, COLUMNS))[y]
        return Problem(f"discriminant {kind} {what}", X, y, np.ones(CLASSES))

    return build


class Discriminant:
    """δ_k(x) = log π_k − ½ log|Σ_k| − ½ (x − μ_k)ᵀΣ_k⁻¹(x − μ_k) in plain NumPy, one pass over the rows a class."""

    def __init__(self, kind: str, X: np.ndarray, y: np.ndarray, n_classes: int) -> None:
        members = [X[y == k] for k in range(n_classes)]
        share = np.array([len(rows) for rows in members]) / len(y)
        self.log_prior, self.means = np.log(share), [rows.mean(axis=0) for rows in members]
        covariances = [np.cov(rows, rowvar=False, bias=True) for rows in members]
        if kind == "linear":
            covariances = [np.tensordot(share, covariances, axes=1)] * n_classes
        self.factors = [np.linalg.cholesky(covariance) for covariance in covariances]

    def log_probabilities(self, X: np.ndarray) -> np.ndarray:
        scores = []
        for log_prior, mean, L in zip(self.log_prior, self.means, self.factors):
            squares = np.sum(np.linalg.solve(L, (X - mean).T) ** 2, axis=0)
            scores.append(log_prior - np.sum(np.log(np.diag(L))) - 0.5 * squares)
        return log_softmax(np.stack(scores, axis=1), axis=1)


def difference(problem: Any, answer: Any) -> float:
    """Fit: largest difference of a log-probability. Predict: rows that went elsewhere."""
    n_classes = len(problem.alphas)
    model = Discriminant(problem.family.split()[1], problem.X, problem.y, n_classes)
    if problem.family.endswith("predict"):
        expected = np.bincount(model.log_probabilities(problem.X).argmax(axis=1), minlength=n_classes)
        return float(np.abs(answer.intercept - expected).max())
    at_rows = model.log_probabilities(problem.X[: problem.X.shape[1]]).T
    return float(max(np.abs(answer.coef - at_rows).max(), np.abs(answer.intercept - model.log_prior).max()))

"""Poisson regression: counts whose logarithmic rates are linear in the columns.

Σ (exp(xᵢ·β + b) − yᵢ (xᵢ·β + b)) / n + ½ α ‖β‖²: mean loss + penalty, intercept free and unpenalised.
"""

from typing import Any

import numpy as np

SEED = 20
ALPHA = 1e-4


def visits(scale: float) -> Any:
    """Visits to a doctor, 20190 person-years of the RAND health insurance experiment, nine standardised columns."""
    from statsmodels.datasets import randhie

    from benchmarks.problems import share

    table = randhie.load_pandas()
    chosen = np.random.default_rng(SEED).permutation(len(table.endog))[: share(len(table.endog), scale, 400)]
    X = table.exog.to_numpy(dtype=float)[chosen]
    X = np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0))
    return _problem(X, table.endog.to_numpy(dtype=float)[chosen])


def independent(scale: float) -> Any:
    from benchmarks.problems import share

    rng = np.random.default_rng(SEED)
    return _counts(rng, rng.standard_normal((share(200_000, scale, 600), 100)), 0.05)


def correlated(scale: float) -> Any:
    """Neighbouring columns of correlation 0.9."""
    from benchmarks.problems import share, toeplitz

    rng = np.random.default_rng(SEED)
    return _counts(rng, toeplitz(rng, share(200_000, scale, 600), 100, 0.9, "C"), 0.05)


def one_hot(scale: float) -> Any:
    from benchmarks.problems import one_hot_categories

    rng = np.random.default_rng(SEED)
    return _counts(rng, one_hot_categories(rng, scale), 0.3)


def gradient(problem: Any, answer: Any) -> float:
    """Largest entry of the gradient of mean loss + penalty, the intercept's included."""
    X, y, coef = problem.X, problem.y, answer.coef[0]
    with np.errstate(over="ignore", invalid="ignore"):
        pull = (np.exp(X @ coef + answer.intercept[0]) - y) / len(y)
        entries = np.abs(np.append(X.T @ pull + problem.alphas[0] * coef, pull.sum()))
    return float(entries.max()) if np.all(np.isfinite(entries)) else float("inf")


def _counts(rng: np.random.Generator, X: Any, size: float) -> Any:
    """Counts of rates exp(X b), the effects b normal of the given size."""
    rates = np.exp(X @ (size * rng.standard_normal(X.shape[1])))
    return _problem(X, rng.poisson(rates).astype(float))


def _problem(X: Any, y: np.ndarray) -> Any:
    from benchmarks.problems import Problem

    return Problem("Poisson", X, y, np.array([ALPHA]))

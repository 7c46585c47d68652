"""glum."""

from typing import Any

import numpy as np

from benchmarks.problems import Answer, Problem


def logistic(problem: Problem, tol: float) -> Answer:
    return _answer("binomial", problem.X, (problem.y > 0.0).astype(float), problem.alphas[0], tol)


def logistic_categorical(problem: Problem, tol: float) -> Answer:
    return _answer("binomial", _categories(problem), (problem.y > 0.0).astype(float), problem.alphas[0], tol)


def poisson(problem: Problem, tol: float) -> Answer:
    return _answer("poisson", problem.X, problem.y, problem.alphas[0], tol)


def poisson_categorical(problem: Problem, tol: float) -> Answer:
    return _answer("poisson", _categories(problem), problem.y, problem.alphas[0], tol)


def _categories(problem: Problem) -> Any:
    """One-hot columns handed over as the categories they code, the form glum is made for."""
    import tabmat

    n = len(problem.y)
    columns = problem.X.indices.reshape(n, -1)
    firsts = columns.min(axis=0)
    blocks = [
        tabmat.CategoricalMatrix(codes, categories=np.arange(end - first))
        for codes, first, end in zip((columns - firsts).T, firsts, [*firsts[1:], problem.X.shape[1]])
    ]
    return tabmat.SplitMatrix(blocks)


def _answer(family: str, X: Any, y: np.ndarray, alpha: float, tol: float) -> Answer:
    from glum import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(family=family, alpha=alpha, l1_ratio=0, gradient_tol=tol, max_iter=10_000)
    model.fit(X, y)
    return Answer(model.coef_[None, :], np.array([model.intercept_]))

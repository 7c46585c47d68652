"""glum."""

import numpy as np

from benchmarks.problems import Answer, Problem


def logistic(problem: Problem, tol: float) -> Answer:
    return _logistic(problem.X, problem, tol)


def logistic_categorical(problem: Problem, tol: float) -> Answer:
    """One-hot columns handed over as the categories they code, the form glum is made for."""
    import tabmat

    n = len(problem.y)
    columns = problem.X.indices.reshape(n, -1)
    firsts = columns.min(axis=0)
    blocks = [
        tabmat.CategoricalMatrix(codes, categories=np.arange(end - first))
        for codes, first, end in zip((columns - firsts).T, firsts, [*firsts[1:], problem.X.shape[1]])
    ]
    return _logistic(tabmat.SplitMatrix(blocks), problem, tol)


def _logistic(X, problem: Problem, tol: float) -> Answer:
    from glum import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(
        family="binomial", alpha=problem.alphas[0], l1_ratio=0, gradient_tol=tol, max_iter=10_000
    ).fit(X, (problem.y > 0.0).astype(float))
    return Answer(model.coef_[None, :], np.array([model.intercept_]))

"""learnable. Imports stand inside the functions: a cold run pays for what it uses and nothing else."""

import numpy as np

from benchmarks.problems import Answer, Problem


def least_squares(problem: Problem, tol: float) -> Answer:
    from learnable.linear import LinearRegression

    model = LinearRegression().fit(problem.X, problem.y)
    return Answer(model.coef_[None, :], np.array([model.intercept_]))


def ridge(problem: Problem, tol: float) -> Answer:
    """One fit for each penalty."""
    from learnable.linear import Ridge

    models = [Ridge(alpha=alpha).fit(problem.X, problem.y) for alpha in problem.alphas]
    return Answer(np.array([model.coef_ for model in models]), np.array([model.intercept_ for model in models]))


def ridge_path(problem: Problem, tol: float) -> Answer:
    """Every penalty from one decomposition."""
    from learnable.linear import ridge_path

    path = ridge_path(problem.X, problem.y, alphas=problem.alphas)
    return Answer(path.coefs.T, path.intercepts)


def logistic(problem: Problem, tol: float) -> Answer:
    from learnable.linear import LogisticRegression

    C = 1.0 / (problem.alphas[0] * len(problem.y))
    model = LogisticRegression(C=C, tol=tol, max_iter=10_000).fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)


def poisson(problem: Problem, tol: float) -> Answer:
    from learnable.linear import PoissonRegressor

    model = PoissonRegressor(alpha=problem.alphas[0], tol=tol, max_iter=10_000).fit(problem.X, problem.y)
    return Answer(model.coef_[None, :], np.array([model.intercept_]))

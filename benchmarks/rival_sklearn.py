"""scikit-learn."""

import numpy as np

from benchmarks.problems import L1_RATIO, Answer, Problem


def least_squares(problem: Problem, tol: float) -> Answer:
    from sklearn.linear_model import LinearRegression

    model = LinearRegression().fit(problem.X, problem.y)
    return Answer(model.coef_[None, :], np.array([model.intercept_]))


def ridge(problem: Problem, tol: float) -> Answer:
    """All penalties in one call: one target for each, so that the cross-products are formed once."""
    from sklearn.linear_model import Ridge

    if len(problem.alphas) == 1:
        model = Ridge(alpha=problem.alphas[0], solver="cholesky").fit(problem.X, problem.y)
        return Answer(model.coef_[None, :], np.array([model.intercept_]))
    copies = np.broadcast_to(problem.y[:, None], (len(problem.y), len(problem.alphas)))
    model = Ridge(alpha=problem.alphas, solver="cholesky").fit(problem.X, copies)
    return Answer(model.coef_, model.intercept_)


def logistic_newton_cholesky(problem: Problem, tol: float) -> Answer:
    return _logistic(problem, tol, "newton-cholesky")


def logistic_lbfgs(problem: Problem, tol: float) -> Answer:
    return _logistic(problem, tol, "lbfgs")


def logistic_newton_cg(problem: Problem, tol: float) -> Answer:
    return _logistic(problem, tol, "newton-cg")


def _logistic(problem: Problem, tol: float, solver: str) -> Answer:
    from sklearn.linear_model import LogisticRegression

    C = 1.0 / (problem.alphas[0] * len(problem.y))
    model = LogisticRegression(C=C, tol=tol, solver=solver, max_iter=10_000).fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)


def poisson_newton_cholesky(problem: Problem, tol: float) -> Answer:
    return _poisson(problem, tol, "newton-cholesky")


def poisson_lbfgs(problem: Problem, tol: float) -> Answer:
    return _poisson(problem, tol, "lbfgs")


def _poisson(problem: Problem, tol: float, solver: str) -> Answer:
    from sklearn.linear_model import PoissonRegressor

    model = PoissonRegressor(alpha=problem.alphas[0], tol=tol, solver=solver, max_iter=10_000)
    model.fit(problem.X, problem.y)
    return Answer(model.coef_[None, :], np.array([model.intercept_]))


def lasso_path(problem: Problem, tol: float) -> Answer:
    return _path(problem, tol, 1.0)


def elastic_net_path(problem: Problem, tol: float) -> Answer:
    return _path(problem, tol, L1_RATIO)


def _path(problem: Problem, tol: float, l1_ratio: float) -> Answer:
    """`enet_path` knows no intercept: the centring is part of the work."""
    from sklearn.linear_model import enet_path

    x_mean, y_mean = problem.X.mean(axis=0), problem.y.mean()
    X = np.asfortranarray(problem.X - x_mean)
    _, coef, _ = enet_path(
        X, problem.y - y_mean, l1_ratio=l1_ratio, alphas=problem.alphas, tol=tol, max_iter=1_000_000, copy_X=False
    )
    return Answer(coef.T, y_mean - x_mean @ coef)

"""celer."""

import numpy as np

from benchmarks.problems import Answer, Problem


def lasso_path(problem: Problem, tol: float) -> Answer:
    """`celer_path` knows no intercept: the centring is part of the work."""
    from celer import celer_path

    x_mean, y_mean = problem.X.mean(axis=0), problem.y.mean()
    X = np.asfortranarray(problem.X - x_mean)
    _, coef, _ = celer_path(X, problem.y - y_mean, "lasso", alphas=problem.alphas, tol=tol, max_iter=100, prune=True)
    return Answer(coef.T, y_mean - x_mean @ coef)

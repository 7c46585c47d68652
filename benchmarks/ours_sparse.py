"""learnable's paths. Imports stand inside the functions: a cold run pays for what it uses and nothing else."""

import numpy as np

from benchmarks.problems import L1_RATIO, Answer, Problem


def lasso_path(problem: Problem, tol: float) -> Answer:
    return _path(problem, tol, 1.0)


def elastic_net_path(problem: Problem, tol: float) -> Answer:
    return _path(problem, tol, L1_RATIO)


def _path(problem: Problem, tol: float, l1_ratio: float) -> Answer:
    """`enet_path` knows no intercept: the centring is part of the work."""
    from learnable.sparse import enet_path

    x_mean, y_mean = problem.X.mean(axis=0), problem.y.mean()
    X = np.asfortranarray(problem.X - x_mean)
    _, coef, _ = enet_path(X, problem.y - y_mean, l1_ratio=l1_ratio, alphas=problem.alphas, tol=tol)
    return Answer(coef.T, y_mean - x_mean @ coef)

"""skglm."""

import numpy as np

from benchmarks.problems import L1_RATIO, Answer, Problem


def lasso_path(problem: Problem, tol: float) -> Answer:
    from skglm.penalties import L1

    return _path(problem, tol, L1(1.0))


def elastic_net_path(problem: Problem, tol: float) -> Answer:
    from skglm.penalties import L1_plus_L2

    return _path(problem, tol, L1_plus_L2(1.0, L1_RATIO))


def _path(problem: Problem, tol: float, penalty) -> Answer:
    """Centred beforehand: quicker for skglm than an intercept among the coordinates."""
    from skglm.datafits import Quadratic
    from skglm.solvers import AndersonCD
    from skglm.utils.jit_compilation import compiled_clone

    x_mean, y_mean = problem.X.mean(axis=0), problem.y.mean()
    X = np.asfortranarray(problem.X - x_mean)
    solver = AndersonCD(max_iter=100, tol=tol, fit_intercept=False, warm_start=True)
    _, coef, _ = solver.path(
        X, problem.y - y_mean, compiled_clone(Quadratic()), compiled_clone(penalty), alphas=problem.alphas
    )
    return Answer(coef.T, y_mean - x_mean @ coef)

"""skglm."""

import numpy as np

from benchmarks.problems import Answer, Problem


def lasso_path(problem: Problem, tol: float) -> Answer:
    """Centred beforehand: quicker for skglm than an intercept among the coordinates."""
    from skglm.datafits import Quadratic
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD
    from skglm.utils.jit_compilation import compiled_clone

    x_mean, y_mean = problem.X.mean(axis=0), problem.y.mean()
    X = np.asfortranarray(problem.X - x_mean)
    solver = AndersonCD(max_iter=100, tol=tol, fit_intercept=False, warm_start=True)
    _, coef, _ = solver.path(
        X, problem.y - y_mean, compiled_clone(Quadratic()), compiled_clone(L1(1.0)), alphas=problem.alphas
    )
    return Answer(coef.T, y_mean - x_mean @ coef)

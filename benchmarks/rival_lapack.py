"""LAPACK called directly through SciPy: no validation, no options, the least that can be done."""

import numpy as np

from benchmarks.problems import Answer, Problem


def least_squares_gelsd(problem: Problem, tol: float) -> Answer:
    """Singular value decomposition."""
    return _least_squares(problem, "gelsd")


def least_squares_gelsy(problem: Problem, tol: float) -> Answer:
    """QR with column pivoting."""
    return _least_squares(problem, "gelsy")


def _least_squares(problem: Problem, driver: str) -> Answer:
    from scipy import linalg

    x_mean, y_mean = problem.X.mean(axis=0), problem.y.mean()
    X = np.asfortranarray(problem.X - x_mean)
    coef = linalg.lstsq(X, problem.y - y_mean, lapack_driver=driver, overwrite_a=True, check_finite=False)[0]
    return Answer(coef[None, :], np.array([y_mean - x_mean @ coef]))


def least_squares_cholesky(problem: Problem, tol: float) -> Answer:
    """syrk and posv, without a look at the condition: the floor for every route through cross-products."""
    return ridge_cholesky(problem, tol)


def ridge_cholesky(problem: Problem, tol: float) -> Answer:
    """syrk and posv."""
    from scipy import linalg

    x_mean, y_mean = problem.X.mean(axis=0), problem.y.mean()
    X, y = problem.X - x_mean, problem.y - y_mean
    S = X.T @ X
    S[np.diag_indices_from(S)] += problem.alphas[0]
    coef = linalg.solve(S, X.T @ y, assume_a="pos", check_finite=False)
    return Answer(coef[None, :], np.array([y_mean - x_mean @ coef]))


def ridge_eigen(problem: Problem, tol: float) -> Answer:
    """syrk and one syevd: afterwards every penalty costs p² operations."""
    from scipy import linalg

    x_mean, y_mean = problem.X.mean(axis=0), problem.y.mean()
    X = problem.X - x_mean
    squares, V = linalg.eigh(X.T @ X, check_finite=False)
    along = V.T @ (X.T @ (problem.y - y_mean))
    coef = (along / (squares + problem.alphas[:, None])) @ V.T
    return Answer(coef, y_mean - coef @ x_mean)

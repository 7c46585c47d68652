"""Contenders whose behaviour is known; loaded by name in the processes of the race."""

import time

import numpy as np
from benchmarks.problems import Answer, Problem


def exact(problem: Problem, tol: float) -> Answer:
    """The solution of the normal equations."""
    A = np.column_stack([np.ones(len(problem.y)), problem.X])
    solution = np.linalg.lstsq(A, problem.y, rcond=None)[0]
    return Answer(solution[None, 1:], solution[:1])


def instant(problem: Problem, tol: float) -> Answer:
    return Answer(np.zeros((1, problem.X.shape[1])), np.zeros(1))


def says_a_quarter_second(problem: Problem, tol: float) -> Answer:
    """As contenders in another language do, which clock themselves."""
    return instant(problem, tol)._replace(seconds=0.25)


def off_by_tol(problem: Problem, tol: float) -> Answer:
    """The solution moved by `tol` along the intercept: the yardstick then reads about `tol` too."""
    coef, intercept, _ = exact(problem, tol)
    residual = problem.y - problem.X @ coef[0] - intercept[0]
    return Answer(coef, intercept + tol * np.linalg.norm(residual) / np.sqrt(len(residual)))


TIGHT = 1e-3


def late_when_tight(problem: Problem, tol: float) -> Answer:
    if tol < TIGHT:
        time.sleep(3600.0)
    return off_by_tol(problem, tol)


def says_which_call(problem: Problem, tol: float, calls: list = []) -> Answer:  # noqa: B006  (they are counted)
    """In place of its seconds it tells how often it was called in this process."""
    calls.append(tol)
    return exact(problem, tol)._replace(seconds=float(len(calls)))


def broken(problem: Problem, tol: float) -> Answer:
    raise ArithmeticError("no luck")


def not_finite(problem: Problem, tol: float) -> Answer:
    return Answer(np.full((1, problem.X.shape[1]), np.nan), np.zeros(1))

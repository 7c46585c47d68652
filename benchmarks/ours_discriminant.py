"""learnable's discriminants."""

from benchmarks.discriminant_answer import Answered
from benchmarks.problems import Answer, Problem

_answered = Answered()


def answer(problem: Problem, tol: float) -> Answer:
    from learnable.linear import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

    return _answered({"linear": LinearDiscriminantAnalysis, "quadratic": QuadraticDiscriminantAnalysis}, problem)

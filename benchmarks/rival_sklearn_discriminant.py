"""scikit-learn's discriminants: by its default, and by the covariances."""

from functools import partial

from benchmarks.discriminant_answer import Answered
from benchmarks.problems import Answer, Problem

_answered = Answered()


def answer(problem: Problem, tol: float) -> Answer:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

    return _answered({"linear": LinearDiscriminantAnalysis, "quadratic": QuadraticDiscriminantAnalysis}, problem)


def answer_by_covariances(problem: Problem, tol: float) -> Answer:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

    makers = {
        "linear": partial(LinearDiscriminantAnalysis, solver="lsqr"),
        "quadratic": partial(QuadraticDiscriminantAnalysis, solver="eigen"),
    }
    return _answered(makers, problem)

"""One yardstick a family, in plain NumPy and float64, the same for every contender.

A contender's own stopping number is never used: what counts is what its answer achieves here.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks import cases_discriminant, cases_multinomial, cases_naive_bayes, cases_poisson
from benchmarks.problems import L1_RATIO, Answer, Problem


class Yardstick(NamedTuple):
    """What is measured (the smaller the better), and what every contender must reach."""

    meaning: str
    measure: Callable[[Problem, Answer], float]
    target: float


def normal_equations(problem: Problem, answer: Answer) -> float:
    """max over columns and penalties of |xⱼ·r − α βⱼ| / (‖xⱼ‖ ‖r‖), the column of ones included."""
    X, coef = problem.X, answer.coef
    residual = problem.y[:, None] - (X @ coef.T + answer.intercept)
    norm = np.linalg.norm(residual, axis=0)
    slope = np.abs(X.T @ residual - problem.alphas * coef.T) / np.linalg.norm(X, axis=0)[:, None]
    offset = np.abs(residual.sum(axis=0)) / np.sqrt(len(residual))
    return float(np.max(np.vstack([slope, offset]) / norm))


def likelihood_gradient(problem: Problem, answer: Answer) -> float:
    """Largest entry of the gradient of mean loss + penalty, the intercept's included."""
    X, y, coef = problem.X, problem.y, answer.coef[0]
    margin = y * (X @ coef + answer.intercept[0])
    # −y / (1 + e^m), written so that neither tail overflows.
    pull = -y * np.exp(-np.logaddexp(0.0, margin)) / len(y)
    slope = X.T @ pull + problem.alphas[0] * coef
    return float(max(np.abs(slope).max(), abs(pull.sum())))


def duality_gap(problem: Problem, answer: Answer) -> float:
    """Largest duality gap over the path, relative to ‖y − ȳ‖² / n.

    The dual point is the centred residual times the best feasible factor: the gap that the answer itself proves. A
    solver that stops by a better dual point of its own (celer) may be nearer to the minimum than this says.
    """
    X, n = problem.X, len(problem.y)
    y = problem.y - problem.y.mean()
    residual = problem.y[:, None] - (X @ answer.coef.T + answer.intercept)
    primal = np.sum(residual**2, axis=0) / (2.0 * n) + problem.alphas * np.abs(answer.coef).sum(axis=1)
    dual_point = residual - residual.mean(axis=0)
    steepest = np.abs(X.T @ dual_point).max(axis=0) / n
    feasible = problem.alphas / np.maximum(steepest, np.finfo(float).tiny)
    squared = np.maximum(np.sum(dual_point**2, axis=0), np.finfo(float).tiny)
    factor = np.clip(y @ dual_point / squared, -feasible, feasible)
    dual = (y @ y - np.sum((y[:, None] - factor * dual_point) ** 2, axis=0)) / (2.0 * n)
    return float(np.max(primal - dual) / (y @ y / n))


def elastic_net_gap(problem: Problem, answer: Answer) -> float:
    """Largest duality gap over the path, relative to ‖y − ȳ‖² / n; the dual point is the centred residual.

    Every dual point is feasible: D(u) = (y·u − ½‖u‖²)/n − Σ (|xⱼ·u|/n − αρ)₊² / (2α(1 − ρ)).
    """
    X, n = problem.X, len(problem.y)
    y = problem.y - problem.y.mean()
    l1, l2 = problem.alphas * L1_RATIO, problem.alphas * (1.0 - L1_RATIO)
    residual = problem.y[:, None] - (X @ answer.coef.T + answer.intercept)
    primal = np.sum(residual**2, axis=0) / (2.0 * n) + l1 * np.abs(answer.coef).sum(axis=1)
    primal += 0.5 * l2 * np.sum(answer.coef**2, axis=1)
    u = residual - residual.mean(axis=0)
    excess = np.maximum(np.abs(X.T @ u) / n - l1, 0.0)
    dual = (y @ u - 0.5 * np.sum(u**2, axis=0)) / n - np.sum(excess**2, axis=0) / (2.0 * l2)
    return float(np.max(primal - dual) / (y @ y / n))


YARDSTICKS = {
    "least squares": Yardstick("|xⱼ·r| / (‖xⱼ‖‖r‖)", normal_equations, 1e-10),
    "ridge": Yardstick("|xⱼ·r − αβⱼ| / (‖xⱼ‖‖r‖)", normal_equations, 1e-10),
    "logistic": Yardstick("‖∇(mean loss + penalty)‖∞", likelihood_gradient, 1e-8),
    "multinomial": Yardstick("‖∇(mean loss + penalty)‖∞", cases_multinomial.gradient, 1e-8),
    "Poisson": Yardstick("‖∇(mean loss + penalty)‖∞", cases_poisson.gradient, 1e-8),
    "lasso": Yardstick("duality gap / (‖y − ȳ‖²/n)", duality_gap, 1e-6),
    "elastic net": Yardstick("duality gap / (‖y − ȳ‖²/n)", elastic_net_gap, 1e-6),
    **{
        f"naive Bayes {kind} fit": Yardstick(
            "largest difference of a log-probability", cases_naive_bayes.difference, 1e-9
        )
        for kind in cases_naive_bayes.DATA
    },
    **{
        f"naive Bayes {kind} predict": Yardstick("rows given another class", cases_naive_bayes.difference, 0.0)
        for kind in cases_naive_bayes.DATA
    },
    **{
        f"discriminant {kind} fit": Yardstick(
            "largest difference of a log-probability", cases_discriminant.difference, 1e-6
        )
        for kind in cases_discriminant.KINDS
    },
    **{
        f"discriminant {kind} predict": Yardstick("rows given another class", cases_discriminant.difference, 0.0)
        for kind in cases_discriminant.KINDS
    },
}


def measure(problem: Problem, answer: Answer) -> float:
    """The family's yardstick; infinite for an answer that is not finite."""
    if not (np.all(np.isfinite(answer.coef)) and np.all(np.isfinite(answer.intercept))):
        return float("inf")
    return YARDSTICKS[problem.family].measure(problem, answer)

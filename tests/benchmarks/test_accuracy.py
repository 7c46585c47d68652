"""The yardsticks against what is known about optima."""

import numpy as np
import pytest
from benchmarks.accuracy import YARDSTICKS, duality_gap, likelihood_gradient, measure, normal_equations
from benchmarks.cases_poisson import gradient
from benchmarks.problems import Answer, Problem
from tests.cases import each

SEED = 5


def regression(alphas):
    rng = np.random.default_rng(SEED)
    X = rng.standard_normal((40, 3)) + 2.0
    return Problem("ridge", X, X @ [1.0, -2.0, 0.5] + rng.standard_normal(40), np.asarray(alphas, dtype=float))


def ridge_answer(problem):
    """Intercept free: [1 X] with a penalty matrix that spares the ones."""
    A = np.column_stack([np.ones(len(problem.y)), problem.X])
    solutions = [
        np.linalg.solve(A.T @ A + alpha * np.diag([0.0, 1.0, 1.0, 1.0]), A.T @ problem.y) for alpha in problem.alphas
    ]
    return Answer(np.array([s[1:] for s in solutions]), np.array([s[0] for s in solutions]))


def test_the_normal_equations_vanish_at_the_solution_of_every_penalty():
    problem = regression([0.0, 1.0, 100.0])
    assert normal_equations(problem, ridge_answer(problem)) < 1e-13


@each("where", ["coef", "intercept"])
def test_the_normal_equations_see_a_move_of_one_penalty_alone(where):
    problem = regression([0.0, 1.0, 100.0])
    answer = ridge_answer(problem)
    moved = Answer(answer.coef.copy(), answer.intercept.copy())
    getattr(moved, where)[1] += 1e-6
    assert normal_equations(problem, moved) > 1e-8


def test_the_likelihood_gradient_is_the_slope_of_the_objective():
    rng = np.random.default_rng(SEED)
    X, y = rng.standard_normal((30, 2)), rng.choice([-1.0, 1.0], 30)
    problem = Problem("logistic", X, y, np.array([0.1]))
    theta = rng.standard_normal(3)

    def objective(t):
        return np.mean(np.logaddexp(0.0, -y * (X @ t[:2] + t[2]))) + 0.05 * t[:2] @ t[:2]

    h = 1e-5
    slope = [(objective(theta + h * e) - objective(theta - h * e)) / (2 * h) for e in np.eye(3)]
    found = likelihood_gradient(problem, Answer(theta[None, :2], theta[2:]))
    assert found == pytest.approx(np.abs(slope).max(), rel=1e-8)


def test_the_likelihood_gradient_survives_huge_margins():
    problem = Problem("logistic", np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), np.array([0.0]))
    assert likelihood_gradient(problem, Answer(np.array([[1e6]]), np.zeros(1))) == 0.0
    assert likelihood_gradient(problem, Answer(np.array([[-1e6]]), np.zeros(1))) == 1.0


def test_the_poisson_gradient_is_the_slope_of_the_objective():
    rng = np.random.default_rng(SEED)
    X, y = rng.standard_normal((30, 2)), rng.poisson(2.0, 30).astype(float)
    problem = Problem("Poisson", X, y, np.array([0.1]))

    def objective(t):
        f = X @ t[:2] + t[2]
        return np.mean(np.exp(f) - y * f) + 0.05 * t[:2] @ t[:2]

    h = 1e-5
    # The intercept far off, then a coefficient: each of them is the largest entry once.
    for theta in (np.array([0.1, -0.2, 2.0]), np.array([30.0, 0.0, -60.0])):
        slope = [(objective(theta + h * e) - objective(theta - h * e)) / (2 * h) for e in np.eye(3)]
        found = gradient(problem, Answer(theta[None, :2], theta[2:]))
        assert found == pytest.approx(np.abs(slope).max(), rel=1e-6)


def test_the_poisson_gradient_vanishes_at_the_mean_alone():
    problem = Problem("Poisson", np.zeros((4, 1)), np.array([1.0, 0.0, 5.0, 2.0]), np.array([0.1]))
    assert measure(problem, Answer(np.zeros((1, 1)), np.log([2.0]))) < 1e-15
    assert measure(problem, Answer(np.zeros((1, 1)), np.log([2.0]) + 1e-6)) > 1e-6


def test_rates_that_overflow_reach_nothing():
    problem = Problem("Poisson", np.array([[1.0], [-1.0]]), np.array([1.0, 0.0]), np.array([0.0]))
    assert measure(problem, Answer(np.array([[1e6]]), np.zeros(1))) == np.inf


def test_the_gap_vanishes_at_a_known_lasso_path_and_nowhere_else():
    # Orthogonal columns: every coefficient is the least-squares one, shrunk by alpha.
    X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    y = X @ [3.0, -0.5] + 10.0
    alphas = np.array([4.0, 1.0, 0.2])
    coef = np.array([[0.0, 0.0], [2.0, 0.0], [2.8, -0.3]])
    problem = Problem("lasso", X, y, alphas)
    assert abs(duality_gap(problem, Answer(coef, np.full(3, 10.0)))) < 1e-15
    for k in range(3):
        moved = coef.copy()
        moved[k, 0] += 1e-2
        assert duality_gap(problem, Answer(moved, np.full(3, 10.0))) > 1e-6
        offsets = np.full(3, 10.0)
        offsets[k] += 0.1
        assert duality_gap(problem, Answer(coef, offsets)) > 1e-6


@each("seed", range(5))
def test_the_gap_bounds_the_distance_to_the_minimum(seed):
    rng = np.random.default_rng(seed)
    X = np.linalg.qr(rng.standard_normal((20, 4)) - 0.0)[0]
    X = X - X.mean(axis=0)
    X = np.linalg.qr(X)[0] * np.sqrt(20)
    y = rng.standard_normal(20)
    y -= y.mean()
    alpha = 0.1
    ls = X.T @ y / 20
    best = np.sign(ls) * np.maximum(np.abs(ls) - alpha, 0.0)
    other = best + 0.1 * rng.standard_normal(4)

    def objective(b):
        return np.sum((y - X @ b) ** 2) / 40 + alpha * np.abs(b).sum()

    relative = (objective(other) - objective(best)) / (y @ y / 20)
    problem = Problem("lasso", X, y, np.array([alpha]))
    assert duality_gap(problem, Answer(other[None], np.zeros(1))) >= relative - 1e-14


def test_an_answer_that_is_not_finite_reaches_nothing():
    problem = regression([1.0])
    assert measure(problem, Answer(np.full((1, 3), np.nan), np.zeros(1))) == np.inf
    assert measure(problem, Answer(np.zeros((1, 3)), np.array([np.inf]))) == np.inf


def test_targets_are_those_of_the_race():
    assert (YARDSTICKS["logistic"].target, YARDSTICKS["lasso"].target) == (1e-8, 1e-6)
    assert YARDSTICKS["Poisson"].target == YARDSTICKS["logistic"].target

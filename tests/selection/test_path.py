"""Constrained and penalised regularisation."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import Lasso
from tests.cases import each

from learnable.selection import regularisation_path, solve_constrained

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
Y = X @ [3.0, -1.0, 0.5, 0.0] + RNG.normal(size=30)
LAMBDAS = np.geomspace(1e-4, 10, 12)


def risk(beta):
    return float(np.mean((Y - X @ beta) ** 2))


def square(beta):
    return float(beta @ beta)


def ridge(lam):
    return np.linalg.solve(X.T @ X / 30 + lam * np.eye(4), X.T @ Y / 30)


def lasso(lam):
    if lam == 0:
        return np.linalg.lstsq(X, Y, rcond=None)[0]
    # scikit-learn halves the mean square.
    return Lasso(lam / 2, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X, Y).coef_


@each(("solve", "norm"), [(ridge, square), (lasso, lambda b: float(np.abs(b).sum()))])
def test_laws_of_the_path(solve, norm):
    path = regularisation_path(solve, LAMBDAS, risk, norm)
    assert path.optimal
    assert path.monotone
    assert path.tends_to_erm
    assert path.erm_risk == pytest.approx(risk(np.linalg.lstsq(X, Y, rcond=None)[0]))
    assert path.erm_gap[0] < 0.01
    # The least value of the penalised objective is concave and rising in λ.
    values = path.risk + path.lambdas * path.complexity
    assert (np.diff(values) >= 0).all()
    assert (np.diff(np.diff(values) / np.diff(path.lambdas)) <= 1e-9).all()


def test_a_solver_that_is_off_is_found_out():
    wrong = regularisation_path(lambda lam: ridge(lam) + 0.3 * (lam > 0), LAMBDAS, risk, square)
    assert not wrong.tends_to_erm
    shuffled = regularisation_path(lambda lam: ridge(0.01 / lam) if lam else ridge(0), LAMBDAS, risk, square)
    assert not shuffled.optimal
    assert not shuffled.monotone
    assert "no" in str(shuffled)


def test_constrained_solution_agrees_with_a_constrained_solver():
    found = solve_constrained(ridge, 2.0, risk, square)
    assert found.complexity == pytest.approx(2.0, abs=1e-6)
    bound = {"type": "ineq", "fun": lambda b: 2.0 - b @ b}
    other = minimize(risk, np.zeros(4), constraints=[bound], method="SLSQP", options={"ftol": 1e-12})
    np.testing.assert_allclose(found.solution, other.x, atol=1e-4)
    # Stationarity: the multiplier of the constraint is the penalty.
    gradient = -2 * X.T @ (Y - X @ found.solution) / 30
    np.testing.assert_allclose(gradient + 2 * found.penalty * found.solution, 0, atol=1e-6)


def test_an_idle_bound_gives_the_empirical_minimiser():
    found = solve_constrained(ridge, 1e6, risk, square)
    assert found.penalty == 0
    assert found.risk == pytest.approx(risk(ridge(0)))


@each(
    ("call", "message"),
    [
        (lambda: regularisation_path(ridge, [0.0, 1.0], risk, square), "all must be > 0"),
        (lambda: regularisation_path(ridge, [], risk, square), "non-empty"),
        (lambda: regularisation_path(ridge, [1.0], lambda b: np.nan, square), "must be finite"),
        (lambda: solve_constrained(ridge, -1.0, risk, square), "no h meets it"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()

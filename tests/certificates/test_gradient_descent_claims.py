"""The bounds on gradient descent hold on its real path, and refuse what the theorems do not cover (O1)."""

from itertools import islice

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.cases import each

from learnable.certificates.linear.gradient_descent import descent_claim, linear_rate_claim, strong_convexity_claim
from learnable.problems.linear import losses
from learnable.problems.linear.losses import Logistic
from learnable.solvers.linear.gradient_descent import iterates

random = np.random.default_rng(0)
X = random.standard_normal((50, 3))
Y = np.sign(X @ [1.0, -1.0, 0.3] + random.standard_normal(50))
SMOOTHNESS = float(np.linalg.eigvalsh(X.T @ X / 50).max()) / 4.0
MU = 0.05


def J(theta):
    f = X @ theta
    return (
        float(np.mean(losses.value(Logistic(), Y, f))) + 0.5 * MU * float(theta @ theta),
        X.T @ losses.gradient(Logistic(), Y, f) / 50 + MU * theta,
    )


BEST = minimize(J, np.zeros(3), jac=True, method="BFGS", options={"gtol": 1e-12})
START = np.array([3.0, 3.0, -3.0])


@each("k", [1, 5, 50, 500])
@each("share", [1.0, 0.3])
def test_the_path_is_within_the_bounds(k, share):
    L = SMOOTHNESS + MU
    step = share / L
    path = list(islice(iterates(J, START, step), k + 1))
    assert descent_claim(lambda t: J(t)[0], START, path[-1].theta, BEST.x, step, k, L).holds
    gaps = path[0].objective - BEST.fun, path[-1].objective - BEST.fun
    assert linear_rate_claim(gaps[0], max(gaps[1], 0.0), step, k, MU, L).holds or gaps[1] < 1e-12


def test_an_answer_that_is_not_on_the_path_fails():
    L = SMOOTHNESS + MU
    assert not descent_claim(lambda t: J(t)[0], START, START, BEST.x, 1.0 / L, 500, L).holds


@each("shift", [0.0, 0.01, 1.0])
def test_strong_convexity_bounds_the_gap(shift):
    theta = BEST.x + shift
    value, gradient = J(theta)
    claim = strong_convexity_claim(gradient, MU, 1e-9)
    assert value - BEST.fun <= claim.value + 1e-12
    assert claim.holds == (shift == 0.0)


def test_what_the_theorems_do_not_cover_is_refused():
    with pytest.raises(ValueError, match="step=3"):
        descent_claim(lambda t: 0.0, START, START, START, 3.0, 5, 1.0)
    with pytest.raises(ValueError, match="at least one step"):
        descent_claim(lambda t: 0.0, START, START, START, 0.5, 0, 1.0)
    with pytest.raises(ValueError, match="mu must be > 0"):
        strong_convexity_claim(START, 0.0, 1.0)
    with pytest.raises(ValueError, match="mu <= smoothness"):
        linear_rate_claim(1.0, 0.5, 0.1, 3, 2.0, 1.0)

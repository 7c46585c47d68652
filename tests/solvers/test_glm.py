"""The likelihood of a generalised linear model as sums over rows: derivatives, one answer by every route (C7, O8)."""

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable.problems.linear import links
from learnable.problems.linear.glm import MODELS
from learnable.rows import as_rows
from learnable.solvers.linear import newton, newton_cg, sampled_newton
from learnable.solvers.linear.glm import GeneralizedLikelihood

PAIRS = list(MODELS)


def table(pair, n=300, p=4, seed=0):
    """(X, y, weights, offsets) with means of the family."""
    random = np.random.default_rng(seed)
    model = MODELS[pair]
    X = random.uniform(0.0, 1.0, (n, p))
    offset = 0.1 * random.uniform(0.0, 1.0, n)
    f = X @ np.linspace(0.3, 0.9, p) + offset + (0.2 if model.positive else -0.5)
    mu = links.mean(model.link, f)
    y = {
        "gaussian": lambda: mu + 0.2 * random.standard_normal(n),
        "binomial": lambda: (random.uniform(size=n) < mu).astype(float),
        "poisson": lambda: random.poisson(mu).astype(float),
        "gamma": lambda: random.gamma(4.0, mu / 4.0),
    }[pair[0]]()
    return X, y, random.uniform(0.5, 2.0, n), offset


def objective(pair, alpha=0.1, intercept=True, sparse_rows=False, **shape):
    X, y, weight, offset = table(pair, **shape)
    rows = as_rows(sparse.csr_array(X) if sparse_rows else X, y, weight)
    return GeneralizedLikelihood(rows, MODELS[pair], intercept, alpha, offset)


def minimum(J, iterates=newton.iterates):
    for state in iterates(J, J.start()):
        if state.gradient_norm < 1e-11 or state.steps == 60:
            break
    return state


@each("intercept", [True, False])
@each("pair", PAIRS, ids="-".join)
def test_gradient_and_hessian_by_central_differences(pair, intercept):
    J = objective(pair, intercept=intercept)
    theta = J.start() + np.linspace(0.02, 0.1, J.shape[0])[:, None]
    gradient = J.value_and_gradient(theta)[1]
    H, product = J.hessian(theta), J.hessian_product(theta)
    expected = J.expected_hessian(theta)
    for j in range(J.shape[0]):
        h = np.zeros(J.shape)
        h[j] = 1e-6
        (up, up_gradient), (down, down_gradient) = J.value_and_gradient(theta + h), J.value_and_gradient(theta - h)
        assert (up - down) / 2e-6 == pytest.approx(gradient[j, 0], rel=1e-5, abs=1e-8)
        bend = (up_gradient - down_gradient)[:, 0] / 2e-6
        if J.model.convex:
            np.testing.assert_allclose(H[:, j], bend, rtol=1e-5, atol=1e-7)
            np.testing.assert_allclose(product(h * 1e6)[:, 0], H[:, j], rtol=1e-10, atol=1e-12)
        if J.model.canonical:
            ridge = J.alpha * (np.arange(J.shape[0]) == j) * (j < J.p)
            np.testing.assert_allclose(expected[:, j] + ridge, H[:, j], rtol=1e-10, atol=1e-12)


@each("pair", PAIRS, ids="-".join)
def test_every_route_ends_at_the_same_minimum(pair):
    J = objective(pair)
    best = minimum(J)
    assert best.gradient_norm < 1e-11
    np.testing.assert_allclose(minimum(J, newton_cg.iterates).theta, best.theta, rtol=1e-7, atol=1e-9)
    thin = objective(pair, sparse_rows=True)
    np.testing.assert_allclose(minimum(thin).theta, best.theta, rtol=1e-8, atol=1e-10)
    if J.model.convex and not J.model.positive:
        X, y, weight, offset = table(pair)
        part = GeneralizedLikelihood(as_rows(X[:150], y[:150], weight[:150]), MODELS[pair], True, 0.1, offset[:150])
        sampled = minimum(J, lambda J, start: sampled_newton.iterates(J, [part], start))
        np.testing.assert_allclose(sampled.theta, best.theta, rtol=1e-7, atol=1e-9)


@each("pair", PAIRS, ids="-".join)
def test_without_a_penalty_open_directions_stay_still(pair):
    # A repeated column and one that is constant: two directions change no score; the coefficients of both are split or
    # zero, as in the limit of a vanishing ridge.
    X, y, weight, offset = table(pair, p=2)
    wide = np.column_stack([X, X[:, 0], np.ones(len(X))])
    J = GeneralizedLikelihood(as_rows(wide, y, weight), MODELS[pair], True, 0.0, offset)
    assert J.unidentified.shape[1] == 2
    narrow = GeneralizedLikelihood(as_rows(X, y, weight), MODELS[pair], True, 0.0, offset)
    full, small = minimum(J).theta[:, 0], minimum(narrow).theta[:, 0]
    np.testing.assert_allclose(full, [small[0] / 2, small[1], small[0] / 2, 0.0, small[2]], rtol=1e-6, atol=1e-8)


@each("scale", [1e-9, 1e9])
def test_units_of_a_column_do_not_make_it_open(scale):
    X, y, weight, _ = table(("poisson", "log"), p=2)
    J = GeneralizedLikelihood(as_rows(X * [1.0, scale], y, weight), MODELS["poisson", "log"], True, 0.0)
    assert J.unidentified.size == 0


def test_a_step_that_overflows_is_halved():
    # From f = 0 the Newton step to a count of a million is f = 10⁶, far beyond what e^f can hold.
    J = GeneralizedLikelihood(
        as_rows(np.ones((3, 1)), np.array([1e6, 9e5, 1.1e6])), MODELS["poisson", "log"], False, 0.0
    )
    states = []
    for state in newton.iterates(J, np.zeros((1, 1))):
        states.append(state)
        if state.gradient_norm < 1e-12 or state.steps == 80:
            break
    values = [state.objective for state in states]
    assert states[1].halvings > 5
    assert np.isfinite(values).all()
    assert np.all(np.diff(values) <= 0.0)
    assert states[-1].theta[0, 0] == pytest.approx(np.log(1e6), rel=1e-12)


def test_squares_that_overflow_name_the_column():
    J = GeneralizedLikelihood(
        as_rows(np.array([[1.0, 1e200], [2.0, -1e200]]), np.ones(2)), MODELS["gamma", "log"], True, 0.1
    )
    with pytest.raises(ArithmeticError, match="column 1 of X overflow"), np.errstate(over="ignore", invalid="ignore"):
        J.hessian(J.start())

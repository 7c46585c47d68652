"""Laws of the decomposition under squared loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor
from tests.cases import each

from learnable.evaluation.bias_variance import (
    bootstrap_bias_variance,
    mse_decomposition,
    prediction_decomposition,
    simulated_bias_variance,
)

NUMBERS = st.floats(-100, 100)


@given(arrays(float, st.tuples(st.integers(2, 8), st.integers(1, 5)), elements=NUMBERS), st.integers(0, 100))
def test_terms_add_up_to_the_mean_loss(t, seed):
    target = np.random.default_rng(seed).normal(size=t.shape[1])
    terms = mse_decomposition(t, target)
    assert terms.bias_squared.estimate + terms.variance.estimate == terms.mse.estimate
    assert terms.mse.estimate == pytest.approx(np.mean(np.sum((t - target) ** 2, axis=1)), rel=1e-9, abs=1e-9)
    for term in terms:
        assert 0 <= term.low <= term.estimate <= term.high


@given(arrays(float, (4, 3), elements=NUMBERS), arrays(float, 3, elements=st.floats(0, 5)))
def test_prediction_terms_add_up_at_every_point_and_on_average(fits, noise):
    truth = np.array([1.0, -2.0, 0.5])
    terms = prediction_decomposition(fits, truth, noise_variance=noise)
    assert terms.noise + terms.bias_squared.estimate + terms.variance.estimate == terms.error.estimate
    assert (terms.noise_at + terms.bias_squared_at + terms.variance_at == terms.error_at).all()
    direct = noise + np.mean((fits - truth) ** 2, axis=0)
    assert terms.error_at == pytest.approx(direct, rel=1e-9, abs=1e-9)
    assert terms.error.estimate == pytest.approx(direct.mean(), rel=1e-9, abs=1e-9)


@each(("bias", "d"), [(0.0, 1), (0.5, 1), (0.0, 3), (0.3, 3)])
def test_monte_carlo_intervals_cover(bias, d):
    rng = np.random.default_rng(0)
    trials, covered = 600, np.zeros(3)
    for _ in range(trials):
        terms = mse_decomposition(rng.normal(bias, 1.0, size=(60, d)), np.zeros(d))
        truth = (d * bias**2 + d, d * bias**2, d)
        covered += [value in term for value, term in zip(truth, terms)]
    assert (covered / trials > 0.9).all()
    assert (covered[[0, 2]] / trials < 0.98).all()


def test_ridge_against_its_closed_form():
    # With design X fixed: bias = (A - I)θ, A = (XᵀX + λI)⁻¹XᵀX, and Cov = σ²(XᵀX + λI)⁻¹XᵀX(XᵀX + λI)⁻¹.
    rng = np.random.default_rng(1)
    design, theta, lam, sigma = rng.normal(size=(20, 3)), np.array([1.0, -2.0, 0.5]), 5.0, 1.5
    inverse = np.linalg.inv(design.T @ design + lam * np.eye(3))
    bias_squared = np.sum((inverse @ design.T @ design @ theta - theta) ** 2)
    variance = sigma**2 * np.trace(inverse @ design.T @ design @ inverse)
    replies = design @ theta + sigma * rng.normal(size=(4000, 20))
    terms = mse_decomposition(replies @ design @ inverse, theta)
    assert bias_squared in terms.bias_squared
    assert variance in terms.variance
    assert bias_squared + variance in terms.mse


def simulate(rng):
    X = rng.uniform(-1, 1, size=(40, 1))
    return X, np.sin(3 * X[:, 0]) + rng.normal(0, 0.3, 40)


GRID = np.linspace(-0.9, 0.9, 7)[:, None]


def test_deep_trees_trade_bias_for_variance_and_error_matches_fresh_draws():
    options = {"noise_variance": 0.09, "repeats": 150, "random_state": 0}
    shallow, deep = (
        simulated_bias_variance(DecisionTreeRegressor(max_depth=k), simulate, GRID, np.sin(3 * GRID[:, 0]), **options)
        for k in (1, None)
    )
    assert shallow.bias_squared.low > deep.bias_squared.high
    assert shallow.variance.high < deep.variance.low
    rng, losses = np.random.default_rng(9), []
    for _ in range(150):
        model = DecisionTreeRegressor(random_state=0).fit(*simulate(rng))
        losses.append((model.predict(GRID) - np.sin(3 * GRID[:, 0]) - rng.normal(0, 0.3, 7)) ** 2)
    assert np.mean(losses) == pytest.approx(deep.error.estimate, abs=0.04)


def test_any_number_of_workers_gives_the_same_answer():
    runs = [
        simulated_bias_variance(
            DecisionTreeRegressor(max_features=1),
            simulate,
            GRID,
            GRID[:, 0],
            noise_variance=0.09,
            repeats=6,
            random_state=4,
            n_jobs=n_jobs,
        )
        for n_jobs in (1, 2)
    ]
    assert runs[0].error == runs[1].error


def test_bootstrap_leaves_noise_inside_bias_and_says_so():
    X, y = simulate(np.random.default_rng(0))
    fresh, replies = simulate(np.random.default_rng(1))
    terms = bootstrap_bias_variance(LinearRegression(), X, y, fresh, replies, repeats=30, random_state=0)
    assert terms.noise_in_bias
    assert terms.noise == 0
    known = bootstrap_bias_variance(
        LinearRegression(), X, y, fresh, replies, noise_variance=0.09, repeats=30, random_state=0
    )
    assert not known.noise_in_bias
    assert known.error.estimate == pytest.approx(terms.error.estimate + 0.09)


def test_constant_estimates_have_no_variance():
    terms = mse_decomposition([2.0, 2.0, 2.0], 1.0)
    assert terms.variance[:3] == (0.0, 0.0, 0.0)
    assert terms.bias_squared[:3] == (1.0, 1.0, 1.0)


def test_bad_input():
    with pytest.raises(ValueError, match="at least 2 replicates"):
        mse_decomposition([1.0], 1.0)
    with pytest.raises(ValueError, match="not finite"):
        mse_decomposition([1.0, np.inf], 1.0)
    with pytest.raises(ValueError, match="one number per truth"):
        prediction_decomposition(np.zeros((3, 2)), np.zeros(3))
    with pytest.raises(ValueError, match="noise_variance"):
        prediction_decomposition(np.zeros((3, 2)), np.zeros(2), noise_variance=-1.0)
    with pytest.raises(ValueError, match="repeats=1"):
        simulated_bias_variance(LinearRegression(), simulate, GRID, GRID[:, 0], noise_variance=0, repeats=1)
    with pytest.raises(ValueError, match="level"):
        mse_decomposition([1.0, 2.0], 1.0, level=2)

"""Degrees of freedom and optimism: traces, Monte Carlo, covariances."""

from functools import cache

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import (
    GammaRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.cases import each

from learnable.selection import (
    deviance_optimism,
    fitted_values,
    hat_matrix,
    linear_optimism,
    monte_carlo_df,
    optimism,
    trace_df,
)

RNG = np.random.default_rng(20)
X = RNG.normal(size=(40, 4))
Y = X @ [1.0, 0.0, -1.0, 2.0] + RNG.normal(size=40)


def ridge_trace(alpha):
    # Intercept (1) plus the shrunk directions of the centred design.
    d2 = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    return 1 + (d2 / (d2 + alpha)).sum()


LINEAR = {
    "mean": (DummyRegressor(), 1.0),
    "least squares": (LinearRegression(), 5.0),
    "ridge": (Ridge(10.0), ridge_trace(10.0)),
    "4 neighbours": (KNeighborsRegressor(4), 40 / 4),
    "1 neighbour": (KNeighborsRegressor(1), 40.0),
}


@each("name", LINEAR)
def test_trace_of_the_hat_matrix(name):
    estimator, df = LINEAR[name]
    H = hat_matrix(fitted_values(estimator, X), 40)
    assert trace_df(H) == pytest.approx(df, rel=1e-9)
    np.testing.assert_allclose(H @ Y, fitted_values(estimator, X)(Y), atol=1e-9)


@cache
def hat(name):
    """The fit as a matrix: many fits of it cost next to nothing."""
    return hat_matrix(fitted_values(LINEAR[name][0], X), 40)


@each("name", LINEAR)
def test_monte_carlo_df_meets_the_trace_within_its_error_bar(name):
    H, df = hat(name), LINEAR[name][1]
    result = monte_carlo_df(lambda y: H @ y, Y, repeats=200, random_state=1)
    assert abs(result.estimate - df) < 4 * result.standard_error
    # For a linear fit the replicates are εᵀHε, of variance 2‖(H + Hᵀ)/2‖²: the error bar is checked, not trusted.
    exact = np.sqrt(2 * (((H + H.T) / 2) ** 2).sum() / 200)
    assert result.standard_error == pytest.approx(exact, rel=0.3)


def test_df_of_fits_to_counts_shares_and_sizes():
    # Responses that must not be negative, or not above 1, are moved to the side that is left: still the trace.
    counts = np.random.default_rng(1).poisson(np.exp(0.3 * X[:, 0]))
    assert (counts == 0).sum() > 5
    for name in ("least squares", "4 neighbours"):
        H, df, seen = hat(name), LINEAR[name][1], []

        def smoother(y, H=H, seen=seen):
            seen.append((y.min(), y.max()))
            return H @ y

        for response, support in ((counts, None), (counts / 8, (0.0, 1.0)), (1 - counts / 8, (0.0, 1.0))):
            result = monte_carlo_df(smoother, response, support=support, repeats=60, random_state=1)
            assert abs(result.estimate - df) < 4 * result.standard_error
            low, high = np.array(seen).T
            assert low.min() >= 0.0
            assert support is None or high.max() <= 1.0
            seen.clear()
    # A Poisson or gamma regression without penalty has as many as it has coefficients.
    sizes = np.exp(0.3 * X[:, 0]) * np.random.default_rng(2).gamma(3.0, size=40)
    exact = {"alpha": 0, "tol": 1e-8, "solver": "newton-cholesky"}
    for model, response in ((PoissonRegressor(**exact), counts), (GammaRegressor(**exact), sizes)):
        result = monte_carlo_df(fitted_values(model, X), response, perturbation=0.01, repeats=60, random_state=1)
        assert abs(result.estimate - 5) < 4 * result.standard_error
    with pytest.raises(ValueError, match=r"support=\(1, 2\): y goes from"):
        monte_carlo_df(lambda y: y, Y, support=(1.0, 2.0))


def test_lasso_df_is_the_number_of_active_coefficients():
    lasso = Lasso(0.3, tol=1e-10)
    active = np.count_nonzero(lasso.fit(X, Y).coef_) + 1
    result = monte_carlo_df(fitted_values(lasso, X), Y, perturbation=1e-4, repeats=300)
    assert 2 <= active < 5
    assert abs(result.estimate - active) < 4 * result.standard_error


def test_searching_for_splits_costs_more_than_the_leaves():
    noise = np.random.default_rng(0).normal(size=40)
    tree = DecisionTreeRegressor(max_leaf_nodes=3, random_state=0)
    result = monte_carlo_df(fitted_values(tree, X), noise, perturbation=0.5, repeats=100)
    assert result.estimate - 4 * result.standard_error > 3


def test_the_smoother_that_is_not_linear_is_refused():
    with pytest.raises(ValueError, match="not linear"):
        hat_matrix(fitted_values(Lasso(0.3), X), 40)


@each("name", LINEAR)
def test_bootstrap_optimism_is_the_trace_formula_for_linear_fits(name):
    H, df = hat(name), LINEAR[name][1]
    exact = linear_optimism(H, Y, sigma2=1.7)
    assert exact.optimism == pytest.approx(2 * 1.7 * df / 40)
    drawn = optimism(lambda y: H @ y, Y, 1.7, repeats=300, random_state=2)
    assert abs(drawn.optimism - exact.optimism) < 4 * drawn.standard_error
    assert abs(drawn.degrees_of_freedom - df) < 4 * drawn.df_error
    assert drawn.training_error == pytest.approx(np.mean((Y - H @ Y) ** 2))
    assert drawn.in_sample_error == pytest.approx(drawn.training_error + drawn.optimism)


def test_optimism_is_the_gap_between_new_responses_and_old_ones():
    rng = np.random.default_rng(4)
    mean, sigma = X @ [1.0, 0.0, -1.0, 2.0], 1.0
    smoother = fitted_values(DecisionTreeRegressor(max_depth=2, random_state=0), X)
    gaps = []
    for _ in range(300):
        y, new = mean + sigma * rng.normal(size=(2, 40))
        fit = smoother(y)
        gaps.append(np.mean((new - fit) ** 2) - np.mean((y - fit) ** 2))
    drawn = optimism(smoother, Y, sigma**2, mean=mean, repeats=300)
    error = np.hypot(drawn.standard_error, np.std(gaps) / np.sqrt(300))
    assert abs(drawn.optimism - np.mean(gaps)) < 4 * error


def test_deviance_df_of_logistic_regression_counts_coefficients():
    rng = np.random.default_rng(6)
    Z = rng.normal(size=(300, 2))
    labels = (Z[:, 0] + rng.logistic(size=300) > 0).astype(int)
    logistic = LogisticRegression(C=np.inf, solver="newton-cholesky")
    result = deviance_optimism(logistic, Z, labels, repeats=200)
    assert abs(result.degrees_of_freedom - 3) < 4 * result.df_error + 0.1
    assert result.df_error < 0.3
    p = logistic.fit(Z, labels).predict_proba(Z)[np.arange(300), labels]
    assert result.training_error == pytest.approx(-2 * np.log(p).mean())


def test_deviance_df_of_class_frequencies_is_one_less_than_the_classes():
    labels = np.repeat(["a", "b", "c"], [50, 30, 20])
    result = deviance_optimism(DummyClassifier(), np.zeros((100, 1)), labels, repeats=500)
    assert abs(result.degrees_of_freedom - 2) < 4 * result.df_error + 0.05


def test_draws_that_lack_a_class_are_redrawn_and_reported():
    labels = np.repeat([0, 1], [9, 1])
    result = deviance_optimism(DummyClassifier(), np.zeros((10, 1)), labels, repeats=30)
    assert result.redrawn > 0
    assert "drawn anew" in str(result)


def test_seed_decides_and_input_is_untouched():
    y = Y.copy()
    one, two = (monte_carlo_df(fitted_values(Ridge(), X), y, repeats=5, random_state=3) for _ in range(2))
    assert one.estimate == two.estimate
    np.testing.assert_array_equal(y, Y)


LABELS = np.arange(40) % 2


@each(
    ("call", "message"),
    [
        (lambda: monte_carlo_df(lambda y: y, Y, perturbation=0), "perturbation=0"),
        (lambda: monte_carlo_df(lambda y: y, Y, perturbation=-1.0), "perturbation=-1"),
        (lambda: monte_carlo_df(lambda y: y, np.ones(5)), "y is constant"),
        (lambda: monte_carlo_df(lambda y: y, Y, repeats=1), "repeats=1"),
        (lambda: monte_carlo_df(lambda y: y * np.nan, Y), "not finite"),
        (lambda: monte_carlo_df(lambda y: y, [1.0, np.inf]), r"y\[1\]=inf"),
        (lambda: trace_df(np.ones((2, 3))), "square"),
        (lambda: optimism(lambda y: y, Y, 0.0), "sigma2=0"),
        (lambda: optimism(lambda y: y, Y, 1.0, repeats=0), "repeats=0"),
        (lambda: optimism(lambda y: y, Y, 1.0, mean=[1.0]), "mean has 1"),
        (lambda: linear_optimism(np.eye(3), Y, 1.0), "H has 3 rows"),
        (lambda: deviance_optimism(DecisionTreeClassifier(), X, LABELS), "the deviance is infinite"),
        (lambda: deviance_optimism(KNeighborsClassifier(1), X, LABELS), "the deviance is infinite"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_classifier_without_probabilities_is_refused():
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba"):
        deviance_optimism(LinearSVC(), X, LABELS)

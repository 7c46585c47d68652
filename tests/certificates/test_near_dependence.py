"""Columns that all but repeat others: what is proved holds along the directions that only their difference has."""

import copy
import warnings

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.linear import (
    GammaRegressor,
    IndicatorRegression,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeCV,
)
from learnable.sparse import AdaptiveLasso

RNG = np.random.default_rng(31)
Z = RNG.standard_normal((60, 3))
SCORE = Z @ [0.5, 0.7, 0.3]
Y = SCORE + 0.1 * RNG.standard_normal(60)
LABEL = np.where(SCORE + 0.1 * RNG.standard_normal(60) > 0.0, "up", "down")


def beside(distance):
    """A second column that is so far from the first."""
    return np.column_stack([Z[:, 0], Z[:, 0] + distance * Z[:, 1], Z[:, 2]])


def without_the_second(model, X, y):
    """The answer of a fit that never saw it."""
    forged, less = copy.deepcopy(model), copy.deepcopy(model).fit(X[:, [0, 2]], y)
    coef = np.zeros_like(model.coef_)
    coef[..., [0, 2]] = less.coef_
    forged.coef_, forged.intercept_ = coef, less.intercept_
    return forged


@each("distance", [1e-6, 1e-8, 1e-9, 1e-10, 1e-11])
@each(
    "model",
    [
        LinearRegression(), LinearRegression(fit_intercept=False), Ridge(alpha=1e-30), IndicatorRegression(),
    ],
    ids=repr,
)  # fmt: skip
def test_a_direction_that_few_digits_tell_apart_is_not_left_out(model, distance):
    X, y = beside(distance), LABEL if isinstance(model, IndicatorRegression) else Y
    honest = copy.deepcopy(model).fit(X, y)
    assert certify(honest, X, y).holds
    forged = without_the_second(honest, X, y)
    if hasattr(forged, "rank_"):
        assert forged.rank_ == 3
    assert certify(forged, X, y).verdict is Verdict.REFUTED


def test_a_choice_of_penalty_keeps_such_a_direction():
    X = beside(1e-9)
    honest = RidgeCV(alphas=[1e-30]).fit(X, Y)
    assert certify(honest, X, Y).holds
    assert not certify(without_the_second(honest, X, Y), X, Y).holds


def test_first_estimates_keep_such_directions_too():
    X = beside(1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # weights that are 1e9 apart leave a gap
        honest = AdaptiveLasso(alpha=0.01).fit(X, Y)
    forged = copy.deepcopy(honest)
    forged.initial_coef_ = np.zeros(3)
    forged.initial_coef_[[0, 2]] = LinearRegression().fit(X[:, [0, 2]], Y).coef_
    of_estimates = [
        [c.holds for c in certify(m, X, Y) if "no part in the space" in c.statement] for m in (honest, forged)
    ]
    assert of_estimates == [[True], [False]]


@each("model", [LinearRegression(), Ridge(), Ridge(alpha=1e-20, fit_intercept=False)], ids=repr)
@each(
    "X",
    [
        np.repeat(Z[:1], 60, axis=0), Z[:, [0, 0, 1]], Z + 1e12, Z * [1e-9, 1.0, 1e12],
        np.column_stack([Z, np.full(60, 0.1)]),
    ],
    ids=["equal rows", "equal columns", "far", "units", "a constant"],
)  # fmt: skip
@each("y", [Y, Y + 1e8, np.full(60, 0.1)], ids=["", "far", "constant"])
def test_rounding_is_no_direction(model, X, y):
    assert certify(copy.deepcopy(model).fit(X, y), X, y).holds


@each("model", [LinearRegression(), Ridge(), Ridge(alpha=1e-20, fit_intercept=False)], ids=repr)
@each("distance", [1e-12, 3e-13, 1e-13, 3e-14, 1e-14, 3e-15])
def test_a_direction_of_few_digits_refutes_nothing(model, distance):
    # Coefficients of 1e13 have no digits below 1e-3: whether they are near enough hangs on the last bit of the table.
    X = beside(distance)
    for y in (Y, Y + 1e8, np.full(60, 0.1)):
        assert certify(copy.deepcopy(model).fit(X, y), X, y).verdict is not Verdict.REFUTED


def test_a_table_of_equal_rows_has_no_degrees_of_freedom():
    X = np.repeat(Z[:1], 60, axis=0)
    assert certify(RidgeCV().fit(X, Y), X, Y).holds


@each("distance", [1e-5, 1e-7, 1e-8, 1e-9, 1e-11])
@each(
    "model",
    [
        PoissonRegressor(alpha=0.0), PoissonRegressor(alpha=1e-30), GammaRegressor(alpha=0.0),
        LogisticRegression(C=np.inf), LogisticRegression(C=1e20),
    ],
    ids=repr,
)  # fmt: skip
def test_likelihoods_rise_along_it_too(model, distance):
    # Squared in a Hessian the difference is lost.
    X, many = beside(distance), isinstance(model, LogisticRegression)
    noisy = SCORE + RNG.logistic(size=60)
    for y in (noisy > 0.0, np.digitize(noisy, [-0.7, 0.7])) if many else (RNG.poisson(np.exp(SCORE)) + 0.5,):
        honest = copy.deepcopy(model).fit(X, y)
        forged = without_the_second(honest, X, y)
        found = certify(honest, X, y)
        assert found[0].holds
        assert found.verdict is not Verdict.REFUTED, found
        assert certify(forged, X, y).verdict is Verdict.REFUTED

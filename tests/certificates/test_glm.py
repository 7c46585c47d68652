"""Certificates of generalised linear regressions: the gap is a bound, balance holds, changed answers fail."""

import copy
import warnings

import numpy as np
import pytest
import sklearn.linear_model
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.linear import GammaRegressor, GeneralizedLinearRegressor, LogisticRegression, PoissonRegressor
from learnable.problems.linear import links, losses
from learnable.problems.linear.glm import MODELS
from learnable.sparse import SparsePoissonRegressor

PAIRS = list(MODELS)
# A verifier's own bound, for answers good to all digits.
STRICT = 1e-13
WITH_GAP = [pair for pair in PAIRS if type(MODELS[pair].loss) in losses.conjugate.bodies]


def table(pair, n=150, seed=0):
    random = np.random.default_rng(seed)
    model = MODELS[pair]
    X = random.uniform(0.0, 1.0, (n, 3))
    mu = links.mean(model.link, X @ [0.4, 0.8, 0.1] + (0.3 if model.positive else -0.2))
    y = {
        "gaussian": lambda: mu + 0.3 * random.standard_normal(n),
        "binomial": lambda: (random.uniform(size=n) < mu).astype(float),
        "poisson": lambda: random.poisson(mu).astype(float),
        "gamma": lambda: random.gamma(3.0, mu / 3.0),
    }[pair[0]]()
    return X, y, random.uniform(0.5, 2.0, n), 0.1 * random.uniform(size=n)


def objective(model, X, y, weight, offset):
    f = X @ model.coef_ + model.intercept_ + offset
    return (
        np.average(losses.value(model.glm.loss, y, f), weights=weight) + 0.5 * model.alpha * model.coef_ @ model.coef_
    )


@each("intercept", [True, False])
@each("pair", WITH_GAP, ids="-".join)
def test_the_gap_bounds_the_distance_to_the_minimum(pair, intercept):
    X, y, weight, offset = table(pair)
    best = GeneralizedLinearRegressor(*pair, alpha=0.05, fit_intercept=intercept, tol=1e-10).fit(X, y, weight, offset)
    assert best.certificate_.holds
    assert best.certificate_.claim("O6").value < 1e-12
    random = np.random.default_rng(1)
    for size in (1e-3, 1e-2, 0.1):
        worse = copy.deepcopy(best)
        worse.coef_ = best.coef_ + size * random.uniform(-1.0, 1.0, 3)
        worse.intercept_ = best.intercept_ + intercept * size * random.uniform(-1.0, 1.0)
        excess = objective(worse, X, y, weight, offset) - objective(best, X, y, weight, offset)
        gap = certify(worse, X, y, weight, offset=offset).claim("O6").value
        assert 0.0 < excess <= gap * (1.0 + 1e-9)
        assert not certify(worse, X, y, weight, offset=offset, tolerance=STRICT).holds


@each("pair", PAIRS, ids="-".join)
def test_what_is_claimed(pair):
    X, y, weight, _ = table(pair)
    model = GeneralizedLinearRegressor(*pair, alpha=0.05, tol=1e-8).fit(X, y, weight)
    statements = [claim.statement for claim in model.certificate_]
    assert any("stationary" in statement for statement in statements) == (not MODELS[pair].convex)
    assert any("balance" in statement for statement in statements) == MODELS[pair].canonical
    assert any("gap" in statement for statement in statements) == (pair in WITH_GAP)
    if MODELS[pair].canonical:
        assert np.average(model.predict(X), weights=weight) == pytest.approx(np.average(y, weights=weight), abs=1e-7)


@each("pair", PAIRS, ids="-".join)
@each("alpha", [0.0, 0.05])
def test_a_small_shift_is_noticed(pair, alpha):
    X, y, weight, _ = table(pair)
    model = GeneralizedLinearRegressor(*pair, alpha=alpha, tol=1e-9).fit(X, y, weight)
    assert certify(model, X, y, weight, tolerance=STRICT).holds
    for name in ("coef_", "intercept_"):
        altered = copy.deepcopy(model)
        setattr(altered, name, getattr(model, name) + 1e-6)
        assert not certify(altered, X, y, weight, tolerance=STRICT).holds
    assert not certify(model, X, y, weight[::-1]).holds
    y = y.copy()
    y[0] += 0.01 if y[0] < 1.0 else -0.01
    assert not certify(model, X, y, weight, tolerance=STRICT).holds


def test_a_predictor_outside_the_family_is_noticed():
    X, y, _, _ = table(("poisson", "identity"))
    model = GeneralizedLinearRegressor("poisson", "identity", alpha=0.0).fit(X, y)
    model.intercept_ = -100.0
    assert certify(model, X, y).claim("C7").value == np.inf


@each("name", ["PoissonRegressor", "GammaRegressor"])
def test_estimators_of_scikit_learn_are_judged_too(name):
    X, y, weight, _ = table(("gamma", "log"))
    theirs = getattr(sklearn.linear_model, name)(tol=1e-8, solver="newton-cholesky").fit(X, y, weight)
    assert certify(theirs, X, y, weight, tolerance=1e-10).holds
    theirs.coef_ = theirs.coef_ * 1.01
    assert not certify(theirs, X, y, weight, tolerance=1e-10).holds


@each("size", [1e-8, 1e8])
@each("kind", [PoissonRegressor, GammaRegressor])
def test_rounding_is_granted_where_a_tolerance_asks_for_more_than_the_numbers_have(kind, size):
    X, y, _, _ = table(("gamma", "log"))
    model = kind(alpha=0.0, tol=1e-300).fit(X, size * y)
    assert model.certificate_.holds, model.certificate_
    model.coef_ = model.coef_ + 1e-6
    assert not certify(model, X, size * y, tolerance=STRICT).holds


def test_what_the_data_leave_open_is_disclosed():
    X, y, _, _ = table(("poisson", "log"))
    one_hot = np.eye(3)[np.arange(len(y)) % 3]
    model = PoissonRegressor(alpha=0.0).fit(np.column_stack([X, one_hot, one_hot[:, 0]]), y)
    assert model.certificate_.holds
    assert model.certificate_.claim("R1").value == 2.0


@each("pair", [pair for pair in PAIRS if MODELS[pair].canonical], ids="-".join)
def test_balance_is_mean_prediction_minus_mean_target(pair):
    X, y, weight, offset = table(pair)
    model = GeneralizedLinearRegressor(*pair, alpha=0.05, tol=1e-9).fit(X, y, weight, offset)
    model.intercept_ += 0.01
    mean = links.mean(model.glm.link, X @ model.coef_ + model.intercept_ + offset)
    found = certify(model, X, y, weight, offset=offset)
    [claim] = [claim for claim in found.claims if "balance" in claim.statement]
    expected = abs(np.average(mean - y, weights=weight)) / np.average(np.abs(y), weights=weight)
    assert claim.value == pytest.approx(expected, rel=1e-10)
    assert not claim.holds


@each(("kind", "far"), [(PoissonRegressor, -45.0), (PoissonRegressor, -1e4), (GammaRegressor, 1e4)])
def test_slopes_all_on_the_edge_of_their_range_bound_nothing(kind, far):
    X, y, *_ = table(("gamma", "log"))
    model = kind(alpha=0.1).fit(X, y)
    model.intercept_ = far
    found = certify(model, X, y)
    assert not found.holds
    assert found.claim("O6").value == np.inf


def test_means_cannot_be_moved_unnoticed():
    random = np.random.default_rng(101)
    X = random.standard_normal((200, 4))
    X[:, 3] = X[:, 2] + 1e-3 * random.standard_normal(200)
    mean = np.exp(X @ [0.5, -0.3, 0.1, 0.1])
    counts, times, label = (
        random.poisson(mean),
        random.gamma(2.0, mean / 2.0),
        random.uniform(size=200) < mean / (1 + mean),
    )
    for model, y in (
        (PoissonRegressor(), counts),
        (PoissonRegressor(alpha=1e-4), counts),
        (GammaRegressor(alpha=0.0), times),
        (LogisticRegression(), label),
        (LogisticRegression(C=1e6), label),
    ):
        assert certify(model.fit(X, y), X, y).holds
        for size in (1e-5, 1e-3):
            for moved in ({"coef_": model.coef_ * (1 + size)}, {"intercept_": model.intercept_ + size}):
                altered = copy.copy(model)
                vars(altered).update(moved)
                left = Verdict.REFUTED if size == 1e-3 else Verdict.NOTHING_ASSERTED
                assert certify(altered, X, y).verdict is left


def test_a_sparse_answer_cannot_be_moved_unnoticed():
    random = np.random.default_rng(7)
    X = random.standard_normal((150, 5))
    y = random.poisson(np.exp(0.4 * X[:, 0] - 0.2 * X[:, 1]))
    model = SparsePoissonRegressor(alpha=0.05).fit(X, y)
    assert certify(model, X, y).holds
    for moved in ({"coef_": model.coef_ * (1 + 1e-4)}, {"intercept_": model.intercept_ + 1e-4}):
        altered = copy.copy(model)
        vars(altered).update(moved)
        assert not certify(altered, X, y).holds


def test_columns_far_from_zero_keep_their_digits():
    """A column of Unix seconds: the coefficients are those of the same column about its mean, and proved."""
    rng = np.random.default_rng(31)
    X = rng.standard_normal((150, 3))
    y = rng.poisson(np.exp(0.4 * X[:, 0] - 0.3 * X[:, 1]))
    for alpha in (0.0, 0.01):
        for far in (1.7e9, 1e12):
            moved = X + np.array([far, 0.0, 0.0])
            near = moved - moved.mean(axis=0)
            model, expected = (PoissonRegressor(alpha=alpha, tol=1e-10).fit(Z, y) for Z in (moved, near))
            np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
            assert certify(model, moved, y).holds
            again = PoissonRegressor(alpha=alpha, tol=1e-10, warm_start=True).fit(moved, y)
            np.testing.assert_allclose(again.fit(moved, y).coef_, expected.coef_, rtol=1e-9)


def test_equal_targets_in_single_precision_are_fitted_to_their_rounding():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 4)).astype(np.float32)
    for y in (np.full(40, 0.1), np.full(40, 3.0, dtype=np.float32)):
        model = PoissonRegressor().fit(X, y)
        assert model.certificate_.holds
        assert certify(model, X, y).holds
        altered = copy.copy(model)
        altered.intercept_ = model.intercept_ + np.float32(1e-4)
        assert not certify(altered, X, y).holds


@each("solver", ["lbfgs", "newton-cholesky"])
@each("kind", ["GammaRegressor", "PoissonRegressor"])
def test_equal_targets_in_single_precision_are_all_there_is(kind, solver):
    X = np.random.default_rng(0).standard_normal((20, 3)).astype(np.float32)
    for value in (0.1, 1 / 3, 3.7, 1234.567):
        y = np.full(20, value, dtype=np.float32)
        with warnings.catch_warnings(action="ignore"):  # of steps that gain no more than rounding
            model = getattr(sklearn.linear_model, kind)(solver=solver).fit(X, y)
        assert certify(model, X, y).holds, value
        model.intercept_ = model.intercept_ + 1e-5 * (1.0 + abs(model.intercept_))
        assert not certify(model, X, y).holds, value


@each("kind", [PoissonRegressor, GammaRegressor, sklearn.linear_model.PoissonRegressor])
def test_without_an_intercept_the_best_constant_is_no_measure(kind):
    random = np.random.default_rng(0)
    X = random.standard_normal((30, 2))
    for y in (np.full(30, 0.1), 1e3 * np.exp(1e-6 * random.standard_normal(30))):
        model = kind(alpha=0.1, fit_intercept=False, tol=1e-8).fit(X, y)
        assert certify(model, X, y).holds
        model.coef_ = model.coef_ * 1.003
        assert not certify(model, X, y).holds

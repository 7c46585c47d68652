"""What single precision rounds far from zero excuses no answer that is off by what the data differ by."""

import copy

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.bayes import GaussianNB
from learnable.certificates import Verdict
from learnable.linear import BayesianLinearRegression, LinearRegression
from learnable.sparse import ElasticNet, GroupLasso, Lasso, MultiTaskLasso, ReducedRankRegression

RNG = np.random.default_rng(3)
ROWS = RNG.standard_normal((80, 2))
Y = ROWS @ [1.0, 0.5] + 0.5 * RNG.standard_normal(80)
FAR = 3e4
SINGLE = ROWS.astype(np.float32)


def scaled(name, factor):
    return lambda model: setattr(model, name, (getattr(model, name) * factor).astype(np.float32))


def shifted(name, by):
    return lambda model: setattr(model, name, getattr(model, name) + np.float32(by))


@each(
    ("model", "y", "alteration"),
    [
        (BayesianLinearRegression(prior_scale=1e-5, noise_scale=1.0), Y, scaled("coef_", 1.05)),
        (ReducedRankRegression(), np.column_stack([Y, 2.0 * Y]), scaled("coef_", 1.03)),
        (ReducedRankRegression(), np.column_stack([Y, 2.0 * Y]) + FAR, shifted("intercept_", 0.5)),
    ],
)  # fmt: skip
def test_a_regression_in_single_precision(model, y, alteration):
    fitted = copy.copy(model).fit(SINGLE, y)
    assert certify(fitted, SINGLE, y).holds
    alteration(fitted)
    assert not certify(fitted, SINGLE, y).holds


@each("name", ["theta_", "var_"])
def test_means_and_variances_of_a_column_far_from_zero(name):
    far = SINGLE + np.array([FAR, 0.0], dtype=np.float32)
    model = GaussianNB().fit(far, Y > 0.0)
    assert certify(model, far, Y > 0.0).holds
    given = getattr(model, name)
    given[0, 0] += 0.3 * model.var_[0, 0] ** (0.5 if name == "theta_" else 1.0)
    altered = certify(model, far, Y > 0.0)
    assert not altered.holds


@each("model", [Lasso(alpha=0.1), MultiTaskLasso(alpha=0.1)], ids=repr)
def test_what_rounding_of_an_intercept_adds_to_a_gap_proves_no_other_answer(model):
    y, table = np.column_stack([Y, Y]) + 2e6, SINGLE - SINGLE.mean(axis=0)
    y = y[:, 0] if isinstance(model, Lasso) else y
    for alteration in (scaled("coef_", 0.0), shifted("intercept_", 0.5)):
        fitted = copy.copy(model).fit(table, y)
        assert certify(fitted, table, y)[0].holds
        alteration(fitted)
        found = certify(fitted, table, y)
        assert not found[0].holds
        assert not found.holds


@each("model", [Lasso, ElasticNet, MultiTaskLasso, ReducedRankRegression, GroupLasso, LinearRegression], ids=repr)
def test_targets_that_differ_by_few_units_of_single_precision(model):
    unit = float(np.spacing(np.float32(1e5)))
    y = (1e5 + 4.0 * unit * np.column_stack([Y, Y]) / Y.std()).astype(np.float32)
    y = y if model in (MultiTaskLasso, ReducedRankRegression) else y[:, 0]
    fitted = model().set_params(**({"alpha": 0.3 * unit} if "alpha" in model().get_params() else {})).fit(SINGLE, y)
    assert certify(fitted, SINGLE, y).verdict is not Verdict.REFUTED
    middle = fitted.predict(SINGLE.astype(float)).mean(axis=0)
    for factor, shift in ((1.2, 0.0), (0.0, 0.0), (1.0, 4.0 * unit)):
        altered = copy.deepcopy(fitted)
        altered.coef_ = (fitted.coef_ * factor).astype(fitted.coef_.dtype)
        moved = middle + shift - altered.coef_ @ SINGLE.mean(axis=0, dtype=float)
        altered.intercept_ = np.asarray(moved, dtype=np.asarray(fitted.intercept_).dtype)[()]
        assert not certify(altered, SINGLE, y).holds


@each("prior_scale", [1e-3, 1e-5])
def test_a_prior_under_which_predictions_hardly_differ(prior_scale):
    y = Y + 10.0
    model = BayesianLinearRegression(prior_scale=prior_scale, noise_scale=1.0).fit(ROWS, y)
    assert certify(model, ROWS, y).holds
    model.intercept_ += 0.05 * np.std(model.predict(ROWS))
    assert not certify(model, ROWS, y).holds

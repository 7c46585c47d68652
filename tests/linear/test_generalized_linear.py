"""Generalised linear regressors: numbers from R, statsmodels and scikit-learn; laws of weights, offsets and sources."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest
import sklearn.linear_model
import statsmodels.api as sm
from scipy import sparse
from sklearn.base import is_regressor
from statsmodels.tools.sm_exceptions import DomainWarning
from tests.cases import each

from learnable.linear import GammaRegressor, GeneralizedLinearRegressor, PoissonRegressor, glm_summary
from learnable.problems.linear.glm import MODELS
from learnable.rows import as_rows
from learnable.trace import Status

CASES = json.loads((Path(__file__).parents[1] / "reference" / "glm_r.json").read_text(encoding="utf-8"))["cases"]


def arrays(case):
    return [None if case[key] is None else np.array(case[key]) for key in ("X", "y", "weight", "offset")]


def counts(n=400, p=5, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p))
    return X, random.poisson(np.exp(X @ np.linspace(-0.4, 0.4, p) + 0.5)).astype(float), random.uniform(0.2, 3.0, n)


def fit(kind, *data, **parameters):
    return kind(**({"tol": 1e-11} | parameters)).fit(*data)


@each("name", CASES)
def test_values_of_r(name):
    case = CASES[name]
    X, y, weight, offset = arrays(case)
    model = GeneralizedLinearRegressor(case["family"], case["link"], alpha=0.0, tol=1e-11).fit(X, y, weight, offset)
    assert model.certificate_.holds
    np.testing.assert_allclose(model.predict(X, offset), case["fitted"], rtol=1e-9)
    result = glm_summary(model, X, y, weight)
    for column in ("estimate", "standard_error", "statistic"):
        np.testing.assert_allclose(getattr(result, column), case[column], rtol=1e-9)
    np.testing.assert_allclose(result.p_value, case["p_value"], rtol=1e-8, atol=1e-300)
    for key in ("deviance", "null_deviance", "dispersion", "aic"):
        assert result.glance()[key] == pytest.approx(case[key], rel=1e-9)
    if result.distribution == "z":
        # R's confint.default takes normal quantiles in every family; here Student's are taken where they belong.
        np.testing.assert_allclose(result.lower, case["lower"], rtol=1e-9)
        np.testing.assert_allclose(result.upper, case["upper"], rtol=1e-9)
    elif weight is None and offset is None:
        assert model.score(X, y) == pytest.approx(1.0 - case["deviance"] / case["null_deviance"], rel=1e-9)


@each(
    ("pair", "family"),
    [
        (("poisson", "log"), sm.families.Poisson()),
        (("gamma", "log"), sm.families.Gamma(sm.families.links.Log())),
        (("binomial", "probit"), sm.families.Binomial(sm.families.links.Probit())),
    ],
    ids=["poisson log", "gamma log", "binomial probit"],
)
def test_values_of_statsmodels(pair, family):
    X, y, _ = counts()
    y = {"poisson": y, "gamma": y + 0.5, "binomial": (y > 1.0).astype(float)}[pair[0]]
    theirs = sm.GLM(y, sm.add_constant(X), family).fit(tol=1e-14, maxiter=200)
    ours = GeneralizedLinearRegressor(*pair, alpha=0.0, tol=1e-11).fit(X, y)
    result = glm_summary(ours, X, y)
    np.testing.assert_allclose(result.estimate, theirs.params, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(result.standard_error, theirs.bse, rtol=1e-6)
    assert result.glance()["deviance"] == pytest.approx(theirs.deviance, rel=1e-10)


@each("intercept", [True, False])
@each("alpha", [0.01, 1.0])
@each("name", ["PoissonRegressor", "GammaRegressor"])
def test_the_minimum_of_scikit_learn(name, alpha, intercept):
    X, y, weight = counts()
    y = y + 0.5 * (name == "GammaRegressor")
    parameters = {"alpha": alpha, "fit_intercept": intercept, "tol": 1e-10, "solver": "newton-cholesky"}
    theirs = getattr(sklearn.linear_model, name)(**parameters).fit(X, y, weight)
    ours = {"PoissonRegressor": PoissonRegressor, "GammaRegressor": GammaRegressor}[name](**parameters).fit(
        X, y, weight
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-9)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-7)
    assert ours.score(X, y, weight) == pytest.approx(theirs.score(X, y, weight), rel=1e-9)
    by_family = GeneralizedLinearRegressor(name.removesuffix("Regressor").lower(), alpha=alpha, fit_intercept=intercept)
    np.testing.assert_allclose(by_family.set_params(tol=1e-10).fit(X, y, weight).coef_, ours.coef_, rtol=1e-12)


def test_gaussian_identity_is_ridge_and_binomial_logit_is_logistic_regression():
    X, y, weight = counts()
    ridge = sklearn.linear_model.Ridge(alpha=0.3 * weight.sum()).fit(X, y, weight)
    ours = GeneralizedLinearRegressor(alpha=0.3, tol=1e-12).fit(X, y, weight)
    np.testing.assert_allclose(ours.coef_, ridge.coef_, rtol=1e-9)
    label = (y > 1.0).astype(float)
    logistic = sklearn.linear_model.LogisticRegression(C=1.0 / (0.3 * len(y)), tol=1e-10, max_iter=1000).fit(X, label)
    ours = GeneralizedLinearRegressor("binomial", alpha=0.3, tol=1e-12).fit(X, label)
    np.testing.assert_allclose(ours.coef_, logistic.coef_[0], rtol=1e-5)


@each("pair", list(MODELS), ids="-".join)
def test_a_weight_of_two_is_a_row_met_twice_and_of_zero_a_row_not_met(pair):
    X, y, _ = counts(n=60, p=2)
    y = y / (y.max() + 1.0) if pair[0] == "binomial" else y + 1.0
    weight = np.resize([0, 1, 2, 3], len(y))
    one = fit(GeneralizedLinearRegressor, X, y, weight, family=pair[0], link=pair[1], alpha=0.2)
    many = fit(
        GeneralizedLinearRegressor, X.repeat(weight, axis=0), y.repeat(weight), family=pair[0], link=pair[1], alpha=0.2
    )
    np.testing.assert_allclose(one.coef_, many.coef_, rtol=1e-7, atol=1e-9)
    scaled = fit(GeneralizedLinearRegressor, X, y, 7.0 * weight, family=pair[0], link=pair[1], alpha=0.2)
    np.testing.assert_allclose(one.coef_, scaled.coef_, rtol=1e-7, atol=1e-9)


@each("form", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, np.asfortranarray], ids=str)
def test_sparse_and_transposed_input(form):
    X, y, weight = counts()
    X[X < 0.3] = 0.0
    dense, other = fit(PoissonRegressor, X, y, weight, alpha=0.1), fit(PoissonRegressor, form(X), y, weight, alpha=0.1)
    np.testing.assert_allclose(other.coef_, dense.coef_, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(other.predict(form(X)), dense.predict(X), rtol=1e-9)


def test_single_precision_stays_single_and_is_certified():
    X, y, _ = counts()
    double, single = PoissonRegressor(alpha=0.1).fit(X, y), PoissonRegressor(alpha=0.1).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == single.predict(X.astype(np.float32)).dtype == np.float32
    assert single.certificate_.holds
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-4)


def test_an_offset_is_a_column_whose_coefficient_is_one():
    X, y, weight = counts()
    model = fit(PoissonRegressor, X[:, 1:], y, weight, 0.7 * X[:, 0], alpha=0.0)
    rest = sm.GLM(y, sm.add_constant(X[:, 1:]), sm.families.Poisson(), offset=0.7 * X[:, 0], freq_weights=weight)
    np.testing.assert_allclose(model.coef_, rest.fit(tol=1e-14).params[1:], rtol=1e-8)
    np.testing.assert_allclose(model.predict(X[:, 1:], 0.7 * X[:, 0]).dot(weight), y.dot(weight), rtol=1e-9)
    shifted = fit(PoissonRegressor, X, y, weight, np.full(len(y), 2.0), alpha=0.5)
    plain = fit(PoissonRegressor, X, y, weight, alpha=0.5)
    assert shifted.intercept_ == pytest.approx(plain.intercept_ - 2.0, rel=1e-9)
    assert shifted.certificate_.claim("O6").value < 1e-9
    with pytest.raises(ValueError, match=r"PoissonRegressor: offset has shape \(3,\); expected \(400,\)"):
        PoissonRegressor().fit(X, y, offset=np.ones(3))


def test_the_same_answer_from_every_source(tmp_path):
    dask_array = importlib.import_module("dask.array")
    X, y, weight = counts(n=3000)
    whole = fit(PoissonRegressor, X, y, weight, alpha=0.1)
    chunked = dask_array.from_array(X, chunks=(700, -1)), dask_array.from_array(y, chunks=700)
    mapped = np.memmap(tmp_path / "X", dtype=float, mode="w+", shape=X.shape)
    mapped[:] = X
    for other in (
        fit(PoissonRegressor, *chunked, dask_array.from_array(weight, chunks=700), alpha=0.1),
        fit(PoissonRegressor, as_rows(X, y, weight), alpha=0.1),
        fit(PoissonRegressor, mapped, y, weight, alpha=0.1),
    ):
        np.testing.assert_allclose(other.coef_, whole.coef_, rtol=1e-10)
    assert whole.score(as_rows(X, y, weight)) == pytest.approx(whole.score(X, y, weight))


@each("alpha", [0.0, 0.01])
def test_many_rows_take_the_curvature_of_a_sample_and_end_at_the_same_minimum(alpha):
    X, y, _ = counts(n=30_000, p=30)
    ours = PoissonRegressor(alpha=alpha, tol=1e-9).fit(X, y)
    theirs = sklearn.linear_model.PoissonRegressor(alpha=alpha, tol=1e-9, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-8)
    assert ours.certificate_.holds
    X[:, 3] = X[:, 4]
    collinear = PoissonRegressor(alpha=alpha, tol=1e-9).fit(X, y)
    assert collinear.coef_[3] == pytest.approx(collinear.coef_[4], rel=1e-6)


def test_warm_start_begins_at_the_last_answer():
    X, y, _ = counts()
    model = PoissonRegressor(warm_start=True, tol=1e-9).fit(X, y)
    assert model.n_iter_ > 0
    assert model.fit(X, y).n_iter_ == 0
    assert model.fit(X[:, :2], y).coef_.shape == (2,)


def test_more_columns_than_rows_without_a_penalty():
    X, y, _ = counts(n=8, p=20)
    model = GeneralizedLinearRegressor(alpha=0.0, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-8)
    shortest = np.linalg.pinv(X - X.mean(axis=0)) @ (y - y.mean())
    np.testing.assert_allclose(model.coef_, shortest, rtol=1e-6, atol=1e-9)
    assert model.certificate_.claim("R1").value == 13.0


@each(
    ("model", "y", "message"),
    [
        (PoissonRegressor(), [1.0, -2.0, 3.0], r"y\[1\] is -2, but family 'poisson' needs y >= 0"),
        (GammaRegressor(), [1.0, 2.0, 0.0], r"y\[2\] is 0, but family 'gamma' needs y > 0"),
        (GeneralizedLinearRegressor("binomial"), [0.0, 2.0, 1.0], r"y\[1\] is 2, .* needs 0 <= y <= 1"),
        (PoissonRegressor(), [0.0, 0.0, 0.0], "PoissonRegressor: the mean of y is 0, which no finite intercept gives"),
        (GeneralizedLinearRegressor("binomial"), [1.0, 1.0, 1.0], "the mean of y is 1, which no finite intercept"),
        (GeneralizedLinearRegressor("gaussian", "log"), [-1.0, -2.0, 1.0], "the mean of y is -0.666667"),
        (GeneralizedLinearRegressor("gamma", "logit"), [1.0, 2.0, 3.0], "link='logit' does not belong to"),
        (GeneralizedLinearRegressor(alpha=-1.0), [1.0, 2.0, 3.0], "alpha"),
        (GeneralizedLinearRegressor("tweedie"), [1.0, 2.0, 3.0], "family"),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_bad_targets_and_parameters(model, y, message):
    assert is_regressor(model)  # whatever its parameters are
    with pytest.raises(ValueError, match=message):
        model.fit(np.arange(6.0).reshape(3, 2), y)
    assert not hasattr(model, "coef_")


def test_bad_weights():
    X, y, _ = counts(n=10, p=2)
    with pytest.raises(ValueError, match="at least one"):
        PoissonRegressor().fit(X, y, np.zeros(10))
    with pytest.raises(ValueError, match="at least one non-zero number"):
        PoissonRegressor().fit(as_rows(X, y, np.zeros(10)))
    with pytest.raises(ValueError, match="Negative values"):
        PoissonRegressor().fit(X, y, -np.ones(10))


def test_all_zero_counts_without_an_intercept_are_shrunk_not_refused():
    X = np.array([[1.0], [2.0]])
    model = PoissonRegressor(fit_intercept=False, alpha=1.0, tol=1e-10).fit(X, np.zeros(2))
    assert model.certificate_.holds
    # ½ (e^β + 2 e^{2β}) + β = 0.
    beta = model.coef_[0]
    assert 0.5 * (np.exp(beta) + 2.0 * np.exp(2.0 * beta)) + beta == pytest.approx(0.0, abs=1e-9)


def test_a_predictor_without_a_mean_is_refused_at_prediction():
    X, y = np.arange(1.0, 9.0)[:, None], np.arange(1.0, 9.0)
    model = GeneralizedLinearRegressor("poisson", "identity", alpha=0.0).fit(X, y)
    with pytest.raises(ValueError, match=r"the linear predictor of row 1 is -\d"):
        model.predict([[1.0], [-9.0]])


def test_positive_predictors_without_an_intercept():
    random = np.random.default_rng(0)
    X = random.uniform(0.5, 2.0, (50, 2))
    y = random.poisson(X @ [2.0, 3.0]).astype(float)
    model = GeneralizedLinearRegressor("poisson", "identity", alpha=0.0, fit_intercept=False, tol=1e-10).fit(X, y)
    with pytest.warns(DomainWarning):
        theirs = sm.GLM(y, X, sm.families.Poisson(sm.families.links.Identity())).fit(tol=1e-14)
    np.testing.assert_allclose(model.coef_, theirs.params, rtol=1e-7)
    with pytest.raises(ValueError, match="no coefficients were found"):
        model.fit(np.array([[1.0], [-1.0]]), np.ones(2))


def test_a_spent_budget_is_said():
    X, y, _ = counts()
    with pytest.warns(sklearn.exceptions.ConvergenceWarning, match="raise max_iter"):
        model = PoissonRegressor(max_iter=1, tol=1e-12).fit(X, y)
    assert model.status_ is Status.BUDGET_SPENT
    assert not model.certificate_.holds


@each(
    ("parameters", "change", "message"),
    [
        ({"alpha": 0.1}, {}, r"penalised \(alpha=0.1\)"),
        ({"alpha": 0.0}, {"X": lambda X: np.column_stack([X, X[:, 0]])}, "leave 1 direction"),
        ({"alpha": 0.0, "tol": 1e-2}, {}, "standard errors from the maximum"),
    ],
)
def test_no_summary_where_the_theory_does_not_hold(parameters, change, message):
    X, y, _ = counts()
    X = change.get("X", lambda X: X)(X)
    model = fit(PoissonRegressor, X, y, **parameters)
    with pytest.raises(ValueError, match=message):
        glm_summary(model, X, y)


def test_no_summary_on_other_data_or_of_separated_classes():
    X, y, _ = counts()
    with pytest.raises(ValueError, match="no maximum likelihood estimate on these data"):
        glm_summary(fit(PoissonRegressor, X, y, alpha=0.0), X, y + 1.0)
    label = (X[:, 0] > 0.0).astype(float)
    with pytest.warns(match="the classes are not separated"):
        separated = GeneralizedLinearRegressor("binomial", alpha=0.0, tol=1e-6).fit(X, label)
    assert not separated.certificate_.claim("C8").holds
    with pytest.raises(ValueError, match="not separated"):
        glm_summary(separated, X, label)
    with pytest.raises(TypeError, match="Ridge is not a generalised linear regressor"):
        glm_summary(sklearn.linear_model.Ridge().fit(X, y), X, y)


def test_intervals_cover():
    # 95 % Wald intervals of 200 tables cover the true coefficient about 190 times: within 4 standard deviations.
    random = np.random.default_rng(1)
    covered = 0
    for _ in range(200):
        X = random.standard_normal((120, 1))
        y = random.poisson(np.exp(0.4 * X[:, 0] + 1.0)).astype(float)
        result = glm_summary(PoissonRegressor(alpha=0.0, tol=1e-9).fit(X, y), X, y)
        covered += bool(result.lower[1] <= 0.4 <= result.upper[1])
    assert 177 <= covered <= 200
    assert "95% interval" in str(result)

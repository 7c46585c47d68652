"""Standard errors of plain logistic regressions: statsmodels, exact tables, units, refusals, methods."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from sklearn import linear_model
from tests.cases import each

from learnable.linear import (
    GeneralizedLinearRegressor,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    glm_summary,
    logistic_summary,
    summary,
)

random = np.random.default_rng(0)
X = random.standard_normal((150, 3)) @ random.standard_normal((3, 3)) + [5.0, 0.0, -2.0]
SCORE = (X - X.mean(axis=0)) @ [1.0, -0.5, 0.3]
TWO = np.where(SCORE + random.logistic(size=150) > 0.0, "yes", "no")
THREE = (SCORE[:, None] * [0.0, 0.7, -0.4] + random.gumbel(size=(150, 3))).argmax(axis=1)


@each("intercept", [True, False])
@each("kind", [LogisticRegression, linear_model.LogisticRegression])
@each("off", [{"C": np.inf}, {"penalty": None}], ids=["C=inf", "penalty=None"])
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore:Setting penalty=None will ignore the C:UserWarning")
def test_two_classes(kind, intercept, off):
    model = kind(fit_intercept=intercept, tol=1e-10, max_iter=5000, **off).fit(X, TWO)
    found = summary(model, X, TWO)
    design = sm.add_constant(X) if intercept else X
    other = sm.Logit((TWO == "yes").astype(float), design).fit(disp=0, tol=1e-12)
    assert found.names == (("intercept",) if intercept else ()) + ("x0", "x1", "x2")
    assert_allclose(found.estimate, other.params, rtol=1e-5)
    assert_allclose(found.covariance, other.cov_params(), rtol=1e-5, atol=1e-9)
    assert_allclose(found.p_value, other.pvalues, rtol=1e-4)
    assert_allclose(np.column_stack([found.lower, found.upper]), other.conf_int(), rtol=1e-5)
    glance = found.glance()
    assert_allclose([glance["log_likelihood"], glance["aic"], glance["bic"]], [other.llf, other.aic, other.bic])
    if intercept:
        assert_allclose([glance["pseudo_r_squared"], glance["null_deviance"]], [other.prsquared, -2.0 * other.llnull])


def test_three_classes_are_log_odds_against_the_first():
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(X, THREE)
    found = model.summary(X, THREE)
    other = sm.MNLogit(THREE, sm.add_constant(X)).fit(disp=0, method="newton", tol=1e-12)
    assert_allclose(found.estimate, other.params.T.ravel(), rtol=1e-5)
    assert_allclose(found.standard_error, other.bse.T.ravel(), rtol=1e-6)
    assert_allclose(found.glance()["log_likelihood"], other.llf)
    assert found.names[0] == "1: intercept"
    assert found.names[-1] == "2: x2"


def test_weights_count_rows_and_units_only_rescale():
    times = random.integers(0, 4, 150)
    model = LogisticRegression(C=np.inf, tol=1e-10)
    weighted = model.fit(X, TWO, sample_weight=times).summary(X, TWO, times)
    rows = np.repeat(np.arange(150), times)
    repeated = model.fit(X[rows], TWO[rows]).summary(X[rows], TWO[rows])
    assert_allclose(weighted.standard_error, repeated.standard_error, rtol=1e-6)
    assert_allclose(weighted.glance()["deviance"], repeated.glance()["deviance"])
    unit = np.array([1e6, 1e-6, 1.0])
    plain, scaled = (model.fit(Z, TWO).summary(Z, TWO) for Z in (X, X * unit + [0.0, 0.0, 1e5]))
    assert_allclose(scaled.standard_error[1:] * unit, plain.standard_error[1:], rtol=1e-5)


def test_what_has_no_sampling_theory_is_refused():
    plain = LogisticRegression(C=np.inf, tol=1e-10)
    with pytest.raises(ValueError, match="the fit was penalised"):
        LogisticRegression().fit(X, TWO).summary(X, TWO)
    with pytest.raises(ValueError, match="makes rows count that are not there"):
        LogisticRegression(C=np.inf, class_weight="balanced").fit(X, TWO).summary(X, TWO)
    twice = np.column_stack([X, X[:, 0]])
    with pytest.raises(ValueError, match="depend on each other"):
        plain.fit(twice, TWO).summary(twice, TWO)
    with pytest.raises(ValueError, match="standard errors from the maximum"):
        plain.fit(X, TWO).summary(X, np.roll(TWO, 7))
    with pytest.raises(ValueError, match="not those of the fit"):
        plain.fit(X, TWO).summary(X, THREE)
    with pytest.raises(ValueError, match="level must be strictly"):
        plain.fit(X, TWO).summary(X, TWO, level=1.0)


def test_methods_are_the_functions():
    y, counts = SCORE + random.standard_normal(150), random.poisson(2.0, 150).astype(float)
    linear = LinearRegression().fit(X, y)
    assert linear.tidy(X, y)[1:] == summary(linear, X, y).tidy()[1:]
    assert linear.glance(X, y) == summary(linear, X, y).glance()
    poisson = PoissonRegressor(alpha=0.0, tol=1e-10).fit(X, counts)
    assert poisson.tidy(X, counts, level=0.9) == glm_summary(poisson, X, counts, level=0.9).tidy()
    assert summary(poisson, X, counts).glance() == glm_summary(poisson, X, counts).glance()
    logistic = LogisticRegression(C=np.inf, tol=1e-10).fit(X, TWO)
    assert logistic.tidy(X, TWO) == logistic_summary(logistic, X, TWO).tidy()
    binomial = GeneralizedLinearRegressor(family="binomial", alpha=0.0, tol=1e-10).fit(X, (TWO == "yes").astype(float))
    assert_allclose(
        [row["standard_error"] for row in logistic.tidy(X, TWO)],
        [row["standard_error"] for row in binomial.tidy(X, (TWO == "yes").astype(float))],
        rtol=1e-5,
    )

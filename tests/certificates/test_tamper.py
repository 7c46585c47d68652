"""The tamper law: an answer changed beyond the stated tolerance loses its certificate."""

import copy

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.core.certify import ledger_of
from learnable.ensembles import (
    BaggingRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from learnable.linear import (
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    QuadraticDiscriminantAnalysis,
    Ridge,
)
from learnable.sequences import GaussianHMM
from learnable.sparse import AdaptiveLasso, ElasticNetCV, Lars, Lasso, Stepwise
from learnable.trees import DecisionTreeRegressor
from learnable.unsupervised import KernelPCA

RNG = np.random.default_rng(23)
X = RNG.standard_normal((150, 5)) + np.array([0.0, 1.0, -2.0, 5.0, 0.0])
SCORE = (X - X.mean(axis=0)) @ np.array([2.0, -1.5, 1.0, 0.5, 0.0])
Y = SCORE + 0.3 * RNG.standard_normal(150)
LABEL = (SCORE + RNG.logistic(size=150) > 0).astype(int)
WEIGHT = RNG.uniform(0.2, 2.0, 150)

EXACT = [
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    Ridge(alpha=1.0),
    Ridge(alpha=50.0, fit_intercept=False),
    Lasso(alpha=0.05, tol=1e-14),
    Lasso(alpha=0.05, tol=1e-14, positive=True),
    LogisticRegression(tol=1e-9),
    LogisticRegression(C=np.inf, tol=1e-9),
]


def changed(model, name, change):
    altered = copy.deepcopy(model)
    value = np.array(getattr(model, name), dtype=float)
    setattr(altered, name, change(value))
    return altered


def strict(model):
    """The bound of a verifier who asks for all digits, where the library's own asks for what any use of them needs."""
    return None if isinstance(model, LinearRegression | Ridge) else 1e-14


def target(model):
    return LABEL if isinstance(model, LogisticRegression) else Y


@each("weight", [None, WEIGHT], ids=["", "weighted"])
@each("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@each("model", EXACT, ids=repr)
def test_a_millionth_is_noticed(model, form, weight):
    y = target(model)
    fitted = copy.deepcopy(model).fit(form(X), y, sample_weight=weight)
    assert certify(fitted, form(X), y, weight, tolerance=strict(model)).holds
    size = np.abs(fitted.coef_).max()
    for j in np.flatnonzero(np.ravel(fitted.coef_)):
        for shift in (1e-6 * size, -1e-6 * size):

            def move(coef, j=j, shift=shift):
                coef = coef.copy()
                coef.flat[j] += shift
                return coef

            altered = changed(fitted, "coef_", move)
            assert not certify(altered, form(X), y, weight, tolerance=strict(model)).holds, (j, shift)
    if model.fit_intercept:
        shifted = changed(fitted, "intercept_", lambda b: b + 1e-6 * max(1.0, np.abs(b).max()))
        assert not certify(shifted, form(X), y, weight, tolerance=strict(model)).holds


@each("model", EXACT[:7], ids=repr)
@each("bad", [np.nan, np.inf, -np.inf, 1e100])
def test_non_finite_answers_never_hold(model, bad):
    y = target(model)
    fitted = copy.deepcopy(model).fit(X, y)

    def put(coef):
        coef = coef.copy()
        coef.flat[0] = bad
        return coef

    with np.errstate(all="ignore"):
        assert not certify(changed(fitted, "coef_", put), X, y).holds
        if model.fit_intercept:
            assert not certify(changed(fitted, "intercept_", put), X, y).holds


@each("model", EXACT, ids=repr)
def test_other_data_are_noticed(model):
    y = target(model)
    fitted = copy.deepcopy(model).fit(X, y)
    rows = np.roll(np.arange(150), 1)
    assert not certify(fitted, X[rows], y).holds
    assert not certify(fitted, X, y, WEIGHT).holds
    other = X.copy()
    other[7, 0] += 1.0
    assert not certify(fitted, other, y).holds


def test_another_penalty_is_noticed():
    fitted = Ridge(alpha=1.0).fit(X, Y)
    assert not certify(copy.deepcopy(fitted).set_params(alpha=1.001), X, Y).holds
    fitted = Lasso(alpha=0.05, tol=1e-12).fit(X, Y)
    assert not certify(copy.deepcopy(fitted).set_params(alpha=0.051), X, Y, tolerance=1e-13).holds
    fitted = LogisticRegression(tol=1e-9).fit(X, LABEL)
    assert not certify(copy.deepcopy(fitted).set_params(C=1.01), X, LABEL, tolerance=1e-13).holds


def test_perceptron_log_must_be_the_log():
    sign = np.where(SCORE > 0, 1, 0)
    Z = X + 0.3 * np.outer(2 * sign - 1, [2.0, -1.5, 1.0, 0.5, 0.0])
    fitted = Perceptron(tol=None, shuffle=False).fit(Z, sign)
    assert certify(fitted, Z, sign).holds
    log = fitted.mistake_log_[0]
    assert len(log) > 3
    for wrong in (log[:-1], np.append(log, log[0]), log[::-1]):
        altered = copy.deepcopy(fitted)
        altered.mistake_log_ = [wrong]
        assert not certify(altered, Z, sign).holds
    # A separator that is right everywhere but is not the sum of the updates does not pass either.
    assert not certify(changed(fitted, "coef_", lambda c: 1.001 * c), Z, sign).holds


def test_a_solution_that_is_not_of_least_norm_is_noticed():
    Z = np.column_stack([X, X[:, 0]])
    fitted = LinearRegression().fit(Z, Y)
    assert fitted.certificate_.holds

    def along_the_null_space(coef):
        return coef + 1e-6 * np.array([1.0, 0, 0, 0, 0, -1.0])

    assert not certify(changed(fitted, "coef_", along_the_null_space), Z, Y).holds


def test_spent_budget_is_told_by_the_certificate():
    with pytest.warns(match="iteration budget"):
        fitted = Lasso(alpha=1e-4, tol=1e-14, max_iter=1).fit(np.cos(np.outer(np.arange(30), np.arange(60))), Y[:30])
    assert not fitted.certificate_.holds
    assert fitted.certificate_.claim("L3").value == pytest.approx(fitted.dual_gap_, rel=1e-6)


def test_numbers_kept_as_objects_are_no_answer():
    """Predictions fail on them, so nothing is proved by them either."""
    from learnable.bayes import BernoulliNB

    for model, y in ((BernoulliNB(), LABEL), (Ridge(), Y)):
        fitted = model.fit(X > 0, y)
        name = "coef_" if hasattr(fitted, "coef_") else "feature_log_prob_"
        assert not certify(changed(fitted, name, lambda values: values.astype(object)), X > 0, y).holds


def test_what_is_no_number_fails_every_comparison():
    """Python's max(x, nan) is x: a stated NaN must not hide behind another difference. Nor may a table be a vector."""
    from learnable.unsupervised import PCA, GaussianMixture

    def undefined(values):
        values = np.array(values, dtype=float)
        values.flat[values.size // 2] = np.nan
        return values if values.ndim else float(values)

    cases = (
        (GradientBoostingRegressor(n_estimators=5), "train_loss_"),
        (HistGradientBoostingRegressor(max_iter=5), "train_score_"),
        (GaussianMixture(2, tol=1e-8, max_iter=999, random_state=0), "precisions_cholesky_"),
        (PCA(2), "noise_variance_"),
    )
    for model, name in cases:
        fitted = model.fit(X, Y)
        assert certify(fitted, X, Y).holds
        assert not certify(changed(fitted, name, undefined), X, Y).holds, name
    for model in (Lasso(alpha=0.1), LinearRegression()):
        assert not certify(changed(model.fit(X, Y), "coef_", np.atleast_2d), X, Y).holds


def test_parameters_that_state_no_problem_prove_nothing():
    fitted = Ridge().fit(X, Y)
    for bad in (np.nan, -1.0, "one"):
        assert certify(copy.deepcopy(fitted).set_params(alpha=bad), X, Y).verdict is Verdict.REFUTED


@each(
    "model",
    [
        AdaptiveLasso(initial=Ridge()),
        BaggingRegressor(n_estimators=24, oob_score=True, random_state=0),
        DecisionTreeRegressor(ccp_alpha=0.05),
        ElasticNetCV(l1_ratio=[0.5, 0.9], alphas=3, cv=2),
        GradientBoostingRegressor(n_estimators=3, subsample=0.5, random_state=0),
        GradientBoostingRegressor(n_estimators=3, n_iter_no_change=2, random_state=0),
        HistGradientBoostingRegressor(max_iter=3, early_stopping=True, random_state=0),
        KernelPCA(2, kernel="rbf", fit_inverse_transform=True),
        Lars(jitter=1e-3, random_state=0),
        LinearDiscriminantAnalysis(solver="eigen", store_covariance=True),
        QuadraticDiscriminantAnalysis(store_covariance=True),
        RandomForestRegressor(24, oob_score=True, random_state=0),
        Stepwise(criterion="cv"),
    ],
    ids=repr,
)
def test_what_an_option_leaves_behind_cannot_be_taken_away(model):
    y = LABEL if is_classifier(model) else Y
    fitted = copy.deepcopy(model).fit(X, y)
    assert certify(fitted, X, y).holds
    left = [name for name in ledger_of(type(fitted)).sometimes if hasattr(fitted, name)]
    assert left
    for name in left:
        altered = copy.deepcopy(fitted)
        delattr(altered, name)
        assert not certify(altered, X, y).holds, name


def test_an_offset_cannot_be_taken_away():
    offset = RNG.uniform(0.5, 1.0, len(Y))
    fitted = PoissonRegressor(alpha=0.1).fit(X, np.abs(Y), offset=offset)
    assert certify(fitted, X, np.abs(Y), offset=offset).holds
    del fitted.offset_
    assert certify(fitted, X, np.abs(Y), offset=offset).verdict is Verdict.REFUTED


def test_a_method_of_its_own_is_no_part_of_an_answer():
    fitted = Ridge().fit(X, Y)
    assert certify(fitted, X, Y).holds
    fitted.predict = fitted.predict
    assert certify(fitted, X, Y).verdict is Verdict.REFUTED


def test_what_cannot_be_asked_for_an_answer_is_refuted():
    fitted = BaggingRegressor(n_estimators=2, random_state=0).fit(X, Y)
    fitted.estimator = 1
    assert certify(fitted, X, Y).verdict is Verdict.REFUTED
    model = GaussianHMM(2, tol=1e-6, n_iter=999, random_state=0).fit(X)
    assert certify(model, X).holds
    model.startprob_ = np.where(model.startprob_ == model.startprob_.min(), -1e-12, model.startprob_)
    assert certify(model, X).verdict is Verdict.REFUTED

"""LassoCV and ElasticNetCV: scikit-learn's choice, the one-standard-error rule, threads, tampering."""

import copy
import inspect

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as foreign
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.sparse import ElasticNet, ElasticNetCV, LassoCV

RNG = np.random.default_rng(5)
X = RNG.standard_normal((60, 15)) + 1.0
Y = X[:, :3] @ [2.0, -1.0, 0.5] + RNG.standard_normal(60)
W = RNG.uniform(0.2, 2.0, 60)
TIGHT = {"tol": 1e-12}


def only_the_choice_is_open(certificate):
    """Where the folds are gone the choice of the penalty is not proved."""
    assert certificate.verdict is Verdict.NOTHING_ASSERTED
    assert [claim.id for claim in certificate if claim.open] == ["MS7"]


def chosen_by_the_same_fit(model, weight=None):
    """The choice of scikit-learn's is proved by doing its fit again, and another choice is not."""
    assert certify(model, X, Y, weight).verdict is Verdict.PROVED
    other = type(model)(**model.get_params() | {"alphas": [2.0 * model.alpha_]}).fit(X, Y, weight)
    other.set_params(alphas=model.alphas)
    assert certify(other, X, Y, weight).verdict is not Verdict.PROVED


@each("form", [np.asarray, sparse.csr_array])
@each("weight", [None, W], ids=["", "weighted"])
@each("positive", [True, False])
def test_same_table_and_choice_as_scikit_learn(form, weight, positive):
    options = {"l1_ratio": [0.3, 0.9], "alphas": 15, "cv": 4, "positive": positive}
    ours = ElasticNetCV(**options, **TIGHT).fit(form(X), Y, weight)
    theirs = foreign.ElasticNetCV(**options, tol=1e-12, max_iter=10**6).fit(X, Y, weight)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-10)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-5)
    assert (ours.alpha_, ours.l1_ratio_) == (pytest.approx(theirs.alpha_), theirs.l1_ratio_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert ours.certificate_.holds
    assert certify(ours, form(X), Y, weight).holds
    chosen_by_the_same_fit(theirs, weight)


def test_lasso_cv_is_the_elastic_net_with_l1_alone():
    lasso, net = LassoCV(cv=3, alphas=20).fit(X, Y), ElasticNetCV(cv=3, alphas=20, l1_ratio=1.0).fit(X, Y)
    for name in ("alpha_", "alpha_1se_", "mse_path_", "coef_", "intercept_"):
        np.testing.assert_array_equal(getattr(lasso, name), getattr(net, name))
    assert not hasattr(lasso, "l1_ratio_")
    chosen_by_the_same_fit(foreign.LassoCV(cv=3, tol=1e-8).fit(X, Y))


def test_one_standard_error_rule_by_hand():
    model = LassoCV(cv=KFold(6), alphas=30).fit(X, Y)
    mean = model.mse_path_.mean(axis=1)
    error = model.mse_path_.std(axis=1, ddof=1) / np.sqrt(6)
    np.testing.assert_allclose(model.mse_error_, error)
    best = int(np.argmin(mean))
    assert model.alpha_ == model.alphas_[best]
    within = [a for a, m in zip(model.alphas_, mean) if m <= mean[best] + error[best]]
    assert model.alpha_1se_ == max(within) > model.alpha_


def test_same_bits_for_any_number_of_threads():
    one, *others = (ElasticNetCV(l1_ratio=[0.2, 0.8], cv=5, n_jobs=jobs).fit(X, Y) for jobs in (1, 2, 3, None))
    for other in others:
        for name in ("mse_path_", "coef_", "intercept_", "alpha_", "dual_gap_"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_leaving_one_out_and_a_penalty_of_zero():
    model = LassoCV(cv=LeaveOneOut(), alphas=[0.1, 0.0]).fit(X[:20, :3], Y[:20])
    assert model.mse_path_.shape == (2, 20)
    assert model.certificate_.holds
    unpenalised = LassoCV(cv=2, alphas=[0.0]).fit(X[:, :3], Y)
    np.testing.assert_allclose(unpenalised.coef_, foreign.LinearRegression().fit(X[:, :3], Y).coef_, atol=1e-9)
    assert unpenalised.certificate_.holds
    # Columns that are constant or twice there have no say, with and without an intercept.
    Z = np.column_stack([X[:, :3], np.full(60, 3.0), X[:, 0]])
    for options in ({}, {"positive": True}, {"fit_intercept": False}):
        model = LassoCV(cv=4, alphas=[0.1, 0.0], **options).fit(Z, Y)
        assert certify(model, Z, Y).holds, options


@each("kind", [LassoCV, ElasticNetCV])
def test_a_choice_that_is_not_the_table_s_is_noticed(kind):
    model = kind(cv=4, alphas=20).fit(X, Y)
    assert model.certificate_.holds
    changes = {
        "alpha_": model.alphas_[0],
        "alpha_1se_": model.alpha_1se_ * (1 + 1e-9),
        "mse_path_": model.mse_path_[::-1],
        "coef_": model.coef_ * 1.1,
        "intercept_": model.intercept_ + 1e-6,
    }
    for name, value in changes.items():
        altered = copy.deepcopy(model)
        setattr(altered, name, value)
        assert not certify(altered, X, Y).holds, name


@each("weight", [None, W], ids=["", "weighted"])
def test_forged_evidence_of_the_choice_is_refused(weight):
    model = ElasticNetCV(cv=4, alphas=12, l1_ratio=[0.4, 0.9]).fit(X, Y, weight)
    assert certify(model, X, Y, weight).holds
    # The answer, the table and every rule after it agree with each other, but not with the folds.
    shrunk = ElasticNetCV(cv=4, alphas=12, l1_ratio=[0.4, 0.9], eps=0.9).fit(X, Y, weight)
    forged = copy.deepcopy(model)
    forged.mse_path_ = model.mse_path_[:, ::-1].copy()
    forged.mse_error_ = model.mse_error_[:, ::-1].copy()
    at = np.unravel_index(np.argmin(forged.mse_path_.mean(axis=-1)), (2, 12))
    forged.alpha_, forged.l1_ratio_ = model.alphas_[at], (0.4, 0.9)[at[0]]
    room = forged.mse_path_[at].mean() + forged.mse_error_[at]
    forged.alpha_1se_ = model.alphas_[at[0]][forged.mse_path_[at[0]].mean(axis=-1) <= room].max()
    honest = ElasticNet(alpha=forged.alpha_, l1_ratio=forged.l1_ratio_).fit(X, Y, weight)
    forged.coef_, forged.intercept_, forged.dual_gap_ = honest.coef_, honest.intercept_, honest.dual_gap_
    refused = [forged]
    # Nor does it help to bring answers on the folds that give the table.
    turned = copy.deepcopy(forged)
    kept = model.fold_coefs_
    dense = sparse.csr_array((kept["data"], kept["indices"], kept["indptr"]), shape=(96, 15)).toarray()
    backwards = sparse.csr_array(dense.reshape(2, 4, 12, 15)[:, :, ::-1].reshape(96, 15))
    turned.fold_coefs_ = {name: getattr(backwards, name) for name in kept}
    refused.append(turned)
    for name in ("alphas_", "mse_path_", "mse_error_", "alpha_1se_", "coef_", "alpha_", "fold_coefs_", "fold_gap_"):
        altered = copy.deepcopy(model)
        setattr(altered, name, getattr(shrunk, name) if name != "fold_gap_" else model.fold_gap_ + 1e-3)
        refused.append(altered)
    for name, value in (("cv", 3), ("eps", 0.1), ("alphas", 5), ("positive", True), ("fit_intercept", False)):
        refused.append(copy.deepcopy(model).set_params(**{name: value}))
    for case, altered in enumerate(refused):
        assert certify(altered, X, Y, weight).verdict is Verdict.REFUTED, case
    assert certify(copy.deepcopy(model).set_params(tol=1e6), X, Y, weight).holds
    forged.tol = 1e6
    assert not certify(forged, X, Y, weight).holds


def test_folds_that_are_gone_prove_nothing():
    splits = list(KFold(3).split(X))
    assert certify(LassoCV(cv=splits, alphas=5).fit(X, Y), X, Y).holds
    assert certify(LassoCV(cv=ShuffleSplit(3, random_state=0), alphas=5).fit(X, Y), X, Y).holds
    for cv in (iter(splits), ShuffleSplit(3), KFold(3, shuffle=True, random_state=np.random.RandomState(0))):
        only_the_choice_is_open(certify(LassoCV(cv=cv, alphas=5).fit(X, Y), X, Y))


def test_penalty_factors_reach_the_folds():
    factor = np.where(np.arange(15) == 0, np.inf, 1.0)
    left_out = LassoCV(cv=4, penalty_factor=factor, alphas=10).fit(X, Y)
    without = LassoCV(cv=4, alphas=10).fit(X[:, 1:], Y)
    np.testing.assert_allclose(left_out.mse_path_, without.mse_path_, rtol=1e-12)
    np.testing.assert_allclose(left_out.coef_[1:], without.coef_, atol=1e-12)


def test_several_targets_and_bad_grids_are_refused():
    with pytest.raises(ValueError, match="y has 2 columns"):
        LassoCV().fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match=r"alphas\[1\]"):
        LassoCV(alphas=[0.1, -1.0]).fit(X, Y)
    with pytest.raises(ValueError, match="l1_ratio=0"):
        ElasticNetCV(l1_ratio=0.0).fit(X, Y)


@each("ours", [LassoCV, ElasticNetCV])
def test_signature_is_scikit_learn_s_and_the_factors(ours):
    theirs = inspect.signature(getattr(foreign, ours.__name__).__init__).parameters
    mine = inspect.signature(ours.__init__).parameters
    assert [(p.name, p.default) for p in mine.values()][:-1] == [(p.name, p.default) for p in theirs.values()]
    assert list(mine)[-1] == "penalty_factor"

"""The adaptive lasso: the lasso on rescaled columns, infinite weights, its initial estimates, the oracle's support."""

import copy

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import TheilSenRegressor
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.datasets import toeplitz_regression
from learnable.sparse import AdaptiveLasso, Lasso, LassoCV

X, Y, BETA, _ = toeplitz_regression(150, 12, support=3, noise=0.5, random_state=1)
W = np.random.default_rng(0).uniform(0.0, 2.0, len(Y))


@each("gamma", [0.5, 1.0, 2.0])
@each("weight", [None, W], ids=["", "weighted"])
@each("fit_intercept", [True, False])
def test_is_the_lasso_on_columns_scaled_by_the_weights(gamma, weight, fit_intercept):
    ours = AdaptiveLasso(0.05, gamma=gamma, fit_intercept=fit_intercept, tol=1e-14).fit(X, Y, weight)
    scale = np.abs(ours.initial_coef_) ** gamma
    lasso = Lasso(0.05, fit_intercept=fit_intercept, tol=1e-14).fit(X * scale, Y, weight)
    np.testing.assert_allclose(ours.coef_, lasso.coef_ * scale, atol=1e-8)
    assert ours.intercept_ == pytest.approx(lasso.intercept_, abs=1e-8)
    assert ours.certificate_.holds


@each("weight", [None, W], ids=["", "weighted"])
def test_initial_estimates(weight):
    default = AdaptiveLasso(0.05).fit(X, Y, weight)
    root = np.sqrt(np.ones(len(Y)) if weight is None else weight)[:, None]
    A = np.column_stack([X, np.ones(len(Y))])
    np.testing.assert_allclose(default.initial_coef_, np.linalg.lstsq(root * A, root[:, 0] * Y)[0][:-1], atol=1e-10)
    lasso = Lasso(0.1).fit(X, Y, weight)
    by_model = AdaptiveLasso(0.05, initial=Lasso(0.1)).fit(X, Y, weight)
    np.testing.assert_array_equal(by_model.initial_coef_, lasso.coef_)
    by_hand = AdaptiveLasso(0.05, initial=lasso.coef_).fit(X, Y, weight)
    np.testing.assert_array_equal(by_hand.coef_, by_model.coef_)
    np.testing.assert_array_equal(by_model.coef_[lasso.coef_ == 0.0], 0.0)
    assert by_model.certificate_.holds
    np.testing.assert_allclose(AdaptiveLasso(0.05).fit(sparse.csr_array(X), Y, weight).coef_, default.coef_, atol=1e-6)


def test_less_bias_than_the_lasso_on_the_same_support():
    adaptive, lasso = AdaptiveLasso(0.05).fit(X, Y), Lasso(0.05).fit(X, Y)
    assert set(adaptive.coef_.nonzero()[0]) == set(BETA.nonzero()[0])
    assert np.abs(adaptive.coef_ - BETA).max() < np.abs(lasso.coef_ - BETA).max()


def test_infinite_weights_everywhere_leave_nothing():
    fitted = AdaptiveLasso(0.05, initial=np.zeros(12)).fit(X, Y)
    assert not fitted.coef_.any()
    assert fitted.intercept_ == pytest.approx(Y.mean())
    assert fitted.certificate_.holds


def test_a_column_kept_out_is_watched():
    initial = BETA.copy()
    fitted = AdaptiveLasso(0.05, initial=initial).fit(X, Y)
    fitted.coef_[np.flatnonzero(BETA == 0.0)[0]] = 1e-9
    assert not certify(fitted, X, Y).holds
    other = AdaptiveLasso(0.05).fit(X, Y)
    other.initial_coef_ = other.initial_coef_ * 0.5
    assert not certify(other, X, Y).holds


def test_initial_estimates_are_proved_with_the_answer():
    twice = np.column_stack([X, X[:, 0]])
    for Z, initial in ((X, None), (twice, None), (X, Lasso(0.1)), (X, BETA), (X, LassoCV(cv=3, alphas=5))):
        fitted = AdaptiveLasso(0.05, initial=initial).fit(Z, Y)
        assert certify(fitted, Z, Y).holds, initial
        # Nobody can bring weights of their own, with the answer to them.
        other = fitted.initial_coef_ * 1.5
        free = fitted.initial_coef_ + 10.0 * (np.arange(Z.shape[1]) == 0) - 10.0 * (np.arange(Z.shape[1]) == 12)
        for forged in (np.zeros_like(other), other, *([free] if Z is twice else [])):
            answer = AdaptiveLasso(0.05, initial=forged).fit(Z, Y).set_params(initial=initial)
            if hasattr(fitted, "initial_"):
                answer.initial_ = copy.deepcopy(fitted.initial_)
                answer.initial_.coef_ = forged
            assert certify(answer, Z, Y).verdict is Verdict.REFUTED, initial
        assert certify(copy.deepcopy(fitted).set_params(tol=1e6), Z, Y).holds
    softer = AdaptiveLasso(0.05, initial=Lasso(0.1)).fit(X, Y).set_params(initial=Lasso(0.2))
    assert certify(softer, X, Y).verdict is Verdict.REFUTED
    # Estimators that nobody can certify leave the weights open.
    stranger = AdaptiveLasso(0.05, initial=TheilSenRegressor(random_state=0)).fit(X, Y)
    assert certify(stranger, X, Y).verdict is Verdict.NOTHING_ASSERTED


@each(
    ("options", "says"),
    [
        ({"initial": np.ones(3)}, "initial has 3 coefficients; X has 12 columns"),
        ({"initial": np.full(12, np.nan)}, r"initial\[0\] is nan"),
        ({"gamma": 0.0}, "gamma"),
        ({"alpha": -1.0}, "alpha"),
    ],
)
def test_wrong_parameters(options, says):
    with pytest.raises(ValueError, match=says):
        AdaptiveLasso(**options).fit(X, Y)

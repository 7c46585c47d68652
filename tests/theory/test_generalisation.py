"""Generalisation claims: they fail no more often than δ where the true error is known, and refuse what they cannot."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from tests.cases import each

from learnable.evaluation import clopper_pearson_interval
from learnable.theory import (
    behw,
    certify_held_out,
    certify_training,
    double_sampling,
    finite_agnostic,
    finite_consistent,
    vc_bound,
)


class Threshold(ClassifierMixin, BaseEstimator):
    """x ≥ t by empirical risk minimisation over `thresholds`, or over all of them."""

    def __init__(self, thresholds=None):
        self.thresholds = thresholds

    def fit(self, X, y):
        points = np.r_[-np.inf, X[:, 0]] if self.thresholds is None else np.asarray(self.thresholds)
        risks = [np.mean((X[:, 0] >= t) != y) for t in points]
        self.threshold_ = float(points[int(np.argmin(risks))])
        self.classes_ = np.array([False, True])
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0] >= self.threshold_


def uppers(certificate):
    return [claim for claim in certificate if claim.kind == "with probability" and "at most" in claim.statement]


@each("noise", [0.0, 0.2])
@each("stated", [{"vc": 1}, {"size": 11}], ids=["vc", "size"])
def test_the_true_error_passes_the_bound_no_more_often_than_delta(noise, stated):
    """x uniform, y = [x ≥ 0.4] flipped with probability `noise`: R(t) = noise + (1 − 2 noise)|t − 0.4|."""
    delta, trials, rng = 0.2, 200, np.random.default_rng(0)
    grid = None if "vc" in stated else np.linspace(0, 1, 11)
    passed = {}
    for _ in range(trials):
        X = rng.random((60, 1))
        y = (X[:, 0] >= 0.4) ^ (rng.random(60) < noise)
        model = Threshold(grid).fit(X, y)
        risk = noise + (1 - 2 * noise) * abs(np.clip(model.threshold_, 0, 1) - 0.4)
        for claim in uppers(certify_training(model, X, y, delta=delta, **stated)):
            passed[claim.id] = passed.get(claim.id, 0) + (risk > claim.value)
    assert len(passed) == (2 if noise == 0 else 1)
    assert all(count <= binom.ppf(0.999, trials, delta) for count in passed.values())


def test_values_are_those_of_the_bounds():
    X = np.arange(40.0)[:, None]
    y = X[:, 0] >= 17
    wrong = y.copy()
    wrong[:4] = True
    model = Threshold().fit(X, y)
    by_size = certify_training(model, X, y, size=41, delta=0.1)
    assert [claim.value for claim in uppers(by_size)] == [
        finite_agnostic(m=40, size=41, delta=0.1, empirical_risk=0.0).value,
        finite_consistent(m=40, size=41, delta=0.1).value,
    ]
    large_X, large_y = np.repeat(X, 100, axis=0), np.repeat(y, 100)
    agnostic, consistent = uppers(certify_training(model, large_X, large_y, vc=1, delta=0.1))
    assert agnostic.value == vc_bound(m=4000, d=1, delta=0.1, empirical_risk=0.0).value
    assert double_sampling(m=4000, d=1, epsilon=consistent.value).value == pytest.approx(0.1)
    # Sharper than the closed form that follows from it.
    assert behw.solve_for("m", epsilon=consistent.value, delta=0.1, d=1).value >= 4000
    (only,) = uppers(certify_training(model, X, wrong, size=41, delta=0.1))
    assert only.value == finite_agnostic(m=40, size=41, delta=0.1, empirical_risk=0.1).value
    assert certify_training(model, X, wrong, size=41)[0].value == 0.1


@each("vc", [1, 2, 5, 40])
@each("delta", [0.999, 0.5, 0.01])
def test_double_sampling_is_used_only_where_its_theorem_holds(vc, delta):
    """m ≥ 8/ε: searched over the sample sizes at which the bound first says something."""
    speaking = 0
    for m in range(10 * vc, 40 * vc, max(1, vc // 8)):
        X = np.arange(float(m))[:, None]
        y = X[:, 0] >= m // 2
        model = Threshold([m // 2]).fit(X, y)
        epsilon = uppers(certify_training(model, X, y, vc=vc, delta=delta))[1].value
        speaking += epsilon < 1
        assert epsilon == 1 or epsilon * m >= 8
    assert speaking or delta == 0.01


def test_a_vacuous_bound_says_so():
    X, y = np.arange(4.0)[:, None], np.array([False, False, True, True])
    model = Threshold().fit(X, y)
    for vc in (1, 3, 50):  # fewer rows than the dimension included
        claims = uppers(certify_training(model, X, y, vc=vc))
        assert all(claim.value == 1 and "vacuous" in claim.statement for claim in claims)
        assert not certify_training(model, X, y, vc=vc, target=0.5).holds


@each("n", [1, 7, 40])
def test_held_out_claims_are_exact(n):
    """Summed over the binomial law: each end is passed with probability at most δ/2, at every true error."""
    X = np.arange(float(n))[:, None]
    model = Threshold([0.0]).fit(X, np.ones(n, dtype=bool))
    ends = []
    for mistakes in range(n + 1):
        y = np.arange(n) >= mistakes
        _, low, high = certify_held_out(model, X, y, delta=0.1)
        assert [low.value, high.value] == pytest.approx(list(map(float, clopper_pearson_interval(mistakes, n, 0.9))))
        assert low.delta == high.delta == 0.05
        ends.append((low.value, high.value))
    low, high = np.array(ends).T
    for p in np.linspace(0, 1, 201):
        law = binom.pmf(np.arange(n + 1), n, p)
        assert law[p < low - 1e-12].sum() <= 0.05 + 1e-12
        assert law[p > high + 1e-12].sum() <= 0.05 + 1e-12


@each(
    "model", [GaussianNB(), KNeighborsClassifier(3), RandomForestClassifier(10, random_state=0), LogisticRegression()]
)
def test_any_fitted_classifier(model):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    y = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 1)]
    model.fit(X[:200], y[:200])
    certificate = certify_held_out(model, X[200:], y[200:], target=0.4)
    assert certificate.holds
    assert certificate[0].value == pytest.approx(1 - model.score(X[200:], y[200:]))
    assert not certify_held_out(model, X[200:], y[200:], target=certificate[2].value / 2).holds
    assert len(certify_training(model, X[:200], y[:200], size=10**6)) >= 2


def test_a_changed_answer_changes_the_claims():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] > 0
    model = LogisticRegression().fit(X, y)
    before = certify_held_out(model, X, y, target=0.2)
    model.coef_ = -model.coef_
    after = certify_held_out(model, X, y, target=0.2)
    assert before.holds
    assert not after.holds


X, Y = np.zeros((4, 1)), np.array([0, 1, 0, 1])
FITTED = GaussianNB().fit(X + Y[:, None], Y)


@each("delta", [0.0, 1.0, -1.0, float("nan"), float("inf")])
def test_delta_outside_the_unit_interval(delta):
    with pytest.raises(ValueError, match="delta must be in"):
        certify_held_out(FITTED, X, Y, delta=delta)
    with pytest.raises(ValueError, match="delta must be in"):
        certify_training(FITTED, X, Y, vc=1, delta=delta)


def test_bad_input():
    with pytest.raises(TypeError, match="one of them"):
        certify_training(FITTED, X, Y)
    with pytest.raises(TypeError, match="one of them"):
        certify_training(FITTED, X, Y, vc=1, size=2)
    with pytest.raises(ValueError, match="size=0"):
        certify_training(FITTED, X, Y, size=0)
    with pytest.raises(ValueError, match="d must be"):
        certify_training(FITTED, X, Y, vc=0)
    with pytest.raises(ValueError, match="two labels"):
        certify_training(FITTED, X, [0, 1, 2, 1], vc=2)
    with pytest.raises(ValueError, match="at least one row"):
        certify_held_out(FITTED, X[:0], Y[:0])
    with pytest.raises(ValueError, match="target=2"):
        certify_held_out(FITTED, X, Y, target=2.0)
    with pytest.raises(TypeError, match="not a classifier"):
        certify_held_out(LinearRegression().fit(X, Y), X, Y)
    with pytest.raises(NotFittedError):
        certify_held_out(GaussianNB(), X, Y)


def test_labels_of_another_kind_and_missing_ones_are_refused():
    X, y = np.arange(6.0)[:, None], np.array([0, 1, 0, 1, 0, 0])
    model = GaussianNB().fit(X, y)
    with pytest.raises(TypeError, match="one kind of label"):
        certify_held_out(model, X, y.astype(str))
    with pytest.raises(ValueError, match=r"y\[1\] is missing"):
        certify_held_out(model, X, np.array([0.0, np.nan, 0, 1, 0, 0]))

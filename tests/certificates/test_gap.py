"""The certified gaps: never below the true distance to the minimum, never negative, and closed at the minimum."""

import copy
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.cases import each

from learnable import certify
from learnable.linear import LogisticRegression, Ridge
from learnable.problems.linear import losses
from learnable.sparse import Lasso, NuclearNormRegression

RNG = np.random.default_rng(31)
X = RNG.standard_normal((40, 3)) + 0.5
Y = X @ [1.0, -1.0, 0.0] + 0.5 * RNG.standard_normal(40) + 2.0
LABEL = (np.median(Y) < Y).astype(int)
THREE = np.digitize(Y, np.quantile(Y, [0.3, 0.7]))
WEIGHT = RNG.uniform(0.2, 2.0, 40)

answers = st.lists(st.floats(-2.0, 2.0), min_size=4, max_size=4).map(np.array)


def with_answer(model, coef, intercept):
    altered = copy.deepcopy(model)
    altered.coef_, altered.intercept_ = coef, intercept
    return altered


@cache
def minimum(kind, weighted, three=False, **options):
    return kind(**options).fit(
        X, THREE if three else LABEL if kind is LogisticRegression else Y, WEIGHT if weighted else None
    )


@each("weighted", [False, True])
@each("positive", [False, True])
@settings(max_examples=30, deadline=None)
@given(answer=answers)
def test_lasso(positive, weighted, answer):
    best, weight = minimum(Lasso, weighted, alpha=0.1, tol=1e-14, positive=positive), WEIGHT if weighted else None
    share = np.full(40, 1 / 40) if weight is None else weight / weight.sum()

    def J(coef, b):
        return 0.5 * share @ (Y - X @ coef - b) ** 2 + 0.1 * np.abs(coef).sum()

    coef = np.abs(answer[:3]) if positive else answer[:3]
    claimed = certify(with_answer(best, coef, answer[3]), X, Y, weight).claim("L3").value
    true = J(coef, answer[3]) - J(best.coef_, best.intercept_)
    assert claimed >= true - 1e-10
    assert true >= -1e-10


def logistic_value(y, C, coef, intercept, weight):
    scores = X @ coef.T + intercept
    if scores.shape[1] == 1:
        loss = losses.value(losses.Logistic(), 2.0 * y - 1.0, scores[:, 0])
    else:
        loss = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(40), y]
    W = weight.sum()
    return weight @ loss / W + 0.5 * np.sum(coef**2) / (C * W)


@each("three", [False, True])
@each("intercept", [True, False])
@each("weighted", [False, True])
@settings(max_examples=25, deadline=None)
@given(answer=st.lists(st.floats(-2.0, 2.0), min_size=12, max_size=12).map(np.array))
def test_logistic(three, intercept, weighted, answer):
    y, weight = THREE if three else LABEL, WEIGHT if weighted else None
    best = minimum(LogisticRegression, weighted, three, C=0.7, tol=1e-12, fit_intercept=intercept)
    K = len(best.coef_)
    w = np.ones(40) if weight is None else weight
    coef = answer[: 3 * K].reshape(K, 3)
    offset = answer[3 * K : 4 * K] if intercept else np.zeros(K)
    if len(offset) < K:
        offset = np.resize(offset, K)
    claimed = certify(with_answer(best, coef, offset), X, y, weight).claim("O6").value
    true = logistic_value(y, 0.7, coef, offset, w) - logistic_value(y, 0.7, best.coef_, best.intercept_, w)
    assert claimed >= true - 1e-10
    assert true >= -1e-10


@each("shift", [-0.5, -0.01, 0.01, 0.5])
@each("classes", [2, 3])
def test_logistic_with_an_intercept_that_is_off(classes, shift):
    # The dual point must be made feasible here: as it stands it would promise less than the true distance.
    y = np.zeros(40, dtype=int)
    y[:32] = 1
    y[36:] = classes - 1
    best = LogisticRegression(C=0.7, tol=1e-12).fit(X, y)
    offset = best.intercept_ + shift * np.sign(best.intercept_)
    claimed = certify(with_answer(best, best.coef_, offset), X, y).claim("O6").value
    w = np.ones(40)
    true = logistic_value(y, 0.7, best.coef_, offset, w) - logistic_value(y, 0.7, best.coef_, best.intercept_, w)
    assert claimed >= true - 1e-12
    assert true > 0.0


@settings(max_examples=25, deadline=None)
@given(answer=answers, alpha=st.sampled_from([0.1, 3.0]))
def test_ridge_distance(answer, alpha):
    best = Ridge(alpha=alpha).fit(X, Y)
    # Strong convexity speaks about β at its best intercept.
    offset = float(np.mean(Y - X @ answer[:3]))

    def J(coef, b):
        return (np.sum((Y - X @ coef - b) ** 2) + alpha * coef @ coef) / 80.0

    claims = [c for c in certify(with_answer(best, answer[:3], offset), X, Y) if c.bound is None]
    true = J(answer[:3], offset) - J(best.coef_, best.intercept_)
    assert claims[0].value >= true - 1e-12


def test_lasso_minimum_is_scipy_s():
    def J(v):
        coef = v[:3] - v[3:6]
        return 0.5 * np.mean((Y - X @ coef - v[6]) ** 2) + 0.1 * v[:6].sum()

    found = minimize(J, np.ones(7), bounds=[(0, None)] * 6 + [(None, None)], method="L-BFGS-B", options={"ftol": 1e-15})
    model = Lasso(alpha=0.1, tol=1e-14).fit(X, Y)
    value = 0.5 * np.mean((Y - model.predict(X)) ** 2) + 0.1 * np.abs(model.coef_).sum()
    assert value <= found.fun + 1e-12
    assert value == pytest.approx(found.fun, abs=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_gap_above_the_bound_of_the_library_is_not_called_optimal():
    """Columns in units from 1e-8 to 1e8: what digits and steps leave of the gap is said; no loose tol excuses it."""
    for seed in (6, 16, 21, 22, 28, 31):
        random = np.random.default_rng(seed)
        n, p, q = random.integers(5, 60), random.integers(2, 9), random.integers(1, 5)
        rows = random.standard_normal((n, p))
        targets = rows @ random.standard_normal((p, q)) + 0.3 * random.standard_normal((n, q))
        rows *= 10.0 ** random.integers(-8, 9, p)
        model = NuclearNormRegression(alpha=0.01).fit(rows, targets)
        gap = model.certificate_[0]
        assert gap.value <= gap.bound or model.status_ == "inaccurate", (seed, gap)

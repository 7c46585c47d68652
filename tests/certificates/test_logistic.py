"""Weak duality of logistic regression: no dual value is above the minimum, and near the minimum it comes close."""

import tracemalloc

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.linear.logistic_likelihood import Likelihood
from learnable.certificates.linear.mixture import repaired
from learnable.certificates.linear.ridge_decrement import ridge_decrement
from learnable.linear import LogisticRegression
from learnable.problems.linear.categorical import conjugate, indicators, negative_log_likelihood, probabilities
from learnable.problems.sparse.penalties import total
from learnable.rows import as_rows


def fitted(n_classes, intercept, l1_ratio=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((150, 4)) + 0.3
    scores = X @ rng.standard_normal((4, n_classes)) + np.arange(n_classes)
    y = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)
    weight = rng.uniform(0.2, 2.0, 150)
    solver = "saga" if l1_ratio else "lbfgs"
    model = LogisticRegression(
        C=0.5, fit_intercept=intercept, tol=1e-11, solver=solver, l1_ratio=l1_ratio, max_iter=10_000
    )
    return model.fit(X, y, sample_weight=weight), X, y, weight


def objective(likelihood, X, y, weight):
    """Mean loss and penalty, row by row."""
    loss = negative_log_likelihood(y, X @ likelihood.coef + likelihood.intercept)
    return weight @ loss / weight.sum() + total(likelihood.penalty, likelihood.coef)


def values(model, X, y, weight, blocks=1):
    """(primal objective, the dual value that the certificate finds below it), of rows in so many blocks."""
    rows = as_rows(X, y, weight)
    rows.cuts = np.linspace(0, len(y), blocks + 1).astype(int)
    rows.coarser = lambda fewest: rows
    likelihood = Likelihood(model, rows)
    at = likelihood.standing()
    primal = objective(likelihood, X, y, weight)
    return primal, primal - likelihood.gap(at)


CASES = [(2, True, 0.0), (2, False, 0.0), (3, True, 0.0), (3, False, 0.0), (2, True, 0.5), (3, True, 0.5)]


@each("blocks", [1, 5])
@each(("n_classes", "intercept", "l1_ratio"), CASES)
def test_the_gap_closes_at_the_minimum(n_classes, intercept, l1_ratio, blocks):
    primal, dual = values(*fitted(n_classes, intercept, l1_ratio), blocks)
    assert dual <= primal + 1e-15
    assert primal - dual < 1e-8


@each("blocks", [1, 5])
@each("size", [1e-8, 1e-7, 1e-3, 0.3])
@each(("n_classes", "intercept", "l1_ratio"), CASES)
def test_no_dual_value_is_above_the_minimum(n_classes, intercept, l1_ratio, size, blocks):
    model, *data = fitted(n_classes, intercept, l1_ratio)
    minimum, _ = values(model, *data)
    rng = np.random.default_rng(1)
    coef, b = model.coef_.copy(), np.array(model.intercept_)
    for _ in range(20):
        model.coef_ = coef + size * rng.standard_normal(coef.shape) * (rng.random() < 0.5)
        model.intercept_ = b + intercept * size * rng.standard_normal(b.shape)
        primal, dual = values(model, *data, blocks)
        # Rounding is some 1e-16 here, a forgotten term of the repair of the intercept about `size`.
        assert dual <= minimum + 1e-13 <= primal + 2e-13


@each("n_classes", [2, 3])
def test_one_pass_knows_the_mixture_of_entropies(n_classes):
    """−((1 − s) Σ P log P + s Σ q log q) − ‖X'(mixture − observed)‖² / 2α, added up row by row."""
    model, X, y, weight = fitted(n_classes, True)
    model.intercept_ = model.intercept_ - 1e-8 * np.arange(1, 1 + len(model.intercept_))
    likelihood = Likelihood(model, as_rows(X, y, weight))
    at = likelihood.standing()
    s, q = repaired(likelihood.share[-len(at.misses) :], at.misses)
    P, w, observed = probabilities(X @ model.coef_.T + model.intercept_), weight / weight.sum(), indicators(y, len(q))
    mixture = (1.0 - s) * P + s * q
    assert w @ (mixture - observed) == pytest.approx(0.0, abs=1e-16)
    slope = (w[:, None] * X).T @ (mixture - observed)
    penalty = np.sum(slope**2) / (2.0 * likelihood.penalty.alpha)
    bound = -(1.0 - s) * w @ conjugate(y, P) - s * conjugate(y[:1], q[None])[0] - penalty
    exact = -w @ conjugate(y, mixture) - penalty
    # Terms of size s, about 1e-8, tell the formulas apart.
    primal = objective(likelihood, X, y, weight)
    assert primal - likelihood.gap(at) == pytest.approx(bound, rel=0.0, abs=1e-14)
    # Beside −∞ nothing is small, so that the second pass is made.
    likelihood.null_loss = -np.inf
    assert primal - likelihood.gap(at._replace(moved=-np.inf)) == pytest.approx(exact, rel=0.0, abs=1e-14)
    assert bound < exact - 1e-10


@each("n_classes", [2, 3])
def test_an_l1_penalty_shortens_the_dual_point_until_it_is_feasible(n_classes):
    """Far from the minimum the correlations are too large; scaled back, they are the largest feasible ones."""
    model, X, y, weight = fitted(n_classes, False, l1_ratio=1.0)
    model.coef_ = np.zeros_like(model.coef_)
    likelihood = Likelihood(model, as_rows(X, y, weight))
    w, observed, K = weight / weight.sum(), indicators(y, len(model.coef_)), len(model.coef_)
    P = np.full_like(observed, 0.5 if K == 1 else 1.0 / K)
    slope = (w[:, None] * X).T @ (P - observed)
    t = likelihood.penalty.alpha / np.abs(slope).max()
    assert t < 0.5
    value = -w @ conjugate(y, t * P + (1.0 - t) * observed)
    primal = objective(likelihood, X, y, weight)
    assert primal - likelihood.gap(likelihood.standing()) == pytest.approx(value, rel=1e-12)


def test_where_columns_lie_and_in_which_units_does_not_matter():
    """Offsets to 1e9, units sixteen orders apart, two and three classes: solved, proved, and the same scores."""
    rng = np.random.default_rng(6)
    Z = rng.standard_normal((75, 4))
    score = Z @ [1.2, -1.0, 0.7, 0.0] + 0.6 * rng.standard_normal(75)
    far, farther = np.array([1e9, 0.0, -1e7, 3.0]), np.array([1e8, 1e9, 0.0, 0.0])
    tables = (Z + far, Z * [1e-8, 1.0, 1e8, 1e-2], Z * [1.0, 1e4, 1.0, 1.0] + farther)
    for labels in (score > 0.0, np.digitize(score, [-0.8, 0.8])):
        for C in (1.0, 1e4, np.inf):
            plain = LogisticRegression(C=C).fit(Z, labels)
            for place, table in enumerate(tables):
                model = LogisticRegression(C=C).fit(table, labels)
                assert certify(model, table, labels).holds, (C, place, model.certificate_)
                if place == 0 or np.isinf(C):  # neither shifts nor, without a penalty, units change the scores
                    away = model.predict_proba(table) - plain.predict_proba(Z)
                    assert np.abs(away).max() < 1e-3


def test_a_wide_fit_that_stopped_early_is_judged_without_its_hessian():
    """4,503 parameters: the Hessian alone would take 160 MB, that of a text 80 GB."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((30, 1500)), np.arange(30) % 3
    with pytest.warns(ConvergenceWarning, match="above its minimum"):
        model = LogisticRegression(C=1e3, tol=1e-2).fit(X, y)
    tracemalloc.start()
    try:
        found = certify(model, X, y)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()
    assert found.verdict is not Verdict.REFUTED


def test_the_decrement_of_many_coefficients_is_bounded_from_above_without_their_hessian():
    rng = np.random.default_rng(0)
    for n, p, K, intercept in ((30, 8, 3, True), (25, 40, 2, True), (20, 15, 4, False)):
        X = rng.normal(size=(n, p))
        y = np.argmax(X[:, :K] + rng.normal(size=(n, K)), axis=1)
        model = LogisticRegression(C=10.0, fit_intercept=intercept).fit(X, y)
        model.coef_ = model.coef_ + 0.01 * rng.normal(size=model.coef_.shape)
        likelihood = Likelihood(model, as_rows(X, y))
        at = likelihood.standing()
        exact, gradient = likelihood.decrement(at), likelihood._gradient(at)
        for enough in (0.0, 10.0 * exact):
            found = ridge_decrement(likelihood._bends, gradient, likelihood.penalty.alpha, intercept, enough)
            assert exact * (1.0 - 1e-9) <= found <= max(1.002 * exact, enough)

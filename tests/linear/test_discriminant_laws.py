"""Theorems about linear discriminants. Syllabus: C1, C2, C4, C9."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.linear import IndicatorRegression, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from learnable.solvers.linear.discriminant import _surely_distrusted


def classes_apart(seed, K, p, n=200):
    random = np.random.default_rng(seed)
    y = np.arange(n) % K
    X = random.standard_normal((n, p)) @ (np.eye(p) + 0.3 * random.standard_normal((p, p)))
    return X + random.standard_normal((K, p))[y], y


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), K=st.integers(2, 5), p=st.integers(1, 7))
@example(seed=177, K=2, p=6)
def test_discriminants_of_the_fitted_indicators_are_those_of_x(seed, K, p):
    """C4. The covariance of the fitted values is singular, since they sum to 1."""
    X, y = classes_apart(seed, K, p)
    fitted = IndicatorRegression().fit(X, y).fitted_values(X)
    # On X no direction may be left out, however little it varies; on the fitted values one must be.
    of_x, of_fitted = LinearDiscriminantAnalysis(tol=1e-9).fit(X, y), LinearDiscriminantAnalysis().fit(fitted, y)
    assert of_fitted.rank_ <= K - 1
    np.testing.assert_allclose(of_fitted.predict_proba(fitted), of_x.predict_proba(X), atol=1e-7)
    assert of_fitted.certificate_.holds, of_fitted.certificate_


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), K=st.integers(2, 4), p=st.integers(1, 6))
def test_posteriors_do_not_depend_on_the_coordinates(seed, K, p):
    """x ↦ Ax + c changes coefficients, not probabilities, for one covariance as for several."""
    X, y = classes_apart(seed, K, p)
    random = np.random.default_rng(seed + 1)
    A, _ = np.linalg.qr(random.standard_normal((p, p)))
    moved = X @ (A * random.uniform(0.5, 2.0, p)) + random.standard_normal(p)
    for kind in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        one, two = kind(tol=1e-9).fit(X, y), kind(tol=1e-9).fit(moved, y)
        np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(moved), atol=1e-7)
        assert two.certificate_.holds, two.certificate_


@each("solver", ["svd", "lsqr", "eigen"])
def test_midway_between_two_means_the_log_odds_are_those_of_the_priors(solver):
    """The boundary equation: log P(k|x)/P(l|x) = log π_k/π_l at x = (μ_k + μ_l)/2."""
    X, y = classes_apart(0, 4, 5)
    model = LinearDiscriminantAnalysis(solver=solver, priors=[0.1, 0.2, 0.3, 0.4]).fit(X, y)
    for k in range(4):
        for l in range(4):
            odds = model.predict_log_proba((model.means_[k] + model.means_[l])[None] / 2.0)[0]
            assert abs(odds[k] - odds[l] - np.log(model.priors_[k] / model.priors_[l])) < 1e-10


def test_one_covariance_makes_the_quadratic_discriminants_linear():
    """Classes with the same scatter exactly: quadratic and linear posteriors agree."""
    random = np.random.default_rng(0)
    noise = random.standard_normal((100, 4))
    X = np.vstack([noise, noise + 1.0, noise[:, ::1] - [0.5, 1.0, 0.0, 2.0]])
    y = np.repeat([0, 1, 2], 100)
    linear, quadratic = LinearDiscriminantAnalysis().fit(X, y), QuadraticDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(quadratic.predict_proba(X), linear.predict_proba(X), atol=1e-12)


def test_two_classes_point_where_least_squares_does():
    """With two classes the discriminant direction is that of the indicator regression."""
    X, y = classes_apart(3, 2, 6)
    discriminant = LinearDiscriminantAnalysis().fit(X, y).coef_[0]
    regression = IndicatorRegression().fit(X, y).coef_
    direction = regression[1] - regression[0]
    cosine = discriminant @ direction / np.linalg.norm(discriminant) / np.linalg.norm(direction)
    assert abs(cosine - 1.0) < 1e-12


@each("solver, options", [("svd", {}), ("lsqr", {}), ("eigen", {}), ("lsqr", {"shrinkage": 0.2})])
@each("n_classes", [2, 3])
@each("far", [2.0**30, 2.0**40])
def test_columns_far_from_zero_cost_no_digits_and_hide_none_that_are_wrong(solver, options, n_classes, far):
    """Cells that are exact at both places: the class means are not, their differences must be."""
    rng = np.random.default_rng(n_classes)
    y = rng.integers(0, n_classes, 200)
    near = np.round((rng.standard_normal((200, 4)) + y[:, None] * [1.0, 0.5, 0.0, -1.0]) * 1024) / 1024
    there = near + far * np.array([1.0, 0.0, -1.0, 0.0])
    here, moved = (LinearDiscriminantAnalysis(solver=solver, **options).fit(X, y) for X in (near, there))
    apart = [model.coef_ - model.coef_[:1] * (n_classes > 2) for model in (here, moved)]
    np.testing.assert_allclose(apart[1], apart[0], rtol=0, atol=1e-12 * np.abs(apart[0]).max())
    assert moved.certificate_.verdict is Verdict.PROVED
    moved.coef_ = moved.coef_ * [1.0, 1 + 1e-7, 1.0, 1.0]
    assert certify(moved, there, y).verdict is not Verdict.PROVED


def test_what_a_factor_says_of_the_least_eigenvalue_is_so():
    random, said = np.random.default_rng(0), []
    for p in (10, 25):
        for closeness in (1.0, 1e-2, 1e-4, 1e-9, 0.0):
            X = random.standard_normal((200, p))
            X[:, -1] = X[:, 0] + closeness * X[:, -1]
            correlations = np.corrcoef(X, rowvar=False)
            values = np.linalg.eigvalsh(correlations)
            said.append(_surely_distrusted(correlations, 0.01))
            if said[-1]:
                assert 10.0 * p * np.finfo(float).eps < values[0] / values[-1] < 0.01
    assert said == 2 * [False, True, True, False, False]

"""Where an objective hardly bends, or hardly hangs on the rows, another answer is no minimum of it."""

import numpy as np
from sklearn import kernel_ridge, linear_model
from sklearn.base import clone
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.kernels import KernelRidge
from learnable.linear import GeneralizedLinearRegressor, LogisticRegression, PoissonRegressor, Ridge

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((60, 3))
Y = X @ [1.0, 2.0, -1.0] + RANDOM.standard_normal(60)
TWO = (Y + RANDOM.standard_normal(60) > 0.0).astype(int)
THREE = np.digitize(Y + RANDOM.standard_normal(60), [-1.0, 1.0])


@each("kind", [LogisticRegression, linear_model.LogisticRegression])
@each("y", [TWO, THREE], ids=["two", "three"])
def test_probabilities_of_0_and_1_are_no_stationary_point(kind, y):
    """Nothing bends there, so that a Newton step had no direction to gain in."""
    model = kind(C=np.inf).fit(X, y)
    coef = model.coef_
    for altered in (1e8 * coef, -1e8 * coef, 1e6 * np.roll(coef, 1, axis=1)):
        model.coef_ = altered - altered.mean(axis=0) if len(coef) > 1 else altered
        assert not certify(model, X, y).holds


def test_a_short_column_beside_its_penalty_has_its_own_digits():
    tiny = X * 1e-6
    model = Ridge(alpha=1.0, positive=True).fit(tiny, Y)
    assert certify(model, tiny, Y).holds
    model.coef_ = 1.01 * model.coef_
    assert not certify(model, tiny, Y).holds


@each("model", [PoissonRegressor(alpha=0.0), GeneralizedLinearRegressor("poisson", alpha=0.0, fit_intercept=False)])
@each("factor", [-1e8, -1e3, -50.0, 0.0, 50.0, 1e3, 1e8])
def test_means_of_nothing_and_of_everything_are_refuted(model, factor):
    """Where every mean is 0 nothing bends, where one is infinite nothing is known."""
    counts = np.random.default_rng(0).poisson(np.exp(0.3 * Y)).astype(float)
    model = clone(model).fit(X, counts)
    assert certify(model, X, counts).holds
    model.coef_ = factor * model.coef_
    assert certify(model, X, counts).verdict is Verdict.REFUTED
    model.coef_ = 0.0 * model.coef_
    model.intercept_ = np.float64(factor)
    assert certify(model, X, counts).verdict is Verdict.REFUTED


@each("y", [TWO, THREE], ids=["two", "three"])
@each("C", [1e-8, 1e-4, 1.0])
def test_scores_that_a_strong_penalty_leaves_small_are_told_apart(C, y):
    model = LogisticRegression(C=C).fit(X, y)
    assert certify(model, X, y).holds
    theirs = linear_model.LogisticRegression(C=C).fit(X, y)
    assert certify(theirs, X, y).verdict is not Verdict.REFUTED
    for each_of in (model, theirs):
        each_of.coef_ = 1.03 * each_of.coef_
        assert not certify(each_of, X, y).holds


def test_means_that_level_off_are_no_fit():
    """Of squares, with means e^f, all slopes vanish where every mean is 0."""
    y = np.exp(0.5 * Y / Y.std())
    model = GeneralizedLinearRegressor("gaussian", link="log", alpha=1e-3).fit(X, y)
    assert certify(model, X, y).holds
    model.coef_, model.intercept_ = 0.0 * model.coef_, np.float64(-1000.0)
    assert not certify(model, X, y).holds


def test_dual_coefficients_of_a_singular_kernel_say_nothing_by_their_size():
    rows, y = X[:5, :1], X[:5, 0]
    nothing = 2e8 * np.array([X[1, 0], -X[0, 0], 0.0, 0.0, 0.0])
    for kind in (KernelRidge, kernel_ridge.KernelRidge):
        model = kind(alpha=1.0).fit(rows, y).set_params(alpha=0.0)
        for share, proved in ((1.0, True), (0.97, False)):
            model.dual_coef_ = share * y / (y @ y) + nothing
            assert np.allclose(model.predict(rows), share * y, atol=1e-6)
            assert certify(model, rows, y).holds is proved

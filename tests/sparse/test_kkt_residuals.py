"""The optimality conditions of the lasso: zero at an optimum of anyone's, the subgradient's size elsewhere."""

import numpy as np
import pytest
import sklearn.linear_model as other
from scipy import optimize, sparse
from tests.cases import each

from learnable.sparse import ElasticNet, Lasso, LassoCV, lasso_kkt

RNG = np.random.default_rng(3)
X = RNG.standard_normal((50, 8)) @ np.triu(np.ones((8, 8)))
Y = X[:, :3] @ [1.0, -2.0, 0.5] + RNG.standard_normal(50)
WEIGHT = RNG.uniform(0.5, 2.0, 50)


@each(
    "model",
    [
        Lasso(alpha=0.3, tol=1e-13),
        Lasso(alpha=0.3, tol=1e-13, positive=True),
        Lasso(alpha=0.1, tol=1e-13, fit_intercept=False),
        Lasso(alpha=0.1, tol=1e-13, penalty_factor=[0.0, 1.0, 2.0, np.inf, 1.0, 1.0, 1.0, 0.5]),
        ElasticNet(alpha=0.3, l1_ratio=0.4, tol=1e-13),
        LassoCV(cv=4, alphas=20, tol=1e-12),
        other.Lasso(alpha=0.3, tol=1e-13, max_iter=100_000),
        other.ElasticNet(alpha=0.2, l1_ratio=0.7, tol=1e-13, max_iter=100_000),
        other.LassoLars(alpha=0.2),
        other.LassoLarsIC(),
        other.LassoCV(cv=4, alphas=20, tol=1e-12, max_iter=100_000),
    ],
    ids=lambda model: f"{type(model).__module__.partition('.')[0]}.{model}"[:60],
)
def test_zero_at_every_optimum_ours_or_foreign(model):
    found = lasso_kkt(model.fit(X, Y), X, Y)
    assert found.largest <= 1e-6
    free = np.isfinite(found.level)
    residuals = Y - X @ model.coef_ - model.intercept_
    np.testing.assert_allclose(found.pull, [x @ residuals / 50 for x in X.T], atol=1e-10)
    # A coefficient moved by d pulls its own column by −d ‖x‖²/n, and is told so.
    moved = model.coef_.copy()
    at = int(np.argmax(np.abs(moved)))
    side = -1.0 if moved[at] < 0.0 else 1.0
    moved[at] += side
    wrong = lasso_kkt(moved, X, Y, alpha=0.3, intercept=model.intercept_)
    pull = X[:, at] @ (residuals - side * X[:, at]) / 50
    assert wrong.residual[at] == pytest.approx(abs(pull - 0.3 * side))
    assert wrong.largest >= wrong.residual[at] > 0.1
    assert np.all(np.abs(found.pull[free & (model.coef_ == 0)]) <= found.level[free & (model.coef_ == 0)] + 1e-6) or (
        model.positive
    )


@each("positive", [False, True])
def test_residual_is_the_steepest_descent_of_the_objective(positive):
    # In one coordinate the largest rate of descent, over both directions that are allowed, is the residual.
    coef = (
        np.array([0.0, 0.7, 0.0, 0.2, 0.0, 1.0, 0.0, 0.3]) if positive else np.array([0, 0.7, 0, -0.2, 0, 1, 0, -0.3])
    )
    found = lasso_kkt(
        coef, X, Y, alpha=0.4, l1_ratio=0.6, intercept=0.1, positive=positive, sample_weight=WEIGHT,
        penalty_factor=np.arange(1.0, 9.0),
    )  # fmt: skip

    def objective(beta):
        size = np.arange(1.0, 9.0) @ (0.6 * np.abs(beta) + 0.2 * beta**2)
        return WEIGHT @ (Y - X @ beta - 0.1) ** 2 / (2 * WEIGHT.sum()) + 0.4 * size

    for j in range(8):
        step = 1e-7 * np.eye(8)[j]
        rates = [(objective(coef) - objective(coef + step)) / 1e-7]
        if not (positive and coef[j] == 0.0):
            rates.append((objective(coef) - objective(coef - step)) / 1e-7)
        assert found.residual[j] == pytest.approx(max(*rates, 0.0) if len(rates) > 1 else max(rates[0], 0.0), abs=1e-4)
    assert found.intercept == pytest.approx(abs(WEIGHT @ (Y - X @ coef - 0.1)) / WEIGHT.sum())


def test_a_general_minimiser_agrees():
    # Split into positive parts: a bound-constrained smooth problem that knows nothing of the lasso.
    def smooth(z):
        r = Y - X @ (z[:8] - z[8:])
        slope = X.T @ r / 50
        return r @ r / 100 + 0.5 * z.sum(), 0.5 - np.r_[slope, -slope]

    z = optimize.minimize(smooth, np.zeros(16), jac=True, bounds=[(0, None)] * 16, tol=1e-14).x
    assert lasso_kkt(z[:8] - z[8:], X, Y, alpha=0.5).largest < 1e-4


def test_several_targets_sparse_input_and_the_worst_place():
    both = np.column_stack([Y, -Y])
    model = Lasso(alpha=0.2, tol=1e-13).fit(X, both)
    found = lasso_kkt(model, sparse.csr_matrix(X), both)
    assert found.residual.shape == (2, 8)
    assert found.largest < 1e-6
    model.coef_[1, 4] += 0.5
    assert lasso_kkt(model, X, both).worst[0] == 1
    assert lasso_kkt(model, X, both).largest > 0.1


def test_an_unmoved_intercept_is_seen():
    model = Lasso(alpha=0.2, tol=1e-13).fit(X, Y)
    model.intercept_ += 0.25
    assert lasso_kkt(model, X, Y).intercept == pytest.approx(0.25)


def test_a_column_left_out_has_no_coefficient():
    factor = np.r_[np.inf, np.ones(7)]
    assert lasso_kkt(np.ones(8), X, Y, alpha=1.0, penalty_factor=factor).residual[0] == np.inf


def test_a_free_column_must_have_no_pull():
    found = lasso_kkt(np.zeros(8), X, Y, alpha=0.1, penalty_factor=np.r_[0.0, np.ones(7)])
    assert found.residual[0] == pytest.approx(abs(X[:, 0] @ Y) / 50)


def test_errors_name_the_thing_and_the_remedy():
    with pytest.raises(TypeError, match=r"lasso_kkt\(Ridge\): not one of Lasso, .*give its coefficients"):
        lasso_kkt(other.Ridge().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="not fitted; call fit"):
        lasso_kkt(Lasso(), X, Y)
    with pytest.raises(TypeError, match="give alpha as well"):
        lasso_kkt(np.zeros(8), X, Y)
    with pytest.raises(TypeError, match="leave out alpha"):
        lasso_kkt(Lasso(alpha=0.1).fit(X, Y), X, Y, alpha=0.1)
    with pytest.raises(ValueError, match="alpha must be a finite"):
        lasso_kkt(np.zeros(8), X, Y, alpha=-1.0)
    with pytest.raises(ValueError, match="l1_ratio must be"):
        lasso_kkt(np.zeros(8), X, Y, alpha=1.0, l1_ratio=2.0)
    with pytest.raises(ValueError, match=r"shape \(7,\) do not fit 8 columns"):
        lasso_kkt(np.zeros(7), X, Y, alpha=1.0)

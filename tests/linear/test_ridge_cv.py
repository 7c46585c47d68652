"""RidgeCV: leave-one-out by brute force, agreement with scikit-learn, the certificate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.linear_model import RidgeCV as SklearnRidgeCV
from tests.cases import each

from learnable import certify
from learnable.linear import Ridge, RidgeCV, ridge_path
from learnable.rows import as_rows

ALPHAS = np.logspace(-4, 4, 5)


def data(n, p, seed=0, targets=None):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p)) @ random.standard_normal((p, p)) / np.sqrt(p) + 2.0
    shape = (n,) if targets is None else (n, targets)
    y = (X @ random.standard_normal((p, *shape[1:]))) + random.standard_normal(shape) * 2.0
    return X, y, random.uniform(0.3, 3.0, n)


def left_out(X, y, weight, alpha, intercept):
    """yᵢ less its prediction by the fit without row i."""
    errors = []
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        model = SklearnRidge(alpha, fit_intercept=intercept, solver="svd").fit(X[rest], y[rest], weight[rest])
        errors.append(y[i] - model.predict(X[[i]])[0])
    return np.array(errors)


@each("intercept", [True, False])
@each("shape", [(20, 4), (10, 7), (7, 12)], ids=["many", "few", "wide"])
def test_leave_one_out_is_leaving_one_out(shape, intercept):
    X, y, weight = data(*shape)
    model = RidgeCV(ALPHAS, fit_intercept=intercept, store_cv_results=True).fit(X, y, weight)
    expected = [weight * left_out(X, y, weight, alpha, intercept) ** 2 for alpha in ALPHAS]
    assert_allclose(model.cv_results_, np.transpose(expected), rtol=1e-5, atol=1e-12)
    assert_allclose(model.grid_scores_, -np.mean(expected, axis=1), rtol=1e-8)
    assert model.alpha_ == ALPHAS[np.argmax(model.grid_scores_)]
    assert model.certificate_.holds
    assert_allclose(model.coef_, Ridge(model.alpha_, fit_intercept=intercept).fit(X, y, weight).coef_, rtol=1e-9)


@each("shape", [(700, 30), (40, 30)], ids=["many rows", "few rows"])
def test_a_grid_scores_each_penalty_as_it_scores_it_alone(shape):
    X, Y, weight = data(*shape, seed=4, targets=2)
    X *= np.logspace(0, -1, shape[1])
    grid = np.logspace(-3, 5, 60)
    together = RidgeCV(grid, alpha_per_target=True, store_cv_results=True).fit(X, Y, weight)
    alone = [RidgeCV(alpha, alpha_per_target=True, store_cv_results=True).fit(X, Y, weight) for alpha in grid]
    assert_allclose(together.grid_scores_, np.column_stack([model.grid_scores_ for model in alone]), rtol=1e-11)
    assert_allclose(together.cv_results_, np.concatenate([model.cv_results_ for model in alone], axis=2), rtol=1e-7)
    assert_allclose(together.cv_results_.mean(axis=0), -together.grid_scores_, rtol=1e-12)
    assert together.certificate_.holds


@each("shape", [(60, 6), (9, 20)])
@each("options", [{}, {"alpha_per_target": True}, {"scoring": "neg_mean_absolute_error"}, {"cv": 4}])
def test_agrees_with_scikit_learn(shape, options):
    X, Y, weight = data(*shape, seed=1, targets=3)
    ours = RidgeCV(ALPHAS, **options).fit(X, Y, weight)
    theirs = SklearnRidgeCV(ALPHAS, **options).fit(X, Y, weight)
    assert_allclose(ours.alpha_, theirs.alpha_)
    assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-7)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-9)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-9)
    assert certify(theirs, X, Y, weight).claim("R7").holds


def test_sparse_blocks_and_single_precision_agree():
    X, y, _ = data(3000, 8, seed=2)
    X[np.abs(X) < 1.0] = 0.0
    dense = RidgeCV(ALPHAS).fit(X, y)
    for other in (RidgeCV(ALPHAS).fit(sparse.csr_array(X), y), RidgeCV(ALPHAS).fit(as_rows(X, y))):
        assert other.alpha_ == dense.alpha_
        assert_allclose(other.coef_, dense.coef_, rtol=1e-9)
        assert_allclose(other.grid_scores_, dense.grid_scores_, rtol=1e-9)
    single = RidgeCV(ALPHAS).fit(X.astype(np.float32), y.astype(np.float32))
    assert single.coef_.dtype == np.float32
    assert_allclose(single.coef_, dense.coef_, rtol=1e-4, atol=1e-5)
    assert single.certificate_.holds


def test_degrees_of_freedom():
    X, y, _ = data(50, 5)
    grid = np.array([1e-9, 1.0, 1e12])
    model = RidgeCV(grid).fit(X, y)
    assert_allclose(model.grid_df_, ridge_path(X, y, grid).df, rtol=1e-8)
    assert_allclose(model.grid_df_[[0, 2]], [5.0, 0.0], atol=1e-8)


def test_a_row_of_weight_zero_takes_no_part():
    for shape in ((40, 5), (9, 6)):
        X, y, weight = data(*shape)
        weight[3] = 0.0
        y[3] = 1e6
        kept = weight > 0.0
        with_it, without = RidgeCV(ALPHAS).fit(X, y, weight), RidgeCV(ALPHAS).fit(X[kept], y[kept], weight[kept])
        assert with_it.alpha_ == without.alpha_
        assert_allclose(with_it.coef_, without.coef_, rtol=1e-8)


@each("shape", [(60, 6), (9, 20)])
def test_certificate_notices_a_worse_penalty(shape):
    X, y, _ = data(*shape, seed=3)
    model = RidgeCV(ALPHAS).fit(X, y)
    worse = ALPHAS[(np.flatnonzero(model.alpha_ == ALPHAS)[0] + 3) % len(ALPHAS)]
    model.alpha_ = worse
    solved = Ridge(worse).fit(X, y)
    model.coef_, model.intercept_ = solved.coef_, solved.intercept_
    certificate = certify(model, X, y)
    assert certificate.claim("R7").holds
    assert not certificate.claim("R9").holds
    model.alpha_ = worse * 1.001
    assert not certify(model, X, y).holds


def test_an_ill_conditioned_design_still_solves_its_equations():
    t = np.linspace(0.0, 1.0, 200)
    X, y = t[:, None] ** np.arange(1, 12), np.sin(3.0 * t)
    model = RidgeCV([1e-14, 1e-8, 1e-2]).fit(X, y)
    assert model.certificate_.holds
    assert_allclose(model.predict(X), y, atol=1e-5)


@each("y", [np.zeros(30), np.full(30, 7.3), 1e8 + np.arange(30.0) % 7], ids=["zero", "same", "far"])
def test_targets_without_variation_or_far_from_zero(y):
    X, _, _ = data(30, 3)
    for model in (RidgeCV(ALPHAS).fit(X, y), RidgeCV(ALPHAS).fit(X[:5], y[:5])):
        assert model.certificate_.holds
        assert np.isfinite(model.coef_).all()


def test_bad_input():
    X, y, _ = data(20, 3)
    with pytest.raises(ValueError, match=r"alphas\[1\] == 0.0, must be > 0.0"):
        RidgeCV([1.0, 0.0]).fit(X, y)
    with pytest.raises(ValueError, match="at least one penalty"):
        RidgeCV([]).fit(X, y)
    with pytest.raises(ValueError, match="finite"):
        RidgeCV([1.0, np.inf]).fit(X, y)
    with pytest.raises(ValueError, match="store_cv_results=True are incompatible"):
        RidgeCV(cv=3, store_cv_results=True).fit(X, y)
    with pytest.raises(ValueError, match="n_samples=1"):
        RidgeCV().fit(X, y, np.eye(20)[0])
    with pytest.raises(ValueError, match=r"column 1 of X .* overflow"):
        RidgeCV().fit(X * [1.0, 1e200, 1.0], y)


@each("scoring", ["average_precision", "neg_log_loss", "roc_auc"])
def test_scorers_of_classes_are_named(scoring):
    X = np.random.default_rng(0).standard_normal((20, 2))
    with pytest.raises(ValueError, match=rf"RidgeCV\(scoring='{scoring}'\): .* take one of numbers, such as 'r2'"):
        RidgeCV(scoring=scoring).fit(X, X[:, 0])

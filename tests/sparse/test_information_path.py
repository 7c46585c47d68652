"""Criteria along the path against scikit-learn's LassoLarsIC and Monte Carlo degrees of freedom."""

import numpy as np
import pytest
from sklearn.linear_model import LassoLarsIC
from tests.cases import each

from learnable.linear import LinearRegression, summary
from learnable.selection import monte_carlo_df
from learnable.sparse import ElasticNet, information_path
from learnable.sparse.information_path import degrees_of_freedom

RNG = np.random.default_rng(8)
X = RNG.standard_normal((80, 10))
Y = X[:, :3] @ [2.0, -1.0, 0.5] + RNG.standard_normal(80) + 2.0


@each("criterion", ["aic", "bic"])
def test_same_criterion_as_lasso_lars_ic(criterion):
    theirs = LassoLarsIC(criterion=criterion, noise_variance=1.3).fit(X, Y)
    # Just above each knot: there the column that enters at it is not in yet.
    ours = information_path(X, Y, alphas=theirs.alphas_[1:-1] * (1 + 1e-6), noise_variance=1.3, tol=1e-15)
    np.testing.assert_array_equal(ours.degrees_of_freedom, np.arange(1, len(ours.alphas) + 1))
    intercept = 2.0 if criterion == "aic" else np.log(len(Y))  # a parameter like any other, which theirs leaves out
    np.testing.assert_allclose(getattr(ours, criterion), theirs.criterion_[1:-1] + intercept, rtol=1e-5)
    assert ours.alphas[ours.best(criterion)] == pytest.approx(theirs.alpha_, rel=1e-5)


@each("l1_ratio", [0.4, 1.0])
def test_degrees_of_freedom_by_monte_carlo(l1_ratio):
    alpha = 0.15
    model = ElasticNet(alpha=alpha, l1_ratio=l1_ratio, tol=1e-12)
    exact = degrees_of_freedom(X, model.fit(X, Y).coef_, 80 * alpha * (1 - l1_ratio))
    found = monte_carlo_df(lambda y: model.fit(X, y).predict(X), Y, perturbation=1e-3, repeats=60)
    assert abs(found.estimate - 1.0 - exact) <= 4.0 * found.standard_error  # one for the intercept


def test_dependent_columns_count_once():
    path = information_path(np.column_stack([X, X[:, 0]]), Y, alphas=[0.1])
    alone = information_path(X, Y, alphas=[0.1])
    assert path.degrees_of_freedom[0] == alone.degrees_of_freedom[0]


def test_the_extended_criterion_asks_for_more():
    path = information_path(X, Y)
    assert np.all(path.ebic >= path.bic)
    assert path.alphas[path.best("ebic")] >= path.alphas[path.best("bic")] >= path.alphas[path.best("aic")]


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="l1_ratio=0"):
        information_path(X, Y, l1_ratio=0.0)
    with pytest.raises(ValueError, match="noise_variance=-1"):
        information_path(X, Y, noise_variance=-1.0)
    with pytest.raises(ValueError, match="criteria are"):
        information_path(X, Y, alphas=[0.1]).best("cp")


def test_the_criteria_of_a_path_are_those_of_a_fit():
    path = information_path(X, Y, alphas=[1e-9])
    fit = summary(LinearRegression().fit(X, Y), X, Y).fit
    assert path.aic[0] == pytest.approx(fit["aic"], rel=1e-6)
    assert path.bic[0] == pytest.approx(fit["bic"], rel=1e-6)

"""Paths: scikit-learn's answers, piecewise linearity, one solution at a time, options."""

import inspect

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as foreign
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable.solvers.sparse import coordinate_descent, penalty_path
from learnable.solvers.sparse.coordinate_descent import Descent
from learnable.solvers.sparse.cross_products import CrossProducts
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.sparse import ElasticNet, enet_path, lasso_path

RNG = np.random.default_rng(7)
X = RNG.standard_normal((40, 60))
Y = X[:, :4] @ [2.0, -1.5, 1.0, 0.5] + 0.3 * RNG.standard_normal(40)
X, Y = X - X.mean(axis=0), Y - Y.mean()


@each("form", [np.asfortranarray, np.ascontiguousarray, sparse.csr_array])
@each("positive", [True, False])
@each("l1_ratio", [0.3, 1.0])
def test_same_path_as_scikit_learn(form, positive, l1_ratio):
    options = {"l1_ratio": l1_ratio, "eps": 0.01, "alphas": 12, "positive": positive}
    alphas, coefs, gaps = enet_path(form(X), Y, tol=1e-13, **options)
    expected = foreign.enet_path(X, Y, tol=1e-13, max_iter=10**6, **options)
    np.testing.assert_allclose(alphas, expected[0], rtol=1e-12)
    np.testing.assert_allclose(coefs, expected[1], atol=2e-6)
    assert np.all(gaps <= 1e-13 * np.mean(Y**2) + 1e-15)


def test_each_solution_is_the_one_found_alone():
    weight, factor = RNG.uniform(0.5, 2.0, 40), RNG.uniform(0.5, 2.0, 60)
    alphas, coefs, _ = enet_path(X, Y, alphas=[0.5, 0.1, 0.02], tol=1e-13, sample_weight=weight, penalty_factor=factor)
    for alpha, coef in zip(alphas, coefs.T):
        alone = ElasticNet(alpha=alpha, fit_intercept=False, tol=1e-13, penalty_factor=factor).fit(X, Y, weight)
        np.testing.assert_allclose(coef, alone.coef_, atol=1e-6)


def test_between_knots_the_lasso_is_linear_in_the_penalty():
    alphas = np.linspace(0.8, 0.05, 400)
    _, coefs, _ = lasso_path(X, Y, alphas=alphas, tol=1e-14)
    signs = np.sign(coefs)
    steady = np.all((signs[:, 1:-1] == signs[:, 2:]) & (signs[:, 1:-1] == signs[:, :-2]), axis=0)
    assert steady.sum() > 200
    bend = coefs[:, 2:] - 2.0 * coefs[:, 1:-1] + coefs[:, :-2]
    np.testing.assert_allclose(bend[:, steady], 0.0, atol=1e-7)


def test_the_order_in_which_penalties_are_given_does_not_matter():
    one, two = enet_path(X, Y, alphas=[0.1, 0.5, 0.2]), enet_path(X, Y, alphas=[0.5, 0.2, 0.1])
    for a, b in zip(one, two):
        np.testing.assert_array_equal(a, b)


@each("l1_ratio", [0.4, 1.0])
@each("form", [np.asfortranarray, sparse.csc_array])
def test_penalties_at_any_distance(form, l1_ratio):
    """The line through the last two solutions may lead astray; the answer may not. Equal penalties have no line."""
    alphas = [0.9, 0.9, 0.89, 0.4, 0.399, 0.05, 0.049, 0.049, 0.02]
    _, coefs, gaps = enet_path(form(X), Y, l1_ratio=l1_ratio, alphas=alphas, tol=1e-12)
    assert np.all(gaps <= 1e-12 * np.mean(Y**2))
    for alpha, coef in zip(alphas, coefs.T):
        alone = ElasticNet(alpha=alpha, l1_ratio=l1_ratio, fit_intercept=False, tol=1e-12).fit(X, Y)
        np.testing.assert_allclose(coef, alone.coef_, atol=1e-5)


def test_a_solution_is_foretold_from_the_two_before():
    """On a fine grid one round a penalty is enough, new columns and all."""
    _, coefs, gaps, rounds = enet_path(X, Y, alphas=np.geomspace(1.5, 0.02, 120), tol=1e-8, return_n_iter=True)
    assert np.all(gaps <= 1e-8 * np.mean(Y**2))
    assert np.count_nonzero(coefs[:, -1]) > np.count_nonzero(coefs[:, 0]) + 15
    assert np.mean(rounds) < 1.1


@each("l1_ratio", [1.0, 0.5])
def test_the_line_through_two_solutions_spares_sweeps(l1_ratio):
    """Between knots the lasso is on that line: nothing is left to do. The elastic net is near it."""
    posed, alphas = penalized_problem(X, Y, None, False), (0.2, 0.198, 0.196)
    enough = 1e-10 * posed.design.mean_square

    def sweeps(step):
        run = Descent(posed.design)
        for k, alpha in enumerate(alphas[:2]):
            if k:
                run.follow(posed.penalty(alpha, l1_ratio), 0.0, 1e-6 * enough)
            for state in run.rounds(posed.penalty(alpha, l1_ratio), 1e-6 * enough):
                if state.gap <= 1e-5 * enough:
                    break
        before, run.crossings.last.held = run.sweeps, 0
        assert run.follow(posed.penalty(alphas[2], l1_ratio), step, enough)
        assert next(run.rounds(posed.penalty(alphas[2], l1_ratio), enough)).gap <= enough
        return run.sweeps - before

    assert sweeps(1.0) == 1
    assert min(sweeps(0.0), sweeps(-1.0)) >= 4


def test_a_path_down_to_no_penalty_ends_in_least_squares():
    A = X[:, :8]
    _, coefs, _ = lasso_path(A, Y, alphas=[0.1, 0.0])
    np.testing.assert_allclose(coefs[:, -1], np.linalg.lstsq(A, Y, rcond=None)[0], atol=1e-10)


def test_rounds_on_request_and_a_start():
    _, coefs, _, rounds = lasso_path(X, Y, alphas=[0.2, 0.1], return_n_iter=True, tol=1e-10)
    assert len(rounds) == 2
    again = lasso_path(X, Y, alphas=[0.1], coef_init=coefs[:, 1], return_n_iter=True, tol=1e-9)
    assert again[3] == [1]


def test_neighbours_within_the_tolerance_of_each_other_are_told_apart():
    alphas = np.geomspace(0.2, 0.19, 5)
    _, coefs, _ = lasso_path(X, Y, alphas=alphas, tol=1e-2)
    _, exact, _ = lasso_path(X, Y, alphas=alphas, tol=1e-14)
    assert np.all(np.diff(np.abs(coefs).sum(axis=0)) > 0.0)
    # The first has no neighbour to start from.
    assert np.abs(coefs - exact)[:, 1:].max() < 0.2 * np.abs(exact[:, -1] - exact[:, 0]).max()


def test_a_budget_that_is_too_small_is_told():
    with pytest.warns(ConvergenceWarning, match="enet_path: the iteration budget"):
        lasso_path(X, Y, alphas=[0.001], max_iter=1, tol=1e-15)


@each(
    ("arguments", "message"),
    [
        ({"alphas": [0.1, -0.2]}, "alphas"),
        ({"l1_ratio": 1.5}, "l1_ratio=1.5"),
        ({"l1_ratio": 0.0}, "l1_ratio=0"),
        ({"colour": "red"}, "Unexpected parameters"),
        ({"penalty_factor": np.full(60, -1.0)}, r"penalty_factor\[0\]"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        enet_path(X, Y, **arguments)


def test_several_targets_are_refused():
    with pytest.raises(ValueError, match="y has 2 columns"):
        enet_path(X, np.column_stack([Y, Y]))


@each(("ours", "theirs"), [(enet_path, foreign.enet_path), (lasso_path, foreign.lasso_path)])
def test_signatures_are_scikit_learn_s(ours, theirs):
    mine, yours = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
    assert [(p.name, p.default) for p in mine.values()] == [(p.name, p.default) for p in yours.values()]


def test_the_answer_does_not_depend_on_the_threads_of_blas():
    from threadpoolctl import threadpool_limits

    A = RNG.standard_normal((300, 500))
    y = A[:, :20].sum(axis=1) + RNG.standard_normal(300)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(lasso_path(A, y, alphas=20)[1])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(("l1_ratio", "largest"), [(1.0, 1000), (0.5, 1000), (1.0, 50), (0.5, 57), (0.5, 58)])
def test_slopes_kept_up_through_cross_products_stay_those_of_the_rows(l1_ratio, largest, monkeypatch):
    """At a tolerance well above rounding they are not taken from the rows, not even if columns are forgotten."""
    forgotten, forget = [], CrossProducts.forget
    monkeypatch.setattr(coordinate_descent, "LARGEST_WORKING_SET", largest)
    monkeypatch.setattr(CrossProducts, "forget", lambda self: forgotten.append(1) or forget(self))
    rng = np.random.default_rng(5)
    X = np.asfortranarray(rng.standard_normal((60, 90)) @ np.linalg.cholesky(0.5 * np.eye(90) + 0.5).T)
    posed = penalized_problem(X, X[:, :10].sum(axis=1) + rng.standard_normal(60), None, True)
    enough = 1e-6 * posed.design.mean_square
    run, alphas = Descent(posed.design), posed.largest_pull() / l1_ratio * np.geomspace(1.0, 1e-3, 80)
    rounds = 0
    for k, alpha in enumerate(alphas):
        penalty = posed.penalty(alpha, l1_ratio)
        if k:
            if not run.follow(penalty, 0.9, enough):
                break
            assert run.last_slopes is not None
        for state in run.rounds(penalty, enough):
            if not k or state.gap <= enough:
                break
            rounds += 1
        known = run.crossings.known
        rows = posed.design.X.T @ (posed.design.y - posed.design.X @ run.coef) / posed.design.weight_sum
        np.testing.assert_allclose(-run.slope[known], rows[known], rtol=0.0, atol=1e-12)
    assert k > 40
    assert rounds < k / 2  # more than the one that every penalty has
    assert len(forgotten) > 1 or largest == 1000


def test_at_a_tolerance_near_rounding_the_rows_are_asked():
    posed = penalized_problem(X, Y, None, False)
    run, enough = Descent(posed.design), 1e-15 * posed.design.mean_square
    next(run.rounds(posed.penalty(0.2, 1.0), enough))
    assert run.follow(posed.penalty(0.19, 1.0), 0.0, enough)
    assert run.last_slopes is None


@pytest.mark.parametrize(("l1_ratio", "largest"), [(1.0, 22), (1.0, 24), (0.5, 20), (0.5, 30)])
def test_a_path_that_forgets_its_cross_products_ends_where_the_other_does(l1_ratio, largest, monkeypatch):
    """With room for few columns they are forgotten, and with more than that the rows are swept."""
    forgotten, forget = [], CrossProducts.forget
    options = {"l1_ratio": l1_ratio, "alphas": 60, "eps": 1e-2, "tol": 1e-9}
    alphas, expected, _ = enet_path(X, Y, **options)
    monkeypatch.setattr(coordinate_descent, "LARGEST_WORKING_SET", largest)
    monkeypatch.setattr(CrossProducts, "forget", lambda self: forgotten.append(1) or forget(self))
    _, coefs, gaps = enet_path(X, Y, **options)
    assert len(forgotten) > 1
    assert np.all(gaps <= 1e-9 * np.mean(Y**2))

    def objective(coef):
        penalty = l1_ratio * np.abs(coef).sum(axis=0) + 0.5 * (1.0 - l1_ratio) * np.sum(coef**2, axis=0)
        return 0.5 * np.mean((Y[:, None] - X @ coef) ** 2, axis=0) + alphas * penalty

    np.testing.assert_allclose(objective(coefs), objective(expected), atol=1e-9 * np.mean(Y**2))


@each("form", [np.asfortranarray, sparse.csc_array])
@each("positive", [True, False])
@each("l1_ratio", [0.3, 1.0])
def test_with_fewer_columns_than_rows_cross_products_lead_to_the_same_path(form, positive, l1_ratio, monkeypatch):
    rng = np.random.default_rng(3)
    Z = rng.standard_normal((80, 12))
    Z[:, 3], Z[:, 4], Z[:, 5] = Z[:, 2] + 1e-3 * Z[:, 3], Z[:, 1], 0.0  # nearly equal, equal, nothing
    t = Z @ rng.standard_normal(12) + rng.standard_normal(80)
    options = {"l1_ratio": l1_ratio, "positive": positive, "alphas": 25, "tol": 1e-9, "coef_init": rng.normal(size=12)}
    options |= {"sample_weight": rng.uniform(0.0, 2.0, 80), "penalty_factor": rng.uniform(0.5, 2.0, 12)}
    alphas, coefs, gaps = enet_path(form(Z), t, **options)
    monkeypatch.setattr(penalty_path, "MOST_COLUMNS", 0)
    _, other, other_gaps = enet_path(form(Z), t, **options)
    share = options["sample_weight"] / options["sample_weight"].sum()
    factor, unit = options["penalty_factor"], float(share @ t**2)

    def objective(coef, alpha):
        paid = factor @ (l1_ratio * np.abs(coef) + 0.5 * (1.0 - l1_ratio) * coef**2)
        return 0.5 * float(share @ (t - Z @ coef) ** 2) + alpha * float(paid)

    assert np.all(gaps <= 1e-9 * unit)
    assert not np.any(coefs[5])
    assert not positive or coefs.min() >= 0.0
    for alpha, coef, second, gap in zip(alphas, coefs.T, other.T, np.maximum(gaps, other_gaps)):
        assert abs(objective(coef, alpha) - objective(second, alpha)) <= gap + 1e-14 * unit

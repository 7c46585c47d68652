"""SCAD, MCP and bridge regression: closed forms, brute force, a plain descent, skglm's numbers, hostile data."""

import json
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.datasets import toeplitz_regression
from learnable.problems.sparse.penalties import EVERY, prox, total, value
from learnable.solvers.sparse import folded_descent
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.sparse import BridgeRegression, Lasso, MCPRegression, SCADRegression, folded_path
from learnable.trace import Status, watch

R = json.loads((Path(__file__).parents[1] / "reference" / "folded_skglm.json").read_text())
X, Y = np.array(R["X"]), np.array(R["y"])
W = np.random.default_rng(0).uniform(0.0, 2.0, len(Y))
OURS = {
    "MCP": MCPRegression(a=3.0),
    "SCAD": SCADRegression(a=3.7),
    "half": BridgeRegression(q=0.5),
    "two thirds": BridgeRegression(q=2 / 3),
    "q 0.3": BridgeRegression(q=0.3),
    "q 1": BridgeRegression(q=1.0),
    "q 1.5": BridgeRegression(q=1.5),
    "q 3": BridgeRegression(q=3.0),
}


def model(name, **options):
    return type(OURS[name])(**OURS[name].get_params() | {"tol": 1e-11} | options)


def objective(fitted, X, y, weight=None, coef=None, intercept=None):
    coef, intercept = (fitted.coef_, fitted.intercept_) if coef is None else (coef, intercept)
    miss = (y - X @ coef - intercept) ** 2
    return 0.5 * np.average(miss, weights=weight) + total(fitted._penalty(), coef)


FOREIGN = [answer for answer in R["answers"] if answer["penalty"] != "group"]


@each("answer", FOREIGN, ids=lambda answer: f"{answer['penalty']} {answer['alpha']}")
def test_beside_skglm(answer):
    """The same stationary point, or a lower one."""
    ours = model(answer["penalty"], alpha=answer["alpha"]).fit(X, Y)
    theirs = np.array(answer["coef"])
    there = objective(ours, X, Y, coef=theirs, intercept=Y.mean() - X.mean(axis=0) @ theirs)
    here = objective(ours, X, Y)
    assert here <= there + 1e-12
    if here > there - 1e-9:
        np.testing.assert_allclose(ours.coef_, theirs, atol=1e-6)


@each("name", OURS)
@each("alpha", [0.02, 0.2])
def test_orthogonal_columns_are_thresholded_one_by_one(name, alpha):
    rng = np.random.default_rng(1)
    A = rng.standard_normal((40, 6))
    A = np.linalg.qr(A - A.mean(axis=0))[0] * np.sqrt(40) * np.array([1.0, 0.5, 2.0, 1.0, 0.3, 1.0])
    A -= A.mean(axis=0)
    y = A @ np.array([1.0, -0.6, 0.1, 0.02, 1.0, 0.3]) + 0.1 * rng.standard_normal(40) + 5.0
    bend = np.mean(A**2, axis=0)
    fitted = model(name, alpha=alpha).fit(A, y)
    expected = prox(fitted._penalty(), A.T @ (y - y.mean()) / 40 / bend, 1.0 / bend, EVERY)
    np.testing.assert_allclose(fitted.coef_, expected, atol=1e-9)
    assert fitted.intercept_ == pytest.approx(y.mean(), abs=1e-9)


def test_special_powers():
    np.testing.assert_allclose(
        model("q 1", alpha=0.1).fit(X, Y, W).coef_, Lasso(alpha=0.1, tol=1e-14).fit(X, Y, W).coef_, atol=1e-8
    )
    ridge = BridgeRegression(alpha=0.1, q=2.0, tol=1e-12).fit(X, Y)
    A = X - X.mean(axis=0)
    np.testing.assert_allclose(
        ridge.coef_, np.linalg.solve(A.T @ A / len(Y) + 0.2 * np.eye(10), A.T @ Y / len(Y)), atol=1e-9
    )
    assert ridge.status_ is Status.OPTIMAL
    assert [claim for claim in ridge.certificate_ if "duality gap" in claim.statement]


@each("name", ["MCP", "SCAD", "half", "two thirds", "q 1.5"])
def test_no_lower_point_on_a_grid_of_two_columns(name):
    """Two columns: the lowest of all stationary points is found by looking everywhere; here it is the one found."""
    A, y = X[:, :2] - X[:, :2].mean(axis=0), Y - Y.mean()
    fitted = model(name, alpha=0.2, fit_intercept=False).fit(A, y)
    grid = np.linspace(-3.0, 3.0, 601)
    G, c = A.T @ A / len(y), A.T @ y / len(y)
    U, V = np.meshgrid(grid, grid)
    pay = fitted._penalty()
    J = 0.5 * (y @ y / len(y) + G[0, 0] * U**2 + 2 * G[0, 1] * U * V + G[1, 1] * V**2) - c[0] * U - c[1] * V
    J = J + value(pay, U, EVERY) + value(pay, V, EVERY)
    assert objective(fitted, A, y) <= J.min() + 1e-12


def plain_descent(Z, y, penalty, sweeps=20_000):
    """ncvreg's algorithm on standardised columns, nothing clever: cyclic updates down the same path."""
    n, p = Z.shape
    beta, residual = np.zeros(p), y.copy()
    for alpha in np.geomspace(np.abs(Z.T @ y).max() / n, penalty.alpha, 30):
        for _ in range(sweeps):
            moved = 0.0
            for j in range(p):
                new = float(prox(penalty._replace(alpha=alpha), Z[:, j] @ residual / n + beta[j], 1.0, j))
                residual -= (new - beta[j]) * Z[:, j]
                moved, beta[j] = max(moved, abs(new - beta[j])), new
            if moved < 1e-12:
                break
    return beta


@each("name", ["MCP", "SCAD"])
@each("alpha", [0.3, 0.1, 0.05])
def test_standardised_columns_give_the_path_of_plain_descent(name, alpha):
    Z, y = (X - X.mean(axis=0)) / X.std(axis=0), Y - Y.mean()
    fitted = model(name, alpha=alpha).fit(Z, y)
    plain = plain_descent(Z, y, fitted._penalty())
    there = objective(fitted, Z, y, coef=plain, intercept=0.0)
    assert objective(fitted, Z, y) <= there + 1e-12
    if objective(fitted, Z, y) > there - 1e-9:
        np.testing.assert_allclose(fitted.coef_, plain, atol=1e-8)


@each("name", OURS)
def test_forms_weights_and_scale(name):
    fitted = model(name, alpha=0.05).fit(X, Y, W)
    assert fitted.certificate_.holds
    assert certify(fitted, X, Y, W).holds
    for form in (sparse.csc_array, sparse.csr_matrix, np.asfortranarray):
        np.testing.assert_allclose(model(name, alpha=0.05).fit(form(X), Y, W).coef_, fitted.coef_, atol=1e-8)
    times = np.arange(len(Y)) % 3
    one = model(name, alpha=0.05).fit(X, Y, times)
    two = model(name, alpha=0.05).fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-8)
    # An intercept is free: shifting y shifts it alone.
    np.testing.assert_allclose(model(name, alpha=0.05).fit(X, Y + 100.0, W).coef_, fitted.coef_, atol=1e-7)


@each("name", ["MCP", "SCAD"])
def test_doubling_y_and_alpha_doubles_the_answer(name):
    one, two = model(name, alpha=0.05).fit(X, Y), model(name, alpha=0.1).fit(X, 2 * Y)
    np.testing.assert_allclose(two.coef_, 2 * one.coef_, atol=1e-8)


@each("name", OURS)
def test_more_columns_than_rows(name):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((40, 120))
    y = A[:, :3] @ [3.0, -2.0, 2.0] + 0.1 * rng.standard_normal(40)
    fitted = model(name, alpha=0.2, tol=1e-8).fit(A, y)
    assert fitted.certificate_.holds, fitted.certificate_
    assert fitted.status_ is (Status.OPTIMAL if name in ("q 1", "q 1.5", "q 3") else Status.STATIONARY)
    if name in ("MCP", "SCAD"):
        # Unbiased: least squares on the support.
        S = np.flatnonzero(fitted.coef_)
        assert list(S) == [0, 1, 2]
        free = np.linalg.lstsq(np.column_stack([A[:, S], np.ones(40)]), y, rcond=None)[0]
        np.testing.assert_allclose(fitted.coef_[S], free[:3], atol=1e-7)
        assert any("strict local minimum" in claim.statement for claim in fitted.certificate_)


@each("name", ["MCP", "SCAD", "half"])
def test_zero_is_stationary_but_not_good_enough(name):
    """Columns of small scale: zero is stationary, and yet a single coefficient far from it lowers the objective."""
    A = 0.3 * X
    steepest = np.abs((A - A.mean(axis=0)).T @ Y / len(Y)).max()
    alpha = 0.05 if name == "half" else 1.01 * steepest
    fitted = model(name, alpha=alpha).fit(A, Y)
    assert fitted.coef_.any()
    assert fitted.certificate_.holds
    fitted.coef_ = fitted.lasso_coef_ = np.zeros(10)
    fitted.intercept_ = fitted.lasso_intercept_ = float(Y.mean())
    failed = [claim.statement for claim in certify(fitted, A, Y) if not claim.holds]
    assert "no single coefficient can be changed to lower the objective by more than" in failed
    assert not any("stationarity" in statement for statement in failed)


def test_the_lower_of_two_ends_is_kept():
    """Down the path and from the lasso: where they differ, the lower is the answer."""
    differ = 0
    for seed in range(12):
        A, y, _, _ = toeplitz_regression(25, 40, rho=0.9, support=8, noise=1.0, random_state=seed)
        fitted = MCPRegression(alpha=0.3, a=1.5, tol=1e-9).fit(A, y)
        posed = penalized_problem(A, y, None, True)
        ends = []
        for start, alphas in (
            (None, folded_descent.levels(posed.design, fitted._penalty())),
            (fitted.lasso_coef_, [0.3]),
        ):
            run = folded_descent.FoldedDescent(posed.design, start)
            for alpha in alphas:
                for state in run.rounds(fitted._penalty()._replace(alpha=alpha), 1e-9 if alpha == 0.3 else 1e-3):
                    if state.violation <= (1e-9 if alpha == 0.3 else 1e-3):
                        break
            ends.append(state.objective)
        assert objective(fitted, A, y) == pytest.approx(min(ends), rel=1e-9)
        differ += abs(ends[0] - ends[1]) > 1e-6
    assert differ


@each("name", OURS)
def test_hostile_columns(name):
    A = np.column_stack([X, np.zeros(len(Y)), np.full(len(Y), 7.0), X[:, 0]])
    fitted = model(name, alpha=0.05, tol=1e-8).fit(A, Y)
    assert fitted.certificate_.holds, fitted.certificate_
    np.testing.assert_array_equal(fitted.coef_[10:12], 0.0)
    assert not model(name, alpha=1e6).fit(X, Y).coef_.round(2).any()
    assert not model(name, alpha=0.05).fit(X, np.full(len(Y), 2.0)).coef_.any()


def test_bad_parameters_and_budget():
    for bad in (MCPRegression(a=1.0), SCADRegression(a=2.0), BridgeRegression(q=0.0), MCPRegression(alpha=0.0)):
        with pytest.raises(ValueError, match=type(bad).__name__):
            bad.fit(X, Y)
    with pytest.warns(ConvergenceWarning, match="budget"):
        short = MCPRegression(alpha=0.01, max_iter=2).fit(X, Y)
    assert short.status_ is Status.BUDGET_SPENT


@each("name", ["MCP", "SCAD", "half"])
def test_the_objective_never_rises_under_one_penalty(name):
    states = [step.state for step in watch(model(name, alpha=0.02), X, Y)]
    for before, after in pairwise(states):
        if before.alpha == after.alpha and np.isinf(after.violation):
            assert after.objective <= before.objective + 1e-12 or np.array_equal(before.lasso, after.coef)


@each("name", OURS)
def test_path(name):
    alphas = [0.02, 0.5, 0.1]
    path = folded_path(model(name, tol=1e-10), X, Y, alphas, sample_weight=W)
    np.testing.assert_array_equal(path.alphas, [0.5, 0.1, 0.02])
    assert path.violations.max() <= 1e-10
    for k, alpha in enumerate(path.alphas):
        fitted = model(name, alpha=alpha).fit(X, Y, W)
        here = objective(fitted, X, Y, W, path.coefs[:, k], path.intercepts[k])
        assert path.objectives[k] == pytest.approx(here, rel=1e-12)
        # Another way may lead to another stationary point; a single fit takes the lower of two.
        if abs(here - objective(fitted, X, Y, W)) <= 1e-10:
            np.testing.assert_allclose(path.coefs[:, k], fitted.coef_, atol=1e-6)
    with pytest.raises(ValueError, match="alphas"):
        folded_path(model(name), X, Y, [0.1, -1.0])


@pytest.mark.parametrize("name", ["MCP", "half", "q 3"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_too_many_columns_for_cross_products(name, form, monkeypatch):
    """Sweeps over the rows lead to the same answer."""
    usual = model(name, alpha=0.05, tol=1e-9).fit(form(X), Y, W)
    monkeypatch.setattr(folded_descent, "LARGEST_WORKING_SET", 2)
    fitted = model(name, alpha=0.05, tol=1e-9).fit(form(X), Y, W)
    np.testing.assert_allclose(fitted.coef_, usual.coef_, atol=1e-7)
    assert fitted.certificate_.holds


def test_rows_that_do_not_differ_leave_nothing_to_move():
    X, y = np.array([[1.0, -2.0, 0.5]]), np.array([0.7])
    for kind in (MCPRegression, SCADRegression, BridgeRegression):
        model = kind(alpha=0.2).fit(X, y)
        assert model.certificate_.holds, model.certificate_
        weighted = kind(alpha=0.2).fit(np.vstack([X, -X]), np.array([0.7, 9.0]), sample_weight=[1.0, 0.0])
        assert weighted.certificate_.holds, weighted.certificate_
        model.coef_ = model.coef_ + 0.1
        assert not certify(model, X, y).holds


def test_a_level_that_is_lost_in_rounding_keeps_no_fit_going(monkeypatch):
    # The objective of the lasso then rises and falls by its last digits, and coefficients of near columns with it.
    def watched(*problem):
        for number, state in enumerate(states_of(*problem)):
            assert number < 2 * folded_descent.MOST_ROUNDS, "the lasso that a fit starts from goes on"
            yield state

    states_of = folded_descent.target_states
    monkeypatch.setattr(folded_descent, "target_states", watched)
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 3))
    X[:, 1] = X[:, 0] + 1e-6 * X[:, 1]
    y = (X[:, 1] - X[:, 0]) * 1e6 + random.standard_normal(40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MCPRegression(1e-12, max_iter=10).fit(X, y)
    assert certify(model, X, y).verdict is not Verdict.REFUTED

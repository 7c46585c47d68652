"""Paths and fits where it hurts: near dependence, no room for cross-products, starts and scales that mislead."""

from itertools import islice, pairwise, product

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable.problems.sparse.penalties import L1
from learnable.solvers.sparse import coordinate_descent, penalty_path, support_newton
from learnable.solvers.sparse.coordinate_descent import centred_columns
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.solvers.sparse.support_newton import newton_across_signs
from learnable.sparse import ElasticNet, Lasso, LassoCV, enet_path, lasso_path

RNG = np.random.default_rng(11)
X = RNG.standard_normal((30, 50))
Y = X[:, :4] @ [2.0, -1.5, 1.0, 0.5] + 0.3 * RNG.standard_normal(30)
TOP = float(np.abs(X.T @ Y).max()) / 30


def largest_violation(A, y, alpha, l1_ratio, coef, positive=False, weight=None, factor=None):
    """Of an optimality condition, over α fⱼ: in extended precision, from the definition."""
    A, y, coef = (np.asarray(part, dtype=np.longdouble) for part in (A, y, coef))
    w = np.ones(len(y)) if weight is None else weight
    share = alpha * (np.ones(len(coef)) if factor is None else factor)
    level = l1_ratio * share
    pull = A.T @ (w * (y - A @ coef)) / w.sum() - (1.0 - l1_ratio) * share * coef
    outside = np.maximum(pull if positive else np.abs(pull), level) - level
    return float(np.max(np.where(coef == 0.0, outside, np.abs(pull - level * np.sign(coef))) / share))


def duplicated(A):
    A[:, 10:30] = A[:, [3]]
    return A


def dependent(A):
    A[:, 25:] = A[:, :25] @ np.random.default_rng(1).standard_normal((25, 25))
    return A


def empty_and_constant(A):
    A[:, 5:9], A[:, 9:12] = 0.0, 1.0
    return A


def uneven(A):
    return A * np.geomspace(1e-5, 1e5, A.shape[1])


DESIGNS = [duplicated, dependent, empty_and_constant, uneven]


@each("positive", [False, True])
@each("l1_ratio", [1e-3, 0.5, 1.0])
@each("form", [np.asarray, sparse.csc_array, sparse.csr_array])
@each("spoilt", DESIGNS)
def test_optimality_conditions_on_spoilt_designs(spoilt, form, l1_ratio, positive):
    A = spoilt(X.copy())
    rng = np.random.default_rng(2)
    weight, factor = rng.uniform(0.0, 2.0, 30), rng.uniform(0.5, 2.0, 50)
    weight[::4] = 0.0
    given, before = form(A), A.copy()
    top = float(np.max(np.abs(A.T @ (weight * Y)) / factor)) / weight.sum() / l1_ratio
    alphas, coefs, gaps = enet_path(
        given, Y, l1_ratio=l1_ratio, alphas=top * np.geomspace(1.0, 1e-2, 12), positive=positive, tol=1e-14,
        sample_weight=weight, penalty_factor=factor,
    )  # fmt: skip
    size = float(weight @ Y**2 / weight.sum())
    assert np.all((gaps <= 1e-14 * size) & (gaps >= -1e-15 * size))
    for alpha, coef in zip(alphas, coefs.T):
        assert largest_violation(A, Y, alpha, l1_ratio, coef, positive, weight, factor) < 1e-5
    np.testing.assert_array_equal(given.toarray() if sparse.issparse(given) else given, before)


@each("positive", [False, True])
def test_the_best_of_all_sign_patterns(positive):
    A, alphas = X[:8, :4].copy(), [0.8, 0.3, 0.1, 0.01]
    A[:, 3] = A[:, 0] + 1e-4 * X[:8, 5]
    y = A @ [1.0, -1.0, 0.5, 0.0] + 0.1 * X[:8, 6]
    _, coefs, gaps = lasso_path(A, y, alphas=alphas, positive=positive, tol=1e-13)

    def objective(coef, alpha):
        return 0.5 * np.mean((y - A @ coef) ** 2) + alpha * np.abs(coef).sum()

    for alpha, coef, gap in zip(alphas, coefs.T, gaps):
        best = objective(np.zeros(4), alpha)
        for signs in product([0, 1] if positive else [-1, 0, 1], repeat=4):
            S = np.flatnonzero(signs)
            trial = np.zeros(4)
            if len(S):
                trial[S] = np.linalg.solve(A[:, S].T @ A[:, S] / 8, A[:, S].T @ y / 8 - alpha * np.array(signs)[S])
            if np.all(trial * signs >= 0.0):
                best = min(best, objective(trial, alpha))
        assert best - 1e-12 <= objective(coef, alpha) <= best + max(gap, 0.0) + 1e-12


@each("l1_ratio", [0.5, 1.0])
@each(("n", "seed"), [(10, 0), (10, 1), (30, 2)])
def test_columns_nearly_parallel_are_no_labour(n, seed, l1_ratio):
    """All correlations are 1 - 1e-6: coefficients that stop at zero must not come back with the next sweep for ever."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, 300)) + 1000.0 * rng.standard_normal((n, 1))
    y = A @ np.where(rng.random(300) < 0.2, rng.standard_normal(300), 0.0) + 0.5 * rng.standard_normal(n)
    top = np.abs(A.T @ y).max() / n / l1_ratio
    *_, rounds = enet_path(
        A, y, l1_ratio=l1_ratio, alphas=top * np.geomspace(0.5, 1e-4, 6), tol=1e-8, return_n_iter=True
    )
    assert max(rounds) <= 12


@pytest.mark.parametrize("largest", [1, 5, 15])
@pytest.mark.parametrize("positive", [False, True])
def test_the_room_for_cross_products_does_not_change_the_answer(monkeypatch, largest, positive):
    alphas = TOP * np.geomspace(1.0, 0.005, 15)
    _, exact, _ = lasso_path(X, Y, alphas=alphas, positive=positive, tol=1e-10)
    monkeypatch.setattr(coordinate_descent, "LARGEST_WORKING_SET", largest)
    monkeypatch.setattr(coordinate_descent, "FEWEST", 10)
    refused, forgotten = [], []
    follow, forget = coordinate_descent.Descent.follow, coordinate_descent.CrossProducts.forget
    monkeypatch.setattr(
        coordinate_descent.Descent, "follow", lambda *given: refused.append(not follow(*given)) or not refused[-1]
    )
    monkeypatch.setattr(coordinate_descent.CrossProducts, "forget", lambda own: forgotten.append(1) or forget(own))
    _, coefs, gaps = lasso_path(X, Y, alphas=alphas, positive=positive, tol=1e-10)
    assert np.all(gaps <= 1e-10 * np.mean(Y**2))
    np.testing.assert_allclose(coefs, exact, atol=2e-4)
    assert any(refused) or len(forgotten) > 1


def test_a_start_outside_the_domain_is_brought_inside():
    rng = np.random.default_rng(3)
    A = rng.standard_normal((100, 40)) + 5.0 * rng.standard_normal((100, 1))
    A[:, 20:] = A[:, :20] + 1e-3 * rng.standard_normal((100, 20))
    y = A[:, :3].sum(axis=1) + rng.standard_normal(100)
    start = -np.ones(40)
    cold = lasso_path(A, y, alphas=[0.01], positive=True, tol=1e-10)
    warm = lasso_path(A, y, alphas=[0.01], positive=True, tol=1e-10, coef_init=start)
    np.testing.assert_allclose(warm[1], cold[1], atol=1e-4)
    assert np.all(start == -1.0)
    model = Lasso(alpha=0.01, warm_start=True).fit(A, y)
    assert model.coef_.min() < 0.0
    model.set_params(positive=True).fit(A, y)
    assert model.certificate_.holds
    assert model.coef_.min() >= 0.0


def test_a_start_outside_the_domain_does_not_make_sweeps_endless():
    rng = np.random.default_rng(4)
    A = rng.standard_normal((100, 60)) + 10.0 * rng.standard_normal((100, 1))
    A[:, 40:] = A[:, :20] + 1e-3 * rng.standard_normal((100, 20))
    posed = penalized_problem(A, A[:, :5].sum(axis=1) + rng.standard_normal(100), None, False)
    descent = coordinate_descent.Descent(posed.design, -np.ones(60))
    run = descent.rounds(posed.penalty(0.01, 1.0, positive=True), 1e-10 * posed.design.mean_square)
    next(run), next(run)
    assert descent.sweeps < 5000


def test_a_gap_of_exactly_zero_before_the_first_sweep():
    """A ridge far below the curvature: the gap jumps from zero to far above the tolerance by the last digit."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        A, y = 1e30 * rng.standard_normal((20, 2)), rng.standard_normal(20)
        posed = penalized_problem(A, y, None, False)
        penalties = posed.largest_pull() / 0.999 * np.linspace(1.1, 0.01, 10)
        for state in penalty_path.iterates(posed, penalties, 0.999, True, 1e-2, 3):
            assert np.all(np.isfinite(state.coef))


@each(("x_unit", "y_unit"), [(1e100, 1e-100), (1e-60, 1e60), (1.0, 1e-120), (1e60, 1e60)])
def test_units_do_not_matter(x_unit, y_unit):
    alphas = TOP * np.geomspace(0.9, 1e-3, 8)
    expected = lasso_path(X, Y, alphas=alphas, tol=1e-12)[1]
    found = lasso_path(X * x_unit, Y * y_unit, alphas=alphas * x_unit * y_unit, tol=1e-12)[1]
    np.testing.assert_allclose(found / (y_unit / x_unit), expected, atol=1e-8)


@each("power", [-200, 200, 332])
def test_units_that_are_powers_of_two_change_no_digit(power):
    unit, alphas = 2.0**power, TOP * np.geomspace(0.9, 1e-2, 8)
    expected = lasso_path(X, Y, alphas=alphas, tol=1e-6)[1]
    found = lasso_path(X * unit, Y / unit, alphas=alphas, tol=1e-6)[1]
    np.testing.assert_array_equal(found * unit * unit, expected)


@each("tol", [1e-12, 1e-9])
def test_penalties_that_rise_and_vanish_in_between(tol):
    posed = penalized_problem(X[:, :20], Y, None, True)
    alphas = [0.1, 0.3, 0.0, 0.05, 0.05, 2.0 * TOP, 1e-6]
    states = list(penalty_path.iterates(posed, alphas, 0.9, False, tol, 1000))
    for alpha, state in zip(alphas, states):
        (alone,) = penalty_path.iterates(posed, [alpha], 0.9, False, tol, 1000)
        np.testing.assert_allclose(state.coef, alone.coef, atol=1e-5)
    for whole, each_one in zip(penalty_path.path(posed, alphas, 0.9, False, tol, 1000), zip(*states)):
        np.testing.assert_array_equal(whole, each_one)


@each("columns", [20, 60])
def test_a_path_at_once_is_its_states(columns):
    posed, alphas = penalized_problem(X[:, :columns], Y, None, True), TOP * np.geomspace(1.0, 0.05, 7)
    states = penalty_path.iterates(posed, alphas, 1.0, False, 1e-8, 1000)
    for whole, each_one in zip(penalty_path.path(posed, alphas, 1.0, False, 1e-8, 1000), zip(*states)):
        np.testing.assert_array_equal(whole, each_one)


def test_steps_end_with_the_support():
    """Every step that stops at zero takes a column out, so that going on until none does comes to an end."""
    posed = penalized_problem(X[:, :10], Y, None, False)
    descent = coordinate_descent.Descent(posed.design, np.full(10, 0.1))
    penalty = posed.penalty(0.2, 1.0, positive=True)
    next(descent.rounds(penalty))
    known = descent._taken_in(np.arange(10))
    part = coordinate_descent.SubProblem(
        known, descent.crossings.gram, descent.coef.copy(), descent.slope[known], descent.target[known],
        posed.design.mean_square, descent.crossings.factor, descent.crossings.last,
    )  # fmt: skip
    left = [10]
    while newton_across_signs(part, penalty):
        left.append(np.count_nonzero(part.coef))
    assert len(left) > 2
    assert all(b < a for a, b in pairwise(left))
    np.testing.assert_allclose(part.slope, part.gram[:10, :10] @ part.coef - part.target, atol=1e-12)


@each("tol", [0.0, 1e-15])
def test_a_tolerance_at_rounding_ends_honestly(tol):
    posed = penalized_problem(X, Y, None, True)
    for state in penalty_path.iterates(posed, TOP * np.geomspace(1.0, 0.01, 6), 1.0, False, tol, 30):
        assert abs(state.relative_gap) < 2e-15


@each("y", [np.zeros(30), X @ np.ones(50), np.full(30, 1e-200)], ids=["zero", "span", "tiny"])
def test_targets_without_noise(y):
    _, coefs, _ = lasso_path(X, y, alphas=max(np.abs(X.T @ y).max(), 1e-3) / 30 * np.geomspace(1.0, 1e-3, 10))
    assert np.all(np.isfinite(coefs))
    assert np.any(coefs) == (np.abs(y).max() > 1.0)


@each("l1_ratio", [1e-12, 1e-4, 1.0])
def test_two_rows(l1_ratio):
    model = ElasticNet(alpha=0.1, l1_ratio=l1_ratio, tol=1e-10).fit(X[:2], Y[:2])
    assert model.certificate_.holds


def test_single_precision_is_read_and_given_back():
    A = X.astype(np.float32)
    coefs, exact = lasso_path(A, Y, alphas=[0.3, 0.1])[1], lasso_path(A.astype(float), Y, alphas=[0.3, 0.1])[1]
    assert coefs.dtype == np.float32
    np.testing.assert_allclose(coefs, exact, atol=1e-2)
    assert LassoCV(alphas=5, cv=2).fit(A, Y).coef_.dtype == np.float32


def test_a_huge_penalty_beside_a_column_of_zeros_warns_of_nothing():
    X = np.column_stack([np.zeros(20), 1e4 * np.random.default_rng(0).standard_normal(20)])
    model = Lasso(alpha=1e9).fit(X, X[:, 1])
    assert model.coef_.tolist() == [0.0, 0.0]
    assert model.certificate_.holds


def test_newton_steps_that_lose_no_column_come_to_an_end(monkeypatch):
    """Where all is rounding a step may take a column out, and the next bring it back, for ever."""
    made = []

    def goes_on(part, penalty):
        made.append(1)
        assert len(made) < 100_000, "Newton steps go on and on"
        return True

    monkeypatch.setattr(support_newton, "newton_across_signs", goes_on)
    monkeypatch.setattr(support_newton, "gram_descent", lambda *given: (1, np.inf, 0))
    design, *_ = centred_columns(X, Y, None, True)
    assert list(islice(coordinate_descent.Descent(design).rounds(L1(0.1 * TOP)), 3))
    assert len(made) > support_newton.FULL_NEWTON_AFTER

"""Group lasso and sparse group lasso: closed forms, the lasso, slow proximal gradient, skglm, wrong groups."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable import certify
from learnable._jit.sparse.group_descent import group_gap, group_sweeps, secular_root
from learnable.problems.sparse.group_penalties import (
    GroupPenalty,
    group_excess,
    group_norms,
    group_reach,
    group_subdistance,
    group_value,
)
from learnable.solvers.sparse.coordinate_descent import centred_columns
from learnable.solvers.sparse.group_descent import GroupDescent
from learnable.sparse import GroupLasso, Lasso, SparseGroupLasso, group_path
from learnable.trace import Status, watch

R = json.loads((Path(__file__).parents[1] / "reference" / "folded_skglm.json").read_text())
X, Y, GROUPS = np.array(R["X"]), np.array(R["y"]), R["groups"]
W = np.random.default_rng(0).uniform(0.0, 2.0, len(Y))


@each("answer", [a for a in R["answers"] if a["penalty"] == "group"], ids=lambda a: f"{a['alpha']}")
def test_same_numbers_as_skglm(answer):
    fitted = GroupLasso(GROUPS, answer["alpha"], tol=1e-14).fit(X, Y)
    np.testing.assert_allclose(fitted.coef_, answer["coef"], atol=1e-7)
    assert fitted.certificate_.holds


@each("kind", [GroupLasso, SparseGroupLasso])
@each("weight", [None, W], ids=["", "weighted"])
@each("fit_intercept", [True, False])
def test_groups_of_one_are_the_lasso(kind, weight, fit_intercept):
    ours = kind(alpha=0.1, tol=1e-14, fit_intercept=fit_intercept).fit(X, Y, weight)
    lasso = Lasso(alpha=0.1, tol=1e-14, fit_intercept=fit_intercept).fit(X, Y, weight)
    np.testing.assert_allclose(ours.coef_, lasso.coef_, atol=1e-8)
    assert ours.intercept_ == pytest.approx(lasso.intercept_, abs=1e-8)


def test_one_orthonormal_group_in_closed_form():
    rng = np.random.default_rng(2)
    A = rng.standard_normal((50, 4))
    A = np.linalg.qr(A - A.mean(axis=0))[0] * np.sqrt(50)
    c = np.array([1.0, -0.5, 0.2, 0.1])
    y = A @ c
    for alpha in (0.1, 0.4, 0.6):
        expected = max(1 - 2 * alpha / np.linalg.norm(c), 0.0) * c
        np.testing.assert_allclose(GroupLasso(4, alpha, tol=1e-14).fit(A, y).coef_, expected, atol=1e-9)
        s = np.sign(c) * np.maximum(np.abs(c) - 0.5 * alpha, 0.0)
        expected = max(1 - alpha / max(np.linalg.norm(s), 1e-300), 0.0) * s
        np.testing.assert_allclose(SparseGroupLasso(4, alpha, tol=1e-14).fit(A, y).coef_, expected, atol=1e-8)


def slow(A, y, groups, alpha, ratio, weights, steps=40_000):
    """Proximal gradient steps, nothing else."""
    A, y = A - A.mean(axis=0), y - y.mean()
    L = np.linalg.norm(A, 2) ** 2 / len(y)
    beta = np.zeros(A.shape[1])
    for _ in range(steps):
        z = beta - A.T @ (A @ beta - y) / len(y) / L
        z = np.sign(z) * np.maximum(np.abs(z) - alpha * ratio / L, 0.0)
        for group, weight in zip(groups, weights):
            size = np.linalg.norm(z[group])
            z[group] *= max(1 - alpha * (1 - ratio) * weight / L / size, 0.0) if size > 0 else 0.0
        if np.abs(z - beta).max() < 1e-15:
            break
        beta = z
    return beta


@each("ratio", [0.0, 0.3, 0.8, 1.0])
@each("alpha", [0.3, 0.02])
def test_beside_slow_proximal_gradient(ratio, alpha):
    weights = [1.0, 2.0, 0.7, 1.5]
    ours = SparseGroupLasso(GROUPS, alpha, l1_ratio=ratio, group_weight=weights, tol=1e-14).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, slow(X, Y, GROUPS, alpha, ratio, weights), atol=1e-7)
    assert ours.certificate_.holds
    if ratio == 0.0:
        group = GroupLasso(GROUPS, alpha, group_weight=weights, tol=1e-14).fit(X, Y)
        np.testing.assert_allclose(group.coef_, ours.coef_, atol=1e-8)


@each("kind", [GroupLasso, SparseGroupLasso])
def test_forms_weights_and_order(kind):
    fitted = kind(GROUPS, 0.05, tol=1e-13).fit(X, Y, W)
    assert certify(fitted, X, Y, W).holds
    for form in (sparse.csc_array, sparse.csr_matrix, np.asfortranarray):
        np.testing.assert_allclose(kind(GROUPS, 0.05, tol=1e-13).fit(form(X), Y, W).coef_, fitted.coef_, atol=1e-8)
    turned = [group[::-1] for group in GROUPS[::-1]]
    np.testing.assert_allclose(kind(turned, 0.05, tol=1e-13).fit(X, Y, W).coef_, fitted.coef_, atol=1e-8)
    times = np.arange(len(Y)) % 3
    one = kind(GROUPS, 0.05, tol=1e-13).fit(X, Y, times)
    two = kind(GROUPS, 0.05, tol=1e-13).fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-8)


@each("kind", [GroupLasso, SparseGroupLasso])
def test_many_dependent_columns(kind):
    """More columns than rows, a column twice in one group, constant columns: the gap closes all the same."""
    rng = np.random.default_rng(3)
    A = rng.standard_normal((40, 60))
    A[:, 1], A[:, 7], A[:, 20:25] = A[:, 0], 3.0, 0.0
    y = A[:, :5] @ [2.0, 1.0, -1.0, 0.5, 1.0] + 0.1 * rng.standard_normal(40)
    for alpha in (1.0, 0.1, 0.01):
        fitted = kind(5, alpha, tol=1e-9).fit(A, y)
        assert fitted.status_ is Status.OPTIMAL
        assert fitted.certificate_.holds, fitted.certificate_
        np.testing.assert_array_equal(fitted.coef_[20:25], 0.0)
    assert not kind(5, 1e3).fit(A, y).coef_.any()


@each("kind", [GroupLasso, SparseGroupLasso])
def test_tampering_within_a_group_is_noticed(kind):
    fitted = kind(GROUPS, 0.05).fit(X, Y)
    for j in np.flatnonzero(fitted.coef_):
        other = kind(GROUPS, 0.05).fit(X, Y)
        other.coef_[j] += 0.02
        assert not certify(other, X, Y).holds
    states = [step.state.objective for step in watch(kind(GROUPS, 0.05), X, Y)]
    assert all(after <= before + 1e-12 for before, after in pairwise(states))


def test_secular_equation():
    rng = np.random.default_rng(5)
    for scale in 10.0 ** np.arange(-8, 9):
        v, D = rng.standard_normal(6), scale * rng.uniform(size=6) ** 4
        level = 0.9 * np.linalg.norm(v) * rng.uniform() ** 3 + 1e-12
        D[0] = v[0] = 0.0
        h = secular_root(v, D, level)
        assert np.sum((v / (D * h + level)) ** 2) == pytest.approx(1.0, rel=1e-13)


@each("ratio", [0.0, 0.4, 1.0])
def test_the_largest_feasible_dual_point(ratio):
    rng = np.random.default_rng(6)
    penalty = GroupPenalty(0.3, ratio, np.array([1.0, 2.0]), np.array([0, 3, 5]))
    for u in 2 * rng.standard_normal((20, 5)):
        t = group_reach(penalty, u)
        assert np.all(group_excess(penalty, t * (1 - 1e-12) * u) <= 0.0)
        assert t == 1.0 or np.any(group_excess(penalty, t * (1 + 1e-9) * u) > 0.0)
        assert np.all((group_subdistance(penalty, np.zeros(5), t * (1 - 1e-12) * u)) == 0.0)


@each(
    ("groups", "weight", "error", "says"),
    [
        ([[0, 1], []], None, ValueError, "group 1 is empty"),
        ([[0, 1, 2], list(range(4, 10))], None, ValueError, "column 3 is in no group"),
        ([list(range(10)), [4]], None, ValueError, "column 4 is named 2 times"),
        ([[0, 10], list(range(1, 10))], None, ValueError, "names column 10"),
        ([], None, ValueError, "groups is empty"),
        (3, None, ValueError, "groups of 3"),
        ([[0.5]], None, TypeError, "list of column numbers"),
        (5, [1.0], ValueError, "one weight for each of the 2 groups"),
        (5, [1.0, 0.0], ValueError, r"group_weight\[1\] is 0.0"),
    ],
)
def test_wrong_groups(groups, weight, error, says):
    with pytest.raises(error, match=says):
        GroupLasso(groups, 0.1, group_weight=weight).fit(X, Y)


@each("make", [np.asarray, sparse.csc_array], ids=["dense", "sparse"])
@each("weight", [None, W], ids=["", "weighted"])
def test_products_and_rows_tell_the_same_gap(make, weight):
    starts = np.array([0, 1, 4, X.shape[1]])
    design, _, _ = centred_columns(make(X), Y, weight, True)
    run, rng = GroupDescent(design, starts), np.random.default_rng(5)
    for size in (0.0, 0.1, 1.0):
        run.coef[:] = size * rng.standard_normal(X.shape[1])
        by_products, by_rows = run._by_products(), run._by_rows()
        np.testing.assert_allclose(by_products.slope, by_rows.slope, atol=by_products.rounding)
        assert by_products[1:3] == pytest.approx(by_rows[1:3], abs=by_products.rounding)
        penalty = GroupPenalty(0.2, 0.0, np.array([1.0, 2.0, 0.5]), starts)
        gap, objective = group_gap(starts, penalty.l2, run.coef, *by_rows[:3])
        t = group_reach(penalty, by_rows.slope)
        assert objective == pytest.approx(0.5 * by_rows.rest + group_value(penalty, run.coef), rel=1e-12)
        assert gap == pytest.approx(objective - t * by_rows.with_y + 0.5 * t * t * by_rows.rest, abs=1e-12)
    # Sweeps end where their own gap, not far from that of the rows, is small.
    run.coef[:] = 0.0
    slope = -run.target
    gap = group_sweeps(
        run.crossings.gram, slope, run.coef, starts, penalty.l2, run.values, run.vectors, run.corner, run.target,
        run.mean_square, 1e-6, 1, 1000,
    )  # fmt: skip
    at = run._by_rows()
    np.testing.assert_allclose(slope, at.slope, atol=1e-10)
    assert gap <= 1e-6
    assert gap == pytest.approx(group_gap(starts, penalty.l2, run.coef, *at[:3])[0], abs=1e-12)
    assert (group_norms(penalty, run.coef) > 0.0).any()


def test_gaps_of_a_path_that_asks_for_more_than_products_can_tell():
    path = group_path(GroupLasso(GROUPS, tol=1e-13), X, Y, np.geomspace(0.5, 0.01, 5))
    for alpha, coef in zip(path.alphas, path.coefs.T):
        assert certify(GroupLasso(GROUPS, alpha, tol=1e-13).fit(X, Y), X, Y).holds
        np.testing.assert_allclose(coef, GroupLasso(GROUPS, alpha, tol=1e-14).fit(X, Y).coef_, atol=1e-6)
    assert path.gaps.max() <= 1e-13 * Y.var()


@each("kind", [GroupLasso, SparseGroupLasso])
def test_path(kind):
    path = group_path(kind(GROUPS, tol=1e-13), X, Y, [0.02, 0.5, 0.1], sample_weight=W)
    np.testing.assert_array_equal(path.alphas, [0.5, 0.1, 0.02])
    for k, alpha in enumerate(path.alphas):
        fitted = kind(GROUPS, alpha, tol=1e-13).fit(X, Y, W)
        np.testing.assert_allclose(path.coefs[:, k], fitted.coef_, atol=1e-6)
        assert path.intercepts[k] == pytest.approx(fitted.intercept_, abs=1e-6)
    with pytest.raises(ValueError, match="alphas"):
        group_path(kind(), X, Y, [])


@each("kind", [GroupLasso, SparseGroupLasso])
def test_the_condition_of_every_group_is_told(kind):
    def violation(answer):
        return next(claim.value for claim in certify(answer, X, Y) if "optimality condition" in claim.statement)

    fitted = kind(GROUPS, 0.05, tol=1e-14).fit(X, Y)
    assert violation(fitted) <= 1e-6
    for j in np.flatnonzero(fitted.coef_):
        fitted.coef_[j] += 0.02
        assert violation(fitted) > 1e-4
        fitted.coef_[j] -= 0.02


def test_distance_to_the_subdifferential_by_hand():
    penalty = GroupPenalty(0.5, 0.0, np.array([1.0, 2.0]), np.array([0, 2, 3]))
    x = np.array([3.0, 4.0, 0.0])
    # ∂ of the first group is 0.5 (0.6, 0.8); of the second [−1, 1].
    np.testing.assert_allclose(group_subdistance(penalty, x, np.array([0.0, 0.0, 0.7])), [0.5, 0.0])
    np.testing.assert_allclose(group_subdistance(penalty, x, np.array([-0.3, -0.4, -1.5])), [0.0, 0.5])
    sparse_one = penalty._replace(l1_ratio=0.5)
    # The first: 0.25 (0.6, 0.8) + 0.25 (1, 1); a zero inside a group that is in needs no more than the soft threshold.
    np.testing.assert_allclose(group_subdistance(sparse_one, x, np.array([-0.4, -0.45, 0.7])), [0.0, 0.0], atol=1e-15)
    within = group_subdistance(sparse_one, np.array([3.0, 0.0, 0.0]), np.array([-0.5, 0.35, -1.0]))
    np.testing.assert_allclose(within, [0.1, 0.25])

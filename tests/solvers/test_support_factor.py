"""Linear systems of changing supports, and correlations that are bounded instead of computed."""

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable._jit.core.vectors import columns_of
from learnable.solvers.sparse.correlations import Correlations
from learnable.solvers.sparse.cross_products import CrossProducts
from learnable.solvers.sparse.support_factor import SupportFactor


@each("ridge_step", [0.0, 0.05])
def test_every_support_on_the_way_is_solved(ridge_step):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((200, 80))
    G = np.pad(A.T @ A / 200, (0, 20))
    factor, support = SupportFactor(), set(range(40))
    for step in range(60):
        support ^= set(rng.choice(80, 3, replace=False).tolist())
        S = np.array(sorted(support))
        ridge = np.full(len(S), 0.1 + ridge_step * step)
        target = rng.standard_normal(len(S))
        d, image = factor.direction(G, S, ridge, target, 80)
        H = G[np.ix_(S, S)] + np.diag(ridge)
        assert np.linalg.norm(H @ d - target) <= 1e-4 * np.linalg.norm(target)
        np.testing.assert_allclose(image, G[:80, S] @ d, atol=1e-10)


@each("seed", range(3))
def test_supports_that_jump_among_columns_that_grow_in_number(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((300, 120))
    G = A.T @ A / 300
    factor, support, width = SupportFactor(), np.arange(0), 2
    for _ in range(80):
        width = min(width + rng.integers(3), 120)
        few = rng.uniform(size=width) < rng.choice([0.02, 0.5])  # drift, or jump
        inside = np.isin(np.arange(width), support) ^ few
        support = np.flatnonzero(inside)
        gram = np.full((width + 4, width + 4), np.nan)
        gram[:width, :width] = G[:width, :width]
        ridge, target = rng.uniform(0.1, 0.2, len(support)), rng.standard_normal(len(support))
        d, image = factor.direction(gram, support, ridge, target, width)
        assert not factor.lost
        H = G[np.ix_(support, support)] + np.diag(ridge)
        np.testing.assert_allclose(d, np.linalg.solve(H, target), atol=2e-4 * np.linalg.norm(target))
        np.testing.assert_allclose(image, G[:width, support] @ d, atol=1e-10)


def test_few_factors_are_made_from_scratch(monkeypatch):
    made = []
    renew = SupportFactor._renew
    monkeypatch.setattr(SupportFactor, "_renew", lambda *given: (made.append(1), renew(*given))[1])
    rng = np.random.default_rng(4)
    A = rng.standard_normal((200, 100))
    G, factor, support = A.T @ A / 200, SupportFactor(), set(range(60))
    for _ in range(50):
        support ^= set(rng.choice(100, 4, replace=False).tolist())
        S = np.array(sorted(support))
        factor.direction(G, S, np.zeros(len(S)), rng.standard_normal(len(S)), 100)
    assert sum(made) == 1


def test_dependent_columns_still_give_a_direction_of_descent():
    rng = np.random.default_rng(1)
    A = rng.standard_normal((10, 6))
    A = np.column_stack([A, A[:, 0], A[:, 1] + A[:, 2]])
    G = A.T @ A / 10
    target = G @ rng.standard_normal(8)
    d, _ = SupportFactor().direction(G, np.arange(8), np.zeros(8), target, 8)
    assert np.all(np.isfinite(d))
    assert target @ d > 0.0


def dependent_columns():
    """(G, a support with two columns that are equal, one without)."""
    A = np.random.default_rng(5).standard_normal((60, 40))
    A[:, 33] = A[:, 4]
    return A.T @ A / 60, np.array([*range(30), 33]), np.arange(30)


@each("known", [False, True], ids=["at once", "one that comes"])
def test_equations_without_a_solution_are_lost_and_those_with_one_are_not(known):
    G, S, independent = dependent_columns()
    target = np.random.default_rng(6).standard_normal(31)
    factor = SupportFactor()
    if known:
        factor.direction(G, independent, np.zeros(30), target[:30], 40)
        assert not factor.lost
    factor.direction(G, S, np.zeros(31), target, 40)
    assert factor.lost
    d, _ = factor.direction(G, independent, np.zeros(30), target[:30], 40)
    assert not factor.lost
    np.testing.assert_allclose(G[np.ix_(independent, independent)] @ d, target[:30], atol=1e-4)
    target = G[S][:, S] @ target
    d, _ = factor.direction(G, S, np.zeros(31), target, 40)
    assert not factor.lost
    np.testing.assert_allclose(G[np.ix_(S, S)] @ d, target, atol=1e-4)


@each(("apart", "dependent"), [(-1e-14, True), (0.0, True), (1e-14, True), (1e-8, False)])
def test_a_factor_made_of_rounding_does_not_hide_dependent_columns(apart, dependent):
    factor, G = SupportFactor(), np.array([[1.0, 1.0], [1.0, 1.0 + apart]])
    factor.direction(G, np.arange(2), np.zeros(2), np.ones(2), 2)
    assert factor._renew(G, np.arange(2), np.zeros(2)) == dependent
    assert not factor._renew(G, np.arange(2), np.full(2, 0.1))


def test_a_ridge_makes_dependent_columns_independent():
    G, S, _ = dependent_columns()
    target, ridge = np.random.default_rng(7).standard_normal(31), np.full(31, 0.01)
    factor = SupportFactor()
    d, _ = factor.direction(G, S, ridge, target, 40)
    assert not factor.lost
    np.testing.assert_allclose(d, np.linalg.solve(G[np.ix_(S, S)] + np.diag(ridge), target), atol=1e-2)


def test_after_a_refusal_it_serves_again():
    rng = np.random.default_rng(8)
    A = rng.standard_normal((50, 12))
    G, target = A.T @ A / 50, rng.standard_normal(12)
    factor = SupportFactor()
    factor.direction(G, np.arange(12), np.zeros(12), target, 12)
    with pytest.raises(np.linalg.LinAlgError, match="not finite"):
        factor.direction(-np.eye(12), np.arange(3), np.zeros(3), target[:3], 12)
    for S in (np.arange(2), np.arange(12), np.arange(11)):
        d, _ = factor.direction(G, S, np.zeros(len(S)), target[S], 12)
        np.testing.assert_allclose(G[np.ix_(S, S)] @ d, target[S], atol=1e-4)


def test_no_equations_have_the_empty_solution():
    d, image = SupportFactor().direction(np.eye(3), np.arange(0), np.zeros(0), np.zeros(0), 3)
    assert d.shape == (0,)
    np.testing.assert_array_equal(image, np.zeros(3))


@each("form", [np.asfortranarray, sparse.csc_array])
def test_a_correlation_that_can_matter_is_exact_and_the_rest_stays_below(form):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60, 400)) * (rng.uniform(size=(60, 400)) < 0.5) + 0.0
    mean = X.mean(axis=0) if form is sparse.csc_array else np.zeros(400)
    centred = X - mean
    known = Correlations(columns_of(form(X)), mean, np.sqrt(np.mean(centred**2, axis=0)), np.ones(60), 60.0)
    residual = rng.standard_normal(60)
    residual -= residual.mean()
    level, needed, computed = np.full(400, 0.25), np.array([3, 5]), []
    count = known._compute
    known._compute = lambda r, index, out: (computed.append(len(index)), count(r, index, out))[1]
    for _ in range(12):
        exact = centred.T @ residual / 60
        found = known.of(residual, level, needed)
        matters = np.abs(exact) >= level
        matters[needed] = True
        np.testing.assert_allclose(found[matters], exact[matters], atol=1e-12)
        assert np.all(np.abs(found[~matters]) < level[~matters])
        residual = residual + 0.02 * rng.standard_normal(60)
        residual -= residual.mean()
    assert computed[0] == 400
    assert min(computed) < 120


@each("form", [np.asfortranarray, sparse.csc_array])
def test_cross_products_of_columns_as_they_come(form):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((30, 20))
    mean = X.mean(axis=0)
    crossings = CrossProducts(form(X), mean, 30.0)
    for new in ([4, 2], [7], [0, 19, 11]):
        crossings.add(np.array(new))
    expected = (X - mean).T @ (X - mean) / 30
    known = crossings.known
    assert known.tolist() == [4, 2, 7, 0, 19, 11]
    assert crossings.place[known].tolist() == list(range(6))
    np.testing.assert_allclose(crossings.gram[:6, :6], expected[np.ix_(known, known)], atol=1e-12)

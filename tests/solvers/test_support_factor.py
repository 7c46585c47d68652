"""Linear systems of changing supports, and correlations that are bounded instead of computed."""

import numpy as np
import pytest
from scipy import sparse

from learnable._jit.vectors import columns_of
from learnable.solvers.correlations import Correlations
from learnable.solvers.cross_products import CrossProducts
from learnable.solvers.support_factor import SupportFactor


@pytest.mark.parametrize("ridge_step", [0.0, 0.05])
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


def test_dependent_columns_still_give_a_direction_of_descent():
    rng = np.random.default_rng(1)
    A = rng.standard_normal((10, 6))
    A = np.column_stack([A, A[:, 0], A[:, 1] + A[:, 2]])
    G = A.T @ A / 10
    target = G @ rng.standard_normal(8)
    d, _ = SupportFactor().direction(G, np.arange(8), np.zeros(8), target, 8)
    assert np.all(np.isfinite(d))
    assert target @ d > 0.0


@pytest.mark.parametrize("form", [np.asfortranarray, sparse.csc_array])
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


@pytest.mark.parametrize("form", [np.asfortranarray, sparse.csc_array])
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

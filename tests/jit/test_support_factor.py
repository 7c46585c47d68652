"""The factor of a support that changes is the factor of the support it has come to."""

import numpy as np
from tests.cases import each

from learnable._jit.core.lapack import cholesky
from learnable._jit.sparse.support_factor import ACCURACY, adapt, append, fill, refined, remove

WIDTH = 50


def square(width=WIDTH, room=9, seed=0, rows=80):
    """Cross-products of `width` columns inside a larger square that holds nothing else."""
    A = np.random.default_rng(seed).standard_normal((rows, width))
    gram = np.full((width + room, width + room), np.nan)
    gram[:width, :width] = A.T @ A / rows
    return gram


class Factor:
    """(G + ridge)_BB = UᵀU, from scratch."""

    def __init__(self, gram, base, ridge, room=WIDTH):
        base = np.asarray(base, dtype=np.int64)
        self.held = len(base)
        self.upper = np.full((room, room), np.nan)
        self.base, self.position = np.full(room, -7), np.full(len(gram), -1)
        fill(gram, base, np.asarray(ridge, dtype=float), 0.0, self.upper)
        assert cholesky(self.upper, self.held)
        self.base[: self.held], self.position[base] = base, np.arange(self.held)

    @property
    def parts(self):
        return self.upper, self.base, self.position

    def check(self, gram, support, ridge):
        """`ridge` : by place in `gram`."""
        base = self.base[: self.held]
        assert sorted(base) == sorted(support)
        np.testing.assert_array_equal(self.position[base], np.arange(self.held))
        assert np.count_nonzero(self.position >= 0) == self.held
        H = gram[np.ix_(base, base)] + np.diag(ridge[base])
        U = np.triu(self.upper[: self.held, : self.held])
        np.testing.assert_allclose(U, np.linalg.cholesky(H).T, atol=1e-11)


@each("k", [0, 1, 11, 22, 23])
def test_a_column_rotated_out_leaves_the_factor_of_the_others(k):
    gram, ridge = square(), np.linspace(0.0, 1.0, WIDTH)
    base = np.random.default_rng(k).permutation(WIDTH)[:24]
    factor = Factor(gram, base, ridge[base])
    remove(*factor.parts, k, 24)
    factor.held -= 1
    factor.check(gram, np.delete(base, k), ridge)
    np.testing.assert_array_equal(factor.base[:23], np.delete(base, k))


@each("held", [0, 1, 20])
@each("count", [0, 1, 2, 7])
def test_columns_added_behind_give_the_factor_of_all(held, count):
    gram, ridge = square(), np.linspace(0.0, 1.0, WIDTH)
    order = np.random.default_rng(held).permutation(WIDTH)
    factor, new = Factor(gram, order[:held], ridge[order[:held]]), order[held : held + count]
    append(gram, new, ridge[new], len(new), *factor.parts, held)
    factor.held += count
    factor.check(gram, order[: held + count], ridge)


@each("seed", range(4))
def test_supports_that_drift_are_followed(seed):
    rng = np.random.default_rng(seed)
    gram, ridge = square(seed=seed), rng.uniform(size=WIDTH)
    support = set(range(0, WIDTH, 2))
    factor = Factor(gram, sorted(support), ridge[sorted(support)])
    for _ in range(100):
        support ^= set(rng.choice(WIDTH, 3, replace=False).tolist())
        now = np.array(sorted(support))
        assert adapt(gram, now, ridge[now], *factor.parts, factor.held, False)
        factor.held = len(now)
        factor.check(gram, now, ridge)


def test_more_change_than_is_worth_it_is_refused_and_nothing_done():
    gram, ridge = square(), np.zeros(WIDTH)
    factor = Factor(gram, np.arange(20), ridge[:20])
    before = [part.copy() for part in factor.parts]
    assert adapt(gram, np.arange(3, 26), ridge[:23], *factor.parts, 20, False) is False
    for part, was in zip(factor.parts, before):
        np.testing.assert_array_equal(part, was)
    assert adapt(gram, np.arange(2, 23), ridge[:21], *factor.parts, 20, False) is True


@each("combination", [{0: 1.0}, {3: 2.0, 7: -0.5}, {48: 1.0, 2: 1.0}], ids=str)
def test_a_column_that_depends_on_those_before_keeps_a_pivot(combination):
    rng = np.random.default_rng(1)
    A = rng.standard_normal((80, WIDTH))
    A[:, 49] = sum(share * A[:, j] for j, share in combination.items())
    gram, ridge = A.T @ A / 80, np.zeros(WIDTH)
    factor = Factor(gram, np.arange(20), ridge[:20])
    new = np.array([48, 49])
    append(gram, new, ridge[:2], 2, *factor.parts, 20)
    U = np.triu(factor.upper[:22, :22])
    base = factor.base[:22]
    np.testing.assert_allclose(U.T @ U, gram[np.ix_(base, base)], atol=1e-10)
    assert 0.0 < U[21, 21] < 1e-5


@each("factored", [0.1, 0.13, 0.3])
def test_solutions_through_a_factor_with_another_ridge(factored):
    gram, rng = square(), np.random.default_rng(2)
    base = rng.permutation(40)[:30]
    factor = Factor(gram, base, np.full(30, factored))
    support, ridge, target = np.sort(base), np.full(30, 0.1), rng.standard_normal(30)
    d, image, settled = refined(gram, support, ridge, target, factor.upper, factor.position, WIDTH)
    assert settled
    H = gram[np.ix_(support, support)] + np.diag(ridge)
    assert np.linalg.norm(H @ d - target) <= 1.001 * ACCURACY * np.linalg.norm(target)
    np.testing.assert_allclose(d, np.linalg.solve(H, target), atol=1e-12 if factored == 0.1 else 1e-3)
    np.testing.assert_allclose(image, gram[:WIDTH, support] @ d, atol=1e-12)


def test_few_ridges_that_change_take_few_steps_however_far_they_go():
    """The factor is off by a matrix of rank four: conjugate gradients end after five steps."""
    gram, rng = square(), np.random.default_rng(4)
    factor, support, ridge = Factor(gram, np.arange(30), np.full(30, 0.1)), np.arange(30), np.full(30, 0.1)
    ridge[[3, 8, 20, 29]] = 0.5, 3.0, 20.0, 100.0
    d, _, settled = refined(gram, support, ridge, rng.standard_normal(30), factor.upper, factor.position, WIDTH)
    assert settled
    assert np.all(np.isfinite(d))


def test_a_factor_too_far_away_is_told():
    gram, rng = square(rows=WIDTH), np.random.default_rng(3)
    factor = Factor(gram, np.arange(WIDTH), np.full(WIDTH, 1e3))
    target = rng.standard_normal(WIDTH)
    assert not refined(gram, np.arange(WIDTH), np.zeros(WIDTH), target, factor.upper, factor.position, WIDTH)[2]


def test_nothing_asked_nothing_moved():
    gram = square()
    factor = Factor(gram, np.arange(5), np.zeros(5))
    d, image, settled = refined(gram, np.arange(5), np.zeros(5), np.zeros(5), factor.upper, factor.position, 8)
    assert settled
    np.testing.assert_array_equal(d, np.zeros(5))
    np.testing.assert_array_equal(image, np.zeros(8))

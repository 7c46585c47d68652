"""Coordinate descent over cross-products: same minimum as plain passes, in fewer of them, and honest bookkeeping."""

import numpy as np
import pytest

from learnable._jit.sparse.coordinate_descent import gram_sweeps
from learnable._jit.sparse.gram_descent import MOVES, gram_descent, gram_values
from learnable.problems.sparse.penalties import L1, ElasticNet, NonNegative, Weighted

PENALTIES = [
    L1(0.05),
    ElasticNet(0.05, 0.5),
    Weighted(ElasticNet(0.05, 0.9), np.linspace(0.5, 2.0, 31)),
    NonNegative(ElasticNet(0.02, 0.5)),
]


def problem(n=60, w=31, likeness=0.9, seed=0):
    """(gram inside a larger square, c, ‖y‖²/n) of columns that resemble their neighbours."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, w))
    for k in range(1, w):
        X[:, k] = likeness * X[:, k - 1] + np.sqrt(1.0 - likeness**2) * X[:, k]
    y = X[:, ::3] @ rng.uniform(0.5, 2.0, len(range(0, w, 3))) + rng.standard_normal(n)
    gram = np.full((w + 7, w + 7), np.nan)
    gram[:w, :w] = X.T @ X / n
    return gram, X.T @ y / n, float(y @ y) / n


def descend(gram, c, square, penalty, enough, n_sweeps=10_000, room=0):
    w = len(c)
    coef, slope, moves, images = np.zeros(w), -c, np.zeros((MOVES, w + room)), np.zeros((MOVES, w + room))
    made, gap, held = gram_descent(
        gram, slope, coef, c, square, penalty, np.arange(w), n_sweeps, 0, enough, moves, images, 0
    )
    return coef, slope, made, gap, moves[:held, :w], images[:held, :w]


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@pytest.mark.parametrize("w", [31, 4, 3, 1])
def test_the_minimum_is_that_of_plain_passes(penalty, w):
    gram, c, square = problem()
    gram, c = gram[: w + 2, : w + 2], c[:w]
    coef, slope, _, gap, _, _ = descend(gram, c, square, penalty, 1e-13)
    plain, plain_slope = np.zeros(w), -c
    gram_sweeps(gram, plain_slope, plain, penalty, np.arange(w), 20_000)
    assert gap <= 1e-13
    np.testing.assert_allclose(coef, plain, atol=1e-5)
    np.testing.assert_array_equal(coef == 0.0, plain == 0.0)
    np.testing.assert_allclose(slope, gram[:w, :w] @ coef - c, atol=1e-13)


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_the_best_of_the_last_moves_spares_passes(penalty):
    gram, c, square = problem(likeness=0.95)
    _, _, made, gap, _, _ = descend(gram, c, square, penalty, 1e-10)
    plain, slope, passes = np.zeros(len(c)), -c, 0
    while gram_values(slope, plain, c, square, penalty, np.arange(len(c)))[1] > 1e-10:
        gram_sweeps(gram, slope, plain, penalty, np.arange(len(c)), 1)
        passes += 1
    assert gap <= 1e-10
    assert made < 0.5 * passes


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_the_objective_never_rises_and_images_are_those_of_the_moves(penalty):
    gram, c, square = problem()
    last = np.inf
    for n_sweeps in range(1, 25):
        coef, slope, made, gap, moves, images = descend(gram, c, square, penalty, 0.0, n_sweeps, room=5)
        primal, at = gram_values(slope, coef, c, square, penalty, np.arange(len(c)))
        assert made == n_sweeps
        assert at == pytest.approx(gap, rel=1e-6, abs=1e-14)
        assert primal <= last + 1e-14
        last = primal
        assert len(moves) == min(n_sweeps, MOVES)
        np.testing.assert_allclose(images, moves @ gram[: len(c), : len(c)], atol=1e-12)


@pytest.mark.parametrize("penalty", [L1(0.05), L1(0.3), NonNegative(L1(0.05))], ids=str)
@pytest.mark.parametrize(("n", "likeness", "seed"), [(20, 0.98, 12), (60, 0.9, 45), (60, 0.98, 52)])
def test_a_step_that_would_raise_the_objective_is_not_taken(penalty, n, likeness, seed):
    """Moves of columns that have gone to zero since lead astray: taken blindly, the objective rises many times over."""
    gram, c, square = problem(n, 31, likeness, seed)
    values = []
    for n_sweeps in range(1, 25):
        coef, slope, *_ = descend(gram, c, square, penalty, 0.0, n_sweeps)
        values.append(gram_values(slope, coef, c, square, penalty, np.arange(31))[0])
    assert np.all(np.diff(values) <= 1e-13 * square)


@pytest.mark.parametrize("seed", range(3))
def test_moves_of_an_earlier_penalty_help_the_next(seed):
    gram, c, square = problem(n=60, w=80, likeness=0.5, seed=seed)
    index, made = np.arange(80), []
    for remember in (True, False):
        coef, slope, moves, images = np.zeros(80), -c, np.zeros((MOVES, 80)), np.zeros((MOVES, 80))
        held, passes = 0, 0
        for alpha in np.geomspace(0.5, 0.005, 30):
            found = gram_descent(
                gram, slope, coef, c, square, ElasticNet(alpha, 0.5), index, 10_000, 0, 1e-6 * square,
                moves, images, held if remember else 0,
            )  # fmt: skip
            passes, held = passes + found[0], found[2]
            assert found[1] <= 1e-6 * square
        made.append(passes)
    assert made[0] < 0.9 * made[1]


def test_a_column_without_length_stays_where_it_is():
    gram, c, square = problem()
    gram[5, :] = gram[:, 5] = 0.0
    c[5] = 0.0
    coef, *_ = descend(gram, c, square, L1(0.05), 1e-10)
    assert coef[5] == 0.0
    assert np.count_nonzero(coef)

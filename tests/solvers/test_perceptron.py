"""Passes of the perceptron against the loop written plainly, exactly; the orders in which they visit."""

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable._jit.linear.perceptron import perceptron_pass
from learnable.solvers.linear.perceptron import MOST_ROWS, NO_PENALTY, Orders, iterates, visited_rows


def whole(seed, n=200, p=7):
    """Whole numbers, for which sums are exact in every order."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (n, p)).astype(float) * (rng.random((n, p)) < 0.6)
    return X, rng.choice([-1, 1], n), 1.0 + rng.permutation(n), rng.permutation(n)


def passed(X, y, rate, order, theta, bias):
    """(mistakes, loss, θ, b) of a pass, row after row."""
    theta, mistakes, loss = theta.copy(), [], 0.0
    for i in order:
        margin = y[i] * (X[i] @ theta + bias)
        if margin <= 0:
            theta, bias, loss = theta + rate[i] * y[i] * X[i], bias + rate[i] * y[i], loss - rate[i] * margin
            mistakes.append(i)
    return mistakes, loss, theta, bias


@each("weighted", [False, True])
@each("form", [np.asarray, np.float32, sparse.csr_array], ids=["double", "single", "sparse"])
@each(("n", "p"), [(1, 1), (2, 5), (200, 7), (60, 450)])
def test_a_pass_is_the_plain_loop(form, weighted, n, p):
    X, y, weight, order = whole(n + p, n, p)
    rate = weight if weighted else np.array([3.0])
    theta, bias, mistakes = np.zeros(p), np.zeros(1), np.empty(n, dtype=np.int32)
    for shuffled in (order, order[::-1]):
        expected = passed(X, y, np.broadcast_to(rate, n), shuffled, theta, bias[0])
        made, loss = perceptron_pass(
            visited_rows(form(X)), shuffled.astype(np.uint32), y.astype(np.int8), rate,
            theta, bias, 1.0, NO_PENALTY, 0.0, mistakes,
        )  # fmt: skip
        assert mistakes[:made].tolist() == expected[0]
        assert loss == expected[1]
        np.testing.assert_array_equal(theta, expected[2])
        assert bias[0] == expected[3]


def test_one_step_for_all_rows_is_that_step_for_each():
    X, y, _, _ = whole(3)
    answers = []
    for rate in (np.full((2, 1), 0.3), np.full((2, 200), 0.3)):
        states = iterates(X, np.stack([y, -y]), rate, Orders(200, np.random.default_rng(5)), True)
        answers.append([next(states) for _ in range(4)][-1])
    one, each = answers
    assert one.mistakes == each.mistakes > 0
    assert one.objective == each.objective
    np.testing.assert_array_equal(one.coef, each.coef)
    np.testing.assert_array_equal(one.intercept, each.intercept)


def test_orders_are_permutations_that_the_seed_decides():
    one, two, other = (Orders(1000, np.random.default_rng(seed)) for seed in (1, 1, 2))
    first, again = one.next(), one.next()
    for order in (first, again):
        np.testing.assert_array_equal(np.sort(order), np.arange(1000))
        np.testing.assert_array_equal(order, two.next())
    assert not np.array_equal(first, again)
    assert not np.array_equal(first, other.next())
    np.testing.assert_array_equal(Orders(5, None).next(), np.arange(5))


def test_an_order_once_given_does_not_change():
    orders = Orders(50, np.random.default_rng(0))
    first = orders.next()
    kept = first.copy()
    orders.next()
    np.testing.assert_array_equal(first, kept)


@each("generator", [None, np.random.default_rng(0)])
def test_more_rows_than_numbers_of_four_bytes_are_refused(generator):
    with pytest.raises(ValueError, match=f"X has {MOST_ROWS + 1} rows: at most {MOST_ROWS}"):
        Orders(MOST_ROWS + 1, generator).next()

"""Empirical risk minimisation over finite lists, and the identities around it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.evaluation.interval import Interval
from learnable.selection import erm, erm_inequality, excess_error, overfitting, risk_vector

RISKS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12)


def thresholds(cuts):
    return [lambda x, t=t: (x > t).astype(int) for t in cuts]


def test_every_tie_is_reported():
    result = erm(thresholds([-1, 0.5, 1.5, 9]), np.arange(4), [0, 0, 1, 1])
    assert result.minimisers == (2,)
    tied = erm(thresholds([0.5, 1.5, 2.5]), np.arange(4), [0, 1, 0, 1])
    assert tied.minimisers == (0, 2)
    assert tied.best == 0
    assert "tie of 2" in str(tied)


def test_risk_vector_is_the_mean_loss_under_the_law():
    x, y, law = np.arange(3), np.array([0, 1, 1]), [0.5, 0.3, 0.2]
    assert risk_vector(thresholds([-1, 1.5]), x, y, law=law) == pytest.approx([0.5, 0.3])
    assert risk_vector(thresholds([-1, 1.5]), x, y) == pytest.approx([1 / 3, 1 / 3])
    squares = risk_vector([lambda x: x * 1.0], x, np.array([0.0, 3.0, 2.0]), loss="squared")
    assert squares == pytest.approx([4 / 3])


def test_erm_agrees_with_the_empirical_risk_vector():
    rng = np.random.default_rng(3)
    x, y = rng.uniform(size=50), rng.integers(2, size=50)
    functions = thresholds(np.linspace(0, 1, 9))
    result = erm(functions, x, y)
    np.testing.assert_allclose(result.risks, risk_vector(functions, x, y))
    assert result.risks[result.best] == result.risks.min()
    share = result.risks[0]
    assert result.standard_errors[0] == pytest.approx(np.sqrt(share * (1 - share) / 49))


@settings(deadline=None)
@given(RISKS)
def test_erm_inequality_holds_for_every_pair_of_risk_vectors(pairs):
    true, empirical = np.array(pairs).T
    sides = erm_inequality(true, empirical)
    assert sides.holds
    assert sides.right == 2 * max(abs(t - e) for t, e in pairs)
    worst = max(t for t, e in pairs if e == empirical.min())
    assert sides.left == worst - true.min()
    # Swapping true and empirical risks keeps the right side; no hypothesis far off makes it smaller.
    assert erm_inequality(empirical, true).right == sides.right
    assert erm_inequality(true, true).right == erm_inequality(true, true).left == 0.0


def test_erm_inequality_is_attained():
    # True risks 0.2 and 0.4; the sample makes both look like 0.3 with the worse one a hair ahead.
    sides = erm_inequality([0.2, 0.4], [0.3, 0.3])
    assert sides.left == pytest.approx(sides.right)


def test_excess_error_terms_add_up_and_approximation_falls_along_nested_classes():
    rng = np.random.default_rng(0)
    x = np.arange(6)
    eta = rng.uniform(size=6)
    pairs_x, pairs_y = np.repeat(x, 2), np.tile([0, 1], 6)
    law = np.column_stack([1 - eta, eta]).ravel() / 6
    bayes = np.minimum(eta, 1 - eta).mean()
    tables = [[(i >> b) & 1 for b in range(6)] for i in range(64)]
    classes = [[t for t in tables if sum(t) <= k] for k in range(7)]
    sample = rng.choice(12, size=20, p=law)
    chosen, least = [], []
    for members in classes:
        functions = [lambda z, t=t: np.asarray(t)[z] for t in members]
        true = risk_vector(functions, pairs_x, pairs_y, law=law)
        chosen.append(true[erm(functions, pairs_x[sample], pairs_y[sample]).best])
        least.append(true.min())
    split = excess_error(chosen, least, bayes)
    np.testing.assert_allclose(split.estimation + split.approximation, split.excess)
    np.testing.assert_allclose(split.excess, np.array(chosen) - bayes)
    np.testing.assert_allclose(split.approximation, np.array(least) - bayes, atol=1e-15)
    np.testing.assert_allclose(split.estimation, np.array(chosen) - least, atol=1e-15)
    # The least risk of a class by hand: of all functions, flip where η says so, and at most k ones.
    for k, value in enumerate(least):
        gains = np.sort(np.maximum(2 * eta - 1, 0))[::-1]
        assert value == pytest.approx((eta.sum() - gains[:k].sum()) / 6)
    assert (np.diff(split.approximation) <= 1e-12).all()
    assert split.approximation[-1] == pytest.approx(0)  # the last class holds every function
    assert (split.estimation >= -1e-12).all()


def test_overfitting_witness_by_brute_force():
    rng = np.random.default_rng(1)
    training, true = rng.integers(0, 6, size=(2, 9)) / 10
    result = overfitting(training, true)
    for h in range(9):
        witnesses = [g for g in range(9) if training[g] > training[h] and true[g] < true[h]]
        assert result.overfits[h] == bool(witnesses)
        if witnesses:
            assert result.witness[h] in witnesses
            assert true[result.witness[h]] == min(true[g] for g in witnesses)


def test_equal_errors_are_no_witness():
    assert not overfitting([0.1, 0.2], [0.3, 0.3]).overfits.any()
    assert not overfitting([0.1, 0.1], [0.3, 0.2]).overfits.any()


def test_overfitting_with_intervals_is_proved_only_when_they_part():
    def interval(low, high):
        return Interval((low + high) / 2, low, high, 0.95, "wilson", 100)

    apart = overfitting([0.2, 0.0], [interval(0.1, 0.2), interval(0.3, 0.4)])
    assert apart.overfits.tolist() == apart.proved.tolist() == [False, True]
    close = overfitting([0.2, 0.0], [interval(0.1, 0.3), interval(0.2, 0.4)])
    assert close.overfits.tolist() == [False, True]
    assert not close.proved.any()
    assert "[0.2, 0.4]" in str(close)


@each(
    ("call", "message"),
    [
        (lambda: erm([], [1], [1]), "empty"),
        (lambda: risk_vector([], [1], [1]), "empty"),
        (lambda: risk_vector(thresholds([0]), [1, 2], [1, 1], law=[0.5, 0.6]), "sum to 1"),
        (lambda: erm(thresholds([0]), np.arange(3), [1, 2]), "3 rows and y has 2"),
        (lambda: erm([lambda x: x / 0.0], np.ones(2), [1.0, 1.0], loss="squared"), "observation 0 is inf"),
        (lambda: erm(thresholds([0]), np.ones(2), [1, 1], loss="hinge"), "loss='hinge'"),
        (lambda: erm(thresholds([0]), np.ones(2), [1, 1], names=["a", "b"]), "2 given for 1"),
        (lambda: excess_error(0.1, 0.2, 0.0), "not in the class"),
        (lambda: excess_error(0.3, 0.2, 0.25), "not the Bayes risk"),
        (lambda: erm_inequality([0.1], [0.1, 0.2]), "one each"),
        (lambda: erm_inequality([], []), "non-empty"),
        (lambda: overfitting([0.1], [0.1, np.nan]), "must be finite"),
    ],
)
def test_bad_input_is_named(call, message):
    with np.errstate(divide="ignore"), pytest.raises(ValueError, match=message):
        call()


@each("scale", [1e-10, 1.0, 1e10])
def test_ties_do_not_depend_on_the_unit_of_the_loss(scale):
    constants = [lambda x, c=c: np.full(len(x), c * scale) for c in (0.0, 3.0, 1.0, 1.0)]
    assert erm(constants, np.zeros(4), np.full(4, scale), loss="squared").minimisers == (2, 3)

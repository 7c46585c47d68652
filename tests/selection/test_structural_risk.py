"""Structural risk minimisation, its oracle inequality, the hold-out band and the two compared."""

from math import log, sqrt

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.dummy import DummyRegressor
from sklearn.tree import DecisionTreeClassifier
from tests.cases import each

from learnable.selection import (
    cv_vs_srm,
    holdout_band,
    holdout_choice,
    oracle_inequality,
    structural_risk,
    structural_risk_minimisation,
)


def labellings(points, switches):
    """All labellings of 0..points-1 with at most `switches` changes: nested in `switches`."""
    tables = (np.arange(2**points)[:, None] >> np.arange(points)) & 1
    return tables[(np.diff(tables, axis=1) != 0).sum(axis=1) <= switches]


class World:
    """Eight points, a noisy step as the truth, classes H_k of labellings with fewer than k changes."""

    def __init__(self, m):
        self.m = m
        self.eta = np.where(np.arange(8) < 3, 0.1, 0.9)
        self.classes = [labellings(8, k) for k in range(5)]
        # Massart: Rad_m of a finite ±1 class is at most √(2 log|H| / m).
        self.complexity = [sqrt(2 * log(len(H)) / m) for H in self.classes]
        self.least = [self.risk(H).min() for H in self.classes]

    def risk(self, H):
        return np.where(H == 1, 1 - self.eta, self.eta).mean(axis=1)

    def draw(self, rng, m):
        x = rng.integers(8, size=m)
        return x, (rng.random(m) < self.eta[x]).astype(int)

    def minimisers(self, x, y):
        """h_k of least empirical error in each class, with that error."""
        errors = [(H[:, x] != y).mean(axis=1) for H in self.classes]
        return [H[e.argmin()] for H, e in zip(self.classes, errors)], [e.min() for e in errors]


def test_three_terms_by_hand():
    table = structural_risk([0.30, 0.10, 0.09], [0.05, 0.10, 0.30], m=400)
    np.testing.assert_allclose(table.index_price, [0, sqrt(log(2) / 400), sqrt(log(3) / 400)])
    np.testing.assert_allclose(table.objective, [0.35, 0.2 + sqrt(log(2) / 400), 0.39 + sqrt(log(3) / 400)])
    assert table.best == 1
    assert table.bound(0.1)[0] == pytest.approx(0.35 + sqrt(log(20) / 800))
    assert "least" in str(table).splitlines()[3]


def test_complexity_may_be_a_function_and_learners_that_do_not_minimise_are_noticed():
    table = structural_risk([0.2, 0.3], lambda k, m: k / m, m=10)
    np.testing.assert_allclose(table.complexity, [0.1, 0.2])
    assert not table.nested
    assert "do not minimise" in str(table)


def test_smaller_class_wins_a_tie():
    assert structural_risk([0.2, 0.2], [0.1, 0.1], m=10**9).best == 0


def test_oracle_inequality_and_uniform_bound_in_simulation():
    world, rng, delta, runs = World(m=200), np.random.default_rng(5), 0.3, 200
    failures, bound_failures, chosen = 0, 0, []
    for _ in range(runs):
        hypotheses, errors = world.minimisers(*world.draw(rng, world.m))
        table = structural_risk(errors, world.complexity, world.m)
        assert table.nested
        risks = world.risk(np.array(hypotheses))
        sides = oracle_inequality(risks[table.best], world.least, world.complexity, world.m, delta)
        failures += not sides.holds
        trade_off = [
            least + 2 * complexity + sqrt(log(k) / world.m)
            for k, (least, complexity) in enumerate(zip(world.least, world.complexity), start=1)
        ]
        assert sides.left == risks[table.best]
        assert sides.right == pytest.approx(min(trade_off) + sqrt(2 * log(3 / delta) / world.m))
        bound_failures += (risks > table.bound(delta)).any()
        chosen.append(table.best)
    assert failures / runs <= delta
    assert bound_failures / runs <= delta
    # With one true change at m = 200 the step class is the right one and SRM finds it nearly always.
    assert np.mean(np.array(chosen) == 1) > 0.9


def test_oracle_right_side_by_hand_and_vacuity():
    sides = oracle_inequality(0.1, [0.3, 0.1], [0.01, 0.02], m=500, delta=0.1)
    assert sides.right == pytest.approx(0.1 + 0.04 + sqrt(log(2) / 500) + sqrt(2 * log(30) / 500))
    assert not sides.vacuous
    assert oracle_inequality(0.1, [0.3], [0.5], m=10).vacuous


def test_srm_on_learners_returns_the_fitted_one():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 1))
    y = ((X[:, 0] > 0.3) & (X[:, 0] < 0.6)).astype(int)
    trees = [DecisionTreeClassifier(max_depth=d, random_state=0) for d in (1, 2, 6)]
    table, model = structural_risk_minimisation(trees, X, y, lambda k, m: sqrt([2, 4, 64][k - 1] / m) / 2)
    assert table.best == 1
    assert model.get_depth() == 2
    assert (model.predict(X) != y).mean() == table.empirical[1]


def test_holdout_band_holds_for_all_models_at_once_by_exact_sums():
    n, delta = 40, 0.2
    true = np.array([0.5, 0.1, 0.3, 0.02, 0.8])
    radius = holdout_band(true, n, delta=delta).radius
    grid = np.arange(n + 1) / n
    miss = [binom.pmf(np.flatnonzero(abs(grid - r) > w), n, r).sum() for r, w in zip(true, radius)]
    assert 0 < sum(miss) <= delta  # union bound: whatever the dependence between the models


def test_price_of_the_index_widens_both_sides():
    # Outside the absolute value: the band stays centred at the hold-out error, on either side by the same amount.
    band = holdout_band([0.5, 0.5, 0.5], 1000, delta=0.05)
    np.testing.assert_allclose(band.high - 0.5, 0.5 - band.low)
    np.testing.assert_allclose(band.radius, sqrt(log(80) / 2000) + np.sqrt(np.log([1, 2, 3]) / 1000))
    np.testing.assert_allclose(holdout_band([3.0], 50, loss_range=9.0).radius, 9 * holdout_band([0.3], 50).radius)


def test_band_failure_probability_inverts_to_delta():
    n, delta = 123, 0.07
    epsilon = holdout_band([0.2], n, delta=delta).radius[0]
    assert 4 * np.exp(-2 * n * epsilon**2) == pytest.approx(delta)


def test_holdout_choice_judges_the_model_it_returns():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(200, 2))
    y = (X[:, 0] > 0.5).astype(int)
    band, model = holdout_choice([DecisionTreeClassifier(max_depth=d) for d in (1, 3)], X, y, alpha=0.25)
    assert band.n_validation == 50
    assert model.get_depth() == [1, 3][band.best]
    assert band.best in band.indistinguishable
    assert band.names == ("DecisionTreeClassifier 1", "DecisionTreeClassifier 2")


def test_cv_versus_srm_in_simulation():
    world, rng, delta, runs = World(m=100), np.random.default_rng(8), 0.3, 200
    failures = 0
    for _ in range(runs):
        hypotheses, errors = world.minimisers(*world.draw(rng, 100))
        x2, y2 = world.draw(rng, 40)
        validation = [(h[x2] != y2).mean() for h in hypotheses]
        risks = world.risk(np.array(hypotheses))
        sides = cv_vs_srm(risks, errors, validation, world.complexity, n_train=100, n_validation=40, delta=delta)
        failures += not sides.holds
        srm = structural_risk(errors, world.complexity, 100).best
        cv = int(np.argmin(validation))
        assert sides.left == risks[cv] - risks[srm]
        price = 2 * sqrt(log(max(cv, srm) + 1) / 40)
        assert sides.right == pytest.approx(price + 2 * sqrt(log(4 / delta) / 80))
    assert failures / runs <= delta


def test_cv_versus_srm_by_hand():
    sides = cv_vs_srm(
        [0.3, 0.2, 0.25], [0.3, 0.2, 0.0], [0.3, 0.2, 0.1], [0.0, 0.05, 0.9], n_train=100, n_validation=50, delta=0.1
    )
    assert (sides.cv_choice, sides.srm_choice) == (3, 1)
    assert sides.left == pytest.approx(0.25 - 0.3)
    assert sides.right == pytest.approx(2 * sqrt(log(3) / 50) + 2 * sqrt(log(40) / 100))


@each(
    ("call", "message"),
    [
        (lambda: structural_risk([], [], 10), "non-empty"),
        (lambda: structural_risk([0.2], [0.1], 0), "m=0"),
        (lambda: structural_risk([1.2], [0.1], 10), r"\[0, 1\]"),
        (lambda: structural_risk([0.2, 0.1], [0.3, 0.2], 10), "must not fall"),
        (lambda: structural_risk([0.2, 0.1], [0.3], 10), "1 entries for 2 classes"),
        (lambda: structural_risk([0.2], [np.inf], 10), "must be finite"),
        (lambda: structural_risk([0.2], [0.1], 10).bound(1.0), "delta=1.0"),
        (lambda: oracle_inequality(0.1, [0.1], [0.1], 10, delta=0), "delta=0"),
        (lambda: holdout_band([], 10), "non-empty"),
        (lambda: holdout_band([0.2], 0), "n_validation=0"),
        (lambda: holdout_band([2.0], 10), "loss_range"),
        (lambda: holdout_band([0.2], 10, loss_range=np.inf), "bounded loss"),
        (lambda: holdout_choice({}, [[0.0]], [1]), "empty"),
        (lambda: holdout_choice([DummyRegressor()], np.ones((9, 1)), np.arange(9.0) * 9), "outside .0, loss_range=1.0"),
        (lambda: structural_risk_minimisation([], [[0.0]], [1], [0.1]), "empty"),
        (lambda: cv_vs_srm([0.1], [0.1, 0.1], [0.1], [0, 0], n_train=9, n_validation=9), "one each"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@each("count", [float("nan"), float("inf"), None, "5", 2.5, 0])
def test_what_is_no_count_is_named(count):
    with pytest.raises(ValueError, match=r"n_validation=.*: must be an integer >= 1"):
        holdout_band([0.1], count)

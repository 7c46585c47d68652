"""Finite-class, VC and Rademacher bounds against exactly enumerated samples of small laws."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.special import betaincinv
from tests.cases import each

from learnable.theory import (
    Conjunctions,
    Dichotomies,
    Frequency,
    Intervals,
    behw,
    conjunction_consistent,
    dichotomies,
    double_sampling,
    error_regions,
    finite_agnostic,
    finite_class_oracle,
    finite_consistent,
    finite_excess,
    growth_bound,
    net_failure_probability,
    rademacher_loss,
    rademacher_loss_empirical,
    rademacher_sign,
    rademacher_sign_empirical,
    rademacher_sign_two_sided,
    sauer_polynomial,
    sauer_power,
    sauer_sum,
    single_hypothesis,
    vapnik_bound,
    vc_bound,
    vc_dimension,
    vc_order_of_magnitude,
)

from .exact_law import compositions, deviations, multinomial

SEED = 11
DELTAS = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95)
THRESHOLDS = np.array([[int(j >= i) for j in range(3)] for i in range(4)])
LAWS = [np.array([[0.3, 0.1], [0.05, 0.25], [0.2, 0.1]]), np.full((3, 2), 1 / 6), np.array([[1, 0], [0, 0], [0, 0]])]


def expected_complexity(table, marginal, m):
    """Rad of the ±1 class, exactly: over the counts of points seen, then over all signs."""
    counts = compositions(m, len(marginal))
    total = 0.0
    for row, weight in zip(counts, multinomial(counts, marginal)):
        points = np.repeat(np.arange(len(marginal)), row)
        total += weight * finite_class_oracle(2.0 * table[:, points] - 1).exact()
    return total


@each("law", range(3))
@each("m", [1, 4, 9])
@each("rows", [1, 4])
def test_uniform_bounds_hold_on_every_exact_law(law, m, rows):
    joint, table = LAWS[law], THRESHOLDS[:rows]
    above, both, excess, weights = deviations(table, joint, m)
    assert weights.sum() == pytest.approx(1)
    complexity = expected_complexity(table, joint.sum(axis=1), m)
    growth = len(np.unique(table, axis=0))
    for delta in DELTAS:
        rad = {"complexity": complexity, "m": m, "delta": delta}
        claims = [
            (both, finite_agnostic(m=m, size=rows, delta=delta)),
            (excess, finite_excess(m=m, size=rows, delta=delta)),
            (above, growth_bound(m=m, log_growth=math.log(growth), delta=delta)),
            (above, vc_bound(m=m, d=1, delta=delta)),
            (above, vapnik_bound(m=m, d=1, delta=delta)),
            (above, rademacher_sign(**rad)),
            (both, rademacher_sign_two_sided(**rad)),
            (above, rademacher_loss(**{**rad, "complexity": complexity / 2})),
        ]
        risk = finite_agnostic(empirical_risk=0.25, m=m, size=rows, delta=delta).value
        assert risk == pytest.approx(0.25 + math.sqrt(math.log(2 * rows / delta) / (2 * m)))
        if rows == 1:
            claims.append((both, single_hypothesis(m=m, delta=delta)))
        for deviation, bound in claims:
            assert weights[deviation > bound.value + 1e-12].sum() <= delta, (bound.bound, delta)


def test_the_one_sided_rademacher_bound_is_false_for_both_sides():
    # one hypothesis, one example, risk ½: |R − R̂| = ½ always, and Rad = 0
    joint, m, delta = np.full((1, 2), 0.5), 1, 0.7
    _, both, _, weights = deviations(np.array([[0]]), joint, m)
    one_sided = rademacher_sign(complexity=0.0, m=m, delta=delta).value
    assert weights[both > one_sided].sum() == 1 > delta
    assert weights[both > rademacher_sign_two_sided(complexity=0.0, m=m, delta=delta).value].sum() <= delta


def test_empirical_complexity_bounds_by_simulation():
    rng = np.random.default_rng(SEED)
    m, delta, repeats = 300, 0.3, 300
    cuts = np.linspace(0, 1, 12)
    risk = np.abs(cuts - 0.4) * 0.6 + 0.2  # label 1{x ≥ 0.4}, flipped with probability 0.2
    failures = np.zeros(2)
    for _ in range(repeats):
        x = rng.random(m)
        y = (x >= 0.4) ^ (rng.random(m) < 0.2)
        predictions = x >= cuts[:, None]
        empirical = np.mean(predictions != y, axis=1)
        complexity = finite_class_oracle(2.0 * predictions - 1).monte_carlo(repeats=20).value
        sign = rademacher_sign_empirical(complexity=complexity, m=m, delta=delta).value
        loss = rademacher_loss_empirical(complexity=complexity / 2, m=m, delta=delta).value
        failures += np.max(risk - empirical) > np.array([sign, loss])
    assert np.all(failures / repeats <= delta)
    assert sign == pytest.approx(loss)
    assert sign < 0.5, "not vacuous"


def test_consistent_learner_bounds_against_exact_failure():
    rng = np.random.default_rng(SEED)
    found, _ = dichotomies(Intervals(), np.arange(7.0))
    for _ in range(3):
        law = rng.dirichlet(np.ones(7))
        for concept in rng.choice(found.masks, 3):
            regions = error_regions(found, int(concept))
            for m, epsilon in product((5, 20, 60, 200), (0.05, 0.2, 0.45)):
                exact = net_failure_probability(regions, law, m, epsilon)
                assert exact <= len(found) * math.exp(-epsilon * m) + 1e-12
                assert exact <= double_sampling(m=m, d=2, epsilon=epsilon).value
    # and so in the form of a risk: at ε(m, δ) the failure is at most δ
    for delta in (0.01, 0.3):
        epsilon = finite_consistent(m=40, size=len(found), delta=delta).value
        assert net_failure_probability(regions, law, 40, epsilon) <= delta
        assert epsilon == pytest.approx(math.log(len(found) / delta) / 40)
        m = finite_consistent.solve_for("m", epsilon=0.07, size=len(found), delta=delta).value
        assert m == math.ceil(math.log(len(found) / delta) / 0.07)


@each("d", [1, 2, 5, 20])
@each("epsilon", [0.01, 0.1, 0.5, 1.0])
@each("delta", [1e-6, 0.05, 0.9])
def test_behw_sample_size_makes_the_double_sampling_bound_small(d, epsilon, delta):
    m = behw.solve_for("m", epsilon=epsilon, delta=delta, d=d).value
    assert m >= 8 / epsilon * 0.5
    assert double_sampling(m=m, d=d, epsilon=epsilon).value <= delta
    sum_form = math.ceil(4 / epsilon * math.log2(2 / delta) + 8 * d / epsilon * math.log2(13 / epsilon))
    assert sum_form >= m, "the maximum is enough, the sum asks for more"
    exact = max(4 / epsilon * math.log2(2 / delta), 8 * d / epsilon * math.log2(13 / epsilon))
    assert (m, behw(epsilon=epsilon, delta=delta, d=d).value) == (math.ceil(exact), pytest.approx(exact))
    assert double_sampling.solve_for("m", epsilon=epsilon, delta=delta, d=d).value <= m


def test_behw_needs_the_dimension_of_the_hypothesis_class():
    # one concept (dimension 0 as a class of its own), hypotheses of dimension 2: with d=1 in place of 2 too few points
    assert behw(epsilon=0.1, delta=0.5, d=1).value < behw(epsilon=0.1, delta=0.5, d=2).value


def test_sauer_bounds_every_growth_function_and_the_inverted_fraction_does_not():
    assert sauer_sum(7, 2) == 1 + 7 + 21
    for m in range(1, 30):
        for d in range(1, m + 1):
            exact = sauer_sum(m, d)
            assert exact <= sauer_power(m=m, d=d).value * (1 + 1e-12)
            assert exact <= sauer_polynomial(m=m, d=d).value
    found, _ = dichotomies(Intervals(), np.arange(8.0))
    for m in range(1, 9):
        assert found.growth(m) == m * (m + 1) // 2 + 1 == sauer_sum(m, 2)
    n, d = 8, 2
    assert found.growth(n) > (d * math.e / n) ** d, "the fraction turned over is no bound"
    assert sauer_power(m=10**4, d=2000).value == math.inf
    with pytest.raises(ValueError, match="sauer_sum"):
        sauer_sum(-1, 2)


def test_random_tables_obey_sauer():
    rng = np.random.default_rng(SEED)
    for _ in range(25):
        table = Dichotomies.of_rows(rng.random((rng.integers(1, 40), 6)) < rng.random())
        levels, _ = table.shattered_levels()
        d = len(levels) - 1
        assert len(table) <= sauer_sum(6, d)
        assert len(table) <= sum(map(len, levels)), "Pajor: at least as many shattered sets as dichotomies"


def test_conjunctions_number_three_to_the_n_plus_one():
    for n in (1, 2, 3):
        found, _ = dichotomies(Conjunctions(n), Conjunctions(n).domain())
        assert len(found) == 3**n + 1
        assert conjunction_consistent(m=50, n=n, delta=0.1).value == pytest.approx(
            finite_consistent(m=50, size=len(found), delta=0.1).value
        )


def test_single_hypothesis_bound_is_wider_than_clopper_pearson():
    for m, wrong in ((20, 3), (200, 10), (2000, 600)):
        exact = Frequency(wrong, m).high
        assert exact == pytest.approx(betaincinv(wrong + 1, m - wrong, 0.975))
        bound = single_hypothesis(empirical_risk=wrong / m, m=m, delta=0.05).value
        assert wrong / m < exact <= bound
        # Hoeffding on both sides: 2 exp(−2mε²) = δ.
        assert bound == pytest.approx(wrong / m + math.sqrt(math.log(2 / 0.05) / (2 * m)))


def test_order_of_magnitude_says_what_it_is():
    result = vc_order_of_magnitude(m=1000, d=3, delta=0.05)
    assert any("no guarantee" in a for a in result.assumptions)
    assert vc_order_of_magnitude.solve_for("m", epsilon=0.1, d=3, delta=0.05, constant=2.0).value == math.ceil(
        2 * (3 + math.log(20)) / 0.01
    )


def test_vc_bounds_compared_side_by_side():
    d = vc_dimension(Intervals()).value
    given = {"m": 5000, "delta": 0.05}
    exact = growth_bound(**given, log_growth=math.log(5000 * 5001 / 2 + 1)).value
    assert exact < vc_bound(**given, d=d).value
    assert vapnik_bound(**given, d=d).value < vc_bound(**given, d=d).value
    for m, delta, d, risk in ((5000, 0.05, 2, 0.0), (300, 0.3, 7, 0.2), (20, 0.9, 20, 0.1)):
        given = {"m": m, "delta": delta, "d": d, "empirical_risk": risk}
        capacity, confidence = 2 * d * (1 + math.log(m / d)) / m, math.log(1 / delta) / (2 * m)
        assert vc_bound(**given).value == pytest.approx(risk + capacity**0.5 + confidence**0.5)
        vapnik = (d * (math.log(2 * m / d) + 1) + math.log(4 / delta)) / m
        assert vapnik_bound(**given).value == pytest.approx(risk + vapnik**0.5)
        order = vc_order_of_magnitude(m=m, d=d, delta=delta, constant=3.0).value
        assert order == pytest.approx((3 * (d + math.log(1 / delta)) / m) ** 0.5)


def test_the_smallest_delta_gives_a_finite_bound():
    """2/δ overflows at δ = 1e-310, its logarithm does not."""
    wanted = math.sqrt((math.log(2) + 310 * math.log(10)) / 2e9)
    tiny = {"m": 10**9, "delta": 1e-310}
    for value in (
        single_hypothesis(**tiny).value,
        finite_agnostic(size=1, **tiny).value,
        finite_excess(size=1, **tiny).value / 2,
        rademacher_sign_two_sided(complexity=0.0, **tiny).value,
        rademacher_loss_empirical(complexity=0.0, **tiny).value / 3,
    ):
        assert value == pytest.approx(wanted)

"""ε-nets, known laws, PAC experiments, overfitting."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, norm
from tests.cases import each

from learnable.theory import (
    DensityLaw,
    Dichotomies,
    DiscreteLaw,
    ExampleOracle,
    Frequency,
    Intervals,
    conjunction_consistent,
    conjunction_elimination,
    dichotomies,
    error_regions,
    finite_excess,
    many_hits_probability,
    missed_region,
    net_failure_probability,
    pac_experiment,
    rectangle_learner,
    second_half_probability,
)

SEED = 31


def test_error_regions_are_symmetric_differences():
    found, _ = dichotomies(Intervals(), np.arange(4.0))
    concept = 0b0110
    regions = error_regions(found, concept)
    assert len(regions) == len(found)
    wrong = {mask ^ concept for mask in found.masks}
    assert set(regions.masks) == wrong
    # c∖h alone forgets what h adds: h = everything errs outside c
    everything = 0b1111
    assert concept & ~everything == 0
    assert everything ^ concept in regions.masks
    assert [len(level) for level in regions.shattered_levels()[0]] == [
        len(level) for level in found.shattered_levels()[0]
    ]


def test_net_failure_by_running_over_all_samples():
    rng = np.random.default_rng(SEED)
    found, _ = dichotomies(Intervals(), np.arange(4.0))
    regions, law = error_regions(found, 0b0011), rng.dirichlet(np.ones(4))
    for m, epsilon in product((1, 3, 5), (0.1, 0.3, 0.6)):
        exact = sum(
            np.prod(law[list(sample)])
            for sample in product(range(4), repeat=m)
            if missed_region(regions, law, sample, epsilon) is not None
        )
        assert net_failure_probability(regions, law, m, epsilon) == pytest.approx(exact, abs=1e-12)


def test_missed_region_is_a_witness():
    regions = Dichotomies(4, (0b0011, 0b1100, 0b1000))
    law = [0.4, 0.1, 0.2, 0.3]
    mask = missed_region(regions, law, [0], 0.3)
    assert mask == 0b1100
    assert missed_region(regions, law, [0, 3], 0.3) is None
    assert missed_region(regions, law, [], 1.0) is None


def test_claims_of_double_sampling():
    for m in (1, 5, 30):
        for r in range(2 * m + 1):
            exact = second_half_probability(m, r)
            assert exact <= 2.0**-r
            if r > m:
                assert exact == 0
    splits = [s for s in product((0, 1), repeat=6) if sum(s) == 3]
    assert second_half_probability(3, 2) == Fraction(sum(s[0] == s[1] == 1 for s in splits), len(splits))
    for epsilon in (0.01, 0.1, 0.5, 1.0):
        m = math.ceil(8 / epsilon)
        assert many_hits_probability(m, epsilon) >= 0.5
        assert many_hits_probability(m, epsilon) == pytest.approx(binom.sf(math.ceil(epsilon * m / 2) - 1, m, epsilon))


def test_no_classifier_beats_bayes_and_the_excess_risk_identity():
    rng = np.random.default_rng(SEED)
    for classes in (2, 3):
        joint = rng.dirichlet(np.ones(4 * classes)).reshape(4, classes)
        joint[2] = 0
        law = DiscreteLaw(joint / joint.sum())
        best = law.bayes_classifier()
        assert law.risk(best) == pytest.approx(law.bayes_error())
        for f in product(range(classes), repeat=4):
            assert law.risk(f) >= law.bayes_error() - 1e-12
            excess = law.excess_risk(f)
            assert excess.difference == pytest.approx(excess.expectation, abs=1e-12)
        if classes == 2:
            eta = law.posterior[:, 1]
            assert law.noise() == pytest.approx(np.minimum(eta, 1 - eta))
            f = 1 - best
            assert law.excess_risk(f).expectation == pytest.approx(law.marginal @ np.abs(2 * eta - 1))
    x, y = law.draw(20000, rng)
    assert np.bincount(x * 3 + y, minlength=12) / 20000 == pytest.approx(law.joint.ravel(), abs=0.02)


def normal(mean):
    return lambda x: math.exp(-((x - mean) ** 2) / 2) / math.sqrt(2 * math.pi)


def test_density_law_of_two_normals():
    for prior, shift in ((0.5, 2.0), (0.2, 1.0)):
        law = DensityLaw(prior, normal(0), normal(shift), -12, 14)
        cut = shift / 2 + math.log((1 - prior) / prior) / shift
        exact = (1 - prior) * norm.sf(cut) + prior * norm.cdf(cut - shift)
        assert law.bayes_error() == pytest.approx(exact, abs=1e-7)
        for t in (cut - 1, cut, cut + 0.7):
            risk = (1 - prior) * norm.sf(t) + prior * norm.cdf(t - shift)
            excess = law.excess_risk(lambda x, t=t: int(x >= t))
            assert law.risk(lambda x, t=t: int(x >= t)) == pytest.approx(risk, abs=1e-7)
            assert excess.difference == pytest.approx(excess.expectation, abs=1e-6)
            assert excess.difference >= -1e-7
    assert law.eta(-1000.0) == 0.5
    with pytest.raises(ValueError, match="integrates to"):
        DensityLaw(0.5, normal(0), lambda x: 2 * normal(0)(x), -10, 10)
    with pytest.raises(ValueError, match="prior"):
        DensityLaw(1.0, normal(0), normal(1), -10, 10)
    for low, high in ((1, 1), (-math.inf, 3), (0, math.nan)):
        with pytest.raises(ValueError, match="low must be < high, both finite"):
            DensityLaw(0.5, normal(0), normal(1), low, high)


TARGET = np.array([[0.2, 0.7], [0.3, 0.9]])  # low, high of each side


def tightest_box(X, y):
    return np.array([X[y].min(axis=0), X[y].max(axis=0)]).T if y.any() else np.zeros((2, 2))


def box_risk(box):
    """The box lies in the target, the law is uniform on the square."""
    return np.prod(np.ptp(TARGET, axis=1)) - np.prod(np.ptp(box, axis=1))


def test_rectangle_learner_is_pac():
    oracle = ExampleOracle(
        lambda m, rng: rng.random((m, 2)),
        lambda X: np.all((TARGET[:, 0] <= X) & (TARGET[:, 1] >= X), axis=1),
    )
    epsilon, delta = 0.1, 0.1
    m = rectangle_learner.solve_for("m", epsilon=epsilon, delta=delta).value
    enough = pac_experiment(oracle, tightest_box, box_risk, m=m, epsilon=epsilon, repeats=400)
    assert enough.success.value >= 1 - delta
    assert enough.supports(delta)
    assert m == math.ceil(4 / epsilon * math.log(4 / delta))
    for k in (1, 3):
        assert rectangle_learner(m=70, delta=0.2, k=k).value == pytest.approx(2 * k / 70 * math.log(2 * k / 0.2))
    few = pac_experiment(oracle, tightest_box, box_risk, m=5, epsilon=epsilon, repeats=400)
    assert not few.supports(delta)
    again = pac_experiment(oracle, tightest_box, box_risk, m=5, epsilon=epsilon, repeats=100)
    assert np.array_equal(again.risks, few.risks[:100]), "streams belong to repetitions"


def test_conjunction_elimination_is_pac():
    n, wanted = 4, np.array([1, -1, 0, 0])  # x0 ∧ ¬x1

    def concept(X):
        return np.all((wanted == 0) | (np.where(X, 1, -1) == wanted), axis=1)

    def learn(X, y):
        P = np.where(X[y], 1, -1)
        return [(i, v) for i in range(n) for v in (1, -1) if np.all(P[:, i] == v)]

    cube = np.array(list(product((False, True), repeat=n)))
    probabilities = np.prod(np.where(cube, 0.7, 0.3), axis=1)

    def risk(literals):
        said = np.all([np.where(cube[:, i], 1, -1) == v for i, v in literals], axis=0)
        return float(probabilities @ (said != concept(cube)))

    oracle = ExampleOracle(lambda m, rng: rng.random((m, n)) < 0.7, concept)
    m = conjunction_elimination.solve_for("m", epsilon=0.2, delta=0.2, n=n).value
    assert pac_experiment(oracle, learn, risk, m=m, epsilon=0.2, repeats=300).success.value >= 0.8
    assert m == math.ceil(2 * n / 0.2 * (math.log(2 * n) + math.log(1 / 0.2)))
    for n in (1, 4, 9):
        eliminated, consistent = (
            bound(m=50, n=n, delta=0.1).value for bound in (conjunction_elimination, conjunction_consistent)
        )
        assert eliminated == pytest.approx(2 * n / 50 * math.log(2 * n / 0.1))
        assert consistent == pytest.approx(math.log((3**n + 1) / 0.1) / 50)


def test_agnostic_experiment():
    law = DiscreteLaw([[0.2, 0.1], [0.15, 0.15], [0.1, 0.3]])
    H = np.array(list(product((0, 1), repeat=3)))
    risks = np.array([law.risk(h) for h in H])

    def erm(x, y):
        return int(np.argmin(np.mean(H[:, x] != y, axis=1)))

    epsilon, delta = 0.3, 0.3
    m = finite_excess.solve_for("m", epsilon=epsilon, delta=delta, size=len(H)).value
    result = pac_experiment(
        lambda m, rng: law.draw(m, rng),
        erm,
        lambda h: risks[h],
        m=m,
        epsilon=epsilon,
        best_risk=float(risks.min()),
        repeats=300,
    )
    assert result.success.value >= 1 - delta
    assert "P(risk <=" in str(result)
    assert np.all(result.risks >= risks.min())
    # The same samples, drawn again by hand: each repetition has a stream of its own.
    streams = np.random.SeedSequence(0).spawn(300)
    again = np.array([risks[erm(*law.draw(m, np.random.default_rng(stream)))] for stream in streams])
    np.testing.assert_array_equal(result.risks, again)
    assert result.success.value == np.mean(again <= risks.min() + epsilon)
    assert (result.m, result.epsilon, result.best_risk) == (m, epsilon, risks.min())


def test_frequency_interval_covers():
    for n, p in ((12, 0.3), (40, 0.02)):
        covered = sum(
            binom.pmf(k, n, p) for k in range(n + 1) if Frequency(k, n, 0.9).low <= p <= Frequency(k, n, 0.9).high
        )
        assert covered >= 0.9
    assert Frequency(0, 10).low == 0
    assert Frequency(10, 10).high == 1
    with pytest.raises(ValueError, match="successes"):
        Frequency(3, 2)
    with pytest.raises(ValueError, match="trials"):
        Frequency(0, 0)
    with pytest.raises(ValueError, match="level"):
        Frequency(1, 2, 1.0)


def test_bad_input():
    regions = Dichotomies(2, (1,))
    with pytest.raises(ValueError, match="add up to 1"):
        missed_region(regions, [0.5, 0.6], [0], 0.1)
    for epsilon in (0.0, -0.1, 1.5, math.nan):
        with pytest.raises(ValueError, match="epsilon"):
            missed_region(regions, [0.5, 0.5], [0], epsilon)
    with pytest.raises(ValueError, match="point 2"):
        missed_region(regions, [0.5, 0.5], [2], 0.1)
    with pytest.raises(ValueError, match="m must be >= 1"):
        net_failure_probability(regions, [0.5, 0.5], 0, 0.1)
    with pytest.raises(ValueError, match="at most 16"):
        net_failure_probability(Dichotomies(17, (1,)), [1 / 17] * 17, 3, 0.1)
    with pytest.raises(ValueError, match="2 bits"):
        error_regions(regions, 4)
    with pytest.raises(ValueError, match="needs m >= 1"):
        second_half_probability(0, 0)
    with pytest.raises(ValueError, match="epsilon"):
        many_hits_probability(3, 0.0)
    for bad in ([[0.5, 0.6]], [[math.nan, 1]], [[-0.1, 1.1]]):
        with pytest.raises(ValueError, match="DiscreteLaw"):
            DiscreteLaw(bad)
    with pytest.raises(ValueError, match="two classes"):
        DiscreteLaw([[1.0]])
    law = DiscreteLaw([[0.5, 0.5]])
    with pytest.raises(ValueError, match="classes must be"):
        law.risk([2])
    with pytest.raises(ValueError, match="one class number"):
        law.risk([0.5])
    with pytest.raises(ValueError, match="m must be"):
        law.draw(0, np.random.default_rng(0))
    oracle = ExampleOracle(lambda m, rng: rng.random(m), lambda x: x > 0.5)
    for bad in ({"m": 0}, {"epsilon": 0.0}, {"epsilon": math.inf}, {"repeats": 0}, {"best_risk": -1.0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            pac_experiment(oracle, lambda x, y: 0, lambda h: 0.0, **{"m": 3, "epsilon": 0.1, **bad})
    with pytest.raises(ValueError, match="not finite"):
        pac_experiment(oracle, lambda x, y: 0, lambda h: math.nan, m=3, epsilon=0.1, repeats=2)


def test_thresholds_are_met_in_spite_of_rounding():
    """0.14·100/2 is 7 and 0.7 + 0.1 is 0.8, though the floats say a little more and a little less."""
    assert many_hits_probability(m=100, epsilon=0.14) == pytest.approx(binom.sf(6, 100, 0.14))
    for hits in range(1, 40):
        assert many_hits_probability(m=100, epsilon=2 * hits / 100) == pytest.approx(binom.sf(hits - 1, 100, hits / 50))
    region = Dichotomies(3, (0b011,))
    assert missed_region(region, [0.7, 0.1, 0.2], sample=[2], epsilon=0.8) == 0b011
    assert net_failure_probability(region, [0.7, 0.1, 0.2], m=3, epsilon=0.8) == pytest.approx(0.2**3)


@each("point", [0.5, -1, 3])
def test_points_that_are_no_points_are_refused(point):
    with pytest.raises(ValueError, match=rf"point {point} is not in 0..2"):
        missed_region(Dichotomies(3, (1,)), [0.2, 0.3, 0.5], sample=[point], epsilon=0.1)


def test_a_frequency_counts_whole_successes():
    with pytest.raises(ValueError, match=r"successes=2\.5"):
        Frequency(2.5, 5)

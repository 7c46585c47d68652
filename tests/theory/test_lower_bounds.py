"""What no learner can do: the bad distribution and the no-free-lunch average."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.cases import each

from learnable.theory import BadDistribution, no_free_lunch, simulate_failure


def memorise(points, labels):
    known = dict(zip(points.tolist(), labels.tolist()))
    return lambda queries: np.array([known.get(int(q), True) for q in queries])


def contrary(points, labels):
    known = dict(zip(points.tolist(), labels.tolist()))
    return lambda queries: np.array([not known.get(int(q), True) for q in queries])


def exact_failure(law, labels, learner):
    """P(R > ε) by running over all samples."""
    total = 0.0
    everything = np.arange(law.d)
    for sample in product(range(law.d), repeat=law.m):
        points = np.array(sample)
        guess = learner(points, labels[points])(everything)
        total += np.prod(law.probabilities[points]) * law.fails(guess != labels)
    return total


@each(("d", "m"), [(2, 1), (2, 50), (3, 4), (5, 1), (9, 2), (9, 40), (33, 8), (33, 500), (100, 60)])
def test_even_the_best_learner_fails_one_time_in_a_hundred(d, m):
    law = BadDistribution(d, m)
    assert law.probabilities.sum() == pytest.approx(1)
    assert law.probabilities.min() >= 0
    assert law.least_failure() >= 0.01


@each(("d", "m"), [(2, 2), (3, 4), (4, 3)])
def test_least_failure_is_the_exact_average_over_targets(d, m):
    law = BadDistribution(d, m)
    targets = [np.array([True, *rest]) for rest in product((False, True), repeat=d - 1)]
    average = np.mean([exact_failure(law, target, memorise) for target in targets])
    assert average == pytest.approx(law.least_failure())
    worst = max(exact_failure(law, target, memorise) for target in targets)
    assert worst >= 0.01
    assert np.mean([exact_failure(law, target, contrary) for target in targets]) >= law.least_failure()


@each("learner", [memorise, contrary])
def test_simulated_frequency(learner):
    count = simulate_failure(learner, d=9, m=20, repeats=1500, random_state=1)
    assert count.high >= BadDistribution(9, 20).least_failure()
    assert count.value >= 0.01
    hard = simulate_failure(memorise, d=9, m=20, labels=np.array([True] + [False] * 8), repeats=500, random_state=1)
    easy = simulate_failure(memorise, d=9, m=20, labels=np.ones(9, dtype=bool), repeats=500, random_state=1)
    assert easy.value == 0 < hard.value


def test_the_law_needs_m_at_least_a_quarter_of_the_light_points():
    assert BadDistribution(9, 2).probabilities[0] == 0
    with pytest.raises(ValueError, match=r"m must be >= 1 and >= \(d-1\)/4"):
        BadDistribution(10, 2)
    with pytest.raises(ValueError, match="d must be >= 2"):
        BadDistribution(1, 5)
    with pytest.raises(ValueError, match="m must be"):
        BadDistribution(2, 0)


def nearest(points, labels):
    return [labels[int(np.argmin([abs(x - p) for p in points]))] for x in range(6)]


LEARNERS = {
    "zero": lambda points, labels: [0] * 6,
    "majority": lambda points, labels: [int(2 * sum(labels) >= len(labels))] * 6,
    "contrary": lambda points, labels: [int(2 * sum(labels) < len(labels))] * 6,
    "nearest": nearest,
    "hash": lambda points, labels: [(sum(labels) * 7 + x * 3) % 2 for x in range(6)],
}


@each("name", LEARNERS)
@each("sample", [[0], [1, 4, 4], [0, 1, 2, 3, 4, 5]])
def test_no_free_lunch_for_any_learner(name, sample):
    law = [Fraction(k, 21) for k in (1, 2, 3, 4, 5, 6)]
    answer = no_free_lunch(LEARNERS[name], law, sample)
    assert answer.holds
    unseen = sum(p for x, p in enumerate(law) if x not in sample)
    assert answer.average == unseen / 2
    assert answer.formula == 2**5 * unseen


def test_no_free_lunch_with_floats_and_bad_input():
    assert no_free_lunch(LEARNERS["nearest"], [0.1, 0.2, 0.3, 0.1, 0.2, 0.1], [2, 3]).holds
    with pytest.raises(ValueError, match="add up to 1"):
        no_free_lunch(LEARNERS["zero"], [0.5] * 6, [0])
    with pytest.raises(ValueError, match="between 1 and"):
        no_free_lunch(LEARNERS["zero"], [1 / 40] * 40, [0])
    with pytest.raises(ValueError, match=r"0\.\.5"):
        no_free_lunch(LEARNERS["zero"], [Fraction(1, 6)] * 6, [6])
    with pytest.raises(ValueError, match="returned 6 labels for 2"):
        no_free_lunch(LEARNERS["zero"], [0.5, 0.5], [0])


def test_labels_and_probabilities_that_are_none_are_refused():
    with pytest.raises(ValueError, match="label 2; labels must be 0 or 1"):
        no_free_lunch(lambda points, labels: [2, 0], [0.5, 0.5], sample=[])
    with pytest.raises(ValueError, match="nan"):
        no_free_lunch(lambda points, labels: [0, 0], [float("nan"), 0.5], sample=[])


@each("wrong", [{"labels": [True, False]}, {"repeats": 0}])
def test_a_simulation_needs_a_label_a_point_and_a_repetition(wrong):
    with pytest.raises(ValueError, match=rf"simulate_failure\({next(iter(wrong))}"):
        simulate_failure(lambda points, labels: lambda queries: queries >= 0, d=5, m=10, **wrong)

"""Laws of the corrected resampled t-test."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.cases import each

from learnable.evaluation.corrected_t import corrected_mean, corrected_t, paired_tests


def test_hand_calculation():
    # Differences 1, 2, 3, 4: mean 5/2, S² = 5/3; (1/4 + 100/300)·5/3 = 35/36. A second square root would give 1.86...
    test = corrected_t([2, 4, 6, 8], [1, 2, 3, 4], n_train=300, n_test=100)
    assert test.statistic == pytest.approx(2.5 / math.sqrt(35 / 36), rel=1e-14)
    assert test.p_value == pytest.approx(2 * stats.t.sf(2.5 / math.sqrt(35 / 36), 3), rel=1e-12)
    half = stats.t.ppf(0.975, 3) * math.sqrt(35 / 36)
    assert (test.difference.low, test.difference.high) == pytest.approx((2.5 - half, 2.5 + half), rel=1e-12)


def test_under_its_own_model_the_statistic_is_exactly_student():
    # Equicorrelated normal differences with ρ = n_test/(n_test + n_train): t has the t law on J - 1 degrees.
    rng = np.random.default_rng(3)
    n_train, n_test, splits, trials = 90, 10, 10, 4000
    rho = n_test / (n_test + n_train)
    delta = math.sqrt(1 - rho) * rng.normal(size=(trials, splits)) + math.sqrt(rho) * rng.normal(size=(trials, 1))
    zero = np.zeros(splits)
    corrected = [corrected_t(row, zero, n_train=n_train, n_test=n_test) for row in delta]
    assert stats.kstest([test.p_value for test in corrected], "uniform").pvalue > 0.01
    rejected_naive = np.mean(
        [paired_tests(row, zero, n_train=n_train, n_test=n_test).naive.p_value < 0.05 for row in delta[:1000]]
    )
    assert rejected_naive > 0.10
    covered = np.mean([0.0 in test.difference for test in corrected])
    assert covered == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / trials))


def test_both_together_and_their_ratio():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.8, 0.03, 100), rng.normal(0.79, 0.03, 100)
    both = paired_tests(a, b, n_train=90, n_test=10)
    assert both.naive.statistic / both.corrected.statistic == pytest.approx(math.sqrt(1 + 100 / 9), rel=1e-12)
    assert both.naive.p_value < both.corrected.p_value
    assert f"{math.sqrt(1 + 100 / 9):.3g}" in both.caveat
    assert "correlated" in both.caveat


def test_unequal_folds_of_one_partition_give_one_over_k_minus_one():
    tests = np.array([34, 33, 33])
    a, b = [0.9, 0.8, 0.7], [0.8, 0.75, 0.69]
    exact = corrected_t(a, b, n_train=2, n_test=1)
    assert corrected_t(a, b, n_train=100 - tests, n_test=tests).statistic == pytest.approx(exact.statistic, rel=1e-14)


def test_tiny_test_folds_give_back_the_naive_test():
    a, b = [0.9, 0.8, 0.7, 0.95], [0.8, 0.75, 0.69, 0.9]
    both = paired_tests(a, b, n_train=10**12, n_test=1)
    assert both.corrected.p_value == pytest.approx(both.naive.p_value, rel=1e-9)


def test_degenerate_is_flagged_in_words():
    both = paired_tests([0.9, 0.8], [0.8, 0.7], n_train=90, n_test=10)
    assert both.corrected.degenerate
    assert both.corrected.p_value == 0.0
    assert "no observed variation" in both.caveat


def test_mean_interval_is_the_difference_from_zero_cut_to_bounds():
    scores = [0.99, 1.0, 0.97, 1.0]
    free = corrected_mean(scores, n_train=75, n_test=25)
    cut = corrected_mean(scores, n_train=75, n_test=25, bounds=(0, 1))
    assert free.high > 1.0 == cut.high
    assert (free.low, free.estimate) == (cut.low, cut.estimate)
    assert free == corrected_t(scores, [0.0] * 4, n_train=75, n_test=25).difference
    with pytest.raises(ValueError, match="outside"):
        corrected_mean([0.5, 1.5], n_train=75, n_test=25, bounds=(0, 1))


@each("sizes", [{"n_train": 0, "n_test": 10}, {"n_train": 10, "n_test": -1}, {"n_train": np.nan, "n_test": 1}])
def test_bad_sizes(sizes):
    with pytest.raises(ValueError, match="at least 1"):
        corrected_t([0.9, 0.8], [0.8, 0.7], **sizes)


def test_sizes_must_match_the_splits():
    with pytest.raises(ValueError, match="n_train has shape"):
        corrected_t([0.9, 0.8], [0.8, 0.7], n_train=[1, 2, 3], n_test=1)

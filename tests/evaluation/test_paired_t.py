"""Laws of the paired t-test over folds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW
from tests.cases import each

from learnable.evaluation.paired_t import paired_t

SCORES = st.lists(st.floats(-10, 10), min_size=3, max_size=12)


def test_it_is_scipys_paired_test_and_statsmodels_interval():
    rng = np.random.default_rng(0)
    for k in (2, 5, 10, 40):
        a, b = rng.normal(0.8, 0.05, k), rng.normal(0.79, 0.05, k)
        test = paired_t(a, b, level=0.9)
        reference = stats.ttest_rel(a, b)
        low, high = DescrStatsW(a - b).tconfint_mean(alpha=0.1)
        assert test.statistic == pytest.approx(reference.statistic, rel=1e-10)
        assert test.p_value == pytest.approx(reference.pvalue, rel=1e-10)
        assert (test.difference.low, test.difference.high) == pytest.approx((low, high), rel=1e-10)
        assert test.df == k - 1


@given(SCORES, st.integers(0, 10**6))
def test_interval_excludes_zero_exactly_when_p_is_below_one_minus_level(a, seed):
    b = np.array(a) + np.random.default_rng(seed).normal(0.8, 1, len(a))
    test = paired_t(a, b, level=0.95)
    assert (0.0 in test.difference) == (test.p_value >= 0.05) or test.p_value == pytest.approx(0.05, abs=1e-9)


@given(SCORES)
def test_swapping_learners_flips_the_sign(a):
    b = [x * 0.5 + 1 for x in a]
    forward, backward = paired_t(a, b), paired_t(b, a)
    assert forward.statistic == -backward.statistic
    assert forward.p_value == backward.p_value


def test_equal_differences_are_degenerate_even_when_rounding_makes_them_differ():
    assert 0.9 - 0.8 != 0.8 - 0.7
    test = paired_t([0.9, 0.8, 0.7], [0.8, 0.7, 0.6])
    assert test.degenerate
    assert test.p_value == 0.0
    assert test.statistic == math.inf
    assert (test.difference.low, test.difference.high) == (test.difference.estimate,) * 2
    same = paired_t([0.9, 0.8], [0.9, 0.8])
    assert same.degenerate
    assert (same.p_value, same.statistic) == (1.0, 0.0)
    assert not paired_t([0.9, 0.8, 0.7], [0.8, 0.7, 0.61]).degenerate


def test_small_folds_are_named_in_the_caveat():
    assert "12 rows" in paired_t([0.9, 0.8], [0.7, 0.8], n_test=12).caveat
    assert "rows;" not in paired_t([0.9, 0.8], [0.7, 0.8], n_test=50).caveat


@each(
    ("first", "second", "message"),
    [
        ([0.9], [0.8], "at least 2 folds"),
        ([0.9, 0.8], [0.8, 0.7, 0.6], "same folds"),
        ([0.9, np.nan], [0.8, 0.7], "fold 1 is nan"),
        ([0.9, np.inf], [0.8, 0.7], "fold 1 is inf"),
        ([0.9, 1e200], [0.8, 0.7], "1e\\+200"),
        ([[0.9, 0.8]], [[0.8, 0.7]], "shape"),
    ],
)
def test_bad_scores_are_named(first, second, message):
    with pytest.raises(ValueError, match=message):
        paired_t(first, second)


def test_bad_types_and_levels():
    with pytest.raises(TypeError, match="numbers"):
        paired_t(["a", "b"], [1, 2])
    with pytest.raises(ValueError, match="level"):
        paired_t([1, 2], [2, 4], level=1.0)


def test_a_level_next_to_one_keeps_its_digits():
    level = 1 - 2**-53
    half = paired_t([1.0, 2.0, 3.0], [1.0, 1.0, 1.0], level=level).difference.high - 1.0
    assert half == pytest.approx(stats.t.isf(2**-54, 2) / math.sqrt(3))

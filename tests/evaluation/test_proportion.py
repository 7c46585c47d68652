"""Intervals of an error rate: outside values, published values, their own equations, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint
from tests.cases import each

from learnable.evaluation import (
    PROPORTION_INTERVALS,
    clopper_pearson_interval,
    error_interval,
    hoeffding_interval,
    proportion_interval,
    wilson_interval,
)
from learnable.evaluation.interval import two_sided_z

STATSMODELS = {
    "wald": "normal",
    "wilson": "wilson",
    "clopper_pearson": "beta",
    "agresti_coull": "agresti_coull",
    "jeffreys": "jeffreys",
}


@each("method", STATSMODELS)
@each("level", [0.5, 0.9, 0.95, 0.999])
def test_agrees_with_statsmodels(method, level):
    for n in (1, 2, 7, 40, 1000):
        # Jeffreys' interval is opened to 0 and 1 at the ends here, not there.
        mistakes = np.arange(1, n) if method == "jeffreys" else np.arange(n + 1)
        if not len(mistakes):
            continue
        low, high = PROPORTION_INTERVALS[method](mistakes, n, level)
        outside = proportion_confint(mistakes, n, alpha=1 - level, method=STATSMODELS[method])
        np.testing.assert_allclose(low, outside[0], atol=1e-12)
        np.testing.assert_allclose(high, outside[1], atol=1e-12)


@each(
    ("method", "mistakes", "n", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998) 857-872, table I.
        ("wilson", 81, 263, 0.2553, 0.3662),
        ("wilson", 15, 148, 0.0624, 0.1605),
        ("wilson", 0, 20, 0.0000, 0.1611),
        ("wilson", 1, 29, 0.0061, 0.1718),
        ("clopper_pearson", 81, 263, 0.2527, 0.3676),
        ("clopper_pearson", 15, 148, 0.0578, 0.1617),
        ("clopper_pearson", 0, 20, 0.0000, 0.1684),
        ("clopper_pearson", 1, 29, 0.0009, 0.1776),
    ],
)
def test_agrees_with_published_values(method, mistakes, n, low, high):
    interval = proportion_interval(mistakes, n, method=method)
    assert interval[1:3] == pytest.approx((low, high), abs=5e-5)


@settings(deadline=None)
@given(n=st.integers(1, 400), share=st.floats(0, 1), level=st.floats(0.01, 0.999))
def test_each_interval_is_what_it_says(n, share, level):
    mistakes = round(share * n)
    tail = (1 - level) / 2
    low, high = clopper_pearson_interval(mistakes, n, level)
    if mistakes > 0:
        assert binom.sf(mistakes - 1, n, low) == pytest.approx(tail, rel=1e-6)
    if mistakes < n:
        assert binom.cdf(mistakes, n, high) == pytest.approx(tail, rel=1e-6)
    low, high = wilson_interval(mistakes, n, level)
    for end in (low, high):
        if 0 < end < 1:
            score = abs(mistakes / n - end) / np.sqrt(end * (1 - end) / n)
            assert score == pytest.approx(two_sided_z(level), rel=1e-5, abs=1e-7)


@settings(deadline=None)
@given(n=st.integers(1, 300), share=st.floats(0, 1), level=st.floats(0.01, 0.999))
def test_swapping_mistakes_and_successes_mirrors_the_interval(n, share, level):
    mistakes = round(share * n)
    for name, function in PROPORTION_INTERVALS.items():
        low, high = function(mistakes, n, level)
        other_low, other_high = function(n - mistakes, n, level)
        assert float(low) == pytest.approx(1 - float(other_high), abs=1e-9)
        assert 0 <= low <= high <= 1
        # A posterior interval of low level need not hold the estimate; the others must.
        assert name == "jeffreys" or low <= mistakes / n <= high
        assert float(high) == pytest.approx(1 - float(other_low), abs=1e-9)


def test_single_hypothesis_bound_is_wider_than_the_exact_interval():
    # T9: the exact interval needs less room than Hoeffding's, wherever the latter is not cut.
    mistakes = np.arange(101)
    exact_low, exact_high = clopper_pearson_interval(mistakes, 100)
    low, high = hoeffding_interval(mistakes, 100)
    assert (low <= exact_low + 1e-12).all()
    assert (high >= exact_high - 1e-12).all()
    radius = np.sqrt(np.log(2 / 0.05) / 200)
    assert (float(low[50]), float(high[50])) == pytest.approx((0.5 - radius, 0.5 + radius))


def test_error_interval_counts_mistakes_and_equal_weights_change_nothing():
    y, guess = np.array(list("aabbc")), np.array(list("aabcc"))
    plain = error_interval(y, guess)
    assert plain.estimate == 0.2
    assert plain.n == 5
    for method in PROPORTION_INTERVALS:
        weighted = error_interval(y, guess, sample_weight=np.full(5, 0.3), method=method)
        assert weighted[:3] == pytest.approx(error_interval(y, guess, method=method)[:3])
    half = error_interval(y, guess, sample_weight=[1, 1, 0, 1, 1])
    assert (half.estimate, half.n) == (0.25, 4)
    assert error_interval(y, guess, sample_weight=[1e300] * 5)[:3] == pytest.approx(plain[:3])


@each("name", PROPORTION_INTERVALS)
@each(
    ("mistakes", "n", "message"),
    [
        (0, 0, "n must be at least 1"),
        (3, 2, "0 <= mistakes <= n"),
        (-1, 2, "0 <= mistakes <= n"),
        (0.12, 500, "counts, not rates"),
        (np.nan, 5, "whole numbers"),
        (1, np.inf, "whole numbers"),
    ],
)
def test_impossible_counts_are_refused_by_name(name, mistakes, n, message):
    with pytest.raises(ValueError, match=message) as caught:
        PROPORTION_INTERVALS[name](mistakes, n)
    assert f"{name}_interval" in str(caught.value)


def test_bad_labels_weights_methods_and_levels_are_refused():
    with pytest.raises(ValueError, match="no rows"):
        error_interval([], [])
    with pytest.raises(ValueError, match="y_true has 2 rows, y_pred has 1"):
        error_interval([0, 1], [0])
    with pytest.raises(ValueError, match=r"y_true\[1\] is missing"):
        error_interval([0, np.nan], [0, 1])
    with pytest.raises(ValueError, match="one dimension"):
        error_interval([[0, 1]], [[0, 1]])
    with pytest.raises(TypeError, match="one kind of label"):
        error_interval(["0", "1"], [0, 1])
    with pytest.raises(TypeError, match="masked"):
        error_interval(np.ma.masked_array([0, 1], [True, False]), [0, 1])
    for weights, message in [([1], "shape"), ([1, -1], r"sample_weight\[1\]"), ([0, 0], "zero everywhere")]:
        with pytest.raises(ValueError, match=message):
            error_interval([0, 1], [0, 1], sample_weight=weights)
    with pytest.raises(ValueError, match=r"choose one of 'wald', 'wilson'"):
        error_interval([0, 1], [0, 1], method="exact")
    with pytest.raises(ValueError, match="level must be in"):
        error_interval([0, 1], [0, 1], level=95)
    with pytest.raises(ValueError, match="call PROPORTION_INTERVALS"):
        proportion_interval([1, 2], 5)
    with pytest.raises(TypeError, match="whole numbers"):
        wilson_interval("1", 2)

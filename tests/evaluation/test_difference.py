"""Differences of errors: outside values, exact coverage, symmetry, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, multinomial, ttest_rel
from statsmodels.stats.proportion import confint_proportions_2indep
from tests.cases import each

from learnable.evaluation import (
    DIFFERENCE_INTERVALS,
    difference_interval,
    newcombe_difference,
    normal_difference,
    paired_error_difference,
    paired_mean_difference,
    wilson_interval,
)
from learnable.evaluation.difference import _paired_newcombe


@each(("method", "outside"), [("newcombe", "newcomb"), ("normal", "wald")])
@each("counts", [(56, 70, 48, 80), (9, 10, 3, 10), (1, 30, 4, 55)])
def test_agrees_with_statsmodels(method, outside, counts):
    for level in (0.8, 0.95):
        expected = confint_proportions_2indep(*counts, method=outside, compare="diff", alpha=1 - level)
        assert difference_interval(*counts, method=method, level=level)[1:3] == pytest.approx(expected, abs=1e-10)


@each(
    ("counts", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998) 873-890, table II, method 10.
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((10, 10, 0, 20), 0.6791, 1.0000),
    ],
)
def test_agrees_with_published_values(counts, low, high):
    assert difference_interval(*counts)[1:3] == pytest.approx((low, high), abs=5e-5)


def exact_coverage(function, n_a, n_b, p_a, p_b):
    a, b = np.arange(n_a + 1)[:, None], np.arange(n_b + 1)[None, :]
    low, high = function(a, n_a, b, n_b)
    holds = (low <= p_a - p_b) & (p_a - p_b <= high)
    return float((binom.pmf(a, n_a, p_a) * binom.pmf(b, n_b, p_b) * holds).sum())


def test_exact_coverage_of_independent_differences():
    for p_a, p_b in [(0.5, 0.5), (0.1, 0.05), (0.3, 0.1), (0.02, 0.01), (0.9, 0.2)]:
        assert 0.93 < exact_coverage(newcombe_difference, 60, 45, p_a, p_b) <= 1
    # The normal interval collapses to a point when neither learner errs, and misses by far.
    assert exact_coverage(normal_difference, 60, 45, 0.01, 0.002) < 0.5
    assert exact_coverage(normal_difference, 60, 45, 0.5, 0.4) == pytest.approx(0.95, abs=0.02)
    # One pair of counts: Newcombe's ends add the Wilson half widths as if independent.
    for a, n_a, b, n_b in ((7, 60, 3, 45), (30, 60, 0, 45)):
        (low_a, high_a), (low_b, high_b) = (map(float, wilson_interval(k, n)) for k, n in ((a, n_a), (b, n_b)))
        e_a, e_b = a / n_a, b / n_b
        low = e_a - e_b - np.hypot(e_a - low_a, high_b - e_b)
        high = e_a - e_b + np.hypot(high_a - e_a, e_b - low_b)
        assert difference_interval(a, n_a, b, n_b)[:3] == pytest.approx((e_a - e_b, low, high))


@settings(deadline=None)
@given(st.integers(1, 50), st.integers(1, 50), st.floats(0, 1), st.floats(0, 1))
def test_swapping_the_learners_mirrors_the_interval(n_a, n_b, share_a, share_b):
    a, b = round(share_a * n_a), round(share_b * n_b)
    for function in DIFFERENCE_INTERVALS.values():
        low, high = function(a, n_a, b, n_b)
        mirror_low, mirror_high = function(b, n_b, a, n_a)
        assert (float(low), float(high)) == pytest.approx((-float(mirror_high), -float(mirror_low)), abs=1e-12)
        assert -1 - 1e-12 <= low <= a / n_a - b / n_b + 1e-12
        assert a / n_a - b / n_b - 1e-12 <= high <= 1 + 1e-12


@each("law", [(0.1, 0.1, 0.1), (0.05, 0.02, 0.01), (0.3, 0.15, 0.05), (0.0, 0.3, 0.3)])
def test_exact_coverage_of_the_paired_difference(law):
    # Sum over all tables (both wrong, only a, only b, neither) of n rows.
    n, truth, covering = 25, law[1] - law[2], []
    for both in range(n + 1):
        for only_a in range(n + 1 - both):
            for only_b in range(n + 1 - both - only_a):
                interval = _paired_newcombe(both, only_a, only_b, n, 0.95)
                if interval.low <= truth <= interval.high:
                    covering.append([both, only_a, only_b, n - both - only_a - only_b])
    assert multinomial.pmf(covering, n, [*law, 1 - sum(law)]).sum() > 0.93


def test_paired_difference_counts_the_rows_on_which_the_two_differ():
    y = np.zeros(100, dtype=int)
    a, b = (np.arange(100) < 30).astype(int), ((np.arange(100) >= 10) & (np.arange(100) < 30)).astype(int)
    paired = paired_error_difference(y, a, b)
    assert paired.estimate == pytest.approx(0.1)
    assert paired.n == 100
    # Mistakes that agree make the difference surer than two separate test sets would.
    assert paired.width < difference_interval(30, 100, 20, 100).width
    mirror = paired_error_difference(y, b, a)
    assert mirror[:3] == pytest.approx((-paired.estimate, -paired.high, -paired.low))
    same = paired_error_difference(y, a, a)
    assert same.estimate == 0
    assert same.low < 0 < same.high
    perfect = paired_error_difference(y, y, y)
    assert perfect.low < 0 < perfect.high


def test_paired_correlation_is_shrunk_by_half_a_row_count():
    # 20 rows wrong by both, 10 by the first alone, none by the second alone, of 100: φ = (20·70 − 0 − 50)/√margins.
    phi = 1350 / np.sqrt(30 * 70 * 20 * 80)
    (low_a, high_a), (low_b, high_b) = (map(float, wilson_interval(k, 100)) for k in (30, 20))
    x, y = 0.3 - low_a, high_b - 0.2
    interval = _paired_newcombe(20, 10, 0, 100, 0.95)
    assert interval.low == pytest.approx(0.1 - np.sqrt(x * x - 2 * phi * x * y + y * y))
    x, y = high_a - 0.3, 0.2 - low_b
    assert interval.high == pytest.approx(0.1 + np.sqrt(x * x - 2 * phi * x * y + y * y))


def test_paired_mean_difference_is_the_paired_t_interval():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=40), rng.normal(size=40)
    expected = ttest_rel(a, b).confidence_interval(0.9)
    assert paired_mean_difference(a, b, level=0.9)[1:3] == pytest.approx(tuple(expected))


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="n must be at least 1"):
        difference_interval(0, 0, 1, 2)
    with pytest.raises(ValueError, match="mistakes <= n"):
        difference_interval(1, 2, 4, 3)
    with pytest.raises(ValueError, match="choose one of 'normal', 'newcombe'"):
        difference_interval(1, 2, 1, 3, method="exact")
    with pytest.raises(ValueError, match="newcombe_difference for arrays"):
        difference_interval([1, 2], 5, 1, 3)
    with pytest.raises(ValueError, match="level must be in"):
        paired_error_difference([1], [1], [1], level=2)
    with pytest.raises(ValueError, match="rows"):
        paired_error_difference([1, 0], [1, 0], [1])
    with pytest.raises(ValueError, match="losses_a has 2 rows, losses_b has 3 rows"):
        paired_mean_difference([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match=r"losses_b\[0\] is nan"):
        paired_mean_difference([1, 2], [np.nan, 2])


def test_products_of_margins_beyond_64_bits_are_fine():
    """The four margins of 200 000 rows multiply to 10²⁰."""
    n = 200_000
    a, b = np.arange(n) % 2, (np.arange(n) % 4 < 2).astype(int)
    found = paired_error_difference(np.zeros(n, dtype=int), a, b)
    one = wilson_interval(n // 2, n)
    assert found.estimate == 0.0
    assert found.high == pytest.approx(np.hypot(one[1] - 0.5, 0.5 - one[0]), rel=1e-9)

"""Exact coverage: against the plain sum, and the laws every interval is known by."""

import numpy as np
import pytest
from scipy.stats import binom
from tests.cases import each

from learnable.evaluation import PROPORTION_INTERVALS, coverage, least_coverage

EXACT = ("clopper_pearson", "hoeffding")


@each("method", PROPORTION_INTERVALS)
def test_equals_the_sum_over_all_counts(method):
    p = np.concatenate([[0.0, 1.0, 1e-9], np.linspace(0.001, 0.999, 97)])
    for n in (1, 2, 13, 60):
        x = np.arange(n + 1)
        for level in (0.8, 0.95):
            low, high = PROPORTION_INTERVALS[method](x, n, level)
            holds = (low[:, None] <= p) & (p <= high[:, None])
            summed = (binom.pmf(x[:, None], n, p) * holds).sum(axis=0)
            np.testing.assert_allclose(coverage(method, n, p, level), summed, atol=1e-12)


@each("method", PROPORTION_INTERVALS)
def test_ends_grow_with_the_count(method):
    # The premise of summing a run of counts.
    for n in (1, 5, 50, 500):
        for level in (0.5, 0.95, 0.9999):
            for ends in PROPORTION_INTERVALS[method](np.arange(n + 1), n, level):
                assert (np.diff(ends) >= 0).all()


@each("method", EXACT)
@each("level", [0.5, 0.9, 0.95, 0.99])
def test_exact_intervals_never_cover_less_than_they_say(method, level):
    assert min(least_coverage(method, n, level).coverage for n in range(1, 120)) >= level - 1e-9
    p = np.linspace(0, 1, 301)
    assert coverage(method, np.arange(1, 200)[:, None], p, level).min() >= level - 1e-9


def test_normal_interval_dips_badly_even_for_many_rows():
    assert coverage("wald", 50, 0.02) == pytest.approx(0.6353, abs=1e-4)
    # Near p = 0 the only likely count is 0, and its interval is the point 0.
    for n in (10, 100, 10_000):
        assert coverage("wald", n, 0.1 / n) < 0.1
        assert least_coverage("wald", n).coverage < 1e-9


def test_wilson_stays_in_its_known_band():
    # The dip beside p = 0 tends to 0.838 at level 0.95; away from the ends it stays near 0.95.
    for n in (20, 50, 200, 1000):
        assert least_coverage("wilson", n).coverage == pytest.approx(0.838, abs=0.005)
        middle = coverage("wilson", n, np.linspace(0.1, 0.9, 801))
        assert middle.min() > 0.91
        assert abs(middle.mean() - 0.95) < 0.006


@each("method", PROPORTION_INTERVALS)
def test_least_coverage_is_the_infimum(method):
    p = np.linspace(0, 1, 20_001)[1:-1]
    for n in (1, 3, 12, 40):
        least = least_coverage(method, n)
        assert least.coverage <= coverage(method, n, p).min() + 1e-12
        beside = np.clip(least.p + np.array([-1e-9, 1e-9]), 1e-12, 1 - 1e-12)
        assert coverage(method, n, beside).min() == pytest.approx(least.coverage, abs=1e-6)


def test_shape_threads_and_degenerate_laws():
    n, p = np.array([[5], [9], [5]]), np.linspace(0, 1, 7)
    table = coverage("jeffreys", n, p)
    assert table.shape == (3, 7)
    np.testing.assert_array_equal(table[0], table[2])
    np.testing.assert_array_equal(table, coverage("jeffreys", n, p, n_jobs=2))
    # p = 0 and p = 1 are always covered: the count is certain.
    assert (table[:, [0, -1]] == 1).all()
    assert coverage("wilson", 10, []).shape == (0,)


def test_clopper_pearson_keeps_its_promise_for_every_sample_size():
    sizes, p = np.arange(1, 301)[:, None], (np.arange(300) + 0.5) / 300
    table = coverage("clopper_pearson", sizes, p)
    assert table.shape == (300, 300)
    assert table.min() >= 0.95 - 1e-9


@each(
    ("arguments", "message"),
    [
        (("exact", 5, 0.1), "choose one of"),
        (("wald", 0, 0.1), "n must be at least 1"),
        (("wald", 2.5, 0.1), "whole numbers"),
        (("wald", 5, 1.1), r"p=1.1.*\[0, 1\]"),
        (("wald", 5, np.nan), r"\[0, 1\]"),
        (("wald", 5, 0.1, 1.0), "level must be in"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        coverage(*arguments)


@each("n", [-1, 0, 2.5])
def test_least_coverage_of_impossible_sizes_is_refused(n):
    with pytest.raises(ValueError, match="least_coverage"):
        least_coverage("wald", n)

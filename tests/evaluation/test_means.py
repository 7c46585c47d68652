"""Intervals of a mean: outside values, guaranteed coverage by enumeration, bad input."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW
from tests.cases import each

from learnable.evaluation import (
    MEAN_INTERVALS,
    bernstein_interval,
    hoeffding_mean_interval,
    normal_interval,
    t_interval,
)

SEED = 20260


def test_t_and_normal_agree_with_statsmodels():
    values = np.random.default_rng(SEED).exponential(size=57)
    for level in (0.5, 0.95, 0.999):
        described = DescrStatsW(values)
        assert t_interval(values, level=level)[1:3] == pytest.approx(described.tconfint_mean(1 - level))
        assert normal_interval(values, level=level)[1:3] == pytest.approx(described.zconfint_mean(1 - level))


def test_t_interval_is_exact_for_normal_values():
    rng = np.random.default_rng(SEED)
    for n in (2, 5):
        covered = sum(3.0 in t_interval(rng.normal(3, 2, size=n), level=0.9) for _ in range(4000))
        assert stats.binomtest(covered, 4000, 0.9).pvalue > 1e-4


@each("interval", [hoeffding_mean_interval, bernstein_interval])
@each("law", [(0.5, 0.0, 0.5), (0.9, 0.1, 0.0), (0.02, 0.0, 0.98), (0.3, 0.3, 0.4)])
def test_bounded_intervals_cover_at_least_their_level(interval, law):
    # Exact, by enumeration of all samples of values in {0, 1/2, 1}.
    support, law = np.array([0, 0.5, 1]), np.array(law)
    for n, level in ((2, 0.5), (6, 0.5), (6, 0.9)):
        covered = 0.0
        for sample in product(range(3), repeat=n):
            if float(law @ support) in interval(support[list(sample)], (0, 1), level=level):
                covered += law[list(sample)].prod()
        assert covered >= level - 1e-12


def test_bounded_interval_formulas_and_which_is_shorter():
    values = np.repeat([0.0, 1.0], [9900, 100])
    n, doubt = 10_000, np.log(4 / 0.05)
    bernstein = bernstein_interval(values, (0, 1))
    half_width = np.sqrt(2 * values.var(ddof=1) * doubt / n) + 7 * doubt / (3 * (n - 1))
    assert bernstein.high - bernstein.estimate == pytest.approx(half_width)
    assert bernstein.width < hoeffding_mean_interval(values, (0, 1)).width
    # Scaling values and bounds scales the interval.
    scaled = hoeffding_mean_interval(values * 7 - 3, (-3, 4))
    assert scaled[:3] == pytest.approx(tuple(7 * v - 3 for v in hoeffding_mean_interval(values, (0, 1))[:3]))


def test_equal_values_are_one_point_and_huge_values_do_not_overflow():
    assert t_interval([0.1] * 5)[:3] == (0.1, 0.1, 0.1)
    # Beyond the largest number the interval is all that can be said.
    huge = t_interval([1e300, 1.5e300, 0.5e300, 1.7e308])
    assert huge.estimate == pytest.approx(4.25e307)
    assert huge[1:3] == (-np.inf, np.inf)
    big = np.array([1.0, 2.0, 4.0])
    assert t_interval(big * 1e200)[1:3] == pytest.approx(tuple(v * 1e200 for v in t_interval(big)[1:3]))


@each("method", MEAN_INTERVALS)
def test_bad_values_are_refused(method):
    interval, extra = MEAN_INTERVALS[method], () if method in ("t", "normal") else ((0, 1),)
    for values, message in [
        ([], "empty"),
        ([0.1, np.nan], r"values\[1\] is nan"),
        ([np.inf, 0.2], r"values\[0\] is inf"),
        ([[0.1, 0.2]], "one dimension"),
    ]:
        with pytest.raises(ValueError, match=message):
            interval(values, *extra)
    with pytest.raises(ValueError, match="level must be in"):
        interval([0.1, 0.2], *extra, level=0)
    with pytest.raises(TypeError, match="must be numbers"):
        interval(["a", "b"], *extra)


def test_one_value_has_no_spread_and_bounds_must_hold():
    for interval in (t_interval, normal_interval):
        with pytest.raises(ValueError, match="at least two"):
            interval([0.3])
    assert hoeffding_mean_interval([0.3], (0, 1)).estimate == 0.3
    for bounds in ((1, 0), (0, 0), (0, np.inf)):
        with pytest.raises(ValueError, match="finite with low < high"):
            hoeffding_mean_interval([0.3], bounds)
    with pytest.raises(ValueError, match=r"values\[1\] is 1.2, outside the bounds"):
        bernstein_interval([0.3, 1.2], (0, 1))


@each("bounds", [5, None, (1,), ("a", "b")])
def test_bounds_that_are_no_pair_are_named(bounds):
    with pytest.raises(TypeError, match="give a pair of numbers"):
        hoeffding_mean_interval([0.5], bounds)

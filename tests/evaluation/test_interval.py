"""Laws of the interval object: what it holds, how it prints, what it refuses."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from tests.cases import each

from learnable.evaluation import Interval
from learnable.evaluation.interval import check_level, two_sided_z


@each(
    ("numbers", "text"),
    [
        ((0.124, 0.098, 0.155), "0.124 [0.098, 0.155]"),
        ((0.5, 0.2, 0.8), "0.50 [0.20, 0.80]"),
        ((1234.5, 1100.0, 1400.0), "1234 [1100, 1400]"),
        ((0.00012, 0.00010, 0.00015), "0.000120 [0.000100, 0.000150]"),
        ((2.5e12, 2.1e12, 2.9e12), "2.5e+12 [2.1e+12, 2.9e+12]"),
        ((1e-12, 0.5e-12, 2e-12), "1e-12 [5e-13, 2e-12]"),
        ((0.25, 0.25, 0.25), "0.25 [0.25, 0.25]"),
        ((1.0, -math.inf, math.inf), "1 [-inf, inf]"),
    ],
)
def test_prints_two_digits_of_its_width(numbers, text):
    assert str(Interval(*numbers, 0.95, "t", 10)) == text


def test_ends_belong_to_the_interval_and_nan_does_not():
    interval = Interval(0.3, 0.1, 0.5, 0.95, "t", 10)
    assert 0.1 in interval
    assert 0.5 in interval
    assert 0.09 not in interval
    assert 0.51 not in interval
    assert math.nan not in interval
    assert "t" not in interval


def test_negation_and_shift_move_every_end():
    interval = Interval(0.3, 0.1, 0.5, 0.95, "t", 10)
    assert interval.negated()[:3] == (-0.3, -0.5, -0.1)
    assert interval.shifted(1)[:3] == pytest.approx((1.3, 1.1, 1.5))
    assert interval.negated().negated() == interval


def test_json_round_trip_and_escaped_html():
    interval = Interval(0.3, 0.1, 0.5, 0.95, "<b>", 10)
    assert Interval(**json.loads(json.dumps(interval.to_dict()))) == interval
    html = interval._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
    assert "0.30" in html


@each("level", [0, 1, -0.1, 95, float("nan"), float("inf")])
def test_level_outside_the_open_unit_interval_is_refused(level):
    with pytest.raises(ValueError, match=r"f\(level=.*level must be in \(0, 1\)"):
        check_level(level, "f")


def test_percent_is_told_how_to_be_written_and_text_is_a_type_error():
    with pytest.raises(ValueError, match=r"95 percent is written 0\.95"):
        check_level(95, "f")
    with pytest.raises(TypeError, match="level must be a number"):
        check_level("high", "f")


def test_normal_quantile_keeps_its_digits_far_in_the_tail():
    assert two_sided_z(0.95) == pytest.approx(1.959963984540054, rel=1e-14)
    assert two_sided_z(1 - 2e-15) == pytest.approx(7.94, abs=0.01)


@each("inside", [np.float32(0.5), np.int64(1), Fraction(1, 2), True])
def test_every_kind_of_number_can_be_inside(inside):
    interval = Interval(0.5, 0.0, 1.0, 0.95, "wilson", 10)
    assert inside in interval
    assert inside + 1 not in interval or inside + 1 == 1
    assert "0.5" not in interval

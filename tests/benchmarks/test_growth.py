"""The exponent of the cost, on times whose exponent is known, and a small run of the measurement."""

import numpy as np
import pytest
from benchmarks.growth import exponent, growth, growth_table
from tests.cases import each

SIZES = np.array([100, 200, 400, 800])


@each("power", [0.5, 1.0, 2.0])
def test_the_exponent_is_found_with_its_interval(power):
    noise = np.random.default_rng(0).uniform(0.95, 1.05, (4, 5))
    slope, low, high = exponent(SIZES, list(3e-6 * SIZES[:, None] ** power * noise))
    assert low < power < high
    assert slope == pytest.approx(power, abs=0.03)


def test_a_small_run_has_both_axes():
    rows, columns = growth(0.2)
    assert (rows.axis, columns.axis) == ("rows", "columns")
    for row in (rows, columns):
        assert len(row.seconds) == len(row.sizes) == 5
        assert row.low < row.slope < row.high
    assert growth_table([rows, columns]).row_count == 2

"""The vectorised exponential and logarithm against the C library's."""

import math

import numpy as np
from tests.cases import each

from learnable._jit.core.compile import exact_kernel
from learnable._jit.core.exponential import exp_negative, log_one_plus


@exact_kernel
def exponentials(x):
    out = np.empty(len(x))
    exp_negative(x, out, np.empty(len(x), dtype=np.int64))
    return out


@exact_kernel
def logarithms(e):
    out = np.empty(len(e))
    log_one_plus(e, out)
    return out


@each("reach", [1e-12, 1.0, 30.0, 708.0])
def test_the_exponential_is_within_four_units_in_the_last_place(reach):
    x = np.concatenate([np.linspace(-reach, reach, 2001), [0.0, reach, -reach]])
    exact = np.array([math.exp(-value) for value in x])
    assert np.all(np.abs(exponentials(x) - exact) <= 4.0 * np.spacing(exact))


def test_beyond_the_range_of_doubles_it_stays_at_its_end():
    least, most = exponentials(np.array([708.0, -708.0]))
    np.testing.assert_array_equal(exponentials(np.array([709.0, 1e300, np.inf])), np.full(3, least))
    np.testing.assert_array_equal(exponentials(np.array([-709.0, -1e300, -np.inf])), np.full(3, most))
    assert 0.0 < least < 1e-307 < 1e307 < most < np.inf


def test_the_logarithm_is_within_four_units_in_the_last_place():
    e = np.concatenate([np.linspace(0.0, 1.0, 2001), np.geomspace(1e-300, 1.0, 2001)])
    out = logarithms(e)
    exact = np.array([math.log1p(value) for value in e])
    assert np.all(np.abs(out - exact) <= 4.0 * np.spacing(np.maximum(exact, 1e-308)))

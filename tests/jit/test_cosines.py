"""The vectorised cosine of random features against the C library's, and the features against their definition."""

import numpy as np
from scipy import sparse
from tests.cases import each

from learnable._jit.kernels.cosines import cosines
from learnable.solvers.kernels import random_features


@each("reach", [1e-3, 3.0, 1e3, 9e5, 1e9])
def test_cosines_are_those_of_the_library(reach):
    phases = np.linspace(-reach, reach, 40_001).reshape(-1, 1)
    offset, found = np.array([0.5]), phases.copy()
    cosines(found, offset, 2.0)
    np.testing.assert_allclose(found, 2.0 * np.cos(phases + 0.5), rtol=0.0, atol=2e-15)


def test_multiples_of_a_quarter_turn_are_where_they_should_be():
    quarters = np.arange(-400_000, 400_001, dtype=float)[None] * (0.5 * np.pi)
    found = quarters.copy()
    cosines(found, np.zeros(quarters.shape[1]), 1.0)
    np.testing.assert_allclose(found, np.cos(quarters), rtol=0.0, atol=1e-15)


def test_a_phase_that_is_no_number_stays_none():
    found = np.array([[np.nan, 1.0]])
    cosines(found, np.zeros(2), 1.0)
    assert np.isnan(found[0, 0])
    assert np.isclose(found[0, 1], np.cos(1.0))


def test_features_are_those_of_their_definition():
    random = np.random.default_rng(0)
    X, weights, offset = random.standard_normal((30, 4)), random.standard_normal((4, 17)), random.uniform(0.0, 6.0, 17)
    expected = np.sqrt(2.0 / len(offset)) * np.cos(X @ weights + offset)
    for table in (X, np.asfortranarray(X), sparse.csr_array(X)):
        np.testing.assert_allclose(random_features.features(table, weights, offset), expected, atol=1e-14)

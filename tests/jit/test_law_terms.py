"""Losses of scores in one call: the formulas of `problems`, at scores of any size."""

import numpy as np
import pytest
from tests.cases import each

from learnable._jit.linear.likelihood import BernoulliLaw, PoissonLaw
from learnable._jit.sparse.law_terms import CHUNK, law_terms
from learnable.problems.linear import losses
from learnable.problems.linear.glm import PoissonLog

RNG = np.random.default_rng(3)


@each("n", [1, CHUNK, 2 * CHUNK + 5])
@each("scale", [1.0, 40.0])
def test_log_odds(n, scale):
    f, y, w = scale * RNG.standard_normal(n), RNG.integers(0, 2, n).astype(float), RNG.uniform(size=n)
    slope, curvature = np.empty(n), np.empty(n)
    value = law_terms(BernoulliLaw(), y, f, w, slope, curvature)
    law, side = losses.Logistic(), 2.0 * y - 1.0
    assert value == pytest.approx(w @ losses.value(law, side, f), rel=1e-13)
    np.testing.assert_allclose(slope, w * losses.gradient(law, side, f), rtol=0, atol=1e-15)
    np.testing.assert_allclose(curvature, w * losses.curvature(law, side, f), rtol=1e-12)


def test_log_means():
    n = CHUNK + 1
    f, y, w = RNG.standard_normal(n), RNG.poisson(2.0, n).astype(float), RNG.uniform(size=n)
    slope, curvature = np.empty(n), np.empty(n)
    value = law_terms(PoissonLaw(), y, f, w, slope, curvature)
    assert value == pytest.approx(w @ (np.exp(f) - y * f), rel=1e-13)
    np.testing.assert_allclose(slope, w * losses.gradient(PoissonLog(), y, f), atol=1e-13)
    np.testing.assert_allclose(curvature, w * np.exp(f), rtol=1e-13)


def test_scores_without_end_have_a_finite_loss():
    slope, curvature = np.empty(2), np.empty(2)
    assert (
        law_terms(BernoulliLaw(), np.array([0.0, 1.0]), np.array([1e300, 1e300]), np.ones(2), slope, curvature) == 1e300
    )
    np.testing.assert_allclose(slope, [1.0, 0.0], atol=1e-15)

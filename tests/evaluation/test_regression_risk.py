"""Laws of the risk of regression under a known law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnable.evaluation.regression_risk import regression_risk


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5))
def test_risk_is_excess_plus_noise_and_the_regression_function_is_best(seed, a, b):
    rng = np.random.default_rng(seed)
    f, y, law = rng.normal(size=a), rng.normal(size=b), rng.dirichlet(np.ones(a * b)).reshape(a, b)
    risk = regression_risk(f, y, law)
    assert risk.excess + risk.noise == risk.risk
    assert risk.risk == pytest.approx(np.sum(law * (f[:, None] - y) ** 2), rel=1e-9)
    best = regression_risk(risk.best, y, law)
    assert best.excess == pytest.approx(0, abs=1e-12)
    assert best.risk <= risk.risk + 1e-12


def test_points_of_probability_zero_count_for_nothing():
    risk = regression_risk([5.0, 0.0], [0.0, 1.0], [[0.0, 0.0], [0.5, 0.5]])
    assert (risk.risk, risk.excess, risk.noise) == (0.5, 0.25, 0.25)
    assert np.isnan(risk.best[0])


def test_bad_laws():
    with pytest.raises(ValueError, match="sum to 1"):
        regression_risk([0.0], [1.0], [[0.5]])
    with pytest.raises(ValueError, match="shapes"):
        regression_risk([0.0, 1.0], [1.0], [[1.0]])
    with pytest.raises(ValueError, match="finite"):
        regression_risk([np.nan], [1.0], [[1.0]])

"""The sample error and its normal approximation: exact moments, brute-force distances, Berry and Esseen."""

import numpy as np
import pytest
from scipy.stats import binom, norm
from tests.cases import each

from learnable.evaluation import normal_approximation, probability_within, sample_error_law, z_score


@each(("n", "p"), [(1, 0.3), (17, 0.05), (200, 0.5), (10, 0.0), (10, 1.0)])
def test_sample_error_is_unbiased_with_variance_pq_over_n(n, p):
    law = sample_error_law(n, p)
    assert law.probabilities.sum() == pytest.approx(1)
    assert law.values @ law.probabilities == pytest.approx(p) == law.mean
    assert (law.values - p) ** 2 @ law.probabilities == pytest.approx(law.variance) == p * (1 - p) / n


def test_rule_of_68_95_997():
    np.testing.assert_allclose(probability_within([1, 2, 3]), [0.6826894921, 0.9544997361, 0.9973002039])
    assert probability_within(0) == 0


def test_z_score_standardises():
    law = sample_error_law(30, 0.2)
    z = z_score(np.arange(31), 30, 0.2)
    assert z @ law.probabilities == pytest.approx(0, abs=1e-12)
    assert z**2 @ law.probabilities == pytest.approx(1)


@each(("n", "p"), [(1, 0.5), (5, 0.1), (40, 0.3), (100, 0.01), (300, 0.77)])
def test_distance_is_the_supremum_over_a_fine_grid(n, p):
    fit = normal_approximation(n, p)
    deviation = np.sqrt(n * p * (1 - p))
    x = np.concatenate([np.linspace(-3, n + 3, 40_001), np.arange(n + 1), np.arange(n + 1) - 1e-9])
    gap = np.abs(binom.cdf(x, n, p) - norm.cdf(x, n * p, deviation))
    assert fit.distance == pytest.approx(gap.max(), abs=1e-6)
    whole = np.arange(n + 1)
    corrected = np.abs(binom.cdf(whole, n, p) - norm.cdf(whole + 0.5, n * p, deviation))
    assert fit.corrected == pytest.approx(corrected.max())


def test_berry_esseen_holds_everywhere_and_the_correction_helps():
    for n in (1, 2, 10, 100, 5000):
        for p in (1e-4, 0.01, 0.1, 0.3, 0.5, 0.9, 0.999):
            assert normal_approximation(n, p).holds
    for n in (30, 100, 1000):
        fit = normal_approximation(n, 0.4)
        assert fit.corrected < fit.distance / 3


def test_distance_falls_as_the_root_of_n():
    ratio = normal_approximation(400, 0.3).distance / normal_approximation(40_000, 0.3).distance
    assert ratio == pytest.approx(10, rel=0.02)
    assert normal_approximation(10**6, 0.3).holds


@each(
    ("call", "message"),
    [
        (lambda: sample_error_law(0, 0.5), "n must be at least 1"),
        (lambda: sample_error_law(5, 1.5), r"p=1.5.*\[0, 1\]"),
        (lambda: normal_approximation(5, 0.0), "strictly between"),
        (lambda: normal_approximation(5, np.nan), r"\[0, 1\]"),
        (lambda: z_score(6, 5, 0.5), "mistakes <= n"),
        (lambda: z_score(1, 5, 0.0), "no spread"),
        (lambda: probability_within(-1), "z must be >= 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()

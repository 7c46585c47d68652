"""Laws of Nemenyi's test."""

import numpy as np
import pytest
from scipy import stats
from tests.cases import each

from learnable.evaluation.nemenyi import nemenyi

# J. Demšar, JMLR 7 (2006), table 5 (a): two-tailed critical values for k = 2, ..., 10.
Q_05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
Q_10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]


@each(("alpha", "critical"), [(0.05, Q_05), (0.10, Q_10)])
def test_published_critical_values(alpha, critical):
    for k, q in enumerate(critical, start=2):
        n = k * (k + 1) / 6  # the standard error is then 1
        assert nemenyi(np.arange(k), max(n, 2), alpha=alpha).critical_difference == pytest.approx(
            q * np.sqrt(n / max(n, 2)), abs=1.5e-3
        )


def test_published_difference():
    # Demšar (2006), section 3.2.2: CD = 1.25 at 0.05 and 1.12 at 0.10 for 4 learners, 14 data sets.
    ranks = [3.143, 2.000, 2.893, 1.964]
    assert round(nemenyi(ranks, 14).critical_difference, 2) == 1.25
    assert round(nemenyi(ranks, 14, alpha=0.10).critical_difference, 2) == 1.12


def test_p_values_and_critical_difference_say_the_same():
    ranks = np.array([1.3, 2.0, 3.1, 4.2, 4.4])
    test = nemenyi(ranks, 12)
    beyond = np.abs(ranks[:, None] - ranks) > test.critical_difference
    assert ((test.p_values < 0.05) == beyond).all()
    assert (test.p_values == test.p_values.T).all()
    assert (test.p_values.diagonal() == 1).all()


def test_two_learners_are_the_normal_test():
    test = nemenyi([1.2, 1.8], 10)
    z = 0.6 / np.sqrt(2 * 3 / 60)
    assert test.p_values[0, 1] == pytest.approx(2 * stats.norm.sf(z), rel=1e-6)


@each(("ranks", "n", "alpha"), [([1.0], 5, 0.05), ([1, 2], 1, 0.05), ([1, 2], 5, 0.0), ([1, np.nan], 5, 0.05)])
def test_bad_input(ranks, n, alpha):
    with pytest.raises(ValueError, match="nemenyi"):
        nemenyi(ranks, n, alpha=alpha)

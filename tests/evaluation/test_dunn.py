"""Laws of the comparisons with a control."""

import numpy as np
import pytest

from learnable.evaluation.dunn import against_control
from learnable.evaluation.multiple import hochberg, holm

RANKS = [3.143, 2.000, 2.893, 1.964]  # J. Demšar, JMLR 7 (2006), table 6, as printed; 14 data sets


def test_published_holm_example():
    # Demšar (2006), section 3.2.2, control C4.5: z 2.416, 2.342, 0.512 and p 0.016, 0.019, 0.607; two rejections.
    test = against_control(RANKS, 14)
    assert np.abs(test.z) == pytest.approx([2.342, 0.512, 2.416], abs=1e-3)
    assert test.p_values == pytest.approx([0.019, 0.607, 0.016], abs=1.5e-3)
    assert (test.p_holm <= 0.05).tolist() == [True, False, True]
    assert (test.p_hochberg <= 0.05).tolist() == [True, False, True]


def test_published_critical_values():
    # Demšar (2006), table 5 (b): k = 2, ..., 6.
    for k, q in zip(range(2, 7), [1.960, 2.241, 2.394, 2.498, 2.576]):
        test = against_control(np.arange(k), 20)
        assert test.critical_difference == pytest.approx(q * np.sqrt(k * (k + 1) / 120), abs=1e-3)


def test_bonferroni_and_critical_difference_say_the_same():
    ranks = np.array([1.4, 2.1, 3.3, 4.0, 4.2])
    test = against_control(ranks, 15, control=1)
    assert test.others == (0, 2, 3, 4)
    beyond = np.abs(ranks[list(test.others)] - ranks[1]) >= test.critical_difference
    assert ((test.p_bonferroni <= 0.05) == beyond).all()
    assert test.p_holm == pytest.approx(holm(test.p_values))
    assert test.p_hochberg == pytest.approx(hochberg(test.p_values))
    assert test.z[0] < 0 < test.z[1]


def test_bad_control():
    with pytest.raises(ValueError, match="index from 0 to 3"):
        against_control(RANKS, 14, control=4)

"""Laws of the sign test."""

import pytest
from scipy import stats
from tests.cases import each

from learnable.evaluation.sign_test import sign_test


@each(("wins", "losses", "ties"), [(5, 0, 1), (7, 3, 0), (4, 4, 2), (0, 9, 3)])
def test_it_is_the_binomial_test(wins, losses, ties):
    test = sign_test([1] * wins + [0] * (losses + ties), [0] * wins + [1] * losses + [0] * ties)
    reference = stats.binomtest(wins, wins + losses)
    assert (test.wins, test.losses, test.ties) == (wins, losses, ties)
    assert test.p_value == pytest.approx(reference.pvalue)
    assert (test.win_rate.low, test.win_rate.high) == pytest.approx(tuple(reference.proportion_ci()))


def test_only_ties_say_nothing():
    test = sign_test([0.1 + 0.2, 0.5], [0.3, 0.5])
    assert (test.wins, test.losses, test.ties, test.p_value) == (0, 0, 2, 1.0)
    assert (test.win_rate.low, test.win_rate.high) == (0.0, 1.0)


def test_bad_input():
    with pytest.raises(ValueError, match="same folds"):
        sign_test([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="level"):
        sign_test([1, 2], [2, 1], level=0)

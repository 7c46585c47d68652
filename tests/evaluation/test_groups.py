"""Laws of the groups that cannot be told apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnable.evaluation.groups import indistinguishable_groups


@st.composite
def separations(draw):
    k = draw(st.integers(1, 8))
    upper = np.triu(np.array(draw(st.lists(st.booleans(), min_size=k * k, max_size=k * k))).reshape(k, k), 1)
    return upper | upper.T


@given(separations())
def test_they_are_exactly_the_maximal_runs_without_a_separated_pair(separated):
    k = len(separated)
    alike = [range(i, j) for i in range(k) for j in range(i + 1, k + 1) if not separated[i:j, i:j].any()]
    maximal = [run for run in alike if not any(set(run) < set(other) for other in alike)]
    assert list(indistinguishable_groups(separated)) == [tuple(run) for run in maximal]


def test_extremes():
    assert indistinguishable_groups(np.zeros((3, 3))) == ((0, 1, 2),)
    assert indistinguishable_groups(~np.eye(3, dtype=bool)) == ((0,), (1,), (2,))
    assert indistinguishable_groups([[False]]) == ((0,),)


def test_a_separated_pair_inside_a_run_breaks_it():
    separated = np.zeros((3, 3), dtype=bool)
    separated[1, 2] = separated[2, 1] = True  # the ends 0 and 2 are alike, yet no group may hold 1 and 2
    assert indistinguishable_groups(separated) == ((0, 1), (2,))


def test_bad_matrices():
    for bad in (np.zeros((2, 3)), [[0, 1], [0, 0]], np.eye(2)):
        with pytest.raises(ValueError, match="separated"):
            indistinguishable_groups(bad)

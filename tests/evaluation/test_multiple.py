"""Laws of the adjusted p-values."""

from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from tests.cases import each

from learnable.evaluation.multiple import benjamini_hochberg, bonferroni, hochberg, holm

NAMES = {bonferroni: "bonferroni", holm: "holm", hochberg: "simes-hochberg", benjamini_hochberg: "fdr_bh"}
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(p=P_VALUES)
@settings(max_examples=15, deadline=None)
def test_statsmodels_agrees(p):
    for adjust, name in NAMES.items():
        with patch("gc.collect"):  # statsmodels searches everything alive for garbage, each time
            theirs = multipletests(p, method=name)[1]
        assert adjust(p) == pytest.approx(theirs, abs=1e-12)


@given(p=P_VALUES)
def test_order_of_power_and_of_values(p):
    chain = [np.asarray(p), benjamini_hochberg(p), hochberg(p), holm(p), bonferroni(p)]
    for smaller, larger in pairwise(chain):
        assert (smaller <= larger + 1e-15).all()
    for adjusted in chain[1:]:
        order = np.argsort(p, kind="stable")
        assert (np.diff(adjusted[order]) >= -1e-15).all()


@given(p=P_VALUES, alpha=st.floats(0.001, 0.5))
def test_holm_is_the_step_down_procedure(p, alpha):
    m, rejected = len(p), set()
    for step, index in enumerate(sorted(range(m), key=lambda i: p[i])):
        if p[index] * (m - step) > alpha:
            break
        rejected.add(index)
    assert rejected == set(np.flatnonzero(holm(p) <= alpha))


@each("adjust", NAMES)
def test_edges_and_bad_input(adjust):
    assert adjust([]).tolist() == []
    assert adjust([0.3]).tolist() == [0.3]
    for bad in ([0.1, np.nan], [-0.1], [1.1]):
        with pytest.raises(ValueError, match="between 0 and 1"):
            adjust(bad)
    with pytest.raises(ValueError, match="vector"):
        adjust([[0.1]])
    given_values = np.array([0.5, 0.1])
    adjust(given_values)
    assert given_values.tolist() == [0.5, 0.1]

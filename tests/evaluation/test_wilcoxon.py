"""Laws of the signed-rank test."""

import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from learnable.evaluation.wilcoxon import wilcoxon


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=9))
@settings(max_examples=60, deadline=None)
def test_exact_p_by_enumeration_of_all_signs_with_ties_and_zeros(d):
    d = np.array(d, dtype=float)
    ranks = stats.rankdata(np.abs(d)) * (d != 0)
    zeros = stats.rankdata(np.abs(d))[d == 0].sum() / 2
    observed = abs(np.sum(ranks * np.sign(d)))
    sums = [abs(np.dot(ranks, signs)) for signs in product([-1, 1], repeat=len(d))]
    test = wilcoxon(d, np.zeros(len(d)))
    assert test.exact
    assert test.p_value == pytest.approx(np.mean(np.array(sums) >= observed - 1e-9))
    assert test.plus - zeros == pytest.approx(ranks[d > 0].sum())
    assert test.plus + test.minus == pytest.approx(len(d) * (len(d) + 1) / 2)


def test_scipy_agrees_without_ties():
    rng = np.random.default_rng(0)
    for n in (5, 12, 30, 45):
        a, b = rng.normal(0.2, 1, n), rng.normal(size=n)
        assert wilcoxon(a, b).p_value == pytest.approx(stats.wilcoxon(a, b, method="exact").pvalue, rel=1e-9)


def test_large_samples_use_the_normal_law_and_agree_with_the_exact_one(monkeypatch):
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 9, 150).astype(float), rng.integers(0, 8, 150).astype(float)
    exact = wilcoxon(a, b)
    monkeypatch.setattr(sys.modules[wilcoxon.__module__], "EXACT_UP_TO", 50)
    approximate = wilcoxon(a, b)
    assert exact.exact
    assert not approximate.exact
    assert approximate.p_value == pytest.approx(exact.p_value, rel=0.05)


def test_rounding_does_not_break_ties():
    test = wilcoxon([0.9, 0.8, 0.3], [0.8, 0.7, 0.4])
    assert (test.plus, test.minus) == (4.0, 2.0)
    assert wilcoxon([0.1 + 0.2, 0.5], [0.3, 0.4]).zeros == 1


def test_no_difference_at_all():
    test = wilcoxon([0.5, 0.6, 0.7], [0.5, 0.6, 0.7])
    assert (test.plus, test.minus, test.zeros, test.p_value) == (3.0, 3.0, 3, 1.0)


def test_bad_input():
    with pytest.raises(ValueError, match="is nan"):
        wilcoxon([0.5, np.nan], [0.4, 0.3])

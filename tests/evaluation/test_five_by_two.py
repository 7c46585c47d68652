"""Laws of the 5×2 tests."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from learnable.evaluation.five_by_two import five_by_two, five_by_two_test


def definition(delta):
    """Dietterich's and Alpaydin's formulas, term by term."""
    mean = delta.mean(axis=1, keepdims=True)
    s2 = ((delta - mean) ** 2).sum(axis=1)
    return delta[0, 0] / math.sqrt(s2.sum() / 5), (delta**2).sum() / (2 * s2.sum())


def test_definition_and_tails():
    rng = np.random.default_rng(0)
    for _ in range(20):
        delta = rng.normal(0.02, 0.03, (5, 2))
        test = five_by_two_test(0.7 + delta, np.full((5, 2), 0.7))
        t, f = definition(delta)
        assert (test.t, test.f) == pytest.approx((t, f), rel=1e-9)
        assert test.p_t == pytest.approx(2 * stats.t.sf(abs(t), 5), rel=1e-8)
        assert test.p_f == pytest.approx(stats.f.sf(f, 10, 5), rel=1e-8)
        assert (0.0 in test.difference) == (test.p_t >= 0.05)


def test_level_under_independent_differences():
    rng = np.random.default_rng(1)
    tests = [five_by_two_test(rng.normal(size=(5, 2)), np.zeros((5, 2))) for _ in range(2000)]
    assert np.mean([test.p_f < 0.05 for test in tests]) < 0.065
    assert np.mean([test.p_t < 0.05 for test in tests]) < 0.065


def test_degenerate_limits():
    same = np.full((5, 2), 0.8)
    equal = five_by_two_test(same, same)
    assert equal.degenerate
    assert (equal.p_t, equal.p_f) == (1.0, 1.0)
    apart = five_by_two_test(same + 0.1, same)
    assert apart.degenerate
    assert (apart.p_t, apart.p_f) == (0.0, 0.0)


def test_running_it_uses_halves_and_is_reproducible():
    X, y = make_classification(200, random_state=0)
    tree, logistic = DecisionTreeClassifier(random_state=0), LogisticRegression()
    first = five_by_two(tree, logistic, X, y, random_state=7)
    assert first == five_by_two(tree, logistic, X, y, random_state=7)
    assert not hasattr(tree, "tree_")
    assert 0 <= first.p_f <= 1


def test_bad_shapes_and_values():
    with pytest.raises(ValueError, match=r"\(5 repeats, 2 halves\)"):
        five_by_two_test(np.zeros((2, 5)), np.zeros((5, 2)))
    bad = np.zeros((5, 2))
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="repeat 3, half 1 is nan"):
        five_by_two_test(np.zeros((5, 2)), bad)

"""Impurities: axioms, identities, inequalities, numbers known from outside."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from learnable.problems.trees.impurities import (
    Entropy,
    Gini,
    Misclassification,
    class_impurity,
    impurity_gain,
)
from learnable.trees import (
    conditional_entropy,
    entropy,
    gini,
    gini_gain,
    impurity_axioms,
    information_content,
    information_gain,
)


def test_entropy_and_its_inequalities():
    random = np.random.default_rng(0)
    assert information_content(1 / 8) == 3.0
    for _ in range(50):
        table = random.integers(0, 6, (4, 3)) + (random.random((4, 3)) < 0.2)
        if not table.sum():
            continue
        whole = table.sum(axis=0)
        # Against scipy, with 0 log 0 = 0; H ≤ log₂ of the number of classes; conditioning never raises it.
        assert entropy(whole) == pytest.approx(stats.entropy(whole, base=2), abs=1e-12)
        assert entropy(whole) <= np.log2(3) + 1e-12
        assert conditional_entropy(table) <= entropy(whole) + 1e-12
        # Gain is the mutual information, symmetric in the two variables.
        assert information_gain(table) == pytest.approx(information_gain(table.T), abs=1e-12)
        joint = table / table.sum()
        alone = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        mutual = sum(p * np.log2(p / q) for p, q in zip(joint.flat, alone.flat) if p > 0)
        assert information_gain(table) == pytest.approx(mutual, abs=1e-12)
        assert conditional_entropy(table) == pytest.approx(entropy(whole) - mutual, abs=1e-12)
        shares = whole / whole.sum()
        assert entropy(whole) == pytest.approx(sum(p * information_content(p) for p in shares if p > 0), abs=1e-12)
    assert entropy([5, 5, 5, 5]) == pytest.approx(2.0)
    assert entropy([7, 0]) == 0.0


def test_gini_is_the_chance_of_two_different_classes():
    random = np.random.default_rng(1)
    for _ in range(50):
        p = random.dirichlet(np.ones(4))
        pairs = sum(p[j] * p[k] for j, k in product(range(4), repeat=2) if j != k)
        assert gini(p) == pytest.approx(pairs, abs=1e-12)
        assert class_impurity(Misclassification(), p) == pytest.approx(1 - p.max())
        table = random.integers(0, 5, (3, 4)) + 1
        for kind in (Gini(), Entropy(), Misclassification()):
            assert impurity_gain(kind, table) >= -1e-12
    table = np.array([[2, 3], [4, 0], [3, 2]])
    by_hand = gini([9, 5]) - (5 * gini([2, 3]) + 4 * gini([4, 0]) + 5 * gini([3, 2])) / 14
    assert gini_gain(table) == pytest.approx(by_hand)


def test_axioms_hold_for_impurities_and_fail_for_others():
    for K in (2, 3):
        for kind in (Gini(), Entropy(), Misclassification()):
            assert impurity_axioms(lambda p, kind=kind: class_impurity(kind, p), K, steps=10).holds
    assert impurity_axioms(lambda p: p[0] * (1 - p[0]) * (1 + p[0])).asymmetry > 0.01
    assert impurity_axioms(lambda p: 1.0 - abs(p[0] - 0.3) - abs(p[1] - 0.3)).excess_over_uniform >= 0.0
    assert impurity_axioms(lambda p: 0.1 + class_impurity(Gini(), p)).impurity_at_corners > 0.05
    assert impurity_axioms(lambda p: -class_impurity(Gini(), p)).negative > 0.1
    assert impurity_axioms(lambda p: class_impurity(Gini(), p) ** 4).lack_of_concavity > 0.001
    with pytest.raises(ValueError, match="at least 2"):
        impurity_axioms(lambda p: 0.0, 1)
    with pytest.raises(ValueError, match="not all zero"):
        entropy([0, 0])

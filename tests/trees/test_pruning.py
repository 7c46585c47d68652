"""Pruning: weakest links against dynamic programming and scikit-learn, reduced error, optimal trees."""

import copy
from itertools import pairwise, product

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier as ForeignTree

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.trees.optimal import least_mistakes
from learnable.certificates.trees.pruning import path_claims, reduced_error_claims
from learnable.problems.trees.pruning import cost_complexity
from learnable.problems.trees.tree import cut
from learnable.solvers.trees import optimal
from learnable.trees import DecisionTreeClassifier, OptimalTreeClassifier, reduced_error_pruning


def noisy(seed, n=150):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 3)).astype(np.float32).astype(float)
    return X, ((X[:, 0] > 0) ^ (X[:, 1] > 0.5) ^ (random.random(n) < 0.15)).astype(int)


def prunings(tree, node=0):
    """Every set of nodes that can be turned into leaves, by brute force."""
    if tree.children_left[node] < 0:
        return [()]
    below = [a + b for a in prunings(tree, tree.children_left[node]) for b in prunings(tree, tree.children_right[node])]
    return [(node,), *below]


def test_the_weakest_link_sequence_is_nested_and_optimal():
    for seed in range(3):
        X, y = noisy(seed)
        full = DecisionTreeClassifier(max_depth=4).fit(X, y)
        path = full.cost_complexity_pruning_path(X, y)
        assert all(claim.holds for claim in path_claims(full.tree_, path.ccp_alphas, path.impurities))
        assert not all(claim.holds for claim in path_claims(full.tree_, path.ccp_alphas, path.impurities * 1.01))
        nodes = [set(map(tuple, DecisionTreeClassifier(max_depth=4, ccp_alpha=a).fit(X, y).tree_.value[:, 0]))
                 for a in path.ccp_alphas]  # fmt: skip
        assert all(later <= earlier for earlier, later in pairwise(nodes))
        if len(prunings(full.tree_)) < 4000:
            for alpha in (0.003, 0.02):
                costs = []
                for chosen in prunings(full.tree_):
                    mask = np.zeros(full.tree_.node_count, dtype=bool)
                    mask[list(chosen)] = True
                    costs.append(cost_complexity(cut(full.tree_, mask), alpha))
                model = DecisionTreeClassifier(max_depth=4, ccp_alpha=alpha).fit(X, y)
                assert cost_complexity(model.tree_, alpha) == pytest.approx(min(costs))
                # C_α from the rows: those of a leaf count 1 − Σ p² each, and every leaf costs α.
                leaves = model.apply(X)
                impure = sum(1.0 - np.mean(y[leaves == leaf] == label) for leaf, label in zip(leaves, y)) / len(y)
                assert min(costs) == pytest.approx(impure + alpha * len(set(leaves)))
                assert certify(model, X, y).holds
        foreign = ForeignTree(max_depth=4, random_state=0).fit(X, y)
        theirs = foreign.cost_complexity_pruning_path(X, y)
        if foreign.tree_.n_leaves == full.tree_.n_leaves:
            assert path.impurities[-1] == pytest.approx(theirs.impurities[-1])


def test_reduced_error_pruning_is_the_smallest_of_the_most_accurate():
    for seed in range(4):
        X, y = noisy(seed, 240)
        model = DecisionTreeClassifier(max_depth=5).fit(X[:120], y[:120])
        found = reduced_error_pruning(model, X[120:], y[120:])
        assert found.certificate.holds
        assert found.mistakes <= found.mistakes_before
        options = prunings(model.tree_)
        if len(options) < 5000:
            best = []
            for chosen in options:
                mask = np.zeros(model.tree_.node_count, dtype=bool)
                mask[list(chosen)] = True
                other = copy.deepcopy(model)
                other.tree_ = cut(model.tree_, mask)
                best.append((np.count_nonzero(other.predict(X[120:]) != y[120:]), other.tree_.n_leaves))
            assert min(best) == (found.mistakes, found.model.tree_.n_leaves)
        # Leaves are labelled by training rows, whatever the validation rows say.
        majority = found.model.tree_.value[:, 0].argmax(axis=1)
        assert set(majority) <= {0, 1}
    mistakes = np.arange(model.tree_.node_count)
    assert not all(c.holds for c in reduced_error_claims(model.tree_, cut(model.tree_, np.ones(len(mistakes), bool)),
                                                         np.eye(1, len(mistakes))[0] * 9))  # fmt: skip
    with pytest.raises(ValueError, match="no validation rows"):
        reduced_error_pruning(model, X[:0].reshape(0, 3), y[:0]) if False else reduced_error_pruning(model, X[:1], [])


def brute(answers, label, K, depth):
    """The least mistakes of any tree, by trying them all."""
    leaf = len(label) - max(np.bincount(label, minlength=K))
    if depth == 0 or leaf == 0:
        return leaf
    best = leaf
    for f in range(answers.shape[1]):
        yes = answers[:, f]
        if yes.any() and not yes.all():
            best = min(
                best, brute(answers[yes], label[yes], K, depth - 1) + brute(answers[~yes], label[~yes], K, depth - 1)
            )
    return best


def test_optimal_trees_make_the_fewest_mistakes():
    random = np.random.default_rng(0)
    for K, depth in product((2, 3), (1, 2, 3)):
        answers = random.random((60, 6)) < 0.5
        label = (answers[:, 0].astype(int) + 2 * answers[:, 1] + random.integers(0, 2, 60)) % K
        *_, last = optimal.iterates(answers, label, K, depth)
        assert round(last.objective * 60) == brute(answers, label, K, depth)
        assert least_mistakes(answers.astype(float), np.eye(K)[label], depth) == brute(answers, label, K, depth)
        model = OptimalTreeClassifier(depth).fit(answers.astype(float), label)
        found = certify(model, answers.astype(float), label)
        assert found.holds, found
        greedy = DecisionTreeClassifier(max_depth=depth).fit(answers.astype(float), label)
        assert model.mistakes_ <= np.count_nonzero(greedy.predict(answers.astype(float)) != label)
        # A greedy tree that makes more mistakes is refuted.
        worse = copy.deepcopy(model)
        mask = np.zeros(model.tree_.node_count, dtype=bool)
        mask[0] = True
        worse.tree_ = cut(model.tree_, mask)
        worse.mistakes_ = int(60 - max(np.bincount(label)))
        if worse.mistakes_ > model.mistakes_:
            assert not certify(worse, answers.astype(float), label).holds


def test_a_leaf_of_a_pruned_tree_has_no_child_on_either_side():
    X, y = noisy(3)
    model = DecisionTreeClassifier(ccp_alpha=0.02).fit(X, y)
    leaf = int(np.flatnonzero(model.tree_.is_leaf)[-1])
    for side in ("children_left", "children_right"):
        forged = copy.deepcopy(model)
        getattr(forged.tree_, side)[leaf] = 0
        assert certify(forged, X, y).verdict is Verdict.REFUTED

"""Which rows are in which nodes, and sums over them, as the certificates find them."""

import numpy as np
import pytest

from learnable.certificates.trees.members import members_of
from learnable.problems.trees.tree import leaves_of, levels, node_rows
from learnable.trees import DecisionTreeClassifier


def grown(n, **options):
    rng = np.random.default_rng(n)
    X = np.round(rng.standard_normal((n, 3)), 1)
    return DecisionTreeClassifier(random_state=0, **options).fit(X, rng.integers(0, 3, n)).tree_, X


@pytest.mark.parametrize("options", [{}, {"max_depth": 2}, {"max_leaf_nodes": 9}, {"min_samples_split": 5000}])
def test_rows_and_sums_of_every_node_are_those_of_the_rows_that_pass_it(options):
    tree, X = grown(900, **options)
    leaves = leaves_of(tree, X)
    counted = np.union1d(
        np.flatnonzero(np.arange(len(X)) % 7), np.unique(leaves, return_index=True)[1]
    )  # of every leaf one row at least; the others have no weight
    members = members_of(tree, X, None, counted, np.zeros(3), leaves, tree.depths)
    terms = np.random.default_rng(0).integers(-9, 10, (len(X), 2)).astype(float)
    sums = members.sums(terms)
    for node, passed in enumerate(node_rows(tree, X, np.arange(len(X)))):
        rows = np.intersect1d(passed, counted)
        np.testing.assert_array_equal(members.rows(node), rows)
        np.testing.assert_array_equal(sums[node], terms[rows].sum(axis=0))
        assert members.size[node] == len(rows)


@pytest.mark.parametrize("n", [50, 5000])
def test_rows_of_numbers_come_to_the_leaves_that_level_by_level_they_come_to(n):
    tree, X = grown(n)
    for cells in (X, np.nextafter(X, np.inf), np.full_like(X, -1e300), X[:0]):
        at = np.zeros(len(cells), dtype=np.int64)
        for rows, nodes in levels(tree, cells, np.arange(len(cells)), at):
            at[rows] = nodes
        np.testing.assert_array_equal(leaves_of(tree, cells), at)
        np.testing.assert_array_equal(leaves_of(tree, np.asfortranarray(cells)), at)

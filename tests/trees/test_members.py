"""Which rows are in which nodes, and sums over them, as the certificates find them."""

import numpy as np
import pytest

from learnable.certificates.trees.members import members_of, miscounted
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
    passed = [np.intersect1d(rows, counted) for rows in node_rows(tree, X, np.arange(len(X)))]
    tree = tree._replace(n_node_samples=np.array([len(rows) for rows in passed]))
    members = members_of(tree, X, None, counted, np.zeros(3), leaves, tree.depths)
    terms = np.random.default_rng(0).integers(-9, 10, (len(X), 2)).astype(float)
    sums = members.sums(terms)
    for node, rows in enumerate(passed):
        np.testing.assert_array_equal(members.rows(node), rows)
        np.testing.assert_array_equal(sums[node], terms[rows].sum(axis=0))
        assert members.size[node] == len(rows)


def test_nodes_that_do_not_say_how_many_rows_they_have_are_counted():
    tree, X = grown(200)
    leaves = leaves_of(tree, X)
    assert miscounted(tree, leaves) == 0
    for node in range(tree.node_count):
        said = tree.n_node_samples + (np.arange(tree.node_count) == node)
        assert 1 <= miscounted(tree._replace(n_node_samples=said), leaves) <= 2  # its parent has its rows too
    assert miscounted(tree, leaves[leaves != leaves[0]]) > 0
    assert miscounted(tree._replace(n_node_samples=tree.n_node_samples[:, None]), leaves) == tree.node_count
    empty = np.where(np.arange(tree.node_count) == leaves[0], 0, tree.n_node_samples)
    assert miscounted(tree._replace(n_node_samples=empty), leaves[leaves != leaves[0]]) > 0


@pytest.mark.parametrize("n", [50, 5000])
def test_rows_of_numbers_come_to_the_leaves_that_level_by_level_they_come_to(n):
    tree, X = grown(n)
    for cells in (X, np.nextafter(X, np.inf), np.full_like(X, -1e300), X[:0]):
        at = np.zeros(len(cells), dtype=np.int64)
        for rows, nodes in levels(tree, cells, np.arange(len(cells)), at):
            at[rows] = nodes
        np.testing.assert_array_equal(leaves_of(tree, cells), at)
        np.testing.assert_array_equal(leaves_of(tree, np.asfortranarray(cells)), at)

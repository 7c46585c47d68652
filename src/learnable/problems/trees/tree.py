"""A tree as arrays, with the names of scikit-learn's `tree_`, and the way of a row through it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

LEAF = -1
NO_FEATURE = -2
# Rows times trees that go down together, and rows that go down a tree without being picked out.
TOGETHER, FEW_ROWS = 2**18, 1000
CIRCLE = "a row never comes to a leaf: nodes are linked in a circle"


class Tree(NamedTuple):
    """Nodes 0 … m−1, 0 the root.

    At a node that splits a column of numbers, rows with x ≤ threshold go left; a row whose cell is missing goes where
    `missing_go_to_left` says. At one that splits categories, `category_row` is the row of `category_left` that says
    for each category code whether it goes left.

    Attributes
    ----------
    children_left, children_right : (m,) node numbers, −1 at leaves.
    feature : (m,) column, −2 at leaves.
    threshold : (m,), infinite where everything that is not missing goes left; −2 at leaves and where categories do.
    missing_go_to_left : (m,) 0 or 1.
    category_row : (m,) row of `category_left`, −1 at leaves and where a number is compared.
    category_left : (s, c) 0 or 1.
    value : (m, q, K) class shares of q outputs, or (m, q, 1) the predicted numbers.
    impurity, n_node_samples, weighted_n_node_samples : (m,) of the training rows of each node.
    n_features : int, the columns of the table that it asks about.
    """

    children_left: np.ndarray
    children_right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_go_to_left: np.ndarray
    category_row: np.ndarray
    category_left: np.ndarray
    value: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    n_features: int

    @property
    def node_count(self) -> int:
        return len(self.feature)

    @property
    def n_outputs(self) -> int:
        return self.value.shape[1]

    @property
    def n_classes(self) -> np.ndarray:
        """(q,) how many shares of classes a node has for each output, 1 where numbers are predicted."""
        return np.full(self.n_outputs, self.value.shape[2])

    def apply(self, X) -> np.ndarray:
        """The leaf of each row of cells, dense or sparse."""
        return leaves_of(self, np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float))

    def predict(self, X) -> np.ndarray:
        """The value of the leaf of each row: (n, K), or (n, q, K) for several outputs."""
        value = self.value[self.apply(X)]
        return value[:, 0] if self.n_outputs == 1 else value

    def decision_path(self, X) -> Any:
        """Sparse 0/1 matrix (n, nodes) of the nodes that each row of cells passes."""
        return passed_nodes(self, np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float))

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """(n_features,) the decrease of impurity by each column's splits, or its share in that of all columns."""
        return importances(self, self.n_features, normalize)

    @property
    def capacity(self) -> int:
        """How many nodes there is room for: none beyond those there are."""
        return self.node_count

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.children_left == LEAF))

    @property
    def is_leaf(self) -> np.ndarray:
        return self.children_left == LEAF

    @property
    def depths(self) -> np.ndarray:
        """(m,) the distance of each node from the root."""
        depth = np.zeros(self.node_count, dtype=np.int64)
        for node in topological(self):
            for child in (self.children_left[node], self.children_right[node]):
                if child != LEAF:
                    depth[child] = depth[node] + 1
        return depth

    @property
    def max_depth(self) -> int:
        return int(self.depths.max())


def topological(tree: Tree) -> list[int]:
    """The nodes that the root reaches, parents before children."""
    order = [0]
    for node in order:
        if tree.children_left[node] != LEAF:
            order += [int(tree.children_left[node]), int(tree.children_right[node])]
        if len(order) > tree.node_count:
            raise IndexError("nodes are linked in a circle, or twice")
    return order


def cut(tree: Tree, collapsed: np.ndarray) -> Tree:
    """The tree with the nodes of a mask turned into leaves, and what is below them removed."""
    kept: list[int] = []
    new: dict[int, int] = {}
    stack = [0]
    while stack:
        node = stack.pop()
        new[node] = len(kept)
        kept.append(node)
        if tree.children_left[node] != LEAF and not collapsed[node]:
            stack += [int(tree.children_right[node]), int(tree.children_left[node])]
    kept_nodes = np.array(kept)
    leaf = collapsed[kept_nodes] | (tree.children_left[kept_nodes] == LEAF)

    def child(links: np.ndarray) -> np.ndarray:
        return np.array([LEAF if end else new[int(links[node])] for node, end in zip(kept, leaf)], dtype=links.dtype)

    category_row = np.where(leaf, -1, tree.category_row[kept_nodes]).astype(tree.category_row.dtype)
    rows = category_row[category_row >= 0]
    category_row[category_row >= 0] = np.arange(len(rows))
    return Tree(
        child(tree.children_left),
        child(tree.children_right),
        np.where(leaf, NO_FEATURE, tree.feature[kept_nodes]).astype(tree.feature.dtype),
        np.where(leaf, -2.0, tree.threshold[kept_nodes]),
        np.where(leaf, 0, tree.missing_go_to_left[kept_nodes]).astype(tree.missing_go_to_left.dtype),
        category_row,
        tree.category_left[rows],
        tree.value[kept_nodes],
        tree.impurity[kept_nodes],
        tree.n_node_samples[kept_nodes],
        tree.weighted_n_node_samples[kept_nodes],
        tree.n_features,
    )


def node_rows(tree: Tree, cells: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    """The rows that pass each node."""
    leaf = leaves_of(tree, cells[rows])
    members: list[Any] = [None] * tree.node_count
    for node in reversed(topological(tree)):
        left, right = tree.children_left[node], tree.children_right[node]
        members[node] = rows[leaf == node] if left < 0 else np.sort(np.concatenate([members[left], members[right]]))
    return members


def passed_nodes(tree: Tree, cells: np.ndarray):
    """Sparse 0/1 matrix (n, nodes) of the nodes that each row passes."""
    from scipy import sparse

    rows = node_rows(tree, cells, np.arange(len(cells)))
    nodes = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
    shape = (len(cells), tree.node_count)
    return sparse.csr_matrix((np.ones(len(nodes), dtype=np.int64), (np.concatenate(rows), nodes)), shape=shape)


def importances(tree: Tree, p: int, normalize: bool = True) -> np.ndarray:
    """(p,) the share of each column in the decrease of impurity, or that decrease itself."""
    sums = tree.impurity * tree.weighted_n_node_samples
    split = np.flatnonzero(~tree.is_leaf)
    gain = sums[split] - sums[tree.children_left[split]] - sums[tree.children_right[split]]
    found = np.bincount(tree.feature[split], np.maximum(gain, 0.0), minlength=p)
    if not normalize:
        return found / tree.weighted_n_node_samples[0]
    return found / found.sum() if found.sum() > 0.0 else found


def goes_left(tree: Tree, node: int, cells: np.ndarray) -> np.ndarray:
    """Which cells of the column of a node go left."""
    missing = np.isnan(cells)
    if tree.category_row[node] < 0:
        with np.errstate(invalid="ignore"):
            left = cells <= tree.threshold[node]
    else:
        table = tree.category_left[tree.category_row[node]]
        codes = np.where(missing, 0, cells).astype(np.int64)
        known = (codes >= 0) & (codes < len(table))
        missing = missing | ~known
        left = table[np.where(known, codes, 0)] == 1
    return np.where(missing, bool(tree.missing_go_to_left[node]), left)


def leaves_of(tree: Tree, X: np.ndarray) -> np.ndarray:
    """The leaf of each row."""
    return gone_down(tree, X, np.zeros(len(X), dtype=np.int64))


def gone_down(tree: Any, X: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The leaf of each walker; walker w is row w modulo n of X, at node `at[w]` to begin with."""
    # Rows of a file or a cluster are no array.
    quick = isinstance(X, np.ndarray) and (len(X) <= FEW_ROWS or X.flags.c_contiguous)
    if quick and not len(tree.category_left) and not np.isnan(X).any():
        return _gone_down_numbers(tree, X, at)
    found = at.copy()
    for walkers, nodes in levels(tree, X, np.arange(len(at)), at):
        found[walkers] = nodes
    return found


def _gone_down_numbers(tree: Any, X: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The same of rows of numbers: who is at a leaf stays there while others go on; of many walkers until half are."""
    n, p = X.shape
    inner = tree.children_left != LEAF
    feature = np.where(inner, tree.feature, 0)
    if n and (feature.min() < 0 or feature.max() >= p):
        raise IndexError(f"a node asks about a column that is none of {p}")
    # Where a row goes from node k: at 2k to the right, at 2k + 1 to the left.
    links = np.array([tree.children_right, tree.children_left])
    child = np.where(inner, links, np.arange(len(inner))).T.ravel()
    cells, first = X.ravel(), np.tile(np.arange(0, n * p, p), len(at) // n) if n else at
    walkers, nodes, found = np.arange(len(at)), at, np.empty_like(at)
    for _ in range(len(inner) + 1):
        going = inner.take(nodes)
        many = np.count_nonzero(going)
        if many == 0 or (len(nodes) > FEW_ROWS and 2 * many <= len(nodes)):
            found[walkers] = nodes
            if many == 0:
                return found
            on = going.nonzero()[0]
            walkers, nodes, first = walkers.take(on), nodes.take(on), first.take(on)
        left = cells.take(first + feature.take(nodes)) <= tree.threshold.take(nodes)
        nodes = child.take(2 * nodes + left)
    raise IndexError(CIRCLE)


def leaves_of_all(trees: Sequence[Tree], X: np.ndarray) -> np.ndarray:
    """(T, n) the leaf of each row in each tree: all of them go down together, in groups that fit into memory."""
    n = len(X)
    if n * len(trees) > TOGETHER > n:
        return np.array(list(leaves_in_turn(trees, X)))
    if any(len(tree.category_left) for tree in trees):
        return np.array([leaves_of(tree, X) for tree in trees])
    first = np.cumsum([0, *(tree.node_count for tree in trees)])
    shift = np.repeat(first[:-1], np.diff(first))

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(tree, name) for tree in trees])

    left, right = joined("children_left"), joined("children_right")
    grove = trees[0]._replace(
        children_left=np.where(left == LEAF, LEAF, left + shift),
        children_right=np.where(right == LEAF, LEAF, right + shift),
        feature=joined("feature"),
        threshold=joined("threshold"),
        missing_go_to_left=joined("missing_go_to_left"),
    )
    return gone_down(grove, X, np.repeat(first[:-1], n)).reshape(len(trees), n) - first[:-1, None]


def leaves_in_turn(trees: Sequence[Tree], X: np.ndarray) -> Iterator[np.ndarray]:
    """The leaves of the rows, tree by tree, of trees that go down together."""
    group = max(1, TOGETHER // max(1, len(X)))
    for t in range(0, len(trees), group):
        yield from leaves_of_all(trees[t : t + group], X)


def levels(tree: Any, X: np.ndarray, walkers: np.ndarray, at: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(who went on, to which nodes), level by level; walker w is row w modulo n of X, at node `at[w]` to begin with."""
    nodes = at[walkers]
    several = len(at) > len(X)
    for _ in range(len(tree.feature) + 1):
        inner = tree.children_left[nodes] != LEAF
        if not inner.any():
            return
        walkers, nodes = walkers[inner], nodes[inner]
        cells = X[walkers % len(X) if several else walkers, tree.feature[nodes]]
        with np.errstate(invalid="ignore"):
            left = cells <= tree.threshold[nodes]
        missing = np.isnan(cells)
        if len(tree.category_left) and (by_category := np.flatnonzero(tree.category_row[nodes] >= 0)).size:
            table = tree.category_left[tree.category_row[nodes[by_category]]]
            codes = np.where(missing, 0, cells)[by_category].astype(np.int64)
            known = (codes >= 0) & (codes < table.shape[1])
            missing[by_category] |= ~known
            left[by_category] = table[np.arange(len(table)), np.where(known, codes, 0)] == 1
        if missing.any():
            left = np.where(missing, tree.missing_go_to_left[nodes] != 0, left)
        nodes = np.where(left, tree.children_left[nodes], tree.children_right[nodes])
        yield walkers, nodes
    raise IndexError(CIRCLE)

"""CART: binary trees grown by the split of the largest gain.

The states come after 1, 2, 4, 8, … splits: each is a tree of its own, with what is not yet split as leaves.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.trees import layout
from learnable._jit.trees.grow import grow
from learnable._jit.trees.layout import (
    Classes,
    Columns,
    KeptSorted,
    Nodes,
    Numbers,
    Outputs,
    RandomCuts,
    RankedNumbers,
    Rules,
    SortedByNode,
    Targets,
    TwoClasses,
    Work,
)
from learnable.problems.trees.tree import Tree
from learnable.solvers.trees.encoding import column_blocks

CRITERIA = {
    "gini": layout.GINI, "entropy": layout.ENTROPY, "log_loss": layout.ENTROPY,
    "misclassification": layout.MISCLASSIFICATION, "squared_error": layout.SQUARED, "friedman_mse": layout.SQUARED,
    "poisson": layout.POISSON, "absolute_error": layout.ABSOLUTE,
}  # fmt: skip
# Relative difference of two scores that is taken for rounding: the first candidate in the order of columns and
# thresholds is then kept.
TIE = 1e-12
# Up to this many categories and with three classes or more, every subset of categories is tried.
EXHAUSTIVE = 10
# Nodes that there is room for at first, and up to how many there is at once for as many as the rows can make.
FIRST_NODES, SMALL_TREE = 128, 1024


class Growth(NamedTuple):
    """When nodes are split; None stands for no limit. `least_gain` is per unit of total weight."""

    max_depth: int | None = None
    max_leaves: int | None = None
    min_split: int = 2
    min_leaf: int = 1
    min_leaf_weight: float = 0.0
    least_gain: float = 0.0
    max_features: int | None = None
    random_thresholds: bool = False
    seed: int = 0


class CartState(NamedTuple):
    """A tree that grows.

    Attributes
    ----------
    nodes, n_nodes : nodes with room for more, and how many there are: those that come later are added behind them, so
        that the tree so far can be read when it is asked for.
    read : makes a tree of them.
    n_waiting : how many leaves may still be split.
    objective : Σ W · impurity over leaves / W.
    """

    nodes: Nodes
    n_nodes: int
    read: Callable[[Nodes, int], Tree]
    n_waiting: int
    objective: float

    @property
    def tree(self) -> Tree:
        """The tree so far."""
        return self.read(self.nodes, self.n_nodes)


def targets_of(criterion: str, y: np.ndarray, weight: np.ndarray, n_classes: int = 0) -> tuple[Targets, float]:
    """What the kernels need of y (class indices or numbers), and the number taken off it."""
    code = CRITERIA[criterion]
    if n_classes:
        classes = TwoClasses if n_classes == 2 and code == layout.GINI else Classes
        return classes(code, n_classes, y.astype(np.int32), np.zeros(1), weight), 0.0
    y = y.astype(float)
    label = np.zeros(1, dtype=np.int32)
    shift = 0.0
    if code == layout.ABSOLUTE:
        label = np.unique(y, return_inverse=True)[1].astype(np.int32)
        return RankedNumbers(code, 0, label, y, weight), shift
    if code == layout.SQUARED:
        # Squares of sums lose their digits where the mean is large against the spread.
        shift = float(np.average(y, weights=weight)) if weight.any() else 0.0
        y = y - shift
    return Numbers(code, 0, label, y, weight), shift


def outputs_of(criterion: str, y: np.ndarray, weight: np.ndarray, n_classes: list[int]) -> tuple[Outputs, np.ndarray]:
    """What the kernels need of y (n, q) of several outputs, and the numbers taken off its columns.

    `n_classes` is empty for numbers. Squared error and Gini, Poisson deviance and entropy are sums of the same form.
    """
    q = y.shape[1]
    if n_classes:
        Y = (y[:, :, None] == np.arange(max(n_classes))).astype(float).reshape(len(y), -1)
    else:
        Y = np.ascontiguousarray(y, dtype=float)
    shift = np.zeros(Y.shape[1])
    code = CRITERIA[criterion]
    if code == layout.GINI:
        code = layout.SQUARED
    elif code == layout.SQUARED:
        shift = np.average(Y, axis=0, weights=weight) if weight.any() else shift
    unit = q * np.log(2.0) if code == layout.ENTROPY else float(q)
    none = np.zeros(1, dtype=np.int32)
    return Outputs(code, 0, none, np.zeros(1), weight, Y - shift, q, unit), shift


def iterates(columns: Columns, targets: Targets | Outputs, growth: Growth, shift: Any = 0.0) -> Iterator[CartState]:
    """Grow a tree; rows of weight zero take no part."""
    samples = _rows_with_weight(targets.weight)
    total = float(targets.weight.sum())
    rules = _rules(columns, targets, growth, samples, total)
    work = _work(columns, targets, samples, growth.seed, sorted_rows(columns, growth))
    nodes = _room(None, max(FIRST_NODES, min(2 * len(samples), SMALL_TREE)), columns, targets, len(samples))
    read = partial(_tree, columns=columns, targets=targets, shift=shift)
    chunk = 1
    while True:
        nodes = _room(nodes, int(nodes.counters[0]) + 2 * chunk + 1, columns, targets, len(samples))
        made = grow(columns, targets, rules, work, nodes, chunk)
        finished = made < chunk or nodes.counters[1] == 0 or nodes.counters[2] + 1 >= rules.max_leaves
        n_nodes = int(nodes.counters[0])
        leaf = nodes.left[:n_nodes] < 0
        objective = float(nodes.impurity[:n_nodes][leaf] @ nodes.weight[:n_nodes][leaf]) / total
        yield CartState(nodes, n_nodes, read, int(nodes.counters[1]), objective)
        if finished:
            return
        chunk = max(1, int(nodes.counters[2]))


def sorted_rows(columns: Columns, growth: Growth) -> np.ndarray:
    """(p, n) rows in the order of each column; none where a tree does not search every column at every node."""
    p, n = columns.codes.shape
    order = np.empty((p if search(growth, p) is KeptSorted else 0, n), dtype=np.int32)
    for some in column_blocks(n, len(order)):
        order[some] = np.argsort(columns.codes[some], axis=1, kind="stable")
    return order


def search(growth: Growth, p: int) -> type[Rules]:
    """How the cuts of p columns are sought."""
    if growth.random_thresholds:
        return RandomCuts
    return KeptSorted if growth.max_features is None or growth.max_features >= p else SortedByNode


def grown(
    columns: Columns, targets: Targets | Outputs, growth: Growth, shift: Any = 0.0, order: np.ndarray | None = None
) -> Tree:
    """The whole tree at once; `order` is that of `sorted_rows`, for whoever grows many on the same columns."""
    samples = _rows_with_weight(targets.weight)
    rules = _rules(columns, targets, growth, samples, float(targets.weight.sum()))
    work = _work(columns, targets, samples, growth.seed, sorted_rows(columns, growth) if order is None else order)
    most = len(samples) if columns.categorical.any() and len(samples) > 1000 else 2 * len(samples)
    room = 1 + 2 * min(most, int(rules.max_leaves), 2 ** min(int(rules.max_depth), 40))
    nodes = _room(None, room, columns, targets, len(samples))
    while True:
        free = (len(nodes.left) - int(nodes.counters[0]) - 1) // 2
        made = grow(columns, targets, rules, work, nodes, free)
        if made < free or nodes.counters[1] == 0 or nodes.counters[2] + 1 >= rules.max_leaves:
            return _tree(nodes, int(nodes.counters[0]), columns, targets, shift)
        nodes = _room(nodes, 2 * len(nodes.left), columns, targets, len(samples))


def _rows_with_weight(weight: np.ndarray) -> np.ndarray:
    rows = np.flatnonzero(weight > 0.0)
    if not len(rows):
        raise ValueError(
            "no row that a tree is to be grown on has a positive weight; leave out the rows of weight 0, so that every "
            "bag holds others, or give other weights"
        )
    return rows.astype(np.int32)


def _rules(columns: Columns, targets: Targets | Outputs, growth: Growth, samples: np.ndarray, total: float) -> Rules:
    p, n = columns.codes.shape[0], len(samples)
    scale = total
    y = targets.Y.T if isinstance(targets, Outputs) else targets.y
    if targets.criterion == layout.SQUARED:
        scale = float(np.sum(y**2 @ targets.weight))
    elif targets.n_classes == 0:
        scale = float(np.sum(np.abs(y) @ targets.weight))
    unit = np.log(2.0) if targets.criterion == layout.ENTROPY else 1.0  # scores of entropy count in natural units
    if isinstance(targets, Outputs):
        unit = targets.unit
    return search(growth, p)(
        n if growth.max_depth is None else growth.max_depth,
        max(n, 1) if growth.max_leaves is None else growth.max_leaves,
        growth.min_split,
        growth.min_leaf,
        growth.min_leaf_weight,
        growth.least_gain * total * unit,
        p if growth.max_features is None else growth.max_features,
        growth.max_leaves is not None,
        EXHAUSTIVE,
        TIE * scale,
    )


def _work(columns: Columns, targets: Targets | Outputs, samples: np.ndarray, seed: int, order: np.ndarray) -> Work:
    p, n = columns.codes.shape
    m = len(samples)
    # Those that take part, a copy that is the tree's own: it is sorted by node as the tree grows.
    order = order[targets.weight[order] > 0.0].reshape(len(order), m) if m < n else order.copy()
    order_codes = np.take_along_axis(columns.codes[: len(order)], order, axis=1)
    widest = int(columns.n_codes.max(initial=0)) + 2
    categories = int(columns.n_codes.max(where=columns.categorical == 1, initial=0)) + 1
    absolute = targets.criterion == layout.ABSOLUTE
    most = max(widest, 2 * m, 300, int(targets.label.max(initial=0)) + 2)
    return Work(
        samples.copy(),
        order,
        order_codes,
        np.zeros(n, dtype=np.uint8),
        np.empty(m, dtype=np.int32),
        np.empty(m, dtype=np.int32),
        np.empty(m + 1, dtype=np.int32),
        np.empty(m + 1, dtype=np.int32),
        np.zeros(most, dtype=np.int32),
        np.arange(p, dtype=np.int32),
        np.zeros(categories, dtype=np.int32),
        np.zeros((categories, _width(targets) + 2)),
        np.zeros(categories),
        np.zeros(categories, dtype=np.int32),
        np.zeros(categories, dtype=np.int32),
        np.zeros(categories, dtype=np.uint8),
        np.zeros(categories, dtype=np.int32),
        np.zeros(_width(targets) + 1),
        np.zeros(_width(targets)),
        np.zeros(_width(targets)),
        np.zeros((4, m + 1 if absolute else 1)),
        np.zeros(n if absolute else 1, dtype=np.int32),
        np.empty(m),
        np.empty(m),
        np.array([seed], dtype=np.uint64),
    )


def _width(targets: Targets | Outputs) -> int:
    """How many numbers the value of a node has."""
    return targets.Y.shape[1] if isinstance(targets, Outputs) else max(targets.n_classes, 1)


def _room(nodes: Nodes | None, size: int, columns: Columns, targets: Targets | Outputs, n: int) -> Nodes:
    """Node arrays of this size that begin with the nodes given."""
    if nodes is not None and len(nodes.left) >= size:
        return nodes
    categories = int(columns.n_codes.max(where=columns.categorical == 1, initial=-1)) + 1
    whole, real = np.int32, np.float64
    width = _width(targets)
    larger = Nodes(
        np.full(size, -1, whole), np.full(size, -1, whole), np.full(size, -2, whole), np.full(size, -2.0),
        np.zeros(size, whole), np.zeros(size, np.uint8), np.zeros((size, categories), np.uint8),
        np.zeros(size, whole), np.zeros(size, whole), np.zeros(size, whole), np.zeros(size, real),
        np.zeros((size, width)), np.zeros(size), np.zeros(size), np.full(size, -np.inf), np.full(size, np.inf),
        np.zeros(size, whole), np.zeros(3, np.int64),
    )  # fmt: skip
    if nodes is None:
        larger.end[0] = n
        return larger
    for new, old in zip(larger, nodes):
        new[: len(old)] = old
    return larger


def _tree(nodes: Nodes, m: int, columns: Columns, targets: Targets | Outputs, shift: Any) -> Tree:
    """The tree of the first m nodes: one whose children come later is a leaf."""
    split = (nodes.left[:m] >= 0) & (nodes.left[:m] < m)
    feature = np.where(split, nodes.feature[:m], -2).astype(np.int32)
    by_category = split & (columns.categorical[np.maximum(feature, 0)] == 1)
    category_row = np.full(m, -1, dtype=np.int32)
    category_row[by_category] = np.arange(int(by_category.sum()))
    value = nodes.value[:m].copy() + (0.0 if targets.n_classes else shift)
    return Tree(
        np.where(split, nodes.left[:m], -1).astype(np.int32),
        np.where(split, nodes.right[:m], -1).astype(np.int32),
        feature,
        np.where(split & ~by_category, nodes.threshold[:m], -2.0),
        np.where(split, nodes.missing_left[:m], 0).astype(np.uint8),
        category_row,
        nodes.category_left[:m][by_category],
        value.reshape(m, targets.n_outputs if isinstance(targets, Outputs) else 1, -1),
        nodes.impurity[:m].copy(),
        (nodes.end[:m] - nodes.start[:m]).astype(np.int64),
        nodes.weight[:m].copy(),
    )

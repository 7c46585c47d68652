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
    MixedColumns,
    Nodes,
    Numbers,
    Outputs,
    RandomCuts,
    RankedNumbers,
    RankedOutputs,
    Rules,
    SortedByNode,
    Targets,
    TwoClasses,
    Work,
)
from learnable.problems.trees.tree import LEAF, NO_FEATURE, Tree
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
# Nodes that there is room for at first; cells of a table whose tree is grown by one call.
FIRST_NODES, SMALL_TABLE = 128, 2**15


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
        shift = float(_centre(y, weight)) if weight.any() else shift
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
    if code == layout.ABSOLUTE:
        ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in Y.T]).astype(np.int32)
        return RankedOutputs(code, 0, ranks.ravel(), Y.ravel(), weight, Y, q, float(q)), shift
    if code == layout.GINI:
        code = layout.SQUARED
    elif code == layout.SQUARED:
        shift = _centre(Y, weight) if weight.any() else shift
    unit = q * np.log(2.0) if code == layout.ENTROPY else float(q)
    none = np.zeros(1, dtype=np.int32)
    return Outputs(code, 0, none, np.zeros(1), weight, Y - shift, q, unit), shift


def _centre(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The mean of each column, as a multiple of a power of two of the size of its spread.

    Squares of sums lose their digits where the mean is large against the spread. A short number is taken off instead of
    the mean itself: what is left of y is exact, and so are means of whole numbers.
    """
    mean = (y.T * weight).T.sum(axis=0) / weight.sum()
    spread = np.maximum(y.max(axis=0) - y.min(axis=0), np.finfo(float).tiny)
    unit = np.maximum(np.exp2(np.floor(np.log2(spread))), np.spacing(np.abs(mean)))
    return np.rint(mean / unit) * unit


def iterates(columns: Columns, targets: Targets | Outputs, growth: Growth, shift: Any = 0.0) -> Iterator[CartState]:
    """Grow a tree; rows of weight zero take no part."""
    samples = _rows_with_weight(targets.weight)
    total = float(targets.weight.sum())
    rules = _rules(columns, targets, growth, samples, total)
    work = _work(columns, targets, samples, growth.seed, sorted_rows(columns, growth))
    at_once = len(samples) if columns.codes.size <= SMALL_TABLE else 0
    nodes = _room(None, max(FIRST_NODES, 2 * at_once + 1), columns, targets, len(samples))
    read = partial(_tree, columns=columns, targets=targets, shift=shift)
    n_splits, finished = 1, False
    while True:
        chunk = max(at_once, n_splits - int(nodes.counters[2]))
        nodes = _room(nodes, int(nodes.counters[0]) + 2 * chunk + 1, columns, targets, len(samples))
        made = grow(columns, targets, rules, work, nodes, chunk)
        finished = made < chunk or nodes.counters[1] == 0 or nodes.counters[2] + 1 >= rules.max_leaves
        # The trees of 1, 2, 4, … splits that these nodes begin with.
        size, sizes = int(nodes.counters[0]), list[int]()
        while n_splits <= nodes.counters[2] or (finished and size not in sizes):
            sizes.append(min(2 * n_splits + 1, size))
            n_splits *= 2
        for n_nodes, waiting, loss in zip(sizes, *_standings(nodes, size, sizes)):
            yield CartState(nodes, n_nodes, read, int(waiting), loss / total)
        if finished:
            return


def sorted_rows(columns: Columns, growth: Growth) -> np.ndarray:
    """(p, n) rows in the order of each column; none where a tree does not search every column at every node."""
    p, n = columns.codes.shape
    order = np.empty((p if search(growth, p) is KeptSorted else 0, n), dtype=np.int32)
    short = np.int16 if n < 2**15 else np.int32  # NumPy sorts those of two bytes in linear time
    for some in column_blocks(n, len(order)):
        order[some] = np.argsort(columns.codes[some].astype(short, copy=False), axis=1, kind="stable")
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
        scale = float((y**2 @ targets.weight).sum())
    elif targets.n_classes == 0:
        scale = float((np.abs(y) @ targets.weight).sum())
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
    order_codes = columns.codes[: len(order)].ravel()[order + np.arange(0, len(order) * n, n)[:, None]]
    widest = int(columns.n_codes.max(initial=0)) + 2
    categories = max(1, _most_codes(columns))
    ranked = targets.criterion == layout.ABSOLUTE
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
        np.zeros((5 * _width(targets), m + 1)) if ranked else np.zeros((5, 1)),
        np.zeros(n * _width(targets) if ranked else 1, dtype=np.int32),
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
    whole = partial(np.empty, size, np.int32)
    real = partial(np.empty, size)
    larger = Nodes(
        whole(), whole(), whole(), real(), whole(), np.empty(size, np.uint8),
        np.zeros((size, _most_codes(columns)), np.uint8), whole(), whole(), whole(), real(),
        np.empty((size, _width(targets))), real(), real(), real(), real(), whole(), np.zeros(3, np.int64),
    )  # fmt: skip
    if nodes is None:  # the root; `grow` fills in the others
        larger.start[0], larger.end[0], larger.depth[0] = 0, n, 0
        larger.lower[0], larger.upper[0] = -np.inf, np.inf
        return larger
    for new, old in zip(larger, nodes):
        new[: len(old)] = old
    return larger


def _most_codes(columns: Columns) -> int:
    """Codes of the categorical column that has most, with that of missing cells; 0 where there is none."""
    if not isinstance(columns, MixedColumns):
        return 0
    return int(columns.n_codes.max(where=columns.categorical == 1, initial=-1)) + 1


def _standings(nodes: Nodes, size: int, sizes: list[int]) -> list[list[float]]:
    """Of the trees of the first so many nodes: how many leaves may still be split, Σ W · impurity over leaves."""
    first = np.array(sizes, dtype=np.uint32)[:, None]
    leaf = (nodes.left[:size].view(np.uint32) >= first) & (np.arange(size, dtype=np.uint32) < first)
    told = np.array([nodes.gain[:size] >= 0.0, nodes.impurity[:size] * nodes.weight[:size]])
    return (told @ leaf.T).tolist()


def _leaves(nodes: Nodes, m: int) -> np.ndarray:
    """Which of the first m nodes are leaves of the tree that these are: children may come later."""
    return nodes.left[:m].view(np.uint32) >= m  # as an unsigned number, -1 is larger than any


def _tree(nodes: Nodes, m: int, columns: Columns, targets: Targets | Outputs, shift: Any) -> Tree:
    """The tree of the first m nodes: one whose children come later is a leaf."""
    leaf = _leaves(nodes, m)
    feature = np.where(leaf, NO_FEATURE, nodes.feature[:m])
    category_row = np.full(m, LEAF, dtype=np.int32)
    threshold = np.where(leaf, -2.0, nodes.threshold[:m])
    category_left = nodes.category_left[:0]
    if isinstance(columns, MixedColumns):
        by_category = ~leaf & (columns.categorical[np.maximum(feature, 0)] == 1)
        category_row[by_category] = np.arange(int(by_category.sum()))
        threshold[by_category] = -2.0
        category_left = nodes.category_left[:m][by_category]
    value = nodes.value[:m].copy() + (0.0 if targets.n_classes else shift)
    return Tree(
        np.where(leaf, LEAF, nodes.left[:m]),
        np.where(leaf, LEAF, nodes.right[:m]),
        feature,
        threshold,
        np.where(leaf, 0, nodes.missing_left[:m]),
        category_row,
        category_left,
        value.reshape(m, targets.n_outputs if isinstance(targets, Outputs) else 1, -1),
        nodes.impurity[:m].copy(),
        (nodes.end[:m] - nodes.start[:m]).astype(np.int64),
        nodes.weight[:m].copy(),
        columns.codes.shape[0],
    )

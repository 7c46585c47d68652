"""What the growing kernels are given: columns as ranks, targets, rules, room to work in, nodes.

Kinds of columns, targets and rules with the same fields are types of their own: kernels are compiled for those that are
met, and for no others (`python -m benchmarks cold`).
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.by_reference import by_reference

GINI, ENTROPY, MISCLASSIFICATION, SQUARED, POISSON, ABSOLUTE = range(6)


@by_reference
class Columns(NamedTuple):
    """Columns as ranks of their distinct values.

    codes : (p, n) int32; rank of the cell among the distinct values of its column, `n_codes` where it is missing.
    n_codes : (p,) int32.
    values, first : distinct values of all columns one after the other, and where those of each column begin.
    categorical : (p,) uint8.
    monotone : (p,) int8, the sign of the effect that a column must have, 0 for free.

    Of numbers and free, all of them; `MixedColumns` else.
    """

    codes: np.ndarray
    n_codes: np.ndarray
    values: np.ndarray
    first: np.ndarray
    categorical: np.ndarray
    monotone: np.ndarray


@by_reference
class MixedColumns(Columns):
    """Columns of which some hold categories, or have a sign."""


class Targets(NamedTuple):
    """criterion; K classes (0 for numbers); label (n,) int32; y, weight (n,)."""

    criterion: int
    n_classes: int
    label: np.ndarray
    y: np.ndarray
    weight: np.ndarray


@by_reference
class TwoClasses(Targets):
    """Two classes, Gini."""


@by_reference
class Classes(Targets):
    """Any number of classes and any criterion for them."""


@by_reference
class Numbers(Targets):
    """Squared error or Poisson deviance."""


@by_reference
class RankedNumbers(Targets):
    """Absolute error; label is the rank of y."""


@by_reference
class Outputs(NamedTuple):
    """Targets of a tree of several outputs, for the kernels in `outputs`.

    criterion : SQUARED, POISSON or ENTROPY; n_classes, label, y : as for `Targets` of numbers, not looked at.
    weight : (n,).
    Y : (n, k) numbers; or, for classes, 0 and 1 for each class of each output, as wide for all outputs.
    n_outputs : int.
    unit : what the impurity of an output has over the mean over outputs, in units of the scores.
    """

    criterion: int
    n_classes: int
    label: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    Y: np.ndarray
    n_outputs: int
    unit: float


@by_reference
class RankedOutputs(Outputs):
    """Absolute errors of several outputs; y (n q,) is Y row by row, and label the rank of each within its column."""


class Rules(NamedTuple):
    """When a node is split. `least_gain` is a sum over weighted rows; `tie` is a difference of scores that is none."""

    max_depth: int
    max_leaves: int
    min_split: int
    min_leaf: int
    min_leaf_weight: float
    least_gain: float
    max_features: int
    best_first: bool
    exhaustive: int
    tie: float


@by_reference
class KeptSorted(Rules):
    """Every column is searched at every node: the rows of each are sorted once."""


@by_reference
class SortedByNode(Rules):
    """Some columns are searched at a node: its rows are sorted by each of those."""


@by_reference
class RandomCuts(Rules):
    """One threshold a column is drawn at a node."""


@by_reference
class Work(NamedTuple):
    """Room: rows of the nodes, the same sorted by each column (or empty), and vectors of various lengths.

    `totals` holds the sums of the node that is looked at (of each class, or of the numbers) and last its weight;
    `node_y` and `node_weight` what its rows have, one after the other.
    """

    samples: np.ndarray
    order: np.ndarray
    order_codes: np.ndarray
    goes_left: np.ndarray
    rows: np.ndarray
    keys: np.ndarray
    spare_rows: np.ndarray
    spare_keys: np.ndarray
    counts: np.ndarray
    features: np.ndarray
    category: np.ndarray
    category_sums: np.ndarray
    category_key: np.ndarray
    category_order: np.ndarray
    best_order: np.ndarray
    chosen: np.ndarray
    rank: np.ndarray
    totals: np.ndarray
    left: np.ndarray
    right: np.ndarray
    fenwick: np.ndarray
    y_rank: np.ndarray
    node_y: np.ndarray
    node_weight: np.ndarray
    random: np.ndarray


@by_reference
class Nodes(NamedTuple):
    """Nodes as they grow; `counters` holds (nodes, leaves waiting to be split, splits made)."""

    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    code: np.ndarray
    missing_left: np.ndarray
    category_left: np.ndarray
    start: np.ndarray
    end: np.ndarray
    depth: np.ndarray
    gain: np.ndarray
    value: np.ndarray
    impurity: np.ndarray
    weight: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    waiting: np.ndarray
    counters: np.ndarray

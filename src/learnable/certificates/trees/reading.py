"""What a certificate reads of a fitted tree: its arrays, its data as cells, the problem its parameters state."""

from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.trees.candidates import Node
from learnable.certificates.trees.several import Several
from learnable.problems.trees.impurities import CLASS_IMPURITIES, NUMBER_IMPURITIES
from learnable.problems.trees.tree import Tree
from learnable.rows import as_rows, is_streamed


class Problem(NamedTuple):
    """What the parameters of a tree ask for.

    `blur` is what scikit-learn takes for no impurity: 2.2e-16, and the rounding of a variance that is taken as the mean
    of the squares less the square of the mean.
    """

    impurity: Any
    n_classes: int
    max_depth: float
    max_leaves: int | None
    min_split: int
    min_leaf: int
    min_leaf_weight: float
    least_gain: float
    max_features: int
    random_thresholds: bool
    monotone: np.ndarray
    categorical: np.ndarray
    least_gap: float
    at_value: bool = False
    draws: np.ndarray | None = None
    blur: float = 0.0
    left_gain: float = 0.0

    def pruned(self, ccp_alpha: float, weight: float) -> "Problem | None":
        """The problem of a tree that was pruned so, of which only what is left is known; None where that tells nothing.

        A leaf that its best split improves by more than α would have kept it: both were of the tree that was grown.
        """
        drawn = self.random_thresholds or self.max_features < len(self.monotone) or self.max_leaves is not None
        return None if drawn else self._replace(left_gain=ccp_alpha * weight)


def is_foreign(model: Any) -> bool:
    return type(model).__module__.partition(".")[0] == "sklearn"


def tree_arrays(tree: Any) -> Tree:
    """Our tree as it is; one of scikit-learn by its arrays of the same names."""
    if isinstance(tree, Tree):
        return tree
    m = tree.node_count
    missing = getattr(tree, "missing_go_to_left", np.zeros(m, dtype=np.uint8))
    return Tree(
        tree.children_left,
        tree.children_right,
        tree.feature,
        tree.threshold,
        np.asarray(missing, dtype=np.uint8),
        np.full(m, -1, dtype=np.int32),
        np.zeros((0, 0), dtype=np.uint8),
        tree.value,
        tree.impurity,
        tree.n_node_samples,
        tree.weighted_n_node_samples,
        tree.n_features,
    )


def cells_of(model: Any, X: Any) -> np.ndarray:
    """The table as the tree compares it: single precision for scikit-learn's, codes in place of categories."""
    if hasattr(X, "toarray"):
        X = X.toarray()
    if is_foreign(model):
        return np.asarray(X, dtype=np.float32).astype(float)
    categories = getattr(model, "categories_", None)
    if not categories or all(values is None for values in categories):
        return np.asarray(X, dtype=float)
    raw = np.asarray(X)
    cells = np.empty(raw.shape)
    for j, values in enumerate(categories):
        cells[:, j] = raw[:, j].astype(float) if values is None else codes_among(values, raw[:, j])
    return cells


def codes_among(values: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Place of each cell among the categories, NaN for those that are missing or not among them."""
    places = {value: float(k) for k, value in enumerate(values.tolist())}
    return np.fromiter(map(places.get, column.tolist(), repeat(np.nan)), dtype=float, count=len(column))


def is_categorical(model: Any, n_columns: int) -> np.ndarray:
    """Which columns the model reads as categories."""
    categories = getattr(model, "categories_", None)
    return np.array([values is not None for values in categories]) if categories else np.zeros(n_columns, bool)


def categories_off(model: Any, X: Any, weight: np.ndarray | None = None) -> int:
    """Columns that are read as categories, or as numbers, though `categorical_features` says otherwise, or by other
    categories than those of the rows.
    """
    given, categories = getattr(model, "categorical_features", None), getattr(model, "categories_", None) or ()
    n_columns, off = (as_rows(X).n_columns if is_streamed(X) else X.shape[1]), 0
    for j, values in enumerate(categories):
        off += 0 if values is None or is_streamed(X) else _others_than(values, np.asarray(X)[:, j], weight, model)
    if isinstance(given, str):
        return off  # the types of a data frame, of which cells tell nothing
    asked = np.zeros(n_columns, dtype=bool)
    names = list(getattr(model, "feature_names_in_", []))
    for place, feature in enumerate([] if given is None else np.asarray(given).tolist()):
        if feature is not False:
            asked[place if feature is True else names.index(feature) if isinstance(feature, str) else feature] = True
    return off + int(np.count_nonzero(asked != is_categorical(model, n_columns)))


def _others_than(values: np.ndarray, column: np.ndarray, weight: np.ndarray | None, model: Any) -> int:
    """1 unless the categories are those of the cells, in order, each once; cells of rows that do not count may miss.

    Boosting takes numbers below zero for missing cells, as in scikit-learn.
    """
    codes = codes_among(values, column)
    unread = column[np.isnan(codes) if weight is None else np.isnan(codes) & (weight > 0.0)].tolist()
    unread = [cell for cell in unread if not is_missing(cell)]
    if type(model).__name__.startswith("Hist") and values.dtype.kind in "fi":
        unread = [cell for cell in unread if not cell < 0]
    named = values.tolist()
    try:
        in_order = sorted(named)
    except TypeError:  # of several types
        in_order = sorted(named, key=lambda value: (str(type(value)), str(value)))
    seen = np.bincount(codes[~np.isnan(codes)].astype(int), minlength=len(named))
    return int(named != in_order or not seen.all() or len(unread) > 0)


def is_missing(cell: Any) -> bool:
    """Whether a cell holds nothing: None, what is not itself, or pandas' word for it."""
    return cell is None or cell != cell or type(cell).__name__ == "NAType"


def categories_by_type(model: Any) -> bool:
    """Whether columns are read as categories by their type in a data frame: which, only the fit done again tells."""
    return isinstance(getattr(model, "categorical_features", None), str) and bool(is_categorical(model, 0).any())


def problem_of(model: Any, total_weight: float, n_columns: int, n_rows: int) -> Problem:
    """The problem that the parameters of a decision tree state.

    Shares of rows are of those that count; scikit-learn's of all `n_rows`.
    """
    criterion = model.criterion
    K = max(class_counts(model), default=0)
    impurity = (CLASS_IMPURITIES if K else NUMBER_IMPURITIES)[criterion]
    n = n_rows if is_foreign(model) else int(model.tree_.n_node_samples[0])
    monotone = getattr(model, "monotonic_cst", None)
    signs = np.zeros(n_columns, dtype=int)
    if isinstance(monotone, dict):
        names = list(model.feature_names_in_)
        for name, sign in monotone.items():
            signs[names.index(name)] = sign
    elif monotone is not None:
        signs = np.asarray(monotone, dtype=int)
    return Problem(
        impurity,
        K,
        np.inf if model.max_depth is None else model.max_depth,
        model.max_leaf_nodes,
        _count(model.min_samples_split, n, 2),
        _count(model.min_samples_leaf, n, 1),
        model.min_weight_fraction_leaf * total_weight,
        model.min_impurity_decrease * total_weight,
        int(getattr(model, "max_features_", n_columns)),
        model.splitter == "random",
        signs,
        is_categorical(model, n_columns),
        1e-7 if is_foreign(model) else 0.0,
        getattr(model, "threshold", "midpoint") == "value",
    )


def _count(given: float, n: int, least: int) -> int:
    """A number of rows given as such or as a share."""
    return int(given) if isinstance(given, int | np.integer) else max(least, int(np.ceil(given * n)))


def class_counts(model: Any) -> list[int]:
    """How many classes each output has; empty for numbers."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return []
    return [len(values) for values in (classes if isinstance(classes, list) else [classes])]


def rows_of(problem: Problem, classes: Any, y: Any, weight: np.ndarray) -> Any:
    """All rows as one node; `classes` is None for numbers, a list for several outputs."""
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] > 1:
        each = [None] * y.shape[1] if classes is None else classes
        if len(each) != y.shape[1]:
            raise ValueError(f"certify: y has {y.shape[1]} columns, but the model has {len(each)} outputs")
        return Several(tuple(rows_of(problem, names, column, weight) for names, column in zip(each, y.T)))
    if classes is None:
        return Node(problem.impurity, np.asarray(y, dtype=float).ravel(), weight, 0)
    return Node(problem.impurity, np.searchsorted(classes, y.ravel()), weight, len(classes))

"""What the two decision trees share."""

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable.base import Data, Fitting, Learner, refuse_unreadable, validate_data
from learnable.plain import plain
from learnable.problems.trees.partial_dependence import partial_dependence
from learnable.problems.trees.tree import Tree, cut, importances, node_rows, passed_nodes
from learnable.seeds import seed_from
from learnable.solvers.trees import cart, pruning, significance
from learnable.solvers.trees.descent import leaf_numbers
from learnable.solvers.trees.encoding import encode
from learnable.trace import Status, to_the_end
from learnable.trees.drawing import Drawn
from learnable.trees.tables import categorical_mask, dense, encoded, learn_categories


class DecisionTree(Drawn, Learner):
    """Binary tree by recursive splits. A subclass says what the targets are."""

    _redone = True

    tree_: Tree
    n_features_in_: int
    n_outputs_: int
    # Whether y may have several columns.
    _several_outputs: ClassVar[bool] = True
    # With what a sparse y is refused: a type of table that is not taken.
    _no_sparse_y: ClassVar[type[Exception]] = TypeError

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "splitter": [StrOptions({"best", "random"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [
            Interval(Integral, 2, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
        ],
        "min_samples_leaf": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="neither"),
        ],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "random_state": ["random_state", Interval(Integral, 2**32, 2**64 - 1, closed="both")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
        "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
        "monotonic_cst": ["array-like", dict, None],
        "categorical_features": ["array-like", str, None],
        "significance": [Interval(Real, 0.0, 1.0, closed="both"), None],
        "significance_test": [StrOptions({"independence", "permutation"})],
        "n_permutations": [Interval(Integral, 1, None, closed="left")],
    }

    @abstractmethod
    def _targets(self, data: Data) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        """(class indices or numbers, row weights, fitted attributes that describe them)."""

    @property
    @abstractmethod
    def _n_classes(self) -> list[int]:
        """How many classes each output has; empty for numbers."""

    def fit(self, X, y, sample_weight=None):
        """Grow the tree.

        Parameters
        ----------
        X : array (n, p) or data frame; NaN marks missing cells.
        y : array (n,), or (n, q) for a tree of q outputs, whose impurity is the mean of theirs
        sample_weight : array (n,), default=None
            Rows of weight zero take no part.
        """
        self._validate_params()
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data, cells, mask = self._read(X, y, sample_weight)
        target, weight, described = self._targets(data)
        targets, shift = self._for_kernels(target, weight, mask)
        columns = encode(cells, mask, self._signs(cells.shape[1], mask))
        growth = self._growth(cells.shape, int(np.count_nonzero(weight)), float(weight.sum()))
        described |= {"max_features_": growth.max_features}

        def attributes(state: cart.CartState) -> dict[str, Any]:
            kept = {"tree_": state.tree} | described
            if self.significance is not None:
                return kept | self._significant(state.tree, cells, columns, targets, growth, weight)
            if self.ccp_alpha > 0.0:
                return kept | {
                    "tree_": pruning.pruned_at(state.tree, self.ccp_alpha),
                    "unpruned_tree_": state.tree,
                }
            return kept

        states = cart.iterates(columns, targets, growth, shift)
        return Fitting(states, to_the_end, attributes, data, ended=Status.STATIONARY)

    def _for_kernels(self, target: np.ndarray, weight: np.ndarray, mask: np.ndarray) -> tuple[Any, Any]:
        """Targets as the kernels take them, and what was taken off them; refuses what knows one output alone."""
        self.n_outputs_ = 1 if target.ndim == 1 else target.shape[1]
        if self.n_outputs_ == 1:
            return cart.targets_of(self.criterion, target, weight, *self._n_classes)
        refused = {
            f"criterion={self.criterion!r}": self.criterion == "misclassification",
            "categorical_features": bool(mask.any()),
            f"significance={self.significance}": self.significance is not None,
        }
        for what in (name for name, asked in refused.items() if asked):
            raise ValueError(
                f"{type(self).__name__}({what}): y has {self.n_outputs_} columns, which this does not go with; fit one "
                "model a column (sklearn.multioutput), or leave it out"
            )
        return cart.outputs_of(self.criterion, target, weight, self._n_classes)

    def _read(self, X, y, sample_weight) -> tuple[Data, np.ndarray, np.ndarray]:
        """Validated data, the cells as numbers and codes, and which columns are categorical."""
        X = dense(X)
        owner = type(self).__name__
        if hasattr(y, "toarray"):
            raise self._no_sparse_y(f"{owner}: sparse multilabel-indicator for y is not supported. Give y.toarray()")
        mixed = self.categorical_features is not None
        several = self._several_outputs and np.asarray(y).ndim == 2 and np.asarray(y).shape[1] > 1
        data = self._validated(
            X, y, sample_weight, blocks=False, dtype=None if mixed else np.float64, ensure_all_finite="allow-nan",
            multi_output=several, y_numeric=isinstance(self, RegressorMixin),
        )  # fmt: skip
        names = getattr(self, "feature_names_in_", None)
        mask = categorical_mask(self.categorical_features, X, names, data.X.shape[1], owner)
        if mixed:
            self.categories_ = learn_categories(data.X, mask)
        return data, encoded(data.X, getattr(self, "categories_", [None]), owner), mask

    def _signs(self, p: int, mask: np.ndarray) -> np.ndarray:
        owner, given = type(self).__name__, self.monotonic_cst
        signs = np.zeros(p, dtype=np.int8)
        if given is None:
            return signs
        if self.n_outputs_ > 1 and np.any(list(given.values()) if isinstance(given, dict) else given):
            raise ValueError(
                f"{owner}: Monotonicity constraints are not supported with multiple output; fit one tree a target"
            )
        if isinstance(given, dict):
            names = list(getattr(self, "feature_names_in_", []))
            for name, sign in given.items():
                if name not in names:
                    raise ValueError(f"{owner}: monotonic_cst names {name!r}, which is no column of X")
                signs[names.index(name)] = sign
        else:
            signs = np.asarray(given)
            if signs.shape != (p,):
                raise ValueError(f"monotonic_cst has shape {signs.shape[0]} but the input data X has {p} features.")
        if not np.isin(signs, (-1, 0, 1)).all():
            raise ValueError(
                f"{owner}: monotonic_cst must be None or an array-like of -1, 0 or 1, but got {plain(given)}"
            )
        if max(self._n_classes, default=0) > 2 and signs.any():
            raise ValueError("Monotonicity constraints are not supported with multiclass classification")
        if np.any(signs[mask] != 0):
            raise ValueError(f"{owner}: monotonic_cst constrains a categorical column, which has no order")
        if self.criterion == "misclassification" and signs.any():
            raise ValueError(f"{owner}: criterion={self.criterion!r} knows no monotone constraints; use another")
        return signs.astype(np.int8)

    def _growth(self, shape: tuple[int, ...], n: int, total: float) -> cart.Growth:
        p = shape[1]
        searched = searched_columns(self.max_features, p)
        drawn = searched < p or self.splitter == "random" or self.significance is not None

        def count(given, least: int) -> int:
            return int(given) if isinstance(given, Integral) else max(least, int(np.ceil(given * n)))

        return cart.Growth(
            self.max_depth,
            self.max_leaf_nodes,
            count(self.min_samples_split, 2),
            count(self.min_samples_leaf, 1),
            self.min_weight_fraction_leaf * total,
            self.min_impurity_decrease,
            searched,
            self.splitter == "random",
            self._seed() if drawn else 0,
        )

    def _seed(self) -> int:
        """Of the columns and thresholds drawn; more than 32 bits are one of the `seeds_` of a forest, as it is."""
        given = self.random_state
        if isinstance(given, Integral) and int(given) >= 2**32:
            return int(given) >> 1
        return int(seed_from(given, type(self).__name__).generate_state(1, np.uint64)[0] >> np.uint64(1))

    def _significant(self, tree: Tree, cells, columns, targets, growth, weight) -> dict[str, Any]:
        members = node_rows(tree, cells, np.flatnonzero(weight > 0.0))
        if self.significance_test == "independence":
            p_values = significance.independence_p_values(tree, targets, members)
        else:
            generator = np.random.default_rng(growth.seed)
            p_values = significance.permutation_p_values(
                tree, columns, targets, members, growth, self.n_permutations, generator
            )
        collapsed = significance.collapsed_at(tree, p_values, self.significance)
        # The nodes that are left, in the order in which `cut` numbers them.
        numbered = tree._replace(value=np.arange(tree.node_count, dtype=float)[:, None, None])
        kept = cut(numbered, collapsed).value[:, 0, 0].astype(int)
        return {"tree_": cut(tree, collapsed), "unpruned_tree_": tree, "p_values_": p_values[kept]}

    def _cells(self, X) -> np.ndarray:
        """Cells of new rows."""
        if "tree_" not in vars(self):  # which takes longer to ask
            check_is_fitted(self)
        refuse_unreadable(X)
        X = dense(X)
        mixed = hasattr(self, "categories_")
        X = validate_data(self, X, reset=False, dtype=None if mixed else np.float64, ensure_all_finite="allow-nan")
        return encoded(X, getattr(self, "categories_", [None]), type(self).__name__)

    def _values(self, X) -> np.ndarray:
        """(n, outputs, K) what the leaf of each row says."""
        cells = self._cells(X)
        return self.tree_.value[leaf_numbers(self.tree_, cells)]

    def apply(self, X) -> np.ndarray:
        """The leaf of each row."""
        cells = self._cells(X)
        return leaf_numbers(self.tree_, cells)

    def decision_path(self, X):
        """Sparse 0/1 matrix (n, nodes) of the nodes that each row passes."""
        cells = self._cells(X)
        return passed_nodes(self.tree_, cells)

    def _compute_partial_dependence_recursion(self, grid, target_features) -> np.ndarray:
        """What `sklearn.inspection.partial_dependence` asks trees for numbers for: (m,), or (outputs, m)."""
        categories = getattr(self, "categories_", None)
        among = [categories[j] for j in target_features] if categories else [None]
        cells = encoded(np.asarray(grid), among, type(self).__name__)
        found = partial_dependence(self.tree_, cells, target_features)
        return found[:, 0] if self.n_outputs_ == 1 else found.T

    def get_depth(self) -> int:
        """The length of the longest way from the root to a leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """(p,) share of each column in the total decrease of impurity; it favours columns of many values."""
        check_is_fitted(self)
        return importances(self.tree_, self.n_features_in_)

    def cost_complexity_pruning_path(self, X, y, sample_weight=None):
        """The alphas at which the pruned tree changes, and the impurity of its leaves from each one on.

        Syllabus: DT8.
        """
        from sklearn.base import clone
        from sklearn.utils import Bunch

        full = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        links = list(pruning.weakest_links(full.tree_))
        return Bunch(
            ccp_alphas=np.array([link.alpha for link in links]), impurities=np.array([link.impurity for link in links])
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.target_tags.multi_output = self._several_outputs
        return tags


def searched_columns(max_features, p: int) -> int:
    """How many columns a node looks at."""
    if max_features is None:
        return p
    if isinstance(max_features, str):
        return max(1, int(np.sqrt(p) if max_features == "sqrt" else np.log2(p)))
    if isinstance(max_features, Integral):
        return min(int(max_features), p)
    return max(1, int(max_features * p))

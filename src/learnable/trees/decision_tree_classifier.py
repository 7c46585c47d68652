"""The classification tree of CART."""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from learnable.panel import Entry
from learnable.trees.decision_tree import DecisionTree
from learnable.trees.standing_in import stand_in
from learnable.trees.targets import ClassTargets


class DecisionTreeClassifier(ClassTargets, DecisionTree):
    """Classification tree: at each node the split with the largest decrease of impurity W φ(p) − Σ W_j φ(p_j).

    Drop-in for `sklearn.tree.DecisionTreeClassifier`. Columns are turned into ranks once and never
    sorted again. Among splits of equal gain the first in the order of columns and thresholds is taken, so that the tree
    hangs on no seed unless `max_features` or `splitter="random"` ask for chance. Beyond scikit-learn: categorical
    columns (between two classes the best subset of all; among more, the best subset up to 10 categories, then the best
    cut of the orders by the share of each class), pre-pruning by significance, rules and pictures.
    Syllabus: DT3, DT5, DT7–DT9, DT12.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
    splitter : {"best", "random"}, default="best"
        "random" draws one threshold a column and takes the best of those.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease :
        when a node is not split, as in scikit-learn. With `max_leaf_nodes` the largest gain is split first.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns drawn at each node.
    random_state : int or None
    class_weight : dict, "balanced" or None
    ccp_alpha : float, default=0.0
        Prune to the smallest tree of least Σ R(leaf) + ccp_alpha · |leaves|.
    monotonic_cst : array (p,) of −1, 0, 1, or {column name: sign}; for two classes.
    categorical_features : mask, column numbers or names, "from_dtype" or None, default=None
        Columns of categories, numbers or words. Missing cells go to the side that was better in training; where none
        were seen, and for unknown categories, to the larger side. `to_text` and the pictures here name the
        categories of each side; scikit-learn's `plot_tree` and `export_text` know none, and write "<= -2".
    significance : float or None, default=None
        Split a node only if its best split is significant at this level.
    significance_test : {"independence", "permutation"}, default="independence"
        χ² of sides and classes, which makes no allowance for the search over splits; or the best gain of all splits
        against that under permuted classes, which does.
    n_permutations : int, default=99

    Attributes
    ----------
    tree_ : `problems.trees.tree.Tree`, arrays with the names of scikit-learn's `tree_`
    classes_ : array (K,)
    n_classes_, n_outputs_, max_features_ : int
    categories_ : list, the categories of each column; only with `categorical_features`
    unpruned_tree_ : the tree before pruning; only with `ccp_alpha` or `significance`
    p_values_ : array (nodes,), p-value of each node's best split; only with `significance`
    certificate_ : `certificates.Certificate`, which claims
        DT7 : no candidate at a node gains more than its split; leaves could not be split; shares and impurities are
        those of the rows; predictions follow the tree. DT5 : thresholds lie midway. DT12 : unseen cells.
        DT8 : the pruning is the smallest of least cost. DT9 : p-values.

    Examples
    --------
    >>> from learnable.trees import DecisionTreeClassifier
    >>> X, y = [[1.0, 5.0], [2.0, 1.0], [3.0, 4.0], [4.0, 2.0]], ["no", "no", "yes", "yes"]
    >>> model = DecisionTreeClassifier().fit(X, y)
    >>> print(model.to_text())
    x0 <= 2.5: no (100%)
    x0 > 2.5 or missing: yes (100%)
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = DecisionTree._parameter_constraints | {
        "criterion": [StrOptions({"gini", "entropy", "log_loss", "misclassification"})],
        "class_weight": [dict, list, StrOptions({"balanced"}), None],
    }
    panel: ClassVar[tuple[Entry, ...]] = (
        # Pure leaves of few rows call all other classes impossible.
        Entry("classification", "tree", {"min_samples_leaf": [5, 20, 50], "ccp_alpha": [0.0, 0.003, 0.03]}),
    )

    def __init__(
        self,
        *,
        criterion="gini",
        splitter="best",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=None,
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        class_weight=None,
        ccp_alpha=0.0,
        monotonic_cst=None,
        categorical_features=None,
        significance=None,
        significance_test="independence",
        n_permutations=99,
    ):
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.significance = significance
        self.significance_test = significance_test
        self.n_permutations = n_permutations

    @property
    def _class_weight(self) -> Any:
        return self.class_weight

    def _largest(self, X) -> np.ndarray:
        leaf, value = self.apply(X), self.tree_.value
        return value.argmax(axis=2)[leaf] if len(value) < len(leaf) else value[leaf].argmax(axis=2)


stand_in(DecisionTreeClassifier)

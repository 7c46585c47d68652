"""The regression tree of CART."""

from typing import Any, ClassVar

from sklearn.utils._param_validation import Hidden, StrOptions

from learnable.panel import Entry
from learnable.trees.decision_tree import DecisionTree
from learnable.trees.former_names import present_criterion
from learnable.trees.standing_in import stand_in
from learnable.trees.targets import NumberTargets


class DecisionTreeRegressor(NumberTargets, DecisionTree):
    """Regression tree: at each node argmin over columns j and thresholds s of Σ_left (y − c₁)² + Σ_right (y − c₂)².

    Drop-in for `sklearn.tree.DecisionTreeRegressor`; see `DecisionTreeClassifier` for what is added.
    With squared error and Poisson deviance the best subset of categories is found among all of them, by the order of
    their means; with absolute error that order is a heuristic. Syllabus: DT5, DT6, DT8, DT9, DT12.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default="squared_error"
        "friedman_mse" is a former name of "squared_error", which takes its place with a warning.
    splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, random_state :
        as in `DecisionTreeClassifier`.
    max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst, categorical_features :
        as in `DecisionTreeClassifier`.
    significance, significance_test, n_permutations : as there; "independence" is Student's t between the two sides.

    Attributes
    ----------
    tree_ : `problems.trees.tree.Tree`
    n_outputs_, max_features_ : int
    categories_, unpruned_tree_, p_values_ : as in `DecisionTreeClassifier`
    certificate_ : `certificates.Certificate`, which claims
        DT6 : no candidate at a node lowers the error more than its split; leaves hold the means (or medians) of their
        rows and could not be split; predictions follow the tree. DT5, DT8, DT9, DT12 as there.

    Examples
    --------
    >>> from learnable.trees import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [3.0]], [0.0, 1.0, 8.0])
    >>> model.predict([[2.4], [2.6]]), model.certificate_.holds
    (array([0.5, 8. ]), True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = DecisionTree._parameter_constraints | {
        "criterion": [StrOptions({"squared_error", "absolute_error", "poisson"}), Hidden(StrOptions({"friedman_mse"}))],
    }
    panel = (Entry("regression", "tree", {"min_samples_leaf": [2, 5, 10, 20, 50]}),)

    def __init__(
        self,
        *,
        criterion="squared_error",
        splitter="best",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=None,
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        ccp_alpha=0.0,
        monotonic_cst=None,
        categorical_features=None,
        significance=None,
        significance_test="independence",
        n_permutations=99,
    ):
        self.criterion = present_criterion(self, criterion)
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.significance = significance
        self.significance_test = significance_test
        self.n_permutations = n_permutations


stand_in(DecisionTreeRegressor)

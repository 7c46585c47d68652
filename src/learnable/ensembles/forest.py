"""What forests share: trees on draws of the rows, their mean, and what the rows left out say."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting
from learnable.ensembles.out_of_bag import OutOfBag, out_of_bag
from learnable.problems.ensembles.bags import bag_rows
from learnable.problems.trees.tree import Tree
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.seeds import seed_from
from learnable.solvers.ensembles import forest
from learnable.solvers.trees import cart, pruning
from learnable.solvers.trees.encoding import encode
from learnable.trace import Status, to_the_end
from learnable.trees.decision_tree import DecisionTree, importances, leaf_numbers


class Forest(DecisionTree):
    """Mean of trees. A subclass says what the targets are."""

    trees_: list[Tree]
    seeds_: np.ndarray
    _random_thresholds: ClassVar[bool] = False

    # What single trees have and forests do not ask for.
    splitter = "best"
    significance = None
    categorical_features: Any

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        name: constraint
        for name, constraint in DecisionTree._parameter_constraints.items()
        if name not in ("splitter", "significance", "significance_test", "n_permutations")
    } | {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "max_samples": [
            None,
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            Interval(Integral, 1, None, closed="left"),
        ],
    }

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        data, cells, mask = self._read(X, y, sample_weight)
        target, weight, described = self._targets(data)
        n, p = cells.shape
        columns = encode(cells, mask, self._signs(p, mask))
        targets, shift = cart.targets_of(self.criterion, target, weight, self._n_classes)
        growth = self._growth(cells.shape, int(np.count_nonzero(weight)), float(weight.sum()))
        growth = growth._replace(random_thresholds=self._random_thresholds)
        drawn = None
        if self.bootstrap:
            share = self.max_samples
            drawn = n if share is None else int(share) if isinstance(share, Integral) else max(1, round(n * share))
        seeds = seed_from(self.random_state, type(self).__name__).generate_state(self.n_estimators, np.uint64)
        described |= {"n_outputs_": 1}

        def attributes(state: forest.ForestState) -> dict[str, Any]:
            trees = state.trees
            if self.ccp_alpha > 0.0:
                trees = [pruning.pruned_at(tree, self.ccp_alpha) for tree in trees]
            found = described | {"trees_": trees}
            if self.bootstrap:
                found |= {"seeds_": seeds[: len(trees)]}
            if self.oob_score:
                oob = out_of_bag(trees, cells, seeds, drawn or n, target, weight, self._n_classes)
                found |= self._oob_attributes(oob)
            return found

        states = forest.iterates(columns, targets, growth, shift, seeds, drawn, self.n_jobs)
        return Fitting(states, to_the_end, attributes, data, ended=Status.STATIONARY, max_steps=self.n_estimators)

    def _oob_attributes(self, oob: OutOfBag) -> dict[str, Any]:
        name = "oob_decision_function_" if self._n_classes else "oob_prediction_"
        value = oob.value if self._n_classes else oob.value[:, 0]
        return {name: value, "oob_score_": oob.score, "oob_interval_": oob.interval}

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows drawn for each tree."""
        check_is_fitted(self)
        share = self.max_samples
        n = self._n_rows()
        drawn = n if share is None else int(share) if isinstance(share, Integral) else max(1, round(n * share))
        if not self.bootstrap:
            return [np.arange(n) for _ in self.trees_]
        return [bag_rows(int(seed), n, drawn) for seed in self.seeds_]

    def _n_rows(self) -> int:
        for name in ("oob_decision_function_", "oob_prediction_"):
            if hasattr(self, name):
                return len(getattr(self, name))
        if self.bootstrap and self.max_samples is None:
            return int(self.trees_[0].weighted_n_node_samples[0])
        raise AttributeError("estimators_samples_: fit with oob_score=True, so that the number of rows is kept")

    def _mean_value(self, X) -> np.ndarray:
        """(n, K) mean of the values of the trees, blocks of trees over threads."""
        cells = self._cells(X)

        def value(tree: Tree) -> np.ndarray:
            return tree.value[leaf_numbers(tree, cells), 0]

        total = np.zeros((len(cells), max(self._n_classes, 1)))
        with one_blas_thread() as granted:
            for one in in_order(value, iter(self.trees_), worker_count(self.n_jobs, granted, len(self.trees_))):
                total += one
        return total / len(self.trees_)

    def apply(self, X) -> np.ndarray:
        """(n, T) the leaf of each row in each tree."""
        cells = self._cells(X)
        return np.column_stack([leaf_numbers(tree, cells) for tree in self.trees_])

    def proximities(self, X) -> np.ndarray:
        """(n, n) share of the trees in which two rows come to the same leaf."""
        leaves = self.apply(X)
        together = np.zeros((len(leaves), len(leaves)))
        for column in leaves.T:
            together += column[:, None] == column
        return together / leaves.shape[1]

    @property
    def feature_importances_(self) -> np.ndarray:
        """(p,) mean share of each column in the decrease of impurity."""
        check_is_fitted(self)
        each = [importances(tree, self.n_features_in_) for tree in self.trees_ if tree.node_count > 1]
        if not each:
            return np.zeros(self.n_features_in_)
        mean = np.mean(each, axis=0)
        return mean / mean.sum() if mean.sum() > 0.0 else mean

    def decision_path(self, X):
        raise TypeError("a forest has no single path; use model.apply(X)")

    def cost_complexity_pruning_path(self, X, y, sample_weight=None):
        raise TypeError("a forest has no single path of prunings; use DecisionTreeClassifier")

    def get_depth(self) -> int:
        """The depth of the deepest tree."""
        check_is_fitted(self)
        return max(tree.max_depth for tree in self.trees_)

    def get_n_leaves(self) -> int:
        """The leaves of all trees."""
        check_is_fitted(self)
        return sum(tree.n_leaves for tree in self.trees_)

"""What forests share: trees on draws of the rows, their mean, and what the rows left out say."""

from abc import abstractmethod
from functools import partial
from itertools import repeat
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils._param_validation import Interval, RealNotInt
from sklearn.utils.validation import assert_all_finite, check_consistent_length, check_is_fitted, column_or_1d

from learnable._jit.trees.descend import add_values
from learnable.base import Fitting
from learnable.ensembles.out_of_bag import Importances, accuracy, explained, out_of_bag, permuted, warn_of_unjudged
from learnable.ensembles.warm_start import keep_parameters, kept_members
from learnable.evaluation.interval import check_level
from learnable.problems.ensembles.bags import bag_rows, drawn_from, most_drawn
from learnable.problems.trees.tree import Tree, importances, passed_nodes
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.seeds import generator_from
from learnable.solvers.ensembles import forest
from learnable.solvers.trees import pruning
from learnable.solvers.trees.descent import leaf_numbers, ways_down
from learnable.solvers.trees.encoding import encode
from learnable.trace import Status, to_the_end
from learnable.trees.decision_tree import DecisionTree, searched_columns
from learnable.trees.decision_tree_classifier import DecisionTreeClassifier
from learnable.trees.decision_tree_regressor import DecisionTreeRegressor
from learnable.trees.scikit_learn import bare

# Rows that go through all trees before others do, so that they are read from memory once; no fewer than are worth a
# thread.
FEWEST, MOST = 2**10, 2**14


class Forest(DecisionTree):
    """Mean of trees. A subclass says what the targets are."""

    trees_: list[Tree]
    seeds_: np.ndarray
    n_rows_: int
    class_weight: Any
    oob_score: Any
    _random_thresholds: ClassVar[bool] = False
    _no_sparse_y: ClassVar[type[Exception]] = ValueError  # as in scikit-learn, whose forests and trees differ in this

    # What single trees have and forests do not ask for.
    splitter = "best"
    significance = None
    categorical_features: Any

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        name: constraint
        for name, constraint in DecisionTree._parameter_constraints.items()
        if name not in ("splitter", "significance", "significance_test", "n_permutations")
    } | {
        "random_state": ["random_state"],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean", callable],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "max_samples": [
            None,
            Interval(RealNotInt, 0.0, None, closed="neither"),
            Interval(Integral, 1, None, closed="left"),
        ],
    }

    @abstractmethod
    def _labels(self, index: np.ndarray) -> np.ndarray:
        """Targets as users know them, from class indices (n, outputs) or numbers."""

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if self.max_samples is not None and not self.bootstrap:
            raise ValueError(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set "
                "`max_sample=None`."
            )
        data, cells, mask = self._read(X, y, sample_weight)
        target, weight, described = self._targets(data)
        n, p = cells.shape
        if self.bootstrap and drawn_from(n, self.max_samples) > most_drawn(n):
            raise ValueError(
                f"{type(self).__name__}(max_samples={self.max_samples!r}): more than {most_drawn(n)} rows a tree, of "
                f"{n}; give a share of the rows, such as 1.0"
            )
        targets, shift = self._for_kernels(target, weight, mask)
        columns = encode(cells, mask, self._signs(p, mask))
        if self.oob_score and self.n_outputs_ > 1 and max(self._n_classes, default=0) > 2:
            raise ValueError(
                "The type of target cannot be used to compute OOB estimates: several outputs of more than two classes; "
                "fit with oob_score=False"
            )
        growth = self._growth(cells.shape, int(np.count_nonzero(weight)), float(weight.sum()))
        growth = growth._replace(random_thresholds=self._random_thresholds)
        drawn = drawn_from(n, self.max_samples) if self.bootstrap else None
        earlier, seeds = kept_members(self, "trees_")
        keep_parameters(self, goes_on=bool(earlier))
        shape = (self.n_outputs_, max(self._n_classes, default=1))
        if earlier and earlier[0].value.shape[1:] != shape:
            raise ValueError(
                f"{type(self).__name__}(warm_start=True): trees of (outputs, classes) {earlier[0].value.shape[1:]} do "
                f"not go on with targets of {shape}; fit with warm_start=False"
            )
        balanced = np.atleast_2d(target.T) if self._n_classes and self.class_weight == "balanced_subsample" else None
        for name in [name for name in vars(self) if name.startswith("oob_") and name.endswith("_")]:
            delattr(self, name)  # what a warm start would leave of an earlier fit
        described |= {"n_rows_": n}

        def attributes(state: forest.ForestState) -> dict[str, Any]:
            trees = state.trees
            if self.ccp_alpha > 0.0:
                trees = [*earlier, *(pruning.pruned_at(tree, self.ccp_alpha) for tree in trees[len(earlier) :])]
            found = described | {"trees_": trees}
            if self.bootstrap:
                found |= {"seeds_": seeds[: len(trees)]}
            elif self._random_thresholds or growth.max_features < p:  # the last bit is for the bags
                found |= {"seeds_": seeds[: len(trees)] & ~np.uint64(1)}
            if self.oob_score:
                found |= self._oob_attributes(trees, cells, seeds, drawn or n, target, weight)
            return found

        grown = partial(forest.iterates, columns, targets, growth, shift, seeds, drawn, balanced, self.n_jobs)
        return Fitting(
            grown(earlier), to_the_end, attributes, data, ended=Status.STATIONARY, max_steps=self.n_estimators,
            resumed=lambda state: grown(state.trees),
        )  # fmt: skip

    def _oob_attributes(self, trees, cells, seeds, drawn: int, target, weight) -> dict[str, Any]:
        value = out_of_bag(trees, cells, seeds, drawn)
        target = target.reshape(len(cells), -1)
        unseen = np.isnan(value[:, 0, 0])
        judged = ~unseen & (weight > 0.0)
        warn_of_unjudged(self, trees, unseen, "trees")
        name = "oob_decision_function_" if self._n_classes else "oob_prediction_"
        shown = value.swapaxes(1, 2) if self._n_classes else value[:, :, 0]
        found: dict[str, Any] = {name: shown if self.n_outputs_ > 1 else shown.reshape(len(cells), -1).squeeze()}
        if not judged.any():
            return found | {"oob_score_": 0.0, "oob_interval_": (0.0, 1.0)}
        said = value.argmax(axis=2) if self._n_classes else value[:, :, 0]
        if callable(self.oob_score):
            return found | {"oob_score_": self.oob_score(self._labels(target[judged]), self._labels(said[judged]))}
        score, interval = (accuracy if self._n_classes else explained)(target[judged], said[judged], weight[judged])
        return found | {"oob_score_": score, "oob_interval_": interval}

    @property
    def estimator(self) -> Any:
        """A tree with the parameters of the members, not fitted."""
        kind = DecisionTreeClassifier if is_classifier(self) else DecisionTreeRegressor
        shared = set(kind().get_params()) & set(self.get_params()) - {"random_state", "class_weight"}
        parameters = {name: getattr(self, name) for name in shared}
        return kind(**parameters, splitter="random" if self._random_thresholds else "best")

    @property
    def estimators_(self) -> list[Any]:
        """The trees as estimators: each predicts by its own tree.

        A copy of one, fitted on its rows of `estimators_samples_`, grows the same tree, but for forests with weights or
        limits on the rows of a node: a row that is drawn twice is one row here, of twice the weight.
        """
        check_is_fitted(self)
        known = ("classes_", "n_classes_", "n_features_in_", "feature_names_in_", "categories_", "n_outputs_")
        fitted = {name: vars(self)[name] for name in known if name in vars(self)}
        searched = searched_columns(self.max_features, self.n_features_in_)
        found = []
        for tree, seed in zip(self.trees_, getattr(self, "seeds_", repeat(0))):
            member = self.estimator.set_params(random_state=int(seed))
            member.__dict__.update(fitted, tree_=tree, max_features_=searched)
            found.append(member)
        return found

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows drawn for each tree."""
        check_is_fitted(self)
        if not self.bootstrap:
            return [np.arange(self.n_rows_, dtype=np.int32) for _ in self.trees_]
        drawn = drawn_from(self.n_rows_, self.max_samples)
        return [bag_rows(int(seed), self.n_rows_, drawn).astype(np.int32) for seed in self.seeds_]

    def to_scikit_learn(self) -> Any:
        """The forest as the class of scikit-learn of the same name; see `DecisionTreeClassifier.to_scikit_learn`."""
        import sklearn.ensemble

        members = [member.to_scikit_learn() for member in self.estimators_]
        found = bare(self, getattr(sklearn.ensemble, type(self).__name__))
        found.estimators_ = members
        return found

    def __len__(self) -> int:
        return len(self.trees_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self):
        return iter(self.estimators_)

    def _values(self, X) -> np.ndarray:
        """(n, outputs, K) mean of the values of the trees, blocks of rows over threads."""
        cells = self._cells(X)
        shape = self.trees_[0].value.shape[1:]
        total = np.zeros((len(cells), int(np.prod(shape))))
        values = [tree.value.reshape(tree.node_count, -1) for tree in self.trees_]
        ways = ways_down(self.trees_, cells)
        length = max(FEWEST, min(-(-len(cells) // 8), MOST))

        def add(low: int) -> None:
            rows = slice(low, low + length)
            for value, way in zip(values, ways):
                add_values(value, way(cells[rows]), total[rows])

        blocks = range(0, len(cells), length)
        with one_blas_thread() as granted:
            for _ in in_order(add, iter(blocks), worker_count(self.n_jobs, granted, len(blocks))):
                pass
        total /= len(self.trees_)
        return total.reshape(len(cells), *shape)

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
        """(sparse 0/1 matrix (n, nodes of all trees) of the nodes that rows pass, where each tree's nodes begin)."""
        from scipy import sparse

        cells = self._cells(X)
        parts = [passed_nodes(tree, cells) for tree in self.trees_]
        first = np.cumsum([0, *(tree.node_count for tree in self.trees_)])
        return sparse.hstack(parts).tocsr(), first

    def permutation_importances(self, X, y, random_state=None, level: float = 0.95) -> Importances:
        """How much each tree errs more on the rows out of its bag when the cells of a column are shuffled among them.

        The error is the share of mistakes, or the mean squared error. The interval of the mean over trees is Student's;
        it speaks of the spread over trees for these rows, not of other rows.

        Parameters
        ----------
        X, y : the rows of the fit.
        random_state : seeds of the shuffles.
        level : float, default=0.95

        Returns
        -------
        Importances
        """
        check_is_fitted(self)
        if not self.bootstrap:
            raise ValueError(
                f"{type(self).__name__}(bootstrap=False): every tree has seen every row; fit with a bootstrap"
            )
        cells = self._cells(X)
        if len(cells) != self.n_rows_:
            raise ValueError(f"permutation_importances: {len(cells)} rows given, but {self.n_rows_} were fitted")
        if self.n_outputs_ > 1:
            raise ValueError(
                f"permutation_importances: the forest has {self.n_outputs_} outputs; fit one a target, or use "
                "sklearn.inspection.permutation_importance"
            )
        check_level(level, "permutation_importances")
        target = column_or_1d(y, dtype=None if self._n_classes else float)
        check_consistent_length(cells, target)
        if self._n_classes:
            strange = ~np.isin(target, self.classes_)
            if strange.any():
                row = int(strange.argmax())
                raise ValueError(
                    f"permutation_importances: y[{row}] is {target[row]!r}, no class of the fit; give the y of the fit"
                )
            target = np.searchsorted(self.classes_, target)
        else:
            assert_all_finite(target, input_name="y")
        generator = generator_from(random_state, type(self).__name__)
        return permuted(self.trees_, self.estimators_samples_, cells, target, bool(self._n_classes), generator, level)

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

"""What the two gradient boosters with exact trees share."""

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from copy import copy
from functools import partial
from itertools import islice
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Hidden, Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from learnable.base import Data, Fitting, Learner, refuse_unreadable, validate_data
from learnable.ensembles.told_rounds import told_rounds
from learnable.ensembles.validation_rows import all_but, refuse_weightless, set_aside
from learnable.ensembles.warm_start import keep_parameters
from learnable.problems.ensembles.boosting_losses import (
    AbsoluteLoss,
    BinomialLoss,
    HuberLoss,
    QuantileLoss,
    SquaredLoss,
    best_start,
    mean_of,
    score_of,
)
from learnable.problems.ensembles.steps import drawn_rows
from learnable.problems.trees.tree import Tree, importances
from learnable.seeds import seed_from
from learnable.solvers.ensembles import gradient_boosting
from learnable.solvers.ensembles.boosted_scores import add_scores, boosted
from learnable.solvers.ensembles.gradient_boosting import Part
from learnable.solvers.trees.cart import Growth
from learnable.solvers.trees.descent import leaf_numbers, leaves_in_turn
from learnable.solvers.trees.encoding import encode
from learnable.trace import Status, budget, first_of
from learnable.trees.decision_tree import searched_columns
from learnable.trees.decision_tree_regressor import DecisionTreeRegressor
from learnable.trees.tables import dense

# What the trees of a booster are grown with.
GROWTH = (
    "max_depth", "max_leaf_nodes", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features",
    "min_impurity_decrease",
)  # fmt: skip
# What a warm start may change, each tree being judged by what it was grown with.
CHANGING = (*GROWTH, "criterion", "learning_rate", "subsample")


class GradientBoosting(Learner):
    """Gradient boosting with trees on all thresholds. A subclass says what the targets and the loss are."""

    _redone = True

    trees_: list[Tree]
    steps_: list[np.ndarray]
    start_: np.ndarray

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "subsample": [Interval(Real, 0, 1, closed="right")],
        "criterion": [StrOptions({"squared_error"}), Hidden(StrOptions({"deprecated", "friedman_mse"}))],
        "min_samples_split": [
            Interval(Integral, 2, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "min_samples_leaf": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="neither"),
        ],
        "min_weight_fraction_leaf": [Interval(Real, 0, 0.5, closed="both")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    @abstractmethod
    def _targets(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        """(targets as the loss takes them, row weights)."""

    @abstractmethod
    def _loss(self) -> Any: ...

    def fit(self, X, y, sample_weight=None, monitor=None):
        """Boost.

        Parameters
        ----------
        X : array (n, p); NaN marks missing cells.
        y : array (n,)
        sample_weight : array (n,), default=None
        monitor : function (round, model so far, numbers of the fit) -> bool, default=None
            Called after every round, the first being 0; the fit stops where it says True.
        """
        self._validate_params()
        if monitor is not None and not callable(monitor):
            raise TypeError(
                f"{type(self).__name__}.fit(monitor={monitor!r}): give a function of a round, the model so far and the "
                "numbers of the fit, or None"
            )
        if self.criterion != "deprecated":
            warnings.warn(
                f"{type(self).__name__}(criterion={self.criterion!r}): The parameter `criterion` is deprecated and "
                "will be removed in 1.11 of scikit-learn. It has no effect. Leave it to its default value to avoid "
                "this warning.",
                FutureWarning,
                stacklevel=2,
            )
        return self._learn(X, y, sample_weight=sample_weight, monitor=monitor)

    def _pose(self, X, y, sample_weight=None, monitor=None) -> Fitting:
        data = self._validated(
            dense(X), y, sample_weight, blocks=False, dtype=np.float64, ensure_all_finite="allow-nan",
            y_numeric=isinstance(self, RegressorMixin),
        )  # fmt: skip
        target, weight = self._targets(data)
        cells, p = np.ascontiguousarray(data.X), data.X.shape[1]
        seed = int(seed_from(self.random_state, type(self).__name__).generate_state(1)[0])
        before = self._earlier()
        if before is not None:
            seed = vars(self).get("seed_", seed)
        # After rounds that left rows out there is a loss on such rows for every round.
        may_change = [name for name in CHANGING if name != "subsample" or self.subsample < 1.0]
        if earlier := keep_parameters(self, before is not None, may_change):
            part = self.n_estimators_, {name: earlier[name] for name in CHANGING}
            self.grown_before_ = [*vars(self).get("grown_before_", []), part]
        described: dict[str, Any] = {}
        rows, rest = np.arange(len(target)), np.arange(0)
        stopping = self.n_iter_no_change is not None
        if stopping:
            rest = set_aside(self, target, check_random_state(self.random_state))
            if before is not None and "train_rows_" in vars(self):
                rest = all_but(self.train_rows_, len(target))
            rows = all_but(rest, len(target))
            refuse_weightless(self, weight, rows, rest)
            described["train_rows_"] = rows
            if hasattr(self, "classes_") and len(np.unique(target[rows])) < len(self.classes_):
                raise ValueError(
                    f"{type(self).__name__}: The training data after the early stopping split are missing some "
                    f"classes; set aside less than validation_fraction={self.validation_fraction}, or give another "
                    "random_state"
                )
        loss = self._loss()
        described |= self._started(loss, cells[rows], target[rows], weight[rows], sample_weight is not None)
        train, held_out = (
            Part(cells[part], target[part], weight[part], initial_scores(loss, described, cells[part]))
            for part in (rows, rest)
        )
        if self.subsample < 1.0:
            described["seed_"] = seed

        def count(given, least: int) -> int:
            return int(given) if isinstance(given, Integral) else max(least, int(np.ceil(given * len(train.y))))

        growth = Growth(
            self.max_depth, self.max_leaf_nodes, count(self.min_samples_split, 2), count(self.min_samples_leaf, 1),
            self.min_weight_fraction_leaf * float(train.weight.sum()), least_gain=self.min_impurity_decrease,
            max_features=searched_columns(self.max_features, p), seed=seed,
        )  # fmt: skip
        columns = encode(train.X, np.zeros(p, dtype=bool))
        n = len(train.y)

        def attributes(state: gradient_boosting.GradientState) -> dict[str, Any]:
            found = described | {
                "trees_": state.trees,
                "steps_": state.steps,
                "train_loss_": np.array(state.losses),
                "n_estimators_": len(state.losses) - 1,
            }
            if state.out_of_bag:
                scores, none = _doubled(loss) * np.array(state.out_of_bag), np.zeros(self._rounds_of_all_rows())
                found |= {
                    "oob_scores_": np.append(none, scores[1:]),
                    "oob_improvement_": np.append(none, -np.diff(scores)),
                    "oob_score_": scores[-1],
                }
            return found | ({"validation_loss_": np.array(state.validation)} if stopping else {})

        rounds = partial(
            gradient_boosting.iterates,
            loss, columns, train, held_out if stopping else None, growth, float(self.learning_rate), leaf_numbers,
            lambda round_: drawn_rows(seed, round_, n, self.subsample),
        )  # fmt: skip

        def boosted(before: gradient_boosting.GradientState | None) -> Any:
            return told_rounds(rounds(before), self, _doubled(loss)) if self.verbose else rounds(before)

        made = 0 if before is None else len(before.losses) - 1
        rules = [budget(self.n_estimators + 1 - made)]
        if stopping:
            rules.insert(0, self._no_longer_better)
        if monitor is not None:
            rules.insert(0, partial(self._told_to_stop, monitor, made, attributes))
        return Fitting(
            boosted(before), first_of(*rules), attributes, data, ended=Status.STOPPED, max_steps=self.n_estimators + 1,
            advice="", resumed=boosted,
        )  # fmt: skip

    def _started(self, loss: Any, X, target, weight, weighted: bool) -> dict[str, Any]:
        """What boosting starts from: the best constant scores, or zero and the estimator `init` fitted to the rows."""
        best = best_start(loss, target, weight)
        if self.init is None:
            return {"start_": best}
        if isinstance(self.init, str):
            return {"start_": np.zeros(len(best))}
        first = clone(self.init)
        if not weighted:
            first.fit(X, target)
        elif has_fit_parameter(first, "sample_weight"):
            first.fit(X, target, sample_weight=weight)
        else:
            raise ValueError(
                f"{type(self).__name__}: The initial estimator {type(first).__name__} does not support sample weights; "
                "fit without them, or give another init"
            )
        return {"start_": np.zeros(len(best)), "init_": first}

    def _earlier(self) -> gradient_boosting.GradientState | None:
        """What a warm start goes on from."""
        if not self.warm_start or "trees_" not in vars(self):
            return None
        if self.n_estimators < self.n_estimators_:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"estimators_.shape[0]={self.n_estimators_} when warm_start==True"
            )
        losses = self.train_loss_.tolist()
        validation = getattr(self, "validation_loss_", np.zeros(0)).tolist()
        all_rows = self._rounds_of_all_rows()
        out_of_bag = getattr(self, "oob_scores_", np.zeros(0))[all_rows:] / _doubled(self._loss())
        if len(out_of_bag):
            out_of_bag = [out_of_bag[0] + self.oob_improvement_[all_rows] / _doubled(self._loss()), *out_of_bag]
        return gradient_boosting.GradientState(
            self.trees_, self.steps_, losses, validation, list(out_of_bag), losses[-1]
        )

    def _rounds_of_all_rows(self) -> int:
        """How many rounds went by before the first that left rows out, where there is one."""
        parts = vars(self).get("grown_before_", [])
        return max((rounds for rounds, named in parts if named["subsample"] == 1.0), default=0)

    def _grown_with(self, round_: int) -> Mapping[str, Any]:
        """The parameters that the trees of a round were grown with."""
        parts = vars(self).get("grown_before_", [])
        return next((named for rounds, named in parts if round_ < rounds), vars(self))

    def _no_longer_better(self, step: int, state: Any) -> Status | None:
        losses = state.validation
        before = len(losses) - 1 - self.n_iter_no_change
        if before < 0 or any(loss < losses[before] - self.tol for loss in losses[before + 1 :]):
            return None
        return Status.STOPPED

    def _told_to_stop(self, monitor: Any, made: int, attributes: Any, step: int, state: Any) -> Status | None:
        """Ask the monitor after every round of this fit; what it is given is a copy, and its own to write to."""
        done = len(state.losses) - 1
        if done <= made:
            return None
        so_far = copy(self)
        so_far._keep(attributes(state))
        return Status.STOPPED if monitor(done - 1, so_far, state._asdict()) else None

    def _cells(self, X) -> np.ndarray:
        check_is_fitted(self)
        refuse_unreadable(X)
        X = validate_data(self, dense(X), reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return np.ascontiguousarray(X)

    def _raw_predict(self, X) -> np.ndarray:
        check_is_fitted(self)
        if not self.trees_ or any(len(tree.category_left) for tree in self.trees_):
            *_, raw = self._stages(X)
            return raw
        cells = self._cells(X)
        raw = np.ascontiguousarray(initial_scores(self._loss(), vars(self), cells))
        add_scores(boosted(self.trees_, self.steps_, raw.shape[1]), cells, raw)
        return raw

    def _staged_raw(self, X):
        """Raw scores after every round; the same array, further on."""
        return islice(self._stages(X), 1, None)

    def _stages(self, X):
        """Raw scores after 0, 1, … rounds, in one array."""
        cells, K = self._cells(X), len(self.start_)
        raw = initial_scores(self._loss(), vars(self), cells)
        yield raw
        for number, (leaves, step) in enumerate(zip(leaves_in_turn(self.trees_, cells), self.steps_)):
            raw[:, number % K] += step[leaves]
            if number % K == K - 1:
                yield raw

    @property
    def n_trees_per_iteration_(self) -> int:
        """Trees a round: one, or one a class."""
        check_is_fitted(self)
        return len(self.start_)

    @property
    def max_features_(self) -> int:
        """Columns that a node looks at."""
        check_is_fitted(self)
        return searched_columns(self.max_features, self.n_features_in_)

    @property
    def estimators_(self) -> np.ndarray:
        """(rounds, K) the trees as estimators, whose leaves hold the steps before the learning rate."""
        check_is_fitted(self)
        K = len(self.start_)
        found = np.empty((self.n_estimators_, K), dtype=object)
        for number, (tree, step) in enumerate(zip(self.trees_, self.steps_)):
            named = self._grown_with(number // K)
            member = DecisionTreeRegressor(**{name: named[name] for name in GROWTH})
            value = np.where(tree.is_leaf, step / named["learning_rate"], tree.value[:, 0, 0])
            member.__dict__.update(
                tree_=tree._replace(value=value[:, None, None]), n_features_in_=self.n_features_in_, n_outputs_=1
            )
            found[number // K, number % K] = member
        return found

    @property
    def train_score_(self) -> np.ndarray:
        """(rounds,) the mean training loss after each round; squared errors and deviances are not halved here."""
        check_is_fitted(self)
        return _doubled(self._loss()) * self.train_loss_[1:]

    def apply(self, X) -> np.ndarray:
        """(n, rounds) or (n, rounds, K): the leaf of each row in each tree."""
        cells = self._cells(X)
        leaves = np.column_stack([leaf_numbers(tree, cells) for tree in self.trees_])
        K = len(self.start_)
        return leaves if not hasattr(self, "classes_") else leaves.reshape(len(cells), -1, K)

    def _mean(self, raw: np.ndarray) -> np.ndarray:
        return mean_of(self._loss(), raw if raw.shape[1] > 1 else raw[:, 0])

    @property
    def feature_importances_(self) -> np.ndarray:
        """(p,) mean share of each column in the decrease of squared error."""
        check_is_fitted(self)
        each = [importances(tree, self.n_features_in_) for tree in self.trees_ if tree.node_count > 1]
        mean = np.mean(each, axis=0) if each else np.zeros(self.n_features_in_)
        return mean / mean.sum() if mean.sum() > 0.0 else mean

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def initial_scores(loss: Any, fitted: Mapping[str, Any], cells: np.ndarray) -> np.ndarray:
    """(n, K) the scores before the first round: constants, and those that stand for what `init_` predicts."""
    scores = np.tile(fitted["start_"], (len(cells), 1))
    if "init_" not in fitted or not len(cells):
        return scores
    first = fitted["init_"]
    regression = isinstance(loss, SquaredLoss | AbsoluteLoss | HuberLoss | QuantileLoss)
    return scores + score_of(loss, first.predict(cells) if regression else first.predict_proba(cells))


def _doubled(loss: Any) -> float:
    """What scikit-learn's scores count of a loss: squared errors and deviances of two classes twice the half."""
    return 2.0 if isinstance(loss, SquaredLoss | BinomialLoss) else 1.0

"""What the two histogram boosters share."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable._jit.ensembles.split_search import Growth
from learnable.base import Data, Fitting, Learner, refuse_unreadable, validate_data
from learnable.ensembles.validation_rows import all_but, refuse_weightless, set_aside
from learnable.ensembles.watched_rows import asks_for_score, by_score, given_rows, refuse_half_given, sample
from learnable.plain import plain
from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.problems.ensembles.boosting_losses import best_start, has_line_search, mean_of
from learnable.problems.ensembles.interactions import interaction_groups
from learnable.rows import Rows, is_streamed
from learnable.rows.dask import DaskRows
from learnable.rows.gathered import targets_and_weights
from learnable.rows.marks import packed
from learnable.rows.masked import unmasked
from learnable.seeds import seed_from
from learnable.solvers.ensembles import distributed_boosting, histogram_boosting
from learnable.solvers.ensembles.binning import BinCells, Coder, array_coder, binned, binned_blocks, bins_of, coder_of
from learnable.solvers.ensembles.boosted_scores import add_scores, scores_of
from learnable.solvers.ensembles.boosting_places import Problem, Targets
from learnable.solvers.ensembles.distributed_boosting import Totals
from learnable.solvers.ensembles.histogram_boosting import BinnedRows, BoostingState, Shape, Watched
from learnable.trace import Status, budget, first_of
from learnable.trees.tables import categorical_mask, encoded, learn_categories


class HistogramBoosting(Learner):
    """Gradient boosting on histograms. A subclass says what the targets and the loss are."""

    _redone = True

    trees_: BoostedTrees
    baseline_: np.ndarray

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "l2_regularization": [Interval(Real, 0, None, closed="left")],
        "max_features": [Interval(RealNotInt, 0, 1, closed="right")],
        "max_bins": [Interval(Integral, 2, 255, closed="both")],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "monotonic_cst": ["array-like", dict, None],
        "interaction_cst": [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
        "warm_start": ["boolean"],
        "early_stopping": [StrOptions({"auto"}), "boolean"],
        "scoring": [str, callable, None],
        "validation_fraction": [
            Interval(RealNotInt, 0, 1, closed="neither"),
            Interval(Integral, 1, None, closed="left"),
            None,
        ],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _targets(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        """(targets as the loss takes them, row weights); sets `classes_` where there are any."""

    def _targets_of_more(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        """`_targets` of rows beside those of training; sets nothing."""
        return self._targets(data)

    def _recoding(self, y: np.ndarray) -> Targets:
        """What `_targets` does, for the rows of a worker; y are the targets of all rows."""
        return Targets()

    @staticmethod
    def _weights(data: Data, n: int) -> np.ndarray:
        """The weights of the rows; where none are given, one 1 that stands for all of them."""
        return np.broadcast_to(1.0, n) if data.sample_weight is None else data.sample_weight.astype(float)

    @abstractmethod
    def _loss(self) -> Any: ...

    def fit(self, X, y=None, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Fit the model.

        Parameters
        ----------
        X : array (n, p) or data frame; NaN marks missing cells, infinite ones are numbers beyond all others. Also a
            dask array, or `rows.ParquetRows`, all finite but for NaN, which are put into bins where they are: one byte
            a cell comes to memory, and none from a cluster that keeps the chunks, whose workers sum the histograms.
        y : array (n,); None for `ParquetRows`, which name their target.
        sample_weight : array (n,), default=None
        X_val, y_val, sample_weight_val : rows that say when to stop, in place of some set aside; `certify` takes them
            by the same names.
        """
        self._validate_params()
        more = {"X_val": X_val, "y_val": y_val, "sample_weight_val": sample_weight_val}
        given = {name: value for name, value in more.items() if value is not None}
        return self._learn(X, y, sample_weight=sample_weight, **given)

    def _pose(self, X, y=None, sample_weight=None, X_val=None, y_val=None, sample_weight_val=None) -> Fitting:
        refuse_half_given(self, X_val, y_val, sample_weight_val)
        scored = asks_for_score(self)
        earlier = vars(self).get("trees_") if self.warm_start else None
        if earlier is not None and self.max_iter < earlier.n_rounds:
            raise ValueError(
                f"max_iter={self.max_iter} must be larger than or equal to n_iter_={earlier.n_rounds} when "
                "warm_start==True"
            )
        data, cells, mask = self._read(X, y, sample_weight)
        target, weight = self._targets(data)
        labels = data.y
        if isinstance(cells, Rows):
            data = Data(cells, None, None)  # rows carry their targets and weights
        loss = self._loss()
        n, p = len(target), len(mask)
        signs = self._signs(p, mask)
        described: dict[str, Any] = {"is_categorical_": mask if mask.any() else None}
        given = given_rows(self, X_val, y_val, sample_weight_val)
        stopping = given is not None or (n > 10_000 if self.early_stopping == "auto" else bool(self.early_stopping))
        rows = rest = None
        if stopping and given is None and self.validation_fraction is not None:
            # Here the first random number is the seed of scikit-learn's `train_test_split`.
            seed = check_random_state(self.random_state).randint(2**32 - 1, dtype=np.uint64)
            rest = set_aside(self, target, np.random.RandomState(int(seed)))
            kept = vars(self).get("train_rows_") if earlier is not None else None
            if kept is not None and len(kept) == n - len(rest):  # the trees there are were grown on these
                rest = all_but(kept, n)
            rows = all_but(rest, n)
            refuse_weightless(self, weight, rows, rest)
        whole = BinnedRows(cells, target, weight)
        if self._far_away(cells, loss, signs) and given is None and not (stopping and scored):
            boosted, thresholds, start = self._where_rows_are(whole, labels, loss, signs, rows, rest)
            before = BoostedTrees.none(len(start))
        else:
            coder, bins, held_out = self._binned(cells, mask, whole, rows, rest)
            some, watched = given or held_out, None
            if stopping and scored:
                watched = by_score(self, some or sample(whole, bins.codes, coder, self._seed()))
            elif some is not None:
                watched = Watched(some, partial(histogram_boosting.mean_loss, loss))
            thresholds, start = bins.thresholds, best_start(loss, *_of_rows(whole, rows))
            same = earlier is not None and earlier.first.shape[1] == len(start)
            before = earlier if earlier is not None and same else BoostedTrees.none(len(start))
            shape = self._shape(p, len(bins.codes), signs)

            def boosted(before: BoostingState) -> Iterator[BoostingState]:
                known, rows = BinCells(bins.codes, coder), None if rest is None else _mask(rest, n)
                if before.packed.n_rounds and not isinstance(cells, Rows):  # those trees may have other bins
                    known = cells if rows is None else cells[rows]
                train, own = BinnedRows(known, *_of_rows(whole, rows)), rows is not None
                return histogram_boosting.iterates(loss, bins, train, own, watched, start, shape, before)

        described |= {
            "baseline_": start,
            "bin_thresholds_": thresholds,
            "n_trees_per_iteration_": len(start),
            "do_early_stopping_": stopping,
        }

        def attributes(state: BoostingState) -> dict[str, Any]:
            trees = state.packed
            found = described | {
                "trees_": trees,
                "n_iter_": trees.n_rounds,
                "train_score_": -np.array(state.losses),
            }
            if state.validation:
                beside = rest is not None or given is not None
                found["validation_score_" if beside else "train_score_"] = -np.array(state.validation)
            if rest is not None:  # beside the loop, few rows take less room than many
                found["train_rows_"] = all_but(rest, n)
            return found

        rounds = max(1, self.max_iter - before.n_rounds)
        rules = [budget(rounds + 1)]
        if stopping:
            rules.insert(0, self._no_longer_better)
        return Fitting(
            boosted(histogram_boosting.after(before)),
            first_of(*rules),
            attributes,
            data if given is None else (*data, X_val, y_val, sample_weight_val),
            ended=Status.STOPPED,
            max_steps=rounds + 1,
            advice="",
            resumed=lambda state: boosted(state.before),
        )

    def _seed(self) -> int:
        """What rows are drawn by."""
        return int(seed_from(self.random_state, type(self).__name__).generate_state(1)[0] % 2**31)

    def _far_away(self, cells: Any, loss: Any, signs: np.ndarray) -> bool:
        """Whether trees grow where the rows are: on workers that keep them, for trees that need nothing but sums."""
        plain = self.max_features == 1.0 and not signs.any() and not has_line_search(loss)
        return plain and isinstance(cells, DaskRows) and cells.on_workers

    def _where_rows_are(self, whole: BinnedRows, labels: Any, loss: Any, signs: np.ndarray, rows: Any, rest: Any):
        """(state -> those that follow, thresholds of bins, starting scores) of trees that grow on the workers."""
        cells: Any = whole.X
        y, weight = (whole.y, whole.weight) if rows is None else (whole.y[rows], whole.weight[rows])
        coder, start = coder_of(cells, rows, self.max_bins, whole.weight), best_start(loss, y, weight)
        held_out = None if rest is None else packed(rest, len(whole.y))
        weighted = bool(np.any(weight != 1.0))
        width = histogram_boosting.words_of(loss, weighted)
        problem = Problem(coder, self._recoding(labels), loss, start, held_out, weighted, width)
        totals = Totals(len(y), weight.sum(), 0.0 if rest is None else whole.weight[rest].sum())
        shape = self._shape(cells.n_columns, len(y), signs)
        return partial(distributed_boosting.iterates, cells, problem, totals, shape), coder.thresholds, start

    def _no_longer_better(self, step: int, state: Any) -> Status | None:
        """Stop when none of the last rounds is better, by `tol`, than the one before them."""
        losses = state.validation or state.losses
        reference = len(losses) - 1 - self.n_iter_no_change
        if reference < 0:
            return None
        better = any(loss < losses[reference] - self.tol for loss in losses[reference + 1 :])
        return None if better else Status.STOPPED

    def _binned(self, cells: Any, mask: np.ndarray, whole: BinnedRows, rows: Any, rest: Any) -> tuple:
        """(coder, bins of the training rows, the rows held out): all rows, or `rows` and the `rest`.

        No cells are copied: codes stand for them.
        """
        coder: Coder
        if isinstance(cells, np.ndarray):
            coder = array_coder(cells, mask, self.max_bins, whole.weight, rows)
            bins = binned(cells, coder, rows)
            aside = None if rest is None else binned(cells, coder, rest).codes
        else:
            coder = coder_of(cells, rows, self.max_bins, whole.weight)
            bins = binned_blocks(cells, coder)
            aside = None if rest is None else bins.codes[rest]
            bins = bins if rows is None else bins_of(bins.codes[rows], coder)
        held_out = None if aside is None else BinnedRows(BinCells(aside, coder), *_of_rows(whole, rest))
        return coder, bins, held_out

    def _read_blocks(self, X, y, sample_weight) -> tuple[Data, Rows, np.ndarray]:
        """Rows that are not in memory: numbers, with missing cells; their targets and weights are brought here."""
        owner = type(self).__name__
        if self.warm_start and "trees_" in vars(self):
            raise ValueError(f"{owner}(warm_start=True): earlier trees are continued on arrays only")
        if self.categorical_features is not None and not isinstance(self.categorical_features, str):
            raise ValueError(f"{owner}: categorical_features needs all rows in memory; leave it at None for {X!r}")
        rows = self._validated(X, y, sample_weight, ensure_all_finite="allow-nan").X
        y, weight = targets_and_weights(rows)
        return Data(rows, y, weight), rows, np.zeros(rows.n_columns, dtype=bool)

    def _read(self, X, y, sample_weight) -> tuple[Data, Any, np.ndarray]:
        if is_streamed(X):
            return self._read_blocks(X, y, sample_weight)
        owner = type(self).__name__
        given = self.categorical_features
        mixed = given is not None
        if isinstance(given, str):
            mixed = hasattr(X, "dtypes") and bool(categorical_mask(given, X, None, len(list(X.dtypes)), owner).any())
        X = unmasked(X) if mixed else X
        data = self._validated(
            X, y, sample_weight, blocks=False, dtype=None if mixed else np.float64, ensure_all_finite=False,
            multi_output=False, y_numeric=isinstance(self, RegressorMixin),
        )  # fmt: skip
        names = getattr(self, "feature_names_in_", None)
        mask = categorical_mask(self.categorical_features, X, names, data.X.shape[1], owner)
        table = _as_typed(X, data.X) if mixed else data.X
        if mixed:
            self.categories_ = [_not_negative(values) for values in learn_categories(table, mask)]
            for j, values in enumerate(self.categories_):
                if values is not None and len(values) > self.max_bins:
                    feature = f"at index {j}" if names is None else repr(names[j])
                    raise ValueError(
                        f"{owner}(max_bins={self.max_bins}): Categorical feature {feature} is expected to have a "
                        f"cardinality <= {self.max_bins} but actually has a cardinality of {len(values)}. Merge rare "
                        "categories or leave it out of categorical_features"
                    )
        return data, encoded(table, getattr(self, "categories_", [None]), owner, infinite_numbers=True), mask

    def _signs(self, p: int, mask: np.ndarray) -> np.ndarray:
        owner, given = type(self).__name__, self.monotonic_cst
        signs = np.zeros(p, dtype=np.int8)
        if given is None:
            return signs
        if isinstance(given, dict):
            names = list(getattr(self, "feature_names_in_", []))
            for name, sign in given.items():
                if name not in names:
                    raise ValueError(f"{owner}: monotonic_cst names {name!r}, which is no column of X")
                signs[names.index(name)] = sign
        else:
            signs = np.asarray(given)
        if signs.shape != (p,) or not np.isin(signs, (-1, 0, 1)).all():
            raise ValueError(f"{owner}(monotonic_cst={plain(given)!r}): give {p} signs, each -1, 0 or 1")
        if np.any(signs[mask] != 0):
            raise ValueError(
                f"{owner}: Categorical features cannot have monotonic constraints, since categories have no order; set "
                "their entries of monotonic_cst to 0"
            )
        if signs.any() and hasattr(self, "classes_") and len(self.classes_) > 2:
            raise ValueError("monotonic constraints are not supported for multiclass classification.")
        if signs.any() and getattr(self, "loss", "") in ("absolute_error", "quantile"):
            raise ValueError(f"{owner}(loss={self.loss!r}): monotonic_cst needs a loss with curvature")
        return signs.astype(np.int8)

    def _check_interactions(self, p: int) -> None:
        """ValueError unless the groups hold columns, in scikit-learn's words."""
        owner, given = f"{type(self).__name__}(interaction_cst={self.interaction_cst!r})", self.interaction_cst
        if given is None or isinstance(given, str):
            return
        for group in given:
            if not isinstance(group, Iterable):
                raise ValueError(f"{owner}: Interaction constraints must be a sequence of tuples or lists")
            for j in group:
                if not isinstance(j, int | np.integer) or not 0 <= j < p:
                    raise ValueError(
                        f"{owner}: Interaction constraints must consist of integer indices in [0, n_features - 1] = "
                        f"[0, {p - 1}], specifying the position of features, got: {group!r}"
                    )

    def _shape(self, p: int, n: int, signs: np.ndarray) -> Shape:
        self._check_interactions(p)
        groups = interaction_groups(self.interaction_cst, p)
        table = np.zeros((0 if groups is None else len(groups), p), dtype=np.uint8)
        for row, group in zip(table, groups or []):
            row[list(group)] = 1
        leaves = n if self.max_leaf_nodes is None else min(self.max_leaf_nodes, n)
        deep = n if self.max_depth is None else self.max_depth
        growth = Growth(
            max(2, int(min(leaves, 2 ** min(deep, 30), max(2, n // self.min_samples_leaf)))),
            int(deep),
            int(self.min_samples_leaf),
            float(self.l2_regularization),
            1e-3,
            max(1, int(self.max_features * p)) if self.max_features < 1.0 else p,
        )
        seed = int(seed_from(self.random_state, type(self).__name__).generate_state(1, np.uint64)[0])
        return Shape(growth, signs, table, float(self.learning_rate), seed)

    def _cells(self, X) -> np.ndarray:
        check_is_fitted(self)
        refuse_unreadable(X)
        mixed = hasattr(self, "categories_")
        X = unmasked(X) if mixed else X
        # Of a typed frame the names and the number of columns are looked at here, and its cells column by column.
        typed = mixed and hasattr(X, "iloc") and X.ndim == 2 and len(X) > 0
        checks = {"skip_check_array": True} if typed else {"ensure_all_finite": False}
        table = validate_data(self, X, reset=False, dtype=None if mixed else np.float64, **checks)
        return encoded(table, getattr(self, "categories_", [None]), type(self).__name__, infinite_numbers=True)

    def _raw_predict(self, X) -> np.ndarray:
        """(n, K) raw scores."""
        cells = self._cells(X)
        return scores_of(self.trees_, cells, self.baseline_)

    def _mean(self, raw: np.ndarray) -> np.ndarray:
        return mean_of(self._loss(), raw if raw.shape[1] > 1 else raw[:, 0])

    def _staged_raw(self, X):
        """Raw scores after every round."""
        cells = self._cells(X)
        raw = np.tile(self.baseline_, (len(cells), 1))
        for t in range(self.trees_.n_rounds):
            add_scores(self.trees_._replace(first=self.trees_.first[t : t + 1]), cells, raw)
            yield raw.copy()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _of_rows(whole: BinnedRows, rows: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Targets and weights of some rows; one 1 stands for all weights still where it did."""
    if rows is None:
        return whole.y, whole.weight
    y, alike = whole.y[rows], whole.weight.strides == (0,)
    return y, np.broadcast_to(1.0, len(y)) if alike else whole.weight[rows]


def _mask(rest: np.ndarray, n: int) -> np.ndarray:
    """Which rows of n are not among the `rest`: a byte each, where their numbers take four."""
    among = np.ones(n, dtype=bool)
    among[rest] = False
    return among


def _as_typed(X: Any, table: np.ndarray) -> Any:
    """A pandas frame as it was given, whose columns have their types still; else the table that was made of X."""
    return X if hasattr(X, "iloc") and X.shape == table.shape else table


def _not_negative(values: np.ndarray | None) -> np.ndarray | None:
    """Categories without numbers below zero, which stand for missing cells, as in scikit-learn."""
    return values[values >= 0] if values is not None and values.dtype.kind in "fi" else values

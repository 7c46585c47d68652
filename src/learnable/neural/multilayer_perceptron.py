"""What `MLPClassifier` and `MLPRegressor` share: how the training of a network is posed, continued and reported."""

import warnings
from abc import abstractmethod
from collections.abc import Iterable
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils._param_validation import Interval, Options, StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable.base import Data, Diverged, Fitting, Learner, Threads, refuse_unreadable, validate_data
from learnable.config import get_config
from learnable.problems.neural.layers import Moments
from learnable.problems.neural.network import Architecture, Parameters, outputs, penalty_rows
from learnable.rows.stretches import FEWEST_ROWS, STRETCH
from learnable.seeds import generator_from
from learnable.solvers.neural.packed import Layout, initial, initial_moments
from learnable.solvers.neural.standing import standing
from learnable.solvers.neural.targets import Targets
from learnable.solvers.neural.training import Plan, Training
from learnable.trace import Status, budget, first_of, told

STOCHASTIC = ("sgd", "adam")
_NORMED = ("scales_", "shifts_", "running_means_", "running_variances_")


class LabelledRows(NamedTuple):
    """Rows to learn from, with their targets."""

    X: Any
    targets: Targets
    weight: np.ndarray | None

    def take(self, rows: np.ndarray) -> "LabelledRows":
        return LabelledRows(self.X[rows], self.targets.take(rows), None if self.weight is None else self.weight[rows])


class MultilayerPerceptron(Learner):
    """A network of dense layers, trained by back-propagation."""

    coefs_: list[np.ndarray]
    intercepts_: list[np.ndarray]
    n_features_in_: int
    out_activation_: str

    _threads = Threads.IN_BLAS
    # Networks have many stationary points, of which one is the end of this training.
    _redone = True
    _step = "epoch"
    _remedy = (
        "Solver produced non-finite parameter weights. The input data may contain large values and need to be "
        "preprocessed: rescale the columns of X, lower learning_rate_init or set clip_norm"
    )

    shared_constraints: ClassVar[dict[str, list]] = {
        "hidden_layer_sizes": ["array-like", Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"identity", "logistic", "tanh", "relu"})],
        "solver": [StrOptions({"lbfgs", "sgd", "adam"})],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "batch_size": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "learning_rate": [StrOptions({"constant", "invscaling", "adaptive"})],
        "learning_rate_init": [Interval(Real, 0, None, closed="neither")],
        "power_t": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "momentum": [Interval(Real, 0, 1, closed="both")],
        "nesterovs_momentum": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "beta_1": [Interval(Real, 0, 1, closed="left")],
        "beta_2": [Interval(Real, 0, 1, closed="left")],
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), Options(Real, {np.inf})],
        "max_fun": [Interval(Integral, 1, None, closed="left")],
        "l1": [Interval(Real, 0, None, closed="left")],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "batch_norm": ["boolean"],
        "clip_norm": [Interval(Real, 0, None, closed="neither"), None],
        "device": [str, None],
        "dtype": [StrOptions({"float32", "float64"}), None],
    }

    @abstractmethod
    def _targets(self, y: np.ndarray, known: Any) -> Targets:
        """The targets; also says what is known of them (the classes), `known` being what earlier calls said."""

    @abstractmethod
    def _output(self, targets: Targets) -> str:
        """The output of the network, a name in `problems.neural.outputs`."""

    @abstractmethod
    def _merit(self, found: np.ndarray, held_out: LabelledRows) -> float:
        """The score that early stopping watches, from the outputs for the rows set aside."""

    @abstractmethod
    def _strata(self, y: np.ndarray, targets: Targets) -> np.ndarray | None:
        """What rows set aside must hold in the same proportion, if anything."""

    def _units(self, rows: LabelledRows) -> dict[str, np.ndarray]:
        """`target_means_` and `target_deviations_` where targets are learned in units of theirs, else nothing."""
        return {}

    # How a fit is posed

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        self._refuse_combinations()
        known = getattr(self, "classes_", None)
        warm = self.warm_start and hasattr(self, "coefs_")
        data = self._checked(X, y, sample_weight, reset=True)
        rows = LabelledRows(data.X, self._targets(data.y, known if warm else None), data.sample_weight)
        random = generator_from(self.random_state, type(self).__name__)
        aside = self._set_aside(rows, data.y, random)
        if units := self._units(_of_positive_weight(rows, aside)):
            values = (rows.targets.values - units["target_means_"]) / units["target_deviations_"]
            rows = rows._replace(targets=Targets(values))
        training = _of_positive_weight(rows, aside)
        layout = self._layout(training)
        vector, running = self._packed(layout, data.X.dtype) if warm else (None, None)
        if vector is None or len(vector) != layout.n_parameters:
            vector = initial(layout, self.activation, random, data.X.dtype)
            running = initial_moments(layout, data.X.dtype)
        plan = self._plan(training, layout)
        held_out = None if aside is None else rows.take(aside)
        run = Training(
            plan, layout, vector, running, training.X, training.targets, training.weight, random,
            score=None if held_out is None else lambda *at: self._held_out_score(plan, layout, held_out, *at),
            seen=getattr(self, "t_", 0) if warm else 0,
        )  # fmt: skip
        described: dict[str, Any] = units | {"n_layers_": len(layout.sizes), "n_outputs_": layout.sizes[-1]}
        described["out_activation_"] = plan.architecture.output

        def attributes(state) -> dict[str, Any]:
            answer = run.answer(state)
            stands = standing(plan.architecture, layout, *answer.at, *training)
            kept = described | _named(layout, *answer.at) | answer.account | {
                "objective_": stands.objective, "gradient_norms_": stands.gradient_norms,
            }  # fmt: skip
            return kept if aside is None else kept | {"validation_rows_": aside}

        return Fitting(
            iterates=self._told(run.iterates()),
            stop=first_of(lambda step, state: state.settled, run.spent, budget(self.max_iter)),
            attributes=attributes,
            data=data,
            max_steps=self.max_iter,
            ended=Status.STOPPED,
            advice="Maximum iterations reached and the optimization hasn't converged yet: raise max_iter or tol",
        )

    def _told(self, states: Iterable) -> Iterable:
        """The states, each with its loss on a line where that is asked for."""
        if not self.verbose:
            return states
        return told(states, lambda number, state: f"Iteration {number + 1}, loss = {state.objective:.8f}")

    def _continue(self, X, y, sample_weight, known) -> None:
        """One epoch over these rows from where the last call ended; what was proved over other rows is dropped."""
        if self.early_stopping:
            raise ValueError("partial_fit does not support early_stopping=True")
        self._refuse_combinations()
        first = not hasattr(self, "coefs_")
        data = self._checked(X, y, sample_weight, reset=first)
        rows = LabelledRows(data.X, self._targets(data.y, known), data.sample_weight)
        random = generator_from(self.random_state, type(self).__name__)
        if not first:  # another order and other masks than in the calls before
            random = np.random.default_rng([int(random.integers(2**31)), int(self.t_)])
        training = _of_positive_weight(rows, None)
        layout = self._layout(training)
        dtype = data.X.dtype if first else self.coefs_[0].dtype
        vector, running = (None, None) if first else self._packed(layout, dtype)
        if vector is None:
            vector, running = initial(layout, self.activation, random, dtype), initial_moments(layout, dtype)
        plan = self._plan(training, layout)
        run = Training(
            plan, layout, vector, running, training.X, training.targets, training.weight, random,
            score=None, seen=getattr(self, "t_", 0), rule=None if first else getattr(self, "_rule", None),
        )  # fmt: skip
        state = next(iter(self._told(run.iterates())))
        if not np.isfinite(state.objective):
            raise Diverged(f"{type(self).__name__}.partial_fit: the loss became {state.objective}; {self._remedy}")
        curve = [*getattr(self, "loss_curve_", ()), state.objective]
        self._drop({"certificate_", "status_", "objective_", "gradient_norms_", "validation_rows_"} & vars(self).keys())
        answer = run.answer(state)
        best = min(curve)
        self._keep(_named(layout, *answer.at) | answer.account | {"loss_curve_": curve, "best_loss_": best})
        self._keep({"n_layers_": len(layout.sizes), "n_outputs_": layout.sizes[-1]})
        self.out_activation_ = plan.architecture.output
        self._rule = run.rule

    # The parts of it

    def _checked(self, X, y, sample_weight, reset: bool) -> Data:
        dtypes = [np.float64, np.float32] if self.dtype is None else [np.dtype(self.dtype)]
        regression = get_tags(self).estimator_type == "regressor"
        data = self._validated(
            X, y, sample_weight, blocks=False, accept_sparse="csr", dtype=dtypes, order="C", multi_output=True,
            y_numeric=regression, reset=reset,
        )  # fmt: skip
        if data.X.shape[0] < 2 and self.batch_norm:
            raise ValueError(f"{type(self).__name__}(batch_norm=True): one row has no variance; give 2 rows or more")
        return data

    def _refuse_combinations(self) -> None:
        name = type(self).__name__
        sizes = np.atleast_1d(np.asarray(self.hidden_layer_sizes))
        if sizes.size and (sizes.ndim != 1 or sizes.dtype.kind not in "iu" or np.any(sizes <= 0)):
            raise ValueError(f"{name}: hidden_layer_sizes must be > 0, got {list(np.ravel(sizes))}.")
        if self.batch_norm and self.batch_size == 1:
            raise ValueError(
                f"{name}(batch_norm=True, batch_size=1): a batch of one row has no variance; take 2 rows or more"
            )
        if self.solver == "lbfgs" and (self.dropout or self.l1):
            which = "dropout" if self.dropout else "l1"
            raise ValueError(
                f"{name}(solver='lbfgs', {which}={getattr(self, which)}): L-BFGS needs a smooth objective that does "
                "not change from one evaluation to the next; take solver='adam' or 'sgd'"
            )

    def _layout(self, rows: LabelledRows) -> Layout:
        hidden = tuple(int(size) for size in np.atleast_1d(np.asarray(self.hidden_layer_sizes, dtype=int)))
        return Layout((rows.X.shape[1], *hidden, rows.targets.values.shape[1]), bool(self.batch_norm))

    def _plan(self, rows: LabelledRows, layout: Layout) -> Plan:
        n_rows = rows.X.shape[0]
        if self.batch_size != "auto" and self.batch_size > n_rows and self.solver in STOCHASTIC:
            warnings.warn(
                "Got `batch_size` less than 1 or larger than sample size. It is going to be clipped", stacklevel=5
            )
        total = float(n_rows if rows.weight is None else np.sum(rows.weight, dtype=float))
        share = 1.0 / penalty_rows(self.solver, self.batch_size, n_rows, total)
        return Plan(
            Architecture(self.activation, self._output(rows.targets), self.alpha * share, self.l1 * share),
            solver=self.solver,
            batch_size=min(n_rows, 200 if self.batch_size == "auto" else self.batch_size),
            learning_rate=self.learning_rate,
            eta=float(self.learning_rate_init),
            power=float(self.power_t),
            momentum=float(self.momentum),
            nesterov=bool(self.nesterovs_momentum),
            betas=(float(self.beta_1), float(self.beta_2)),
            epsilon=float(self.epsilon),
            clip_norm=self.clip_norm,
            dropout=float(self.dropout),
            tol=float(self.tol),
            patience=float(self.n_iter_no_change),
            max_fun=int(self.max_fun),
            shuffle=bool(self.shuffle),
            device=get_config()["device"] if self.device is None else self.device,
        )

    def _set_aside(self, rows: LabelledRows, y, random: np.random.Generator) -> np.ndarray | None:
        """The rows that are not learned from, sorted."""
        if not self.early_stopping or self.solver not in STOCHASTIC:
            return None
        from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

        strata, seed = self._strata(y, rows.targets), int(random.integers(2**31 - 1))
        split = ShuffleSplit if strata is None else StratifiedShuffleSplit
        splits = split(n_splits=1, test_size=self.validation_fraction, random_state=seed)
        _, aside = next(splits.split(np.zeros((rows.X.shape[0], 1)), strata))
        if len(aside) < 2:
            raise ValueError(
                "The validation set is too small. Increase 'validation_fraction' or the size of your dataset."
            )
        return np.sort(aside)

    def _held_out_score(self, plan: Plan, layout: Layout, held_out: LabelledRows, vector, running) -> float:
        moments = layout.view_moments(running)
        found = outputs(plan.architecture, layout.view(vector), held_out.X, moments)
        return self._merit(found, held_out) if np.all(np.isfinite(found)) else float("nan")

    def _packed(self, layout: Layout, dtype) -> tuple[np.ndarray | None, np.ndarray | None]:
        """The fitted parameters as vectors, or nothing where they are of another shape."""
        shapes = [W.shape for W in self.coefs_]
        if shapes != list(pairwise(layout.sizes)) or layout.batch_norm != hasattr(self, "scales_"):
            return None, None
        return layout.pack(self._theta(), dtype), layout.pack_moments(self._moments(), dtype)

    def _theta(self) -> Parameters:
        return Parameters(self.coefs_, self.intercepts_, getattr(self, "scales_", ()), getattr(self, "shifts_", ()))

    def _moments(self) -> tuple[Moments, ...]:
        pairs = zip(getattr(self, "running_means_", ()), getattr(self, "running_variances_", ()))
        return tuple(Moments(mean, variance) for mean, variance in pairs)

    # What the network says

    def _outputs(self, X) -> np.ndarray:
        """What the network puts out for rows X, block by block."""
        check_is_fitted(self, "coefs_")
        refuse_unreadable(X)
        dtype = self.coefs_[0].dtype
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        architecture = Architecture(self.activation, self.out_activation_)
        theta, moments = self._theta(), self._moments()
        step = max(FEWEST_ROWS, STRETCH // max(max(W.shape) for W in theta.coefs))
        parts = (X[start : start + step] for start in range(0, X.shape[0], step))
        with np.errstate(invalid="ignore"):  # BLAS also flags numbers that it reads beyond the last one
            found = [
                outputs(architecture, theta, part if part.dtype == dtype else part.astype(float), moments)
                for part in parts
            ]
        return np.concatenate(found)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _of_positive_weight(rows: LabelledRows, aside: np.ndarray | None) -> LabelledRows:
    """The rows to learn from: those that count and are not set aside. A row of weight 0 is as if it were not there."""
    if aside is None and (rows.weight is None or np.all(rows.weight > 0.0)):
        return rows
    chosen = np.ones(rows.X.shape[0], dtype=bool) if rows.weight is None else rows.weight > 0.0
    if aside is not None:
        chosen[aside] = False
    if not chosen.any():
        raise ValueError("every row with a positive weight is set aside; give more rows or early_stopping=False")
    return rows.take(np.flatnonzero(chosen))


def _named(layout: Layout, vector: np.ndarray, running: np.ndarray) -> dict[str, Any]:
    """The fitted attributes of parameters and running statistics, as arrays of their own."""
    theta, moments = layout.view(vector), layout.view_moments(running)
    named: dict[str, Any] = {
        "coefs_": [W.copy() for W in theta.coefs],
        "intercepts_": [b.copy() for b in theta.intercepts],
    }
    if layout.batch_norm:
        arrays = (theta.scales, theta.shifts, [m.mean for m in moments], [m.variance for m in moments])
        named |= {name: [array.copy() for array in part] for name, part in zip(_NORMED, arrays)}
    return named

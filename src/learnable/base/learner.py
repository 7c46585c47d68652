"""The base of every estimator: pose the problem, drive the solver, adopt the answer, certify it."""

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, is_classifier
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from learnable._jit.core.interrupt import interrupts_pass
from learnable.base.fit_context import parameters_are_checked
from learnable.base.fitting import Data, Diverged, Fitting, Threads
from learnable.base.in_chunks import wrap_methods
from learnable.base.in_memory import refusal
from learnable.base.parameters import Allowed, allowed
from learnable.base.scores import score_what_rows_carry
from learnable.base.validation import (
    block_squares,
    checked_weights,
    first_vanishing_column,
    refuse_extreme_weights,
    refuse_unreadable,
    squares_are_ordinary,
    squares_overflow,
    validate_data,
)
from learnable.certificates import Certificate, Verdict
from learnable.certificates.core.admitted import admitted, halted, says_it_fell_short
from learnable.certificates.core.again import order_of
from learnable.certificates.core.certify import certificate_of
from learnable.certificates.core.ledger import fitted
from learnable.config import get_config
from learnable.rows import (
    Rows,
    as_rows,
    canonical,
    condensed,
    examine,
    in_folds,
    is_streamed,
    largest_magnitudes,
    one_blas_thread,
)
from learnable.rows.examine import Beside
from learnable.rows.targets import Target, with_target
from learnable.seeds import seed_from
from learnable.trace import CallbackWatcher, Outcome, StateFile, Status, drive, state_file

# Values of parameters that are equal only where they are the same, and how many a class remembers.
PLAIN = (bool, int, float, str, type(None))
MOST_MET = 1000
# Up to so many rows and columns threads of BLAS wait for one another, and to hold it for each product takes longer.
SMALL = 300
# What draws other random numbers in every fit.
FRESH = (type(None), np.random.Generator, np.random.RandomState)


class Learner(CallbackSupportMixin, BaseEstimator, ABC):
    """Base of every estimator. A subclass says how its fit is posed (`_pose`); the loop is the same for all.

    Attributes every fit leaves behind
    ----------------------------------
    status_ : how the fit ended, a `trace.Status`.
    certificate_ : what is proved about the answer, a `certificates.Certificate`.
    """

    random_state: Any  # where there is one
    _threads: ClassVar[Threads] = Threads.OVER_ROWS
    # Claims whose failure the estimator explains itself.
    _explained: ClassVar[frozenset[str]] = frozenset()
    # Whether the fit is about mean squared errors alone, so that a short table with the same means and cross-products
    # (`rows.condensed`) stands for rows that come in blocks.
    _by_moments: ClassVar[bool] = False
    # Whether it reports the sum of squared errors, for which the short table gets the weight of all rows.
    _of_sums: ClassVar[bool] = False
    # Whether it also needs to know how many rows the short table stands for; its certifier condenses them itself.
    _counts_rows: ClassVar[bool] = False
    # Whether `certify` may do the fit again whatever it ended with, so that its seed is kept where none was given.
    _redone: ClassVar[bool] = False
    # Whether a RandomState is drawn from by the fit itself, as scikit-learn's draws, and not asked for a seed.
    _draws_as_given: ClassVar[bool] = False
    # What to do about a fit that went wrong; None for the usual.
    _remedy: ClassVar[str | None] = None
    # What would become of the fit where the squares of a column cannot be represented, in scikit-learn's words.
    _with_extremes: ClassVar[str] = ""
    # What a state of the algorithm is called in messages.
    _step: ClassVar[str] = "step"
    # Names of the parameters, of this constructor; what they may be, and the constraints made from this dictionary.
    _known_parameters: ClassVar[tuple[Any, list[str]]] = (None, [])
    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    _ready_constraints: ClassVar[tuple[Any, int, list[tuple[str, Allowed]]]] = (None, 0, [])
    # Plain values that met them.
    _met: ClassVar[set[tuple[str, type, Any]]] = set()

    # Whether predictions and features of a row hang on that row alone; those of a sequence do not.
    _row_by_row: ClassVar[bool] = True

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        wrap_methods(cls)
        score_what_rows_carry(cls)

    @abstractmethod
    def _pose(self, *data: Any, **fit_params: Any) -> Fitting:
        """Validate the data and pose the fit. Sets nothing on the estimator but what describes the data."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        # scikit-learn reads the signature anew for every fit and every copy.
        if cls._known_parameters[0] is not cls.__init__:
            cls._known_parameters = (cls.__init__, super()._get_param_names())
        return list(cls._known_parameters[1])

    def __sklearn_is_fitted__(self) -> bool:
        # scikit-learn looks at every attribute anew before every prediction.
        return bool(fitted(vars(self)))

    def _validate_params(self) -> None:
        """scikit-learn's check of the parameters, of constraints that are made once (`base.parameters`)."""
        cls = type(self)
        stated = self._parameter_constraints
        if cls._ready_constraints[:2] != (cls, id(stated)):
            cls._met = set()
            cls._ready_constraints = (cls, id(stated), allowed(stated, self._get_param_names()))
        for name, what in cls._ready_constraints[2]:
            value = getattr(self, name)
            plain = type(value) in PLAIN
            if plain and (name, type(value), value) in cls._met:
                continue
            if not what.admits(value):
                what.refuse(cls.__name__, name, value)
            if plain and len(cls._met) < MOST_MET:
                cls._met.add((name, type(value), value))

    def _learn(self, *data: Any, **fit_params: Any):
        """Pose, drive, adopt, certify. If anything fails on the way, the estimator is as it was before."""
        if not parameters_are_checked():
            self._validate_params()
        before = self._fitted_attributes()
        start = self._start_among(before)
        told = {name: vars(self)[name] for name in ("_order", "_began", "random_state") if name in vars(self)}
        try:
            self.__dict__.pop("_order", None)
            self.__dict__.pop("_began", None)
            if not getattr(self, "warm_start", False):
                self._drop(before)
            with interrupts_pass(), self._blas_of(data[0]):
                folder = get_config()["checkpoint"]
                kept = None if folder is None else state_file(folder, self, data, fit_params)
                given = vars(self).get("random_state", 0)
                try:
                    seed = self._fixed_seed(given, kept)
                    fitting = self._pose(*data, **fit_params)
                    outcome = self._drive(fitting, kept)
                finally:
                    if isinstance(given, FRESH):
                        self._keep({"random_state": given})
                # What only the loop needs takes no room beside the certificate.
                fitting = fitting._replace(iterates=(), resumed=None)
                self._adopt(fitting, outcome)
            if self._redone:
                self._order = order_of(data[0])
            if self._redone or says_it_fell_short(self):
                halted = outcome.n_steps if outcome.status is Status.STOPPED else None
                self._began = {"seed": seed, "start": start, "stopped": halted, "steps": outcome.n_steps}
        except BaseException:
            self._drop(self._fitted_attributes())
            self._keep(before | told)
            raise
        finally:
            self.__dict__.pop("_long", None)
            self.__dict__.pop("_halted", None)
        return self

    def _blas_of(self, X: Any) -> AbstractContextManager:
        """Holds BLAS as a fit to X does: to one thread where threads go over rows, and where X is small."""
        small = type(X) is np.ndarray and max(X.shape, default=0) <= SMALL
        return one_blas_thread() if small or self._threads is Threads.OVER_ROWS else nullcontext()

    def _fixed_seed(self, given: Any, kept: StateFile | None) -> Any:
        """A seed in place of fresh random numbers, so that the same fit can be done again, or go on."""
        if not isinstance(given, FRESH):
            return given
        seed: Any
        if self._draws_as_given and isinstance(given, np.random.RandomState):
            seed = deepcopy(given)
        else:
            if kept is not None and kept.reached is not None:
                seed = kept.reached.seed
            elif given is None:  # a seed sequence made of nothing takes twenty times as long
                seed = int.from_bytes(os.urandom(4))
            else:
                seed = int(seed_from(given, type(self).__name__).generate_state(1)[0])
            self._keep({"random_state": seed})
        if kept is not None:
            kept.seed = seed
        return seed

    def _begin_as(self, began: dict[str, Any]) -> None:
        """Let the next fit begin, and stop, as another has done: `certify` does it again."""
        if isinstance(vars(self).get("random_state", 0), FRESH):
            self._keep({"random_state": deepcopy(began.get("seed"))})
        start = began.get("start") or {}
        self._keep(self._start_among({name: start[name] for name in fitted(start)}))
        self._stop_at, self._members_seeds = began.get("stopped"), began.get("seeds")

    def _start_among(self, held: dict[str, Any]) -> dict[str, Any]:
        """Those of the attributes held before a fit that it begins with."""
        return held if getattr(self, "warm_start", False) else {}

    def _fit_as_judged(self, *data: Any, **named: Any):
        """The fit on what `certify` was given, by the names that it has there."""
        return self.fit(*data, **named)  # type: ignore[attr-defined]

    def _drive(self, fitting: Fitting, kept: StateFile | None) -> Outcome:
        loop, first, watchers = (fitting.iterates, fitting.stop), 1, []
        if (last := self.__dict__.pop("_stop_at", None)) is not None:  # `certify` does a stopped fit again
            outcome = drive(*loop, watchers=[lambda number, state: number >= last], ended=fitting.ended)
            self._went = outcome.n_steps
            return outcome
        if kept is not None and fitting.resumed is None:
            warnings.warn(
                f"{type(self).__name__}: no state is kept in {kept.path.parent}, since a state is not all that the "
                "algorithm remembers; sums over rows can be kept by `learnable.rows.checkpointed`",
                RuntimeWarning,
                stacklevel=5,
            )
        elif kept is not None and fitting.resumed is not None:
            watchers = [kept]
            if kept.reached is not None:
                loop, first = (fitting.resumed(kept.reached.state), fitting.stop), kept.reached.number
        if getattr(self, "_skl_callbacks", ()):
            return self._drive_told(fitting, loop, watchers, first)
        return drive(*loop, watchers, fitting.ended, first)

    @with_callbacks
    def _drive_told(self, fitting: Fitting, loop: tuple[Any, Any], watchers: list, first: int) -> Outcome:
        """Drive, and tell the callbacks that scikit-learn's `set_callbacks` was given of every state."""
        context = self._init_callback_context(max_subtasks=fitting.max_steps)
        X, y, sample_weight = (*fitting.data, None, None)[:3]
        bridge = CallbackWatcher(self, context, X, y, sample_weight, fitting.attributes)
        bridge.begin()
        outcome = drive(*loop, [*watchers, bridge], fitting.ended, first)
        self._halted = outcome.status is Status.STOPPED and bool(bridge.asked_to_stop)
        self._keep(fitting.attributes(outcome.state))
        bridge.end()
        return outcome

    def _adopt(self, fitting: Fitting, outcome: Outcome) -> None:
        name = type(self).__name__
        if outcome.status is Status.DIVERGED:
            raise Diverged(
                f"{name} diverged: the objective became {outcome.state.objective} at {self._step} {outcome.n_steps}; "
                f"{self._advice()}"
            )
        self._keep(fitting.attributes(outcome.state))
        if fitting.counts_steps:
            self.n_iter_ = outcome.n_steps
        self.status_: Status = outcome.status
        if get_config()["certificates"]:
            self.certificate_ = certificate_of(self, *vars(self).get("_long", fitting.data))
            if self._redone and vars(self).get("_halted", False):
                self.certificate_ = halted(self.certificate_)
            self._admit_failure()
        else:
            self.certificate_ = Certificate(name, ())
        if outcome.status is Status.BUDGET_SPENT and fitting.advice:
            warnings.warn(
                f"{name}: {outcome.status.explanation} ({outcome.n_steps} steps); {fitting.advice}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _advice(self) -> str:
        penalised = not {"alpha", "C", "alphas", "Cs"}.isdisjoint(self.get_params(deep=False))
        return self._remedy or "rescale the columns of X" + (" or strengthen the penalty" if penalised else "")

    def _admit_failure(self) -> None:
        """Where a claim fails, the fit says so: it is not called optimal, and what it missed is left open.

        What the answer itself says that it misses is open already, and needs no warning.
        """
        if self.certificate_.verdict is not Verdict.REFUTED:
            if self.status_ is Status.OPTIMAL and any(
                each.open and each.id in self._explained for each in self.certificate_
            ):
                self.status_ = Status.INACCURATE
            return
        failing = next(claim for claim in self.certificate_ if claim.verdict is Verdict.REFUTED)
        self.certificate_ = admitted(self.certificate_)
        if self.status_ not in (Status.OPTIMAL, Status.STATIONARY):
            return
        self.status_ = Status.INACCURATE
        if failing.id not in self._explained:
            warnings.warn(
                f"{type(self).__name__}: {self.status_.explanation}: {failing}; {self._advice()}",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _fitted_attributes(self) -> dict[str, Any]:
        return {name: vars(self)[name] for name in fitted(vars(self))}

    def _keep(self, attributes: dict[str, Any]) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)

    def _drop(self, names: Iterable[str]) -> None:
        for name in list(names):
            delattr(self, name)

    def _validated(
        self, X, y=None, sample_weight=None, *, blocks=True, extremes=True, beside: Beside | None = None, **checks
    ) -> Data:
        """Check X, y and the weights once, or wrap data that come in blocks.

        Parameters
        ----------
        X, y, sample_weight : as given; y is None for learners without a target.
        blocks : whether the algorithm can work through rows read in blocks.
        extremes : whether it gives the right answer even for columns whose squares cannot be represented.
        beside : sums to be found while data that come in blocks are looked at.
        **checks : for scikit-learn's `validate_data`.
        """
        if is_streamed(X) and self._by_moments:
            rows, target = self._with_target(X, y, sample_weight, **checks)
            sizes = examine(rows, type(self).__name__, squares=block_squares, target=target)
            if not extremes:
                self._refuse_extreme_sizes(sizes)
            self._long = Data(rows, None, None)  # for the certificate, while the fit lasts
            X, y, sample_weight = in_folds(rows, self._n_folds(), condensed, self._of_sums)
        if is_streamed(X) and not blocks:
            raise TypeError(refusal(self, X))
        if is_streamed(X):
            rows, target = self._with_target(X, y, sample_weight, **checks)
            if rows.n_rows == 0:
                raise ValueError(f"{type(self).__name__}: the data have no rows")
            self.n_features_in_ = rows.n_columns
            self._keep_names(rows)
            missing = checks.get("ensure_all_finite") == "allow-nan"
            name = type(self).__name__
            sizes = examine(rows, name, missing=missing, squares=block_squares, target=target, beside=beside)
            if not extremes:
                self._refuse_extreme_sizes(sizes)
            return Data(rows, None, None)
        for given, name in ((X, "X"), (y, "y"), (sample_weight, "sample_weight")):
            refuse_unreadable(given, name)
        if checks.get("y_numeric") and getattr(getattr(y, "dtype", None), "kind", "") in ("S", "U"):
            raise ValueError(f"{type(self).__name__}: y holds strings ({y.dtype}); a regression target must be numbers")
        if extremes:
            X, y = self._checked_table(X, y, **checks)
        else:
            X, y = self._checked_with_squares(X, y, **checks)
        if "_long" in vars(self):
            self._keep_names(self._long.X)
        if sparse.issparse(X) and hasattr(X, "has_canonical_format"):
            X = canonical(X)
        if extremes and (vanishing := first_vanishing_column(X)) is not None:
            raise ValueError(
                f"{type(self).__name__}: {self._column(vanishing)} of X has entries below 1e-306 and no others, with "
                "which one cannot divide; rescale it"
            )
        if y is not None and y.dtype.kind == "f" and (place := squares_overflow(y)) is not None:
            raise ValueError(
                f"{type(self).__name__}: y has an entry of size {abs(y.ravel()[place]):.1e} (row "
                f"{np.unravel_index(place, y.shape)[0]}), whose square cannot be represented; divide y by a constant"
            )
        if sample_weight is not None:
            sample_weight = checked_weights(sample_weight, X)
            refuse_extreme_weights(sample_weight)
        return Data(X, y, sample_weight)

    def _with_target(self, X, y, sample_weight, *, multi_output=False, **_) -> tuple[Rows, Target | None]:
        """Data that come in blocks, and what is asked of their targets; None of learners without."""
        if not get_tags(self).target_tags.required:
            return as_rows(X, y, sample_weight), None
        target = Target(numbers=not is_classifier(self), several=multi_output)
        return with_target(X, y, sample_weight, type(self).__name__, target), target

    def _precision(self, data: Data) -> Any:
        """The type of the numbers of an answer: that of the table which was given, also where it was condensed."""
        return np.float32 if getattr(self, "_long", data).X.dtype == np.float32 else np.float64

    def _n_folds(self) -> int:
        """Into how many folds rows that come in blocks are to be condensed."""
        return 1

    def _keep_names(self, rows: Rows) -> None:
        """The names of the columns of a data frame, which predictions will be held against."""
        names = getattr(rows, "frame_columns", None)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _checked_table(self, X, y, **checks):
        """`validate_data` for data with and without a target."""
        if y is None and not get_tags(self).target_tags.required:
            return validate_data(self, X, **checks), None
        return validate_data(self, X, y, **checks)

    def _checked_with_squares(self, X, y, **checks):
        """`_checked_table`, and a look at the sizes of the entries, which shows those that are no numbers too."""
        table, target = self._checked_table(X, y, **checks | {"ensure_all_finite": False})
        if not squares_are_ordinary(table):
            self._checked_table(X, y, **checks)
            self._refuse_extreme_columns(table)
        return table, target

    def _refuse_extreme_columns(self, X) -> None:
        self._refuse_extreme_sizes(largest_magnitudes(as_rows(X)).astype(float))

    def _refuse_extreme_sizes(self, largest: np.ndarray) -> None:
        extreme = np.flatnonzero((largest > 1e120) | ((largest < 1e-120) & (largest > 0.0)))
        if len(extreme):
            j = int(extreme[0])
            raise ValueError(
                f"{type(self).__name__}: {self._column(j)} of X has entries of size {largest[j]:.1e}, whose squares "
                f"cannot be represented; rescale it{self._with_extremes}"
            )

    def _column(self, j: int) -> str:
        """A column of X in words, by its name where it has one."""
        names = getattr(self, "feature_names_in_", None)
        return f"column {j}" if names is None else f"column {j} ({names[j]!r})"

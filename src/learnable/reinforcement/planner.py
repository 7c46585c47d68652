"""What every planner shares: pose the fit, drive the sweeps, keep the plan, certify it."""

import warnings
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from learnable._jit.core.interrupt import interrupts_pass
from learnable.base import Data, Fitting
from learnable.certificates.core.certificate import Certificate
from learnable.certificates.reinforcement.total_reward import potential
from learnable.reinforcement.mdp import MDP
from learnable.rows import one_blas_thread
from learnable.solvers.reinforcement.bellman import Process, process_of
from learnable.trace import CallbackWatcher, Outcome, Status, drive


class Planner(CallbackSupportMixin, BaseEstimator, ABC):
    """Base of what is fitted to a decision process instead of a table: `fit(mdp)`, `watch(planner, mdp)`.

    Attributes every fit leaves behind
    ----------------------------------
    status_ : how the fit ended, a `trace.Status`.
    certificate_ : what is proved about the answer, a `certificates.Certificate`.
    n_iter_ : steps made.
    """

    status_: Status
    certificate_: Certificate
    n_iter_: int

    @abstractmethod
    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        """Check the process and pose the fit."""

    @abstractmethod
    def _claims(self, mdp: Any) -> Any:
        """The claims about the fitted answer, from the room of certificates."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, mdp: MDP, y: None = None):
        """Plan.

        Parameters
        ----------
        mdp : the decision process.
        y : ignored.
        """
        before = {name: value for name, value in vars(self).items() if name.endswith("_")}
        try:
            with interrupts_pass(), one_blas_thread():
                fitting = self._pose(mdp)
                outcome = self._drive(fitting)
                if outcome.status is Status.DIVERGED:
                    raise ArithmeticError(
                        f"{type(self).__name__}: values became infinite or undefined at step {outcome.n_steps}; "
                        "rescale the rewards"
                    )
                for name in before:
                    delattr(self, name)
                self.__dict__.update(fitting.attributes(outcome.state))
                self.status_, self.n_iter_ = outcome.status, outcome.n_steps
                self.certificate_ = self.certify(fitting.data.X)
        except BaseException:
            for name in [name for name in vars(self) if name.endswith("_")]:
                delattr(self, name)
            self.__dict__.update(before)
            raise
        if outcome.status is Status.BUDGET_SPENT and fitting.ended is not Status.BUDGET_SPENT:
            warnings.warn(
                f"{type(self).__name__}: {outcome.status.explanation} ({outcome.n_steps} steps); {fitting.advice}",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def certify(self, mdp: Any) -> Certificate:
        """What is proved about the fitted answer, computed again from it and the process alone.

        Parameters
        ----------
        mdp : the decision process; for `QLearning` also one that describes the environment it was fitted on.
        """
        check_is_fitted(self)
        return Certificate(type(self).__name__, self._claims(mdp))

    def _drive(self, fitting: Fitting) -> Outcome:
        if not getattr(self, "_skl_callbacks", ()):
            return drive(fitting.iterates, fitting.stop, ended=fitting.ended)
        context = self._init_callback_context(max_subtasks=fitting.max_steps)
        bridge = CallbackWatcher(self, context, *fitting.data, attributes=fitting.attributes)
        bridge.begin()
        outcome = drive(fitting.iterates, fitting.stop, watchers=[bridge], ended=fitting.ended)
        bridge.end()
        return outcome

    def _process(self, mdp: MDP) -> tuple[MDP, Process]:
        """The process and its arrays; without discount only if total rewards are provably finite."""
        self._check(mdp)
        if mdp.discount < 1.0:
            return mdp, process_of(mdp)
        stopped = mdp.stopped()
        try:
            h, c = potential(stopped)
        except ValueError as error:
            raise ValueError(f"{type(self).__name__}: {error}") from None
        return mdp, process_of(stopped, h, c)

    def _check(self, mdp: Any) -> None:
        if not isinstance(mdp, MDP):
            raise TypeError(
                f"{type(self).__name__}.fit: an MDP is needed, not {type(mdp).__name__}; for a gymnasium environment "
                "see MDP.from_gymnasium"
            )


def plan_attributes(mdp: MDP, values: np.ndarray, pairs: np.ndarray) -> dict[str, Any]:
    """`values_` and `policy_` of a plan; `pairs` are those of `mdp.stopped()` when γ = 1."""
    process = mdp.stopped() if mdp.discount == 1.0 else mdp
    policy = np.where(pairs >= 0, process.pair_actions[np.maximum(pairs, 0)], -1)
    return {"values_": values.copy(), "policy_": policy}


def as_data(mdp: Any) -> Data:
    """A decision process in the place of a table."""
    return Data(mdp, None, None)

"""What every planner shares: the plan is fitted to a decision process instead of a table."""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from learnable.base import Fitting, Learner
from learnable.base.fit_context import fit_context
from learnable.certificates import Certificate, certify
from learnable.certificates.reinforcement.total_reward import potential
from learnable.reinforcement.mdp import MDP
from learnable.solvers.reinforcement.bellman import Process, process_of
from learnable.trace import Status


class Planner(Learner):
    """Base of what is fitted to a decision process instead of a table: `fit(mdp)`, `watch(planner, mdp)`.

    Attributes every fit leaves behind
    ----------------------------------
    status_ : how the fit ended, a `trace.Status`.
    certificate_ : what is proved about the answer, a `certificates.Certificate`.
    n_iter_ : steps made.
    """

    _remedy = "rescale the rewards"

    status_: Status
    certificate_: Certificate
    n_iter_: int

    @abstractmethod
    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        """Check the process and pose the fit."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, mdp: MDP, y: None = None):
        """Plan.

        Parameters
        ----------
        mdp : the decision process.
        y : ignored.
        """
        return self._learn(mdp)

    def certify(self, mdp: Any) -> Certificate:
        """What is proved about the fitted answer, computed again from it and the process alone.

        Parameters
        ----------
        mdp : the decision process; for `QLearning` also one that describes the environment it was fitted on.
        """
        return certify(self, mdp)

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
    policy = process.pair_actions[pairs]
    policy[pairs < 0] = -1
    return {"values_": values.copy(), "policy_": policy}


def accuracy(epsilon: float | None, mdp: MDP, relative: float) -> float:
    """The error that is asked for: ε, or a share of the largest reward, which changes with the unit of the rewards.

    Where no episode can end it is a share of how far rewards are apart: a constant added to them moves no choice.
    """
    if epsilon is not None:
        return float(epsilon)
    largest = float(np.abs(mdp.rewards).max(initial=0.0))
    return relative * (largest if mdp.can_end else float(np.ptp(mdp.rewards)) or largest)


class ProcessData(NamedTuple):
    """The data of a plan: a decision process, or an environment to learn from."""

    mdp: Any

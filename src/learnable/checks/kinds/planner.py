"""Planners: fitted on a decision process, which is no table."""

from typing import Any

import numpy as np

from learnable.checks.kinds.kind import CheckData, Kind
from learnable.reinforcement import MDP
from learnable.reinforcement.planner import Planner as AnyPlanner


class Planner(Kind):
    """Six states, three actions, rewards of their own for every pair, a discount of 0.8."""

    rank = 0
    table = False

    def covers(self, estimator: Any) -> bool:
        return isinstance(estimator, AnyPlanner)

    def data(self, estimator: Any, seed: int) -> CheckData:
        return CheckData(process(seed))

    def outputs(self, model: Any, data: CheckData) -> dict[str, Any]:
        return {name: vars(model)[name] for name in ("values_", "policy_", "q_values_") if name in vars(model)}

    def altered(self, data: CheckData) -> CheckData:
        mdp = data.X
        rewards = mdp.rewards.copy()
        rewards[0] += 10.0
        return CheckData(MDP.from_pairs(mdp.pair_states, mdp.pair_actions, mdp.transitions, rewards, mdp.discount))

    def smaller(self, data: CheckData) -> CheckData:
        return CheckData(process(7, n_states=6, discount=0.5))

    def larger(self, data: CheckData, copies: int) -> CheckData:
        return data

    def spoiled(self, estimator: Any, data: CheckData) -> CheckData:
        return CheckData(np.zeros((3, 3)))

    def read_only(self, data: CheckData) -> list[CheckData]:
        for array in (data.X.rewards, data.X.transitions):
            array.setflags(write=False)
        return [data]


def process(seed: int, n_states: int = 6, discount: float = 0.8) -> MDP:
    """A decision process whose transitions and rewards are drawn at random."""
    random = np.random.default_rng(seed)
    return MDP(random.dirichlet(np.ones(n_states), size=(n_states, 3)), random.random((n_states, 3)), discount)

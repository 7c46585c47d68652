"""Planners under the checks: those that judge a policy need one."""

import numpy as np

from learnable.checks.kinds.kind import CheckData
from learnable.checks.registry import register
from learnable.reinforcement import (
    MDP,
    FiniteHorizonEvaluation,
    IterativePolicyEvaluation,
    PolicyEvaluation,
    QLearning,
    constant_steps,
    uniform_exploration,
)

_POLICY = np.array([0, 1, 2, 0, 1, 2])

register("PolicyEvaluation", answers=("values_", "q_values_"), make=lambda: PolicyEvaluation(_POLICY))
register("IterativePolicyEvaluation", answers=("values_", "q_values_"), make=lambda: IterativePolicyEvaluation(_POLICY))
register("FiniteHorizonEvaluation", answers=("values_",), make=lambda: FiniteHorizonEvaluation(_POLICY))


def _certain(seed: int) -> CheckData:
    """A process whose every action leads to one state: steps of size 1 learn it exactly."""
    random = np.random.default_rng(seed)
    leads_to = np.eye(6)[random.integers(6, size=(6, 3))]
    leads_to[:, 0] = np.roll(np.eye(6), 1, axis=1)  # the first action goes round, so that every state is met
    return CheckData(MDP(leads_to, random.random((6, 3)), 0.8))


register(
    "QLearning",
    data=_certain,
    answers=("q_values_",),
    make=lambda: QLearning(4000, steps=constant_steps(1.0), exploration=uniform_exploration()),
)
for name in (
    "BackwardInduction",
    "GaussSeidelValueIteration",
    "LinearProgrammingPlanner",
    "ModifiedPolicyIteration",
    "PolicyEnumeration",
    "PolicyIteration",
    "ValueIteration",
):
    register(name, answers=("values_",))

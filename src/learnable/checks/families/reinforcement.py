"""Planners under the checks: those that judge a policy need one."""

import numpy as np

from learnable.checks.registry import register
from learnable.reinforcement import (
    FiniteHorizonEvaluation,
    IterativePolicyEvaluation,
    PolicyEvaluation,
    QLearning,
)

_POLICY = np.array([0, 1, 2, 0, 1, 2])

register("PolicyEvaluation", answers=("values_", "q_values_"), make=lambda: PolicyEvaluation(_POLICY))
register("IterativePolicyEvaluation", answers=("values_", "q_values_"), make=lambda: IterativePolicyEvaluation(_POLICY))
register("FiniteHorizonEvaluation", answers=("values_",), make=lambda: FiniteHorizonEvaluation(_POLICY))
register("QLearning", answers=("q_values_",), make=lambda: QLearning(2000))
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

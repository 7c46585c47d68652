"""Markov decision processes: planning with a known model, Q-learning without one."""

from learnable.reinforcement.backward_induction import BackwardInduction
from learnable.reinforcement.finite_horizon_evaluation import FiniteHorizonEvaluation
from learnable.reinforcement.gauss_seidel_value_iteration import GaussSeidelValueIteration
from learnable.reinforcement.grid_world import GridWorld, grid_world
from learnable.reinforcement.improvement import (
    Improvement,
    certify_policy,
    compare_policies,
    improve_policy,
    q_values,
)
from learnable.reinforcement.iterative_policy_evaluation import IterativePolicyEvaluation
from learnable.reinforcement.linear_programming import LinearProgrammingPlanner
from learnable.reinforcement.mdp import MDP
from learnable.reinforcement.modified_policy_iteration import ModifiedPolicyIteration
from learnable.reinforcement.policy import Policy, greedy_policy, uniform_policy
from learnable.reinforcement.policy_enumeration import PolicyEnumeration
from learnable.reinforcement.policy_evaluation import PolicyEvaluation
from learnable.reinforcement.policy_iteration import PolicyIteration
from learnable.reinforcement.q_learning import QLearning
from learnable.reinforcement.returns import expected_return, simulated_return
from learnable.reinforcement.schedules import (
    Exploration,
    StepSizes,
    boltzmann,
    constant_steps,
    epsilon_greedy,
    uniform_exploration,
    upper_confidence,
    visit_count_steps,
)
from learnable.reinforcement.simulation import Episodes, simulate
from learnable.reinforcement.value_iteration import ValueIteration
from learnable.reinforcement.worlds import russell_norvig_world, sutton_barto_corners, sutton_barto_world

__all__ = [
    "MDP", "BackwardInduction", "Episodes", "Exploration", "FiniteHorizonEvaluation", "GaussSeidelValueIteration",
    "GridWorld", "Improvement", "IterativePolicyEvaluation", "LinearProgrammingPlanner", "ModifiedPolicyIteration",
    "Policy", "PolicyEnumeration", "PolicyEvaluation", "PolicyIteration", "QLearning", "StepSizes", "ValueIteration",
    "boltzmann", "certify_policy", "compare_policies", "constant_steps", "epsilon_greedy", "expected_return",
    "greedy_policy", "grid_world", "improve_policy", "q_values", "russell_norvig_world", "simulate",
    "simulated_return", "sutton_barto_corners", "sutton_barto_world", "uniform_exploration", "uniform_policy",
    "upper_confidence", "visit_count_steps",
]  # fmt: skip

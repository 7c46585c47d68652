"""Where planners start."""

from typing import Any

import numpy as np

from learnable.reinforcement.mdp import MDP
from learnable.reinforcement.proper import proper_pairs
from learnable.solvers.reinforcement.bellman import Process
from learnable.solvers.reinforcement.policy_evaluation import solve, weights_of


def start_values(planner: Any, mdp: MDP) -> np.ndarray:
    """The values a planner starts from: those given, or zeros; 0 in states without actions in any case."""
    if planner.start is None:
        return np.zeros(mdp.n_states)
    values = np.array(planner.start, dtype=float)
    if values.shape != (mdp.n_states,) or not np.all(np.isfinite(values)):
        raise ValueError(
            f"{type(planner).__name__}(start=...): {mdp.n_states} finite values are needed, one a state; found shape "
            f"{values.shape}"
        )
    over = mdp.terminal if mdp.discount == 1.0 else np.diff(mdp.first) == 0
    values[over] = 0.0
    return values


def rising_start(planner: Any, mdp: MDP, process: Process) -> np.ndarray:
    """The values given, or some V with ΦV ≥ V: the worst reward for ever, or the value of a proper policy."""
    if planner.start is not None:
        return start_values(planner, mdp)
    if process.discount == 1.0:
        return solve(process, weights_of(process, proper_pairs(mdp.stopped())))
    worst = float(process.rewards.min())
    lowest = (min(worst, 0.0) if process.can_end else worst) / (1.0 - process.discount)
    return np.where(process.first[1:] > process.first[:-1], lowest, 0.0)

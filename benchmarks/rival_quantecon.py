"""quantecon's DiscreteDP."""

import numpy as np

from benchmarks.cases_mdp import Pairs


def discrete_dp(process: Pairs):
    """The process as quantecon holds it."""
    from quantecon.markov import DiscreteDP

    return DiscreteDP(process.rewards, process.transitions, process.discount, process.states, process.actions)


def solve(ddp, method: str, epsilon: float) -> np.ndarray:
    """Values by "vi", "mpi" or "pi"."""
    return ddp.solve(method, epsilon=epsilon, max_iter=100_000).v

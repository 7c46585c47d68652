"""Decision processes of the race: `python -m benchmarks mdp`. Drawn from a fixed seed, the same for everyone."""

from typing import NamedTuple

import numpy as np

from benchmarks.problems import SEED, share


class Pairs(NamedTuple):
    """A process as one row for each state-action pair: states, actions, a CSR matrix, rewards, γ."""

    states: np.ndarray
    actions: np.ndarray
    transitions: object
    rewards: np.ndarray
    discount: float


def random_process(scale: float = 1.0, n_actions: int = 10, density: float = 0.01, discount: float = 0.99) -> Pairs:
    """10⁴ states, 10 actions, 1 % of the next states possible: 10⁷ probabilities."""
    from scipy import sparse

    rng = np.random.default_rng(SEED)
    n = share(10_000, scale, 200)
    per_row = max(2, round(n * density))
    K = n * n_actions
    places = np.sort(rng.integers(n, size=(K, per_row)).astype(np.int32), axis=1)
    P = sparse.csr_matrix(
        (rng.dirichlet(np.ones(per_row), size=K).ravel(), places.ravel(), np.arange(0, K * per_row + 1, per_row)),
        shape=(K, n),
    )
    P.sum_duplicates()
    return Pairs(np.repeat(np.arange(n), n_actions), np.tile(np.arange(n_actions), n), P, rng.random(K), discount)


def large_grid(scale: float = 1.0):
    """A grid of 10⁶ cells with a goal, a hole, a wall across, and moves that slip."""
    from learnable.reinforcement import grid_world

    side = share(1000, scale**0.5, 20)
    middle = side // 2
    walls = [(i, side // 3) for i in range(side // 10, side - side // 10)]
    goals = {(side - 1, side - 1): 1.0, (middle, middle): -1.0}
    return grid_world(side, side, goals=goals, walls=walls, living_reward=-0.01, noise=0.2, discount=0.99)

"""A decision process as a value: what it keeps of the arrays it was given."""

import tracemalloc

import numpy as np

from learnable.reinforcement import MDP


def test_a_large_array_is_copied_once():
    n = 300
    large = np.full((n, 2, n), 1.0 / n)
    large[..., 0] += 1.0 - large.sum(axis=2)
    tracemalloc.start()
    try:
        mdp = MDP(large, np.zeros((n, 2)), 0.9)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not np.shares_memory(mdp.transitions, large)
    assert peak < 1.5 * large.nbytes

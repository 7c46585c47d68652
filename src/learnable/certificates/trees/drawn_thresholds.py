"""The thresholds of extremely randomised trees, against the random numbers that the seed of the tree gives."""

import numpy as np

from learnable.problems.trees.tree import Tree

# More numbers than this are not drawn again.
MOST_DRAWS = 4_000_000
_STEP, _FIRST, _SECOND = (np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def draws_of(seed: int, tree: Tree, p: int, *, pruned: bool) -> np.ndarray | None:
    """All the numbers in (0, 1) that a tree could have drawn, sorted (splitmix64); None for too many.

    A node that is searched draws at most one number a column for the threshold and one for the column itself.
    """
    searched = int(np.count_nonzero(~tree.is_leaf | (tree.impurity > 0.0)))
    if pruned:
        searched = 2 * int(tree.n_node_samples[0])
    if 2 * p * searched > MOST_DRAWS:
        return None
    z = np.uint64(seed) + np.arange(1, 2 * p * searched + 1, dtype=np.uint64) * _STEP
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    z = (z ^ (z >> np.uint64(31))) >> np.uint64(11)
    return np.sort((z % np.uint64(2**52)).astype(float) + 0.5) / 2.0**52


def off_the_draws(draws: np.ndarray, threshold: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How far the places of thresholds between the least and the largest cells are from every draw, beyond rounding."""
    place = (threshold - low) / (high - low)
    around = np.clip(np.searchsorted(draws, place) + np.array([[-1], [0]]), 0, len(draws) - 1)
    rounding = 4.0 * np.finfo(float).eps * np.maximum(np.abs(low), np.abs(high)) / (high - low)
    off = np.maximum(np.abs(draws[around] - place).min(axis=0) - rounding, 0.0)
    return np.where(place == 0.0, 0.0, off)  # a draw may round to the least cell

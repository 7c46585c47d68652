"""Random numbers for sequences: seeds and chains."""

from itertools import islice

import numpy as np

from learnable.rows import as_rows
from learnable.solvers.unsupervised import lloyd
from learnable.solvers.unsupervised.kmeans_start import plus_plus

# Steps of k-means for a start that is going to be improved.
MOST_STEPS = 300


def seed_of(random_state) -> int:
    """A seed from scikit-learn's `random_state`; a fresh one for None."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return int(random_state)


def drawn_chain(start, transition, n: int, generator: np.random.Generator, first: int | None = None) -> np.ndarray:
    """n states of a Markov chain, the first given or drawn from `start`; a probability of zero is never drawn."""
    if n < 1:
        raise ValueError(f"n_samples={n}: must be >= 1")
    if first is not None and not 0 <= first < len(transition):
        raise ValueError(f"currstate={first}: the states are 0 … {len(transition) - 1}")
    cumulated = np.cumsum(transition, axis=1)
    u = generator.random(n)
    states = np.empty(n, dtype=np.int64)
    for t in range(n):
        if t == 0 and first is not None:
            states[0] = first
            continue
        row = np.cumsum(start) if t == 0 else cumulated[states[t - 1]]
        states[t] = np.searchsorted(row, u[t] * row[-1], side="right")
    return states


def drawn_around(counts: np.ndarray, K: int, groups, generator: np.random.Generator) -> np.ndarray:
    """K random distributions around the overall frequencies; one that is shared is drawn once. All entries positive."""
    share = (counts + 0.5) / (counts + 0.5).sum()
    drawn = share * generator.gamma(2.0, size=(K, len(share))) + 1e-6 * share
    drawn /= drawn.sum(axis=1, keepdims=True)
    return drawn if groups is None else drawn[np.unique(groups, return_inverse=True)[1]]


def spread_means(rows: np.ndarray, K: int, generator: np.random.Generator) -> np.ndarray:
    """K means spread over the rows: k-means where there are enough different rows, else rows with noise."""
    different = np.unique(rows, axis=0)
    if len(different) < K:
        scale = rows.std(axis=0) + 1e-3 * (np.abs(rows).max(axis=0) + 1.0)
        return different[generator.integers(len(different), size=K)] + scale * generator.standard_normal(
            (K, rows.shape[1])
        )
    read, origin = as_rows(rows), rows.mean(axis=0)
    start = plus_plus(read, np.ones(len(rows)), K, origin, generator)
    return list(islice(lloyd.iterates(read, start, origin), MOST_STEPS))[-1].centres + origin


def in_known_order(means: np.ndarray, rows: np.ndarray, states: np.ndarray) -> np.ndarray:
    """The means in an order in which states that are known (−1: not) have those nearest to the means of their rows.

    >>> in_known_order(np.array([[0.0], [5.0], [9.0]]), np.array([[8.0], [1.0], [6.0]]), np.array([0, -1, 2]))
    array([[9.],
           [0.],
           [5.]])
    """
    from scipy.optimize import linear_sum_assignment

    known = np.unique(states[states >= 0])
    centres = np.array([rows[states == state].mean(axis=0) for state in known])
    near = linear_sum_assignment(np.sum((centres[:, None] - means) ** 2, axis=2))[1]
    others = np.setdiff1d(np.arange(len(means)), known)
    ordered = np.empty_like(means)
    ordered[known], ordered[others] = means[near], np.delete(means, near, axis=0)
    return ordered

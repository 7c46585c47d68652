"""Random decision processes for the laws."""

import numpy as np
from scipy import sparse

from learnable.reinforcement import MDP


def random_mdp(seed, n_states=5, n_actions=3, discount=0.9, ends=False, restricted=False):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.full(n_states, 0.5), size=(n_states, n_actions))
    ending = rng.random((n_states, n_actions)) * 0.3 if ends else np.zeros((n_states, n_actions))
    available = np.ones((n_states, n_actions), dtype=bool)
    if restricted:
        available = rng.random((n_states, n_actions)) < 0.6
        available[np.arange(n_states), rng.integers(n_actions, size=n_states)] = True
    return MDP(
        P * (1 - ending)[:, :, None],
        rng.normal(size=(n_states, n_actions)),
        discount,
        ending=ending if ends else None,
        available=available,
    )


def as_sparse(mdp):
    return MDP.from_pairs(
        mdp.pair_states,
        mdp.pair_actions,
        sparse.csr_matrix(mdp.transitions),
        mdp.rewards,
        mdp.discount,
        ending=mdp.ending,
        start=mdp.start,
    )


def brute_force_value(mdp, weights):
    """Σ_t γ^t (P_π)^t r_π by summing the series."""
    P, r = np.zeros((mdp.n_states, mdp.n_states)), np.zeros(mdp.n_states)
    dense = mdp.transitions.toarray() if sparse.issparse(mdp.transitions) else mdp.transitions
    for k, w in enumerate(weights):
        P[mdp.pair_states[k]] += w * dense[k]
        r[mdp.pair_states[k]] += w * mdp.rewards[k]
    total, term = np.zeros(mdp.n_states), r
    for _ in range(20_000):
        total = total + term
        term = mdp.discount * (P @ term)
        if np.abs(term).max() < 1e-16:
            break
    return total

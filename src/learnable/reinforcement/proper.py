"""Proper policies: those whose episodes end with probability 1 from every state."""

import numpy as np
from scipy import sparse

from learnable.certificates.reinforcement.total_reward import towards_the_end
from learnable.reinforcement.mdp import MDP


def proper_pairs(mdp: MDP) -> np.ndarray:
    """(S,): the pairs of a policy that ends with probability 1; every state must be able to end.

    Each state takes a pair with a chance to come one step nearer to the end on the graph of what can happen: within
    S steps the end has positive probability from everywhere.
    """
    nearer = towards_the_end(mdp)[mdp.pair_states]
    steps = sparse.coo_matrix(mdp.transitions)
    helps = (mdp.ending > 0.0) & (nearer == mdp.n_states)
    helps[steps.row[(steps.data > 0.0) & (steps.col == nearer[steps.row])]] = True
    ready = np.flatnonzero(helps)
    pairs = np.full(mdp.n_states, -1, dtype=np.int64)
    # Reversed, so that the first of a state's pairs stays.
    pairs[mdp.pair_states[ready[::-1]]] = ready[::-1]
    return pairs

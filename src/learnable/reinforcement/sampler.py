"""What steps of a process are drawn from: cumulative probabilities of the next states of each pair."""

import numpy as np
from scipy import sparse

from learnable._jit.core.vectors import read_only
from learnable.reinforcement.mdp import MDP
from learnable.solvers.reinforcement.q_learning import Steps


def steps_of(mdp: MDP) -> Steps:
    """Cumulative probabilities, without places of probability 0; the last of a row that cannot end exceeds every u."""
    P = sparse.csr_matrix(mdp.transitions)
    row = np.repeat(np.arange(mdp.n_pairs), np.diff(P.indptr))
    likely = P.data > 0.0
    row, places, chances = row[likely], P.indices[likely].astype(np.int64), P.data[likely]
    starts = np.searchsorted(row, np.arange(mdp.n_pairs + 1)).astype(np.int64)
    if mdp.outcome_rewards is None:
        by_outcome, at_end = mdp.rewards[row], mdp.rewards
    else:
        by_outcome = mdp.outcome_rewards[likely]
        at_end = np.zeros(mdp.n_pairs) if mdp.ending_rewards is None else mdp.ending_rewards
    # Sums within each row alone: one running sum over all rows would lose digits.
    cumulative = np.empty(len(chances))
    sizes = np.diff(starts)
    for size in np.unique(sizes[sizes > 0]):
        at = starts[:-1][sizes == size][:, None] + np.arange(size)
        cumulative[at] = np.cumsum(chances[at], axis=1)
    certain = np.flatnonzero((mdp.ending <= 0.0) & (sizes > 0))
    cumulative[starts[certain + 1] - 1] = 2.0
    begin = np.cumsum(mdp.start)
    begin[np.flatnonzero(mdp.start)[-1] :] = 2.0
    return Steps(
        cumulative, places, starts, np.ascontiguousarray(by_outcome), read_only(np.ascontiguousarray(at_end)),
        mdp.first, begin,
    )  # fmt: skip

"""Decision processes without discount: when total rewards are finite, and a proof of it. Syllabus: RL2, RL6.

With γ = 1 the values are determined when from every state the end can be reached, and every policy that may go on for
ever loses without bound. The second holds exactly when some potential h makes every step a loss:
r + Ph − h ≤ −c with c > 0. A linear program finds the largest c, or a set of states in which one can stay for nothing.
"""

from typing import Any

import numpy as np
from scipy import optimize, sparse

# Entries up to which the linear program is given to HiGHS.
LARGEST_PROGRAM = 2_000_000


def towards_the_end(mdp: Any, taken: np.ndarray | None = None) -> np.ndarray:
    """(S,): for each state one that may follow it and is a step nearer to the end, S for the end itself.

    Negative for states from which no episode ever ends, whatever is done; with `taken` (K,), using those pairs only.
    """
    taken = np.ones(mdp.n_pairs, dtype=bool) if taken is None else np.asarray(taken, dtype=bool)
    steps = sparse.coo_matrix(mdp.transitions)
    used = taken[steps.row] & (steps.data > 0.0)
    over = np.diff(mdp.first) == 0
    over[mdp.pair_states[taken & (mdp.ending > 0.0)]] = True
    ends = np.flatnonzero(over)
    # The graph with its arrows reversed, and one more node, the end, that leads to every state it can come from.
    n = mdp.n_states
    tails = np.concatenate([steps.col[used], np.full(len(ends), n)])
    heads = np.concatenate([mdp.pair_states[steps.row[used]], ends])
    graph = sparse.csr_matrix((np.ones(len(tails)), (tails, heads)), shape=(n + 1, n + 1))
    _, before = sparse.csgraph.breadth_first_order(graph, n)
    return before[:n]


def potential(mdp: Any) -> tuple[np.ndarray, float]:
    """(h, c) with r + Ph − h ≤ −c < 0 for every pair of a process whose every state can end.

    Raises
    ------
    ValueError naming a state that cannot end, or one in which it costs nothing to go on for ever.
    """
    stuck = np.flatnonzero(towards_the_end(mdp) < 0)
    if len(stuck):
        raise ValueError(
            f"discount=1: no policy is proper: from state {mdp.states[stuck[0]]!r}"
            + (f" and {len(stuck) - 1} more" if len(stuck) > 1 else "")
            + " the end cannot be reached; use a discount below 1, or make a state terminal"
        )
    if mdp.n_pairs == 0 or mdp.rewards.max() < 0.0:
        return np.zeros(mdp.n_states), float(-mdp.rewards.max(initial=-np.inf)) if mdp.n_pairs else 1.0
    P = sparse.csr_matrix(mdp.transitions)
    if P.nnz > LARGEST_PROGRAM:
        raise MemoryError(
            f"discount=1 with rewards >= 0: the proof that endless policies lose needs a linear program of {P.nnz} "
            "entries; use a discount below 1, or a negative reward for every step"
        )
    scale = float(np.abs(mdp.rewards).max()) or 1.0
    K, n = mdp.n_pairs, mdp.n_states
    leaves = sparse.csr_matrix((np.ones(K), (np.arange(K), mdp.pair_states)), shape=(K, n))
    A = sparse.hstack([P - leaves, np.ones((K, 1))], format="csc")
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * n + [(None, 1.0)]
    over = np.flatnonzero(np.diff(mdp.first) == 0)
    for s in over:
        bounds[s] = (0.0, 0.0)
    found = optimize.linprog(np.append(np.zeros(n), -1.0), A_ub=A, b_ub=-mdp.rewards / scale, bounds=bounds)
    if found.status != 0:
        raise ArithmeticError(f"discount=1: the linear program for the potential was not solved: {found.message}")
    h = scale * found.x[:n]
    # What the potential proves is computed from it, not read off the program.
    c = float(-np.max(mdp.rewards + P @ h - h[mdp.pair_states]))
    if c <= 1e-7 * scale:
        state = int(mdp.pair_states[np.argmax(np.abs(found.ineqlin.marginals))])
        raise ValueError(
            f"discount=1: an endless policy stays around state {mdp.states[state]!r} at a mean reward of at least 0 a "
            "step, so total rewards are not determined; use a discount below 1, or a negative reward for every step"
        )
    return h, c

"""The linear program of a decision process and its dual, by HiGHS.

Primal: min w·V with V ≥ r + γPV for every pair. Dual: max r·μ over occupancies μ ≥ 0 with
Σ_a μ(s, a) − γ Σ P(s | s′, a′) μ(s′, a′) = w(s). The two optima agree, and μ(s, a) > 0 only where a is optimal.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import optimize, sparse

from learnable.solvers.reinforcement.bellman import Process
from learnable.solvers.reinforcement.policy_evaluation import induced, solve, weights_of


class ProgramState(NamedTuple):
    """The optimum: `objective` w·V, V, the occupancy μ (K,) and the pair that each state takes."""

    objective: float
    values: np.ndarray
    occupancy: np.ndarray
    pairs: np.ndarray


def iterates(process: Process, weight: np.ndarray) -> Iterator[ProgramState]:
    """One state: the optimum.

    HiGHS finds the optimal basis, which is a policy; V and μ are then solved from it to the last digits.

    Parameters
    ----------
    weight : (S,) positive weights w of the states.
    """
    K, n, first = len(process.rewards), process.n_states, process.first
    state = np.repeat(np.arange(n), np.diff(first))
    leaves = sparse.csr_matrix((np.ones(K), (np.arange(K), state)), shape=(K, n))
    A = (leaves - process.discount * sparse.csr_matrix(process.transitions)).T.tocsc()
    acting = np.diff(first) > 0
    # HiGHS works to absolute errors. Rewards are in units of their own; a constant added to all of them moves no choice
    # where no episode can end, since every occupancy has the same sum there.
    rewards = process.rewards if process.can_end else process.rewards - process.rewards.min()
    gains = rewards / (float(np.abs(rewards).max(initial=0.0)) or 1.0)
    found = optimize.linprog(-gains, A_eq=A[acting], b_eq=weight[acting], bounds=(0, None), method="highs-ds")
    if found.status != 0:
        raise ArithmeticError(
            f"the linear program of the decision process was not solved: {found.message}; where the discount all but "
            "is 1, policy iteration goes further"
        )
    pairs = np.full(n, -1, dtype=np.int64)
    for s in np.flatnonzero(acting):
        pairs[s] = first[s] + int(np.argmax(found.x[first[s] : first[s + 1]]))
    weights = weights_of(process, pairs)
    values = solve(process, weights)
    _, P = induced(process, weights)
    flow = sparse.eye(n, format="csc") - process.discount * sparse.csc_matrix(P)
    flow_into = sparse.linalg.spsolve(flow.T.tocsc(), np.where(acting, weight, 0.0))
    occupancy = np.zeros(K)
    occupancy[pairs[acting]] = np.atleast_1d(flow_into)[acting]
    yield ProgramState(float(weight @ values), values, occupancy, pairs)

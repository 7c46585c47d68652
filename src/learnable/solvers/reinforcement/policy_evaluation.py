"""The value of a fixed policy: V = r_π + γP_πV, solved, swept to its fixed point, or swept backwards in time.

I − γP_π is invertible because the spectral radius of P_π is at most 1 (its ∞-norm is; its 2-norm may well exceed 1).
Syllabus: RL3.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dgesv

from learnable._jit.reinforcement.bellman import pair_rows, sweep_back_and_forth, weighted_sweep
from learnable.solvers.reinforcement.bellman import EPS, Process

DENSE_STATES = 600
# GMRES corrects what is left over, five digits at a time.
CORRECTIONS, RESTART, RESTARTS = 8, 40, 8


class EvaluationState(NamedTuple):
    """Values of a policy; `objective` is how far they may be from the fixed point."""

    objective: float
    values: np.ndarray


def weights_of(process: Process, pairs: np.ndarray) -> np.ndarray:
    """(K,): 1 for the pair that a deterministic policy takes in each state, 0 for the others."""
    weights = np.zeros(len(process.rewards))
    weights[pairs[pairs >= 0]] = 1.0
    return weights


def induced_by_pairs(process: Process, pairs: np.ndarray):
    """(r_π, P_π) of the policy that takes one pair in each state, −1 where there is none."""
    if pairs.min() >= 0:
        return process.rewards[pairs], process.transitions[pairs]
    return induced(process, weights_of(process, pairs))


def induced(process: Process, weights: np.ndarray):
    """(r_π, P_π): the chain that a policy makes of the process."""
    taken = np.flatnonzero(weights)
    if len(taken) == process.n_states and np.all(weights[taken] == 1.0):  # one pair a state, in their order
        return process.rewards[taken], process.transitions[taken]
    state = np.searchsorted(process.first, taken, side="right") - 1
    mix = sparse.csr_matrix((weights[taken], (state, taken)), shape=(process.n_states, len(weights)))
    return mix @ process.rewards, mix @ process.transitions


def solve(process: Process, weights: np.ndarray, tolerance: float = 0.0) -> np.ndarray:
    """V of a policy with these weights of the pairs."""
    reward, P = induced(process, weights)
    return solve_chain(reward, P, process.discount, None, tolerance)


def solve_chain(reward: np.ndarray, P, gamma: float, start: np.ndarray | None, tolerance: float) -> np.ndarray:
    """V with (I − γP) V = r.

    Small systems by LU. Large ones by GMRES, for which the slow constant part of V is one direction among others; a
    sweep forth and back is its preconditioner, along which values travel through all states. Where that does not get
    there, by sparse LU.
    """
    n = len(reward)
    if n <= DENSE_STATES or not sparse.issparse(P):
        A = np.multiply(P.toarray() if sparse.issparse(P) else P, -gamma, order="F")
        A.ravel(order="K")[:: n + 1] += 1.0
        _, _, values, singular = dgesv(A, reward, overwrite_a=True)
        if singular:
            raise np.linalg.LinAlgError("the chain of the policy never ends, and nothing is discounted")
        return values
    A = sparse.linalg.LinearOperator((n, n), matvec=lambda x: np.ravel(x) - gamma * (P @ np.ravel(x)), dtype=float)
    rows = pair_rows(P)

    def swept(x: np.ndarray) -> np.ndarray:
        out = np.empty(n)
        sweep_back_and_forth(rows, gamma, np.ravel(x), out)
        return out

    M = sparse.linalg.LinearOperator((n, n), matvec=swept, dtype=float)
    values = np.zeros(n) if start is None else np.array(start, dtype=float)
    size = float(np.abs(reward).max(initial=0.0))
    for _ in range(CORRECTIONS):
        left = reward - A @ values
        if np.abs(left).max() <= max(tolerance * (1.0 - gamma), 4.0 * EPS * (float(np.abs(values).max()) + size)):
            return values
        correction, failed = sparse.linalg.gmres(A, left, rtol=1e-5, atol=0.0, restart=RESTART, maxiter=RESTARTS, M=M)
        if failed:
            break
        values = values + correction
    return sparse.linalg.spsolve(sparse.eye(n, format="csc") - gamma * P.tocsc(), reward)


def iterates(process: Process, weights: np.ndarray, start: np.ndarray, reach: float) -> Iterator[EvaluationState]:
    """V ← r_π + γP_πV, one state per sweep, without end.

    Parameters
    ----------
    reach : ‖V − V_π‖ is at most this times the change of the sweep: γ/(1−γ), or for γ = 1 the longest mean number of
        steps that π takes to the end.
    """
    values, swept = np.array(start, dtype=float), np.empty(process.n_states)
    while True:
        low, high = weighted_sweep(
            process.rows, process.rewards, process.first, weights, process.discount, values, swept
        )
        yield EvaluationState(reach * max(high, -low), swept)
        values, swept = swept, values


def backward_iterates(
    process: Process, weights: np.ndarray, last: np.ndarray, horizon: int
) -> Iterator[EvaluationState]:
    """V_t = r_{π_t} + γP_{π_t}V_{t+1} from the values `last` after the last step down to the first.

    Parameters
    ----------
    weights : (T, K) for a policy that changes with time, or (1, K).
    """
    values = np.zeros((horizon + 1, process.n_states))
    values[horizon] = last
    for t in range(horizon - 1, -1, -1):
        weighted_sweep(
            process.rows, process.rewards, process.first, weights[t if len(weights) > 1 else 0], process.discount,
            values[t + 1], values[t],
        )  # fmt: skip
        yield EvaluationState(float(t), values)

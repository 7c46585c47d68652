"""The long run of a Markov chain: communicating classes, recurrent or transient, and stationary distributions."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from learnable.sequences.distributions import checked_rows


class ChainClass(NamedTuple):
    """States that reach one another; `recurrent` when they are never left for others; `period` of their returns."""

    states: tuple[int, ...]
    recurrent: bool
    period: int


def communicating_classes(transmat) -> list[ChainClass]:
    """The classes of states that reach one another, by their smallest state.

    The period is the greatest common divisor of the lengths of all ways back; 0 for a state without a way back.
    Syllabus: H1.

    Examples
    --------
    >>> for each in communicating_classes([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]):
    ...     print(each)
    ChainClass(states=(0,), recurrent=False, period=1)
    ChainClass(states=(1, 2), recurrent=True, period=2)
    """
    A = checked_rows(transmat, (len(transmat), len(transmat)), "transmat")
    _, label = connected_components(csr_matrix(A > 0.0), directed=True, connection="strong")
    found = []
    for number in dict.fromkeys(label.tolist()):
        states = np.flatnonzero(label == number)
        leaves = bool(np.any(A[np.ix_(states, label != number)] > 0.0))
        found.append(ChainClass(tuple(states.tolist()), not leaves, _period(A[np.ix_(states, states)] > 0.0)))
    return found


def stationary_distributions(transmat) -> np.ndarray:
    """π with π A = π, one row for each recurrent class, zero outside it; every other stationary π is a mixture of them.

    Found by eliminating state after state (Grassmann, Taksar, Heyman): only positive numbers are added, so that even
    tiny probabilities keep their digits. Syllabus: H1.

    Examples
    --------
    >>> stationary_distributions([[0.9, 0.1], [0.4, 0.6]])
    array([[0.8, 0.2]])
    """
    A = checked_rows(transmat, (len(transmat), len(transmat)), "transmat")
    rows = []
    for each in communicating_classes(A):
        if each.recurrent:
            row = np.zeros(len(A))
            row[list(each.states)] = _eliminated(A[np.ix_(each.states, each.states)])
            rows.append(row)
    return np.array(rows)


def _eliminated(A: np.ndarray) -> np.ndarray:
    A, K = A.copy(), len(A)
    for k in range(K - 1, 0, -1):
        A[:k, k] /= A[k, :k].sum()
        A[:k, :k] += np.outer(A[:k, k], A[k, :k])
    pi = np.ones(K)
    for k in range(1, K):
        pi[k] = pi[:k] @ A[:k, k]
    return pi / pi.sum()


def _period(arrows: np.ndarray) -> int:
    """From the depths of a search: every arrow i → j closes ways back of length depth(i) + 1 − depth(j)."""
    depth = {0: 0}
    order = [0]
    for i in order:
        for j in np.flatnonzero(arrows[i]).tolist():
            if j not in depth:
                depth[j] = depth[i] + 1
                order.append(j)
    return int(np.gcd.reduce([abs(depth[i] + 1 - depth[j]) for i, j in np.argwhere(arrows).tolist()] or [0]))

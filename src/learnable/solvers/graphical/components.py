"""Exact screening: the graphical lasso falls apart into the components of |Sᵢⱼ| > Λᵢⱼ. Syllabus: G3.

Between two components Θ and W = Θ⁻¹ are zero: |Sᵢⱼ − Wᵢⱼ| = |Sᵢⱼ| ≤ Λᵢⱼ are the optimality conditions there.
"""

import numpy as np
from scipy.sparse import csgraph, csr_array

# Columns up to which it takes longer to make a sparse matrix than to follow all links at once, again and again.
FEW = 32


def components(S: np.ndarray, penalty: np.ndarray) -> list[np.ndarray]:
    """The members of each component, in order of their first one.

    >>> S = np.array([[1.0, 0.1, 0.9], [0.1, 1.0, 0.0], [0.9, 0.0, 1.0]])
    >>> [part.tolist() for part in components(S, np.full((3, 3), 0.2))]
    [[0, 2], [1]]
    """
    linked = np.abs(S) > penalty
    linked |= linked.T
    if len(S) <= FEW:
        linked |= np.eye(len(S), dtype=bool)
        while ((further := linked @ linked) != linked).any():
            linked = further
        first = linked.argmax(axis=1)
        return [np.flatnonzero(first == k) for k in np.flatnonzero(first == np.arange(len(S)))]
    number, label = csgraph.connected_components(csr_array(linked), directed=False)
    order = np.argsort(label, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(label, minlength=number))[:-1])
    return sorted(parts, key=lambda part: int(part[0]))

"""Faithfulness of a linear Gaussian DAG: do the independences of its law all come from d-separation? Syllabus: G11."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable.graphical.dag import DAG
from learnable.graphical.mixed_graph import Node
from learnable.solvers.graphical.d_separation import separated

# Number of triples (i, j, S) is p(p−1)/2 · 2^(p−2).
MOST_NODES = 14


class Violation(NamedTuple):
    """X_i ⊥ X_j | X_S holds in the law although S does not d-separate i and j.

    Attributes
    ----------
    x, y, given : the triple.
    partial_correlation : in the law.
    open_path : a path between the two that is open given S.
    """

    x: Node
    y: Node
    given: tuple[Node, ...]
    partial_correlation: float
    open_path: tuple[Node, ...]


class Faithfulness(NamedTuple):
    """Attributes
    ----------
    faithful : bool.
    violations : the triples that spoil it.
    closest : the smallest |partial correlation| of a triple that is not separated; how far the law is from unfaithful.
    markov_residual : the largest |partial correlation| of a separated triple: 0 but for rounding.
    n_triples : how many (i, j, S) were looked at.
    """

    faithful: bool
    violations: tuple[Violation, ...]
    closest: float
    markov_residual: float
    n_triples: int

    def __bool__(self) -> bool:
        return self.faithful


def linear_covariance(graph: DAG, weights, noise_variances=None) -> np.ndarray:
    """Σ of x_v = Σ over parents u of weights[u, v] · x_u + noise: (I − B)⁻ᵀ D (I − B)⁻¹.

    >>> linear_covariance(DAG([("a", "b")]), [[0.0, 2.0], [0.0, 0.0]])
    array([[1., 2.],
           [2., 5.]])
    """
    B = np.asarray(weights, dtype=float)
    p = len(graph.nodes)
    if B.shape != (p, p) or np.any((B != 0.0) & ~graph.arrows):
        raise ValueError("linear_covariance: weights must be (p, p) and zero where the graph has no arrow")
    D = np.ones(p) if noise_variances is None else np.asarray(noise_variances, dtype=float)
    if D.shape != (p,) or np.any(D <= 0.0):
        raise ValueError("linear_covariance: one positive noise variance a node is needed")
    A = linalg.inv(np.eye(p) - B)
    return A.T @ (D[:, None] * A)


def faithfulness(graph: DAG, weights, noise_variances=None, tolerance: float = 1e-10) -> Faithfulness:
    """Whether the linear Gaussian law of a DAG has no independence beyond d-separation, by looking at all triples.

    Syllabus: G11.

    Parameters
    ----------
    graph : DAG of at most 14 nodes.
    weights : array (p, p), [i, j] the weight of i → j.
    noise_variances : array (p,), None for ones.
    tolerance : a partial correlation this small counts as zero.

    Examples
    --------
    Two ways from a to c that cancel:

    >>> graph = DAG([("a", "b"), ("b", "c"), ("a", "c")])
    >>> verdict = faithfulness(graph, [[0.0, 1.0, -1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    >>> verdict.faithful, verdict.violations[0].x, verdict.violations[0].y, verdict.violations[0].given
    (False, 'a', 'c', ())
    """
    p = len(graph.nodes)
    if p > MOST_NODES:
        raise ValueError(f"faithfulness: {p} nodes have more triples than can be looked at; at most {MOST_NODES}")
    sigma = linear_covariance(graph, weights, noise_variances)
    violations, closest, residual, triples = [], np.inf, 0.0, 0
    for size in range(p - 1):
        for i, j in combinations(range(p), 2):
            for S in combinations([k for k in range(p) if k not in (i, j)], size):
                triples += 1
                theta = linalg.inv(sigma[np.ix_((i, j, *S), (i, j, *S))])
                r = abs(float(theta[0, 1])) / np.sqrt(theta[0, 0] * theta[1, 1])
                if separated(graph.arrows, i, j, S):
                    residual = max(residual, r)
                    continue
                closest = min(closest, r)
                if r <= tolerance:
                    names = graph.nodes[i], graph.nodes[j], tuple(graph.nodes[k] for k in S)
                    way = graph.d_separation(*names).open_path
                    assert way is not None
                    violations.append(Violation(*names, float(r), way))
    return Faithfulness(not violations, tuple(violations), float(closest), float(residual), triples)

"""Graphs that causal-learn has found, as fitted `PC` models that `certify` can judge. Syllabus: G13, G14."""

from itertools import combinations
from typing import Any

import numpy as np
from scipy import linalg

from learnable.graphical.pc import PC
from learnable.problems.graphical import fisher_z
from learnable.solvers.graphical.skeleton import Evidence


def from_causal_learn(found: Any, X: Any, alpha: float) -> PC:
    """A `PC` model that says what causal-learn's `pc(X, alpha, "fisherz")` says, for `certify(model, X)`.

    Its separating sets become evidence, tested again on the rows. In the stable order causal-learn keeps the union of
    all sets that separated a pair: of its smallest subsets that do, one counts that speaks for the same colliders, the
    one with the largest p-value if there are several. Where colliders contradict each other its order of taking them is
    its own, and their arrows are neither proved nor refuted.

    causal-learn keeps no evidence for the edges it leaves, so the largest p-value of a kept edge is the one without any
    set; `certify` looks at all sets among the neighbours. Arrows are taken as they are: those that the colliders and
    the rules do not give make the certificate fail.

    Parameters
    ----------
    found : `CausalGraph` of causal-learn, from `pc` with the test "fisherz".
    X : array (n, p), the rows it was found on.
    alpha : the level it was found with.
    """
    X = np.asarray(X, dtype=float)
    ends, p = np.asarray(found.G.graph), X.shape[1]
    if ends.shape != (p, p):
        raise ValueError(f"from_causal_learn: the graph has {len(ends)} nodes, but X has {p} columns")
    joined = (ends != 0) | (ends.T != 0)
    pairs = np.argwhere(np.triu(np.ones((p, p), dtype=bool), 1))
    kept = joined[pairs[:, 0], pairs[:, 1]]
    correlations = np.corrcoef(X.T)
    chosen = [
        ((), _test(correlations, len(X), i, j, ()))
        if joined[i, j]
        else _separator(correlations, len(X), i, j, found.sepset[i, j], alpha, joined[i] & joined[j])
        for i, j in pairs.tolist()
    ]
    size = np.array([len(S) for S, _ in chosen])
    sets = np.full((len(pairs), int(size.max(initial=0))), -1)
    for row, (S, _) in enumerate(chosen):
        sets[row, : len(S)] = S
    statistic, p_value = np.array([numbers for _, numbers in chosen]).reshape(-1, 2).T
    model = PC(alpha=alpha)
    model.n_features_in_ = p
    evidence = Evidence(pairs, kept, size, sets, statistic, p_value)
    return model.adopt(evidence, _arrows(ends), joined)


def _arrows(ends: np.ndarray) -> np.ndarray:
    """i → j where the end at i is a tail (−1) and the end at j an arrow (1): ends[i, j] is the end at i."""
    return (ends == -1) & (ends.T == 1)


def _separator(
    correlations: np.ndarray, n: int, i: int, j: int, kept: Any, alpha: float, between: np.ndarray
) -> tuple[tuple[int, ...], tuple[float, float]]:
    """(set, (statistic, p-value)): of the smallest sets that separate a pair, the one with most nodes between them.

    `kept` is what causal-learn kept for the pair, sets or unions of sets; `between` marks the common neighbours. Where
    no subset separates the pair, the sets as they were kept.
    """
    unions = {tuple(sorted(int(k) for k in S)) for S in (kept if kept is not None else ())} or {()}
    for size in range(max(map(len, unions)) + 1):
        subsets = {S for union in unions for S in combinations(union, size)}
        found = [(S, _test(correlations, n, i, j, S)) for S in sorted(subsets)]
        found = [one for one in found if one[1][1] >= alpha]
        if found:
            return max(found, key=lambda one: (int(between[list(one[0])].sum()), one[1][1]))
    return max(((S, _test(correlations, n, i, j, S)) for S in sorted(unions)), key=lambda one: one[1][1])


def _test(correlations: np.ndarray, n: int, i: int, j: int, given: tuple[int, ...]) -> tuple[float, float]:
    """Fisher's z through the inverse of a block."""
    chosen = [i, j, *given]
    theta = linalg.inv(correlations[np.ix_(chosen, chosen)])
    z = float(fisher_z.statistic(theta[0, 1] / np.sqrt(theta[0, 0] * theta[1, 1]), n, len(given)))
    return z, float(fisher_z.p_value(z))

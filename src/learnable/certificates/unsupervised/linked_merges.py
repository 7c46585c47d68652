"""Dendrograms along a graph: the edges used, the lengths at which clusters meet, and that each merge was the least.

An edge of the graph lies between two clusters until the merge in which its ends meet: the lowest node of the tree that
has both below it. From there come the heights of single and complete linkage, without a replay of the merges.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from learnable.certificates.core import Claim, thorough
from learnable.certificates.unsupervised.dendrograms import (
    ROUNDING,
    cut_claim,
    distances,
    measured,
    misfits,
    spans,
    ward_heights,
)


def linked_claims(model: Any, X: np.ndarray, small: bool) -> list[Claim]:
    """The claims of a clustering along the graph `model.connectivity`; `small`: all pairs of rows can be looked at."""
    n = len(X)
    given = _given(model, X)
    if given is None or not hasattr(model, "connectivity_"):
        return [Claim.at_most("U1", "a graph of the rows is given, and was used (violations)", 1, 0.0)]
    used, Y = sparse.csr_array(model.connectivity_, dtype=float), measured(X, model.metric)
    claims = _edge_claims(model, given, used, Y, small)
    children = np.asarray(model.children_)
    kept = model.compute_distances or model.distance_threshold is not None
    heights = np.asarray(model.distances_, dtype=float) if hasattr(model, "distances_") else None
    merges = n - (1 if _whole_tree(model, n) else model.n_clusters)
    lacking = int(kept != (heights is not None)) + int(heights is not None and heights.shape != (merges,))
    claims.append(
        Claim.at_most("U1", "every merge joins two clusters that are there, each once, as many as asked (violations)",
                      misfits(children, n, merges) + lacking + abs(model.n_leaves_ - n), 0.0)
    )  # fmt: skip
    if not all(claim.holds for claim in claims):
        return claims
    claims.append(cut_claim(model, children, np.zeros(0) if heights is None else heights))
    return claims + _merge_claims(model, used, Y, children, heights, small)


def _given(model: Any, X: np.ndarray) -> Any:
    """The edges as the parameter states them, in either direction, without loops; None where it states none."""
    given = model.connectivity(X) if callable(model.connectivity) else model.connectivity
    given = given if sparse.issparse(given) else np.asarray(given)
    if given.shape != (len(X), len(X)):
        return None
    i, j = (given != 0).nonzero()
    i, j = np.r_[i, j][np.r_[i, j] != np.r_[j, i]], np.r_[j, i][np.r_[i, j] != np.r_[j, i]]
    return sparse.csr_array((np.ones(len(i)), (i, j)), shape=given.shape)


def _whole_tree(model: Any, n: int) -> bool:
    if model.linkage == "single" or model.n_clusters is None:
        return True
    automatic = model.compute_full_tree == "auto"
    return model.n_clusters < max(100, 0.02 * n) if automatic else bool(model.compute_full_tree)


def _edge_claims(model: Any, given: Any, used: Any, Y: np.ndarray, small: bool) -> list[Claim]:
    """The edges used are those given, and one between the nearest rows of any two components."""
    n, statement = len(Y), "the edges used are those given, and one between any two components (violations)"
    if used.shape != (n, n):
        return [Claim.at_most("U1", statement, n, 0.0)]
    stated, there = given != 0, used != 0
    wrong = (there != there.T).nnz + (used != there).nnz + int(used.diagonal().any()) + (stated > there).nnz
    i, j = (there > stated).nonzero()
    i, j = i[i > j], j[i > j]
    count, component = connected_components(given, directed=False)
    pairs = {tuple(sorted(pair)) for pair in zip(component[i].tolist(), component[j].tolist())}
    wrong += (
        abs(len(i) - count * (count - 1) // 2) + abs(len(i) - len(pairs)) + int(np.sum(component[i] == component[j]))
    )
    wrong += abs(count - model.n_connected_components_)
    claims = [Claim.at_most("U1", statement, int(wrong), 0.0)]
    if wrong or not len(i) or not (small and thorough()):
        return claims
    away = distances(Y, model.metric)
    least = np.full((count, count), np.inf)
    np.minimum.at(least, (component[:, None], component), away)
    excess = float(np.max(away[i, j] - least[component[i], component[j]])) / max(
        float(away.max()), np.finfo(float).tiny
    )
    statement = "an edge that was added joins the nearest rows of two components (relative excess)"
    return [*claims, Claim.at_most("U1", statement, excess, ROUNDING)]


def _merge_claims(
    model: Any, used: Any, Y: np.ndarray, children: np.ndarray, heights: np.ndarray | None, small: bool
) -> list[Claim]:
    n, merges, linkage = len(Y), len(children), model.linkage
    tree = _joined(children, n)
    edges = sparse.triu(used, k=1).tocoo()
    i, j = edges.coords
    lengths = _lengths(Y, i, j, model.metric)
    meet = _meeting(tree, n, i, j)
    shortest, longest = np.full(n - 1, np.inf), np.full(n - 1, -np.inf)
    np.minimum.at(shortest, meet, lengths)
    np.maximum.at(longest, meet, lengths)
    shortest, longest = shortest[:merges], longest[:merges]
    unlinked = int(np.count_nonzero(np.isinf(shortest)))
    claims = [Claim.at_most("U1", "merges of clusters that no edge links", unlinked, 0.0)]
    if unlinked or not merges:
        return claims
    low, high = {"ward": (ward_heights(Y, tree)[:merges],) * 2, "single": (shortest,) * 2, "complete": (longest,) * 2,
                 "average": (shortest, longest)}[linkage]  # fmt: skip
    least = None
    if small and (thorough() or linkage == "average"):
        replayed, least = _replay(Y, i, j, lengths, children, linkage)
        low, high = (replayed, replayed) if linkage == "average" else (low, high)
    size = max(float(high.max()), _rounded(Y, model.metric) / ROUNDING, np.finfo(float).tiny)
    if heights is not None:
        wrong = float(np.max(np.maximum(low - heights, heights - high), initial=0.0)) / size
        statement = "each height is the distance of the clusters it joins (relative difference)"
        if least is None and linkage == "average":
            statement = "each height lies between the shortest and the longest edge of the clusters it joins (by)"
        claims.append(Claim.at_most("U1", statement, wrong, ROUNDING))
    if least is not None and thorough():
        statement = "each merge joins the two nearest of the clusters that an edge links (relative excess)"
        claims.append(Claim.at_most("U1", statement, float(np.max(high - least)) / size, ROUNDING))
    return claims


def _rounded(Y: np.ndarray, metric: str) -> float:
    """What rounding of means may make of the distance of equal rows: merges of these alone have no other size."""
    if metric == "precomputed":
        return 0.0
    away = Y - Y.mean(axis=0)
    return 8.0 * float(np.finfo(float).eps) * float(np.sqrt(len(Y) * np.einsum("ij,ij->i", away, away).max()))


def _joined(children: np.ndarray, n: int) -> np.ndarray:
    """The merges, and others after them that make one tree of what they leave."""
    tree = children.tolist()
    joined = set(children.ravel().tolist())
    roots = [node for node in range(n + len(tree)) if node not in joined]
    while len(roots) > 1:
        tree.append([roots.pop(), roots.pop()])
        roots.append(n + len(tree) - 1)
    return np.array(tree)


def _meeting(tree: np.ndarray, n: int, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """The merge in which rows i and j meet: from i upwards, by powers of two, while j is not below.

    >>> _meeting(np.array([[0, 1], [2, 3]]), 3, np.array([0, 0]), np.array([1, 2]))
    array([0, 1])
    """
    parent = np.full(2 * n - 1, 2 * n - 2)
    parent[tree] = np.arange(n, 2 * n - 1)[:, None]
    start, size = spans(tree, n)
    climbs = [parent]
    while (climbs[-1] != 2 * n - 2).any():
        climbs.append(climbs[-1][climbs[-1]])
    node = np.asarray(i).copy()
    for climb in reversed(climbs):
        higher = climb[node]
        below = (start[higher] <= start[j]) & (start[j] < start[higher] + size[higher])
        node = np.where(below, node, higher)
    return parent[node] - n


def _lengths(Y: np.ndarray, i: np.ndarray, j: np.ndarray, metric: str) -> np.ndarray:
    """The distances of rows i and j, column by column."""
    if metric == "precomputed":
        return Y[j, i]
    total = np.zeros(len(i))
    for column in Y.T:
        away = np.abs(column[i] - column[j])
        total += away if metric in ("manhattan", "l1", "cityblock") else away**2
    if metric in ("euclidean", "l2"):
        return np.sqrt(total)
    return 0.5 * total if metric == "cosine" else total


def _replay(
    Y: np.ndarray, i: np.ndarray, j: np.ndarray, lengths: np.ndarray, children: np.ndarray, linkage: str
) -> tuple[np.ndarray, np.ndarray]:
    """(the distance of the clusters that every merge joins, the least of two that are linked before it)."""
    n = len(Y)
    D = np.full((n, n), np.inf)  # of clusters that are linked; a new one takes the row of its first part
    D[i, j] = D[j, i] = lengths
    row, counts, means = np.arange(2 * n - 1), np.ones(n), Y.astype(float)
    nearest = D.min(axis=1)
    own, least = np.empty(len(children)), np.empty(len(children))
    for place, (a, b) in enumerate(children):
        s, t = row[a], row[b]
        own[place], least[place] = D[s, t], nearest.min()
        p, q = D[s].copy(), D[t].copy()
        both, total = np.isfinite(p) & np.isfinite(q), counts[s] + counts[t]
        new = np.minimum(p, q)
        if linkage == "complete":
            new[both] = np.maximum(p[both], q[both])
        elif linkage == "average":
            new[both] = (counts[s] * p[both] + counts[t] * q[both]) / total
        elif linkage == "ward":
            means[s] = (counts[s] * means[s] + counts[t] * means[t]) / total
            linked = np.flatnonzero(np.isfinite(new))
            away = np.sum((means[linked] - means[s]) ** 2, axis=1)
            new[linked] = np.sqrt(2.0 * total * counts[linked] / (total + counts[linked]) * away)
        touched = np.flatnonzero(np.isfinite(p) | np.isfinite(q))
        new[[s, t]] = np.inf
        D[s], D[:, s], D[t], D[:, t] = new, new, np.inf, np.inf
        counts[s], row[n + place] = total, s
        nearest[touched] = D[touched].min(axis=1)
        nearest[s], nearest[t] = new.min(), np.inf
    return own, least

"""Trees as they grow: the questions, and the parts of the plane they cut out."""

from typing import Any

import numpy as np

from learnable.films.marks import graph
from learnable.films.pictures.regression import regression
from learnable.films.pictures.separating_line import regions
from learnable.films.registry import Picture, Shot, draws
from learnable.films.surfaces import classifies_numbers, fits_numbers

MOST = 63


@draws("solvers.trees.cart.CartState", "solvers.trees.sliq.SliqState", "solvers.trees.optimal.OptimalState")
def binary_tree(shot: Shot) -> Picture:
    """Nodes in the colour of their majority; below them the regions of the leaves."""
    tree = shot.model.tree_
    parent = np.full(tree.node_count, -1)
    for links in (tree.children_left, tree.children_right):
        inner = np.flatnonzero(links >= 0)
        parent[links[inner]] = inner
    names = shot.stage.names
    labels = [
        f"{names[j] if j < len(names) else f'x{j}'} ≤ {threshold:.3g}" if left >= 0 else ""
        for j, threshold, left in zip(tree.feature, tree.threshold, tree.children_left)
    ]
    several = tree.value.shape[2] > 1
    group = tree.value[:, 0, :].argmax(axis=1) if several else np.zeros(tree.node_count, int)
    values = _leaf_words(shot, tree.value, several)
    labels = [label or value for label, value in zip(labels, values)]
    return _drawn(shot, parent, labels, group, int(np.count_nonzero(tree.children_left < 0)))


def _leaf_words(shot: Shot, value: np.ndarray, several: bool) -> list[str]:
    if not several:
        return [f"{number:.3g}" for number in value[:, 0, 0]]
    classes = shot.model.classes_
    return [str(classes[k]) for k in value[:, 0, :].argmax(axis=1)]


@draws("solvers.trees.id3.Id3State")
def multiway_tree(shot: Shot) -> Picture:
    """ID3: a branch for every value of an attribute."""
    tree = shot.model.tree_
    names, classes = shot.stage.names, shot.model.classes_
    labels = [
        str(classes[k]) if j < 0 else (names[j] if j < len(names) else f"x{j}")
        for j, k in zip(tree.feature, tree.label)
    ]
    return _drawn(shot, tree.parent, labels, tree.label, tree.n_leaves)


def _drawn(shot: Shot, parent: np.ndarray, labels: list[str], group: Any, n_leaves: int) -> Picture:
    at, kept = layout(np.asarray(parent))
    place = {int(node): k for k, node in enumerate(kept)}
    edges = [[place[int(parent[node])], place[int(node)], "line", -1, 1.5] for node in kept if parent[node] >= 0]
    note = "" if len(kept) == len(parent) else f"the first {len(kept)} of {len(parent)} nodes, level by level"
    shape = "box" if len(kept) <= 15 else "circle"
    shown = [labels[node] if shape == "box" else "" for node in kept]
    panels = [graph("The tree", at, shown, edges, np.asarray(group)[kept], shape=shape, note=note)]
    below = regions(shot) if classifies_numbers(shot) else regression(shot) if fits_numbers(shot) else Picture([])
    caption = f"{len(parent)} nodes, {n_leaves} leaves. {below.caption}".strip()
    return Picture([*panels, *below.panels], caption, {"leaves": n_leaves})


def layout(parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places in the unit square of the first nodes of a tree, level by level: leaves evenly, parents in the middle.

    >>> layout(np.array([-1, 0, 0]))
    (array([[0.5, 0. ],
           [0. , 1. ],
           [1. , 1. ]]), array([0, 1, 2]))
    """
    children: dict[int, list[int]] = {}
    for node, above in enumerate(parent):
        children.setdefault(int(above), []).append(node)
    order, depth = list(children[-1]), dict.fromkeys(children[-1], 0)
    for node in order:
        for child in children.get(node, ()):
            depth[child] = depth[node] + 1
            order.append(child)
    kept = sorted(order[:MOST])
    inside = set(kept)
    across: dict[int, float] = {}
    free = 0.0

    def put(node: int) -> float:
        nonlocal free
        below = [put(child) for child in children.get(node, ()) if child in inside]
        across[node] = (below[0] + below[-1]) / 2.0 if below else free
        free += not below
        return across[node]

    for root in children[-1]:
        put(root)
    deepest = max(max(depth[node] for node in kept), 1)
    wide = max(max(across.values()), 1.0)
    at = np.array([[across[node] / wide if len(kept) > 1 else 0.5, depth[node] / deepest] for node in kept])
    return at, np.array(kept)

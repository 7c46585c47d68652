"""Agglomerative clustering: who was joined with whom, and how far apart they were."""

import numpy as np

from learnable.films.marks import curve, plane
from learnable.films.registry import Picture, Shot, draws
from learnable.films.surfaces import rows_of


@draws("solvers.unsupervised.agglomeration.DendrogramState")
def dendrogram(shot: Shot) -> Picture:
    """The joins so far as a tree over the rows, and the clusters in the plane."""
    state, n = shot.state, shot.model.n_leaves_
    children, heights = np.asarray(state.children), np.asarray(state.heights)
    order = {leaf: k for k, leaf in enumerate(_leaves_in_order(np.asarray(shot.model.children_), n))}
    across = np.full(n + len(children), np.nan)
    across[:n] = [order[i] for i in range(n)]
    height = np.zeros(n + len(children))
    x: list[float] = []
    y: list[float] = []
    for k, (a, b) in enumerate(children):
        across[n + k], height[n + k] = (across[a] + across[b]) / 2.0, heights[k]
        x += [across[a], across[a], across[b], across[b], np.nan]
        y += [height[a], heights[k], heights[k], height[b], np.nan]
    top = max(float(np.max(getattr(shot.model, "distances_", heights), initial=0.0)), 1e-12)
    panels = [plane("Joins", "rows", "distance", (-0.5, n - 0.5, 0.0, 1.08 * top), [curve(x, y, 0)])]
    stage = shot.stage
    if stage.X is not None and stage.X.shape[1] != n:
        marks = [rows_of(shot, group=np.asarray(shot.model.labels_)[stage.shown])]
        panels.append(plane("Clusters", *stage.plane.names, stage.plane.box, marks, note=stage.notes()))
    return Picture(panels, f"{len(children)} joins; {n - len(children)} clusters are left.")


def _leaves_in_order(children: np.ndarray, n: int) -> list[int]:
    """The rows in an order in which no two branches cross; rows that are never joined come last."""
    joined = set(children.ravel().tolist())
    roots = [node for node in range(n + len(children) - 1, -1, -1) if node not in joined]
    order: list[int] = []
    waiting = roots[::-1]
    while waiting:
        node = waiting.pop()
        if node < n:
            order.append(node)
        else:
            waiting += [int(child) for child in children[node - n][::-1]]
    return order

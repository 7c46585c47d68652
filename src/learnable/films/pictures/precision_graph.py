"""Gaussian graphs: an edge is a partial correlation that is not 0."""

import numpy as np

from learnable.films.marks import cells, graph
from learnable.films.pictures.causal_graph import around
from learnable.films.registry import Picture, Shot, draws


@draws(
    "solvers.graphical.dual_columns.PrecisionState",
    "solvers.graphical.nodewise.NodewiseState",
    "solvers.graphical.clime.ClimeState",
)
def precision_graph(shot: Shot) -> Picture:
    """Partial correlations as a matrix and as a graph."""
    precision = np.asarray(shot.model.precision_)
    root = np.sqrt(np.maximum(np.diag(precision), 1e-300))
    partial = -precision / np.outer(root, root)
    np.fill_diagonal(partial, 1.0)
    n = len(partial)
    names = shot.stage.names or [f"x{j}" for j in range(n)]
    edges = [
        [i, j, "line", 0 if partial[i, j] > 0 else 5, 1.0 + 5.0 * min(1.0, abs(partial[i, j]))]
        for i in range(n)
        for j in range(i + 1, n)
        if partial[i, j] != 0.0
    ]
    panels = []
    if n <= 40:
        panels.append(graph("Edges: blue for positive partial correlations", around(n), names, edges, np.full(n, 0)))
    panels.append(cells("Partial correlations", partial, rows=names, columns=names))
    return Picture(panels, f"{len(edges)} of {n * (n - 1) // 2} pairs are joined.", {"edges": len(edges)})

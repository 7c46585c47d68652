"""The PC algorithm: edges that a test takes away, level by level, then directions."""

import numpy as np

from learnable.films.marks import graph, table
from learnable.films.registry import Picture, Shot, draws


def around(n: int) -> np.ndarray:
    """n places on a circle within the unit square, the first at the top."""
    turn = 2.0 * np.pi * np.arange(n) / max(n, 1)
    return 0.5 + 0.5 * np.column_stack([np.sin(turn), -np.cos(turn)])


@draws("solvers.graphical.skeleton.SkeletonState")
def causal_graph(shot: Shot) -> Picture:
    """Lines that are still there, arrows whose direction follows; what was taken away stays faint."""
    found, state = shot.model.graph_, shot.state
    n = len(found.nodes)
    edges: list[list] = []
    for i in range(n):
        for j in range(i + 1, n):
            if found.arrows[i, j] or found.arrows[j, i]:
                edges.append([i, j, "arrow", 5, 2.5] if found.arrows[i, j] else [j, i, "arrow", 5, 2.5])
            elif found.lines[i, j]:
                edges.append([i, j, "line", 0, 2.5])
            else:
                edges.append([i, j, "faint", -1, 1.0])
    names = [str(node) for node in found.nodes]
    evidence = shot.model.evidence_
    rows = [
        [names[i], names[j], ", ".join(names[k] for k in given[: int(size)]) or "nothing", f"{p:.3g}"]
        for (i, j), kept, size, given, p in zip(
            evidence.pairs, evidence.kept, evidence.size, evidence.sets, evidence.p_value
        )
        if not kept
    ]
    left = int(np.count_nonzero(np.triu(found.adjacency)))
    panels = [graph("The graph so far", around(n), names, edges, np.full(n, 0))]
    if rows:
        panels.append(table("Edges taken away", ["one", "other", "independent given", "p-value"], rows[:200]))
    return Picture(panels, f"Level {state.level}: {left} edges are left, {len(rows)} are taken away.", {"edges": left})

"""Graphical models under the checks: other graphs than the ones learned."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np

from learnable.checks.registry import register
from learnable.graphical.pdag import PDAG


def other_graphs(model: Any) -> Iterator[tuple[str, Any]]:
    """Copies with an edge turned round, left open, taken away or added."""
    graph = model.graph_
    p = len(graph.nodes)
    for i in range(p):
        for j in range(p):
            for what, arrow, line in (
                ("made an arrow", True, False),
                ("made a line", False, True),
                ("cut", False, False),
            ):
                arrows, lines = graph.arrows.copy(), graph.lines.copy()
                if i == j or (what != "made an arrow" and j < i):
                    continue
                arrows[i, j], arrows[j, i] = arrow, False
                lines[i, j] = lines[j, i] = line
                if np.array_equal(arrows, graph.arrows) and np.array_equal(lines, graph.lines):
                    continue
                try:
                    changed = PDAG.from_matrices(graph.nodes, arrows, lines)
                except ValueError:
                    continue  # a directed cycle is no graph to begin with
                altered = deepcopy(model)
                altered.graph_ = changed
                yield f"edge {i}, {j} {what}", altered


def few_penalties():
    """A search of few steps over few folds."""
    from learnable.graphical import GraphicalLassoCV

    return GraphicalLassoCV(alphas=3, n_refinements=2, cv=3)


register("GraphicalLassoCV", make=few_penalties)
register("PC", altered=other_graphs)

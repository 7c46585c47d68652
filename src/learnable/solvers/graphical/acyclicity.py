"""A topological order of a directed graph, or a cycle that proves there is none. Syllabus: G6."""

import numpy as np


def order_or_cycle(arrows: np.ndarray) -> tuple[list[int], list[int]]:
    """(order, cycle): one of the two is empty. A cycle starts and ends with the same node.

    Nodes without parents leave first, the smallest number first; if some remain, each has a parent among them, and
    walking from parent to parent must come back.

    >>> order_or_cycle(np.array([[0, 1], [0, 0]], dtype=bool))
    ([0, 1], [])
    >>> order_or_cycle(np.array([[0, 1], [1, 0]], dtype=bool))
    ([], [0, 1, 0])
    """
    waiting = arrows.sum(axis=0).astype(int)
    free = sorted(np.flatnonzero(waiting == 0).tolist(), reverse=True)
    order: list[int] = []
    while free:
        node = free.pop()
        order.append(node)
        for child in np.flatnonzero(arrows[node]).tolist():
            waiting[child] -= 1
            if waiting[child] == 0:
                free.append(child)
        free.sort(reverse=True)
    if len(order) == len(arrows):
        return order, []
    left = waiting > 0
    walk = [int(np.flatnonzero(left)[0])]
    while walk[-1] not in walk[:-1]:
        walk.append(int(np.flatnonzero(arrows[:, walk[-1]] & left)[0]))
    cycle = walk[walk.index(walk[-1]) :][::-1]
    start = cycle.index(min(cycle))
    return [], [*cycle[start:-1], *cycle[:start], cycle[start]]


def ancestors(arrows: np.ndarray, nodes) -> np.ndarray:
    """(p,) the nodes from which a directed path leads into `nodes`, and these themselves."""
    reached = np.zeros(len(arrows), dtype=bool)
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if not reached[node]:
            reached[node] = True
            todo.extend(np.flatnonzero(arrows[:, node]).tolist())
    return reached

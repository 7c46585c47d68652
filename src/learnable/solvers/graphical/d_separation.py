"""d-separation by reachability, with a path as witness. Syllabus: G10.

A path is open given S when each inner node v on it passes: a collider (→ v ←) if v or a descendant of it is in S, any
other if v is not in S. Nodes are reached from x together with the direction of the last step; one pass over the edges
decides.
"""

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np

from learnable.solvers.graphical.acyclicity import ancestors


def reachable(arrows: np.ndarray, x: int, given: Sequence[int]) -> tuple[np.ndarray, dict]:
    """(p,) nodes that an open walk from x leads to, and where each state (node, came along an arrow) came from."""
    inside = np.zeros(len(arrows), dtype=bool)
    inside[list(given)] = True
    opens_colliders = ancestors(arrows, given)
    before: dict[tuple[int, bool], tuple[int, bool] | None] = {(x, False): None}
    todo = deque(before)
    reached = np.zeros(len(arrows), dtype=bool)
    while todo:
        state = node, forward = todo.popleft()
        reached[node] |= not inside[node]
        # Into a parent: fine from below unless the node is given; from above only through an open collider.
        if opens_colliders[node] if forward else not inside[node]:
            for parent in np.flatnonzero(arrows[:, node]).tolist():
                if (parent, False) not in before:
                    before[parent, False] = state
                    todo.append((parent, False))
        if not inside[node]:
            for child in np.flatnonzero(arrows[node]).tolist():
                if (child, True) not in before:
                    before[child, True] = state
                    todo.append((child, True))
    reached[x] = False
    return reached, before


def separated(arrows: np.ndarray, x: int, y: int, given: Sequence[int]) -> bool:
    """Whether `given` separates x and y."""
    return not reachable(arrows, x, given)[0][y]


def open_path(arrows: np.ndarray, x: int, y: int, given: Sequence[int]) -> list[int] | None:
    """A path from x to y that is open given S, none if they are separated."""
    reached, before = reachable(arrows, x, given)
    if not reached[y]:
        return None
    state = next(state for state in ((y, False), (y, True)) if state in before)
    walk: list[int] = []
    while state is not None:
        walk.append(state[0])
        state = before[state]
    walk.reverse()
    if len(set(walk)) == len(walk):
        return walk
    # A walk that meets a node twice: some path without repetition is open as well.
    return next(path for path in paths(arrows, x, y) if blocking_node(arrows, path, given) is None)


def paths(arrows: np.ndarray, x: int, y: int) -> Iterator[list[int]]:
    """Every path between x and y along edges of any direction, without repeated nodes, depth first."""
    adjacent = [np.flatnonzero(row).tolist() for row in arrows | arrows.T]
    path, choices = [x], [iter(adjacent[x])]
    while choices:
        node = next(choices[-1], None)
        if node is None:
            choices.pop()
            path.pop()
        elif node == y:
            yield [*path, y]
        elif node not in path:
            path.append(node)
            choices.append(iter(adjacent[node]))


def blocking_node(arrows: np.ndarray, path: Sequence[int], given: Sequence[int]) -> int | None:
    """The first inner node that does not let the path pass, none if it is open."""
    opens_colliders = ancestors(arrows, given)
    for a, v, b in zip(path, path[1:], path[2:]):
        collider = arrows[a, v] and arrows[b, v]
        if not opens_colliders[v] if collider else v in given:
            return v
    return None

"""Orientation of a skeleton: colliders from separating sets (R0), then the rules R1 to R4. Syllabus: G9, G14.

Arrows are a boolean matrix (i → j), lines a symmetric one. The rules orient a line i — j as i → j when the other
direction would make a new collider or a cycle:

R1. k → i, k and j not adjacent.
R2. i → k → j.
R3. i — k → j and i — l → j, k and l not adjacent.
R4. i — k → l → j, k and j not adjacent, i and l adjacent: needed only where background knowledge added arrows.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np


class Conflict(NamedTuple):
    """A collider or an arrow that the data or the rules ask for, and that was not made.

    Attributes
    ----------
    nodes : (i, k, j) of a collider i → k ← j, or (i, j) of an arrow i → j.
    reason : what stood against it: "an arrow against it", "a directed cycle" or "a new collider".
    """

    nodes: tuple[int, ...]
    reason: str


def orient(arrows: np.ndarray, lines: np.ndarray, i: int, j: int) -> None:
    """Make the line i — j an arrow i → j."""
    lines[i, j] = lines[j, i] = False
    arrows[i, j] = True


def unshielded_triples(adjacent: np.ndarray) -> list[tuple[int, int, int]]:
    """(i, k, j) with i < j, i — k — j, and i, j not adjacent."""
    found: list[tuple[int, int, int]] = []
    for k in range(len(adjacent)):
        around = np.flatnonzero(adjacent[k])
        for a, i in enumerate(around):
            found.extend((int(i), k, int(j)) for j in around[a + 1 :] if not adjacent[i, j])
    return found


def orient_colliders(
    arrows: np.ndarray, lines: np.ndarray, colliders: Iterable[tuple[int, int, int]]
) -> list[Conflict]:
    """R0: i → k ← j for each triple, in the order given; one that contradicts what stands is reported instead.

    An arrow k → i that stands, a directed cycle that i → k would close, or a collider that is not in the list and that
    i → k would make with an arrow that stands, is a contradiction.
    """
    conflicts = []
    adjacent = arrows | arrows.T | lines
    colliders = list(colliders)
    listed = set(colliders)
    for i, k, j in colliders:
        if arrows[k, i] or arrows[k, j]:
            conflicts.append(Conflict((i, k, j), "an arrow against it"))
            continue
        if leads_to(arrows, k, i) or leads_to(arrows, k, j):
            conflicts.append(Conflict((i, k, j), "a directed cycle"))
            continue
        into = np.flatnonzero(arrows[:, k]).tolist()
        pairs = {(min(a, m), k, max(a, m)) for a in (i, j) for m in into if m != a and not adjacent[a, m]}
        if not pairs <= listed:
            conflicts.append(Conflict((i, k, j), "a new collider"))
            continue
        orient(arrows, lines, i, k)
        orient(arrows, lines, j, k)
    return conflicts


def orient_skeleton(
    adjacent: np.ndarray, separators: dict[tuple[int, int], tuple[int, ...]], order: dict, known: np.ndarray
) -> "Oriented":
    """Stage 2 of the PC algorithm: background arrows, R0, then the rules.

    Parameters
    ----------
    adjacent : (p, p) the skeleton.
    separators : (i, j), i < j → the set that separated the pair; pairs without one decide no collider.
    order : (i, j) → p-value of that test; colliders of better separated pairs come first.
    known : (p, p) arrows that background knowledge gives.
    """
    arrows, lines = np.zeros_like(adjacent), adjacent.copy()
    steps: list[tuple[int, int, str]] = []
    for i, j in np.argwhere(known & adjacent).tolist():
        orient(arrows, lines, i, j)
        steps.append((i, j, "background"))
    colliders = [
        (i, k, j) for i, k, j in unshielded_triples(adjacent) if (i, j) in separators and k not in separators[i, j]
    ]
    colliders.sort(key=lambda triple: (-order[triple[0], triple[2]], triple))
    before = arrows.copy()
    conflicts = orient_colliders(arrows, lines, colliders)
    steps += [(int(i), int(j), "R0") for i, j in np.argwhere(arrows & ~before)]
    made, more = close(arrows, lines)
    return Oriented(arrows, lines, steps + made, conflicts + more)


class Oriented(NamedTuple):
    """Arrows, lines, (i, j, rule) of each arrow in the order in which they were made, and the conflicts."""

    arrows: np.ndarray
    lines: np.ndarray
    steps: list[tuple[int, int, str]]
    conflicts: list[Conflict]


def leads_to(arrows: np.ndarray, start: int, end: int) -> bool:
    """Whether a directed path leads from `start` to `end`."""
    seen, todo = {start}, [start]
    while todo:
        for child in np.flatnonzero(arrows[todo.pop()]).tolist():
            if child == end:
                return True
            if child not in seen:
                seen.add(child)
                todo.append(child)
    return False


def close(arrows: np.ndarray, lines: np.ndarray) -> tuple[list[tuple[int, int, str]], list[Conflict]]:
    """Apply R1–R4 until none applies, in place; returns (i, j, rule) of each arrow made, in order, and the conflicts.

    An arrow that a rule asks for is not made, and is reported, if it would close a directed cycle or make a new
    collider: that happens only where the colliders or the background knowledge contradict each other.
    """
    made: list[tuple[int, int, str]] = []
    conflicts: dict[tuple[int, int], Conflict] = {}
    todo = [(int(i), int(j)) for i, j in np.argwhere(lines)][::-1]
    while todo:
        i, j = todo.pop()
        rule = _rule_for(arrows, lines, i, j) if lines[i, j] and (i, j) not in conflicts else None
        if rule is None:
            continue
        if leads_to(arrows, j, i):
            conflicts[i, j] = Conflict((i, j), "a directed cycle")
            continue
        if makes_collider(arrows, lines, i, j):
            conflicts[i, j] = Conflict((i, j), "a new collider")
            continue
        orient(arrows, lines, i, j)
        made.append((i, j, rule))
        # Only lines that touch the arrow or a neighbour of it can be concerned.
        near = np.flatnonzero(lines[i] | lines[j] | arrows[i] | arrows[j] | arrows[:, i] | arrows[:, j])
        for a in near.tolist():
            for b in np.flatnonzero(lines[a]).tolist():
                todo += [(a, b), (b, a)]
    return made, list(conflicts.values())


def makes_collider(arrows: np.ndarray, lines: np.ndarray, i: int, j: int) -> bool:
    """Whether i → j would meet an arrow m → j with m and i not adjacent."""
    far = ~(arrows[i] | arrows[:, i] | lines[i])
    far[i] = False
    return bool(np.any(arrows[:, j] & far))


def _rule_for(arrows: np.ndarray, lines: np.ndarray, i: int, j: int) -> str | None:
    """The rule by which the line i — j must be i → j."""
    adjacent_to_j = arrows[j] | arrows[:, j] | lines[j]
    far = ~adjacent_to_j
    far[j] = False
    if np.any(arrows[:, i] & far):
        return "R1"
    if np.any(arrows[i] & arrows[:, j]):
        return "R2"
    between = np.flatnonzero(lines[i] & arrows[:, j])
    for a, k in enumerate(between):
        for m in between[a + 1 :]:
            if not (arrows[k, m] or arrows[m, k] or lines[k, m]):
                return "R3"
    adjacent_to_i = arrows[i] | arrows[:, i] | lines[i]
    for k in np.flatnonzero(lines[i] & far):
        if np.any(arrows[k] & arrows[:, j] & adjacent_to_i):
            return "R4"
    return None


def pattern(arrows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(arrows, lines) of the CPDAG of a directed acyclic graph: its skeleton and colliders, closed under the rules."""
    adjacent = arrows | arrows.T
    compelled, lines = np.zeros_like(arrows), adjacent.copy()
    for i, k, j in unshielded_triples(adjacent):
        if arrows[i, k] and arrows[j, k]:
            orient(compelled, lines, i, k)
            orient(compelled, lines, j, k)
    close(compelled, lines)
    return compelled, lines


def extension(arrows: np.ndarray, lines: np.ndarray) -> np.ndarray | None:
    """The arrows of a directed acyclic graph with the same skeleton and colliders, none if there is none.

    Dor and Tarsi: a sink among what is left (no arrow out of it, its lines lead to nodes adjacent to all around it)
    takes all its lines as arrows towards it, and leaves.
    """
    p = len(arrows)
    found = arrows.copy()
    left = np.ones(p, dtype=bool)
    arrows, lines = arrows.copy(), lines.copy()
    for _ in range(p):
        for v in np.flatnonzero(left):
            around = lines[v] | arrows[:, v]
            if arrows[v].any():
                continue
            adjacent = arrows | arrows.T | lines
            if all(np.all(adjacent[w] | ~around | (np.arange(p) == w)) for w in np.flatnonzero(lines[v])):
                found[:, v] |= lines[v]
                lines[v] = lines[:, v] = False
                arrows[:, v] = False
                left[v] = False
                break
        else:
            return None
    return found

"""Orientations judged: colliders from separating sets, each arrow by its rule, nothing left to do. Syllabus: G14.

The rules are written as products of boolean matrices, for all pairs at once.
"""

import numpy as np


def has_cycle(arrows: np.ndarray) -> bool:
    """Whether taking away nodes without arrows into them gets stuck."""
    left = np.ones(len(arrows), dtype=bool)
    while left.any():
        free = left & ~arrows[left].any(axis=0)
        if not free.any():
            return True
        left &= ~free
    return False


def _lead(reach: np.ndarray, i: int, j: int) -> None:
    """What is reached when i → j comes in."""
    if not reach[i, j]:
        above, below = reach[:, i].copy(), reach[j].copy()
        above[i] = below[j] = True
        reach |= above[:, None] & below[None, :]


def _meet(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """[i, j]: whether some k has A[i, k] and B[k, j]."""
    return (A.astype(np.float32) @ B.astype(np.float32)) > 0.5


def rules(arrows: np.ndarray, lines: np.ndarray) -> dict[str, np.ndarray]:
    """For R1–R4, the lines i — j that each makes an arrow i → j."""
    adjacent = arrows | arrows.T | lines
    far = ~adjacent
    np.fill_diagonal(far, False)
    # R1: k → i, k far from j.
    one = _meet(arrows.T, far)
    # R2: i → k → j.
    two = _meet(arrows, arrows)
    # R3: i — k → j, i — l → j, k and l far from each other.
    three = np.zeros_like(arrows)
    # R4: i — k → l → j, k far from j, l adjacent to i.
    four = np.zeros_like(arrows)
    for i, j in np.argwhere(lines):
        between = lines[i] & arrows[:, j]
        three[i, j] = far[np.ix_(between, between)].any()
        four[i, j] = arrows[np.ix_(lines[i] & far[j], adjacent[i] & arrows[:, j])].any()
    return {"R1": one & lines, "R2": two & lines, "R3": three, "R4": four}


def _applies(arrows: np.ndarray, lines: np.ndarray, i: int, j: int, rule: str) -> bool:
    """Whether one rule makes the line i — j an arrow i → j: its premise, searched for among the nodes around."""

    def joined(a: int, b: int) -> bool:
        return bool(arrows[a, b] or arrows[b, a] or lines[a, b])

    around = [int(k) for k in np.flatnonzero(lines[i])]
    if rule == "R1":
        return any(k != j and not joined(int(k), j) for k in np.flatnonzero(arrows[:, i]))
    if rule == "R2":
        return any(arrows[k, j] for k in np.flatnonzero(arrows[i]))
    if rule == "R3":
        ends = [k for k in around if arrows[k, j]]
        return any(not joined(k, m) for k in ends for m in ends if k < m)
    if rule == "R4":
        return any(
            arrows[m, j] and joined(i, int(m))
            for k in around if k != j and not joined(k, j)
            for m in np.flatnonzero(arrows[k])
        )  # fmt: skip
    return False


def new_collider(arrows: np.ndarray, lines: np.ndarray, i: int, j: int) -> bool:
    """Whether i → j would meet m → j with m far from i."""
    adjacent = arrows | arrows.T | lines
    return any(arrows[m, j] and m != i and not adjacent[m, i] for m in range(len(arrows)))


def colliders_of(adjacent: np.ndarray, separators: dict, order: dict) -> list[tuple[int, int, int]]:
    """(i, k, j) with k outside the separating set of i and j, the best separated pairs first."""
    found = []
    common = _meet(adjacent, adjacent) & ~adjacent
    for i, j in np.argwhere(np.triu(common, 1)).tolist():
        if (i, j) in separators:
            S = separators[i, j]
            found += [(-order[i, j], i, int(k), j) for k in np.flatnonzero(adjacent[i] & adjacent[j]) if k not in S]
    return [(i, k, j) for _, i, k, j in sorted(found)]


def _strange_colliders(adjacent: np.ndarray, into: np.ndarray, k: int, triples: list, ends) -> list[tuple[int, int]]:
    """Pairs i < j, one of them among `ends`, that lead into k, are far from each other, and are not in the list."""
    members = np.flatnonzero(into).tolist()
    return [
        (i, j)
        for a, i in enumerate(members)
        for j in members[a + 1 :]
        if (i in ends or j in ends) and not adjacent[i, j] and (i, k, j) not in triples
    ]


def flaws(
    arrows: np.ndarray,
    lines: np.ndarray,
    separators: dict,
    order: dict,
    known: np.ndarray,
    steps: list,
    conflicts: list,
) -> dict[str, int]:
    """How many things are wrong with an orientation, by what they are; all zero for a sound one."""
    adjacent = arrows | arrows.T | lines
    made, left = np.zeros_like(arrows), adjacent.copy()
    steps, whole = [step for step in steps if isinstance(step, tuple | list) and len(step) == 3], steps
    unjustified = len(whole) - len(steps)
    expected: list[tuple] = []

    reach = np.zeros_like(arrows)

    def take(i: int, j: int) -> None:
        made[i, j] = True
        _lead(reach, i, j)
        left[i, j] = left[j, i] = False

    # 1. Background knowledge and colliders, in their order.
    due = {(int(i), int(j), "background") for i, j in np.argwhere(known & adjacent)}
    for i, j, _ in due:
        take(i, j)
    triples = colliders_of(adjacent, separators, order)
    for i, k, j in triples:
        with_these = made[:, k].copy()
        with_these[[i, j]] = True
        if made[k, i] or made[k, j]:
            expected.append(((i, k, j), "an arrow against it"))
        elif reach[k, i] or reach[k, j]:
            expected.append(((i, k, j), "a directed cycle"))
        elif _strange_colliders(adjacent, with_these, k, triples, (i, j)):
            expected.append(((i, k, j), "a new collider"))
        else:
            due |= {(a, k, "R0") for a in (i, j) if not made[a, k]}
            take(i, k)
            take(j, k)
    first = [step for step in steps if step[2] in ("background", "R0")]
    unjustified += len(set(first) ^ due) + (len(first) != len(due)) + (first != list(steps[: len(first)]))
    # 2. Each later arrow by its rule, from what stood before it.
    for i, j, rule in steps[len(first) :]:
        unjustified += not (left[i, j] and _applies(made, left, i, j, rule))
        take(i, j)
    # 3. What the rules still ask for must be impossible, and be reported.
    wanted = np.logical_or.reduce(list(rules(made, left).values()))
    open_rules = 0
    for i, j in np.argwhere(wanted).tolist():
        if reach[j, i]:
            expected.append(((i, j), "a directed cycle"))
        elif new_collider(made, left, i, j):
            expected.append(((i, j), "a new collider"))
        else:
            open_rules += 1
    strange = 0
    for k in range(len(arrows)):
        by_knowledge = np.flatnonzero(known[:, k] & adjacent[:, k])
        pairs = _strange_colliders(adjacent, arrows[:, k], k, triples, range(len(arrows)))
        strange += sum(not (i in by_knowledge and j in by_knowledge) for i, j in pairs)
    told = [(tuple(one[0]), one[1]) for one in conflicts if isinstance(one, tuple | list) and len(one) == 2]
    # A rule may be refused before an arrow elsewhere turns its line round: such a report must be true, no more.
    unknown = [one for one in told if one not in expected and not _refused(made, one)]
    return {
        "arrows that do not follow by their rule": unjustified,
        "arrows other than those of the steps": int(np.sum(made != arrows) + np.sum(left != lines)),
        "lines that a rule would still orient": open_rules,
        "colliders other than those of the separating sets": strange,
        "directed cycles": int(has_cycle(arrows)),
        "conflicts that are not reported, or reported without being one": len(unknown)
        + sum(one not in told for one in expected)
        + len(conflicts) - len(told)
        + len(told) - len(set(told)),
    }  # fmt: skip


def _refused(made: np.ndarray, conflict: tuple) -> bool:
    """Whether an arrow i → j was refused and its line became j → i."""
    nodes, reason = conflict
    return len(nodes) == 2 and reason in ("a directed cycle", "a new collider") and bool(made[nodes[1], nodes[0]])

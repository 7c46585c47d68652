"""Version spaces: everything between the most specific and the most general consistent hypotheses."""

from typing import Any

import numpy as np

from learnable.concepts import VersionSpace
from learnable.films.marks import graph, table
from learnable.films.registry import Picture, Shot, draws

MOST = 40


@draws("concepts.elimination.EliminationState")
def version_space(shot: Shot) -> Picture:
    """The lattice of all consistent hypotheses where they are few, else its two boundaries."""
    state = shot.state
    space = VersionSpace(state.attributes, state.specific, state.general)
    size = space.size
    panels = [
        table(
            "Boundaries", ["", *map(str, state.attributes.names)],
            [["S", *_words(space.specific)], *(["G", *_words(general)] for general in space.general[:30])], marked=[0],
        )
    ]  # fmt: skip
    if 1 <= size <= MOST:
        panels.insert(0, _lattice(space))
    return Picture(panels, f"{state.reason}. {size} hypotheses are consistent.", {"consistent hypotheses": float(size)})


def _words(hypothesis: Any) -> list[str]:
    return [getattr(constraint, "symbol", None) or str(constraint) for constraint in hypothesis.constraints]


def _lattice(space: VersionSpace) -> dict[str, Any]:
    """Hypotheses by the number of their constraints: the most general ones at the top."""
    members = sorted(space.hypotheses(), key=lambda each: (_rank(each), str(each)))
    ranks = np.array([_rank(each) for each in members])
    levels = {rank: k for k, rank in enumerate(sorted(set(ranks.tolist())))}
    at = np.zeros((len(members), 2))
    for rank, level in levels.items():
        inside = np.flatnonzero(ranks == rank)
        at[inside, 0] = (np.arange(len(inside)) + 0.5) / len(inside)
        at[inside, 1] = level / max(len(levels) - 1, 1)
    edges = [
        [i, j, "line", -1, 1.2]
        for i, above in enumerate(members)
        for j, below in enumerate(members)
        if ranks[j] > ranks[i] and above.more_general_than(below) and levels[int(ranks[j])] == levels[int(ranks[i])] + 1
    ]
    group = [0 if each == space.specific else 1 if each in space.general else -1 for each in members]
    labels = [", ".join(w for w in _words(each) if w != "?") or "?" for each in members]
    return graph(
        "All consistent hypotheses, the general ones at the top (blue: S, orange: G)", at, labels, edges, group,
        shape="box",
    )  # fmt: skip


def _rank(hypothesis: Any) -> int:
    return 99 if hypothesis.is_empty else sum(word != "?" for word in _words(hypothesis))


@draws("concepts.find_s.FindSState")
def find_s(shot: Shot) -> Picture:
    """The one hypothesis, generalised by each member of the concept."""
    state = shot.state
    words = _words(state.hypothesis)
    panel = table("The most specific hypothesis", list(map(str, state.attributes.names)), [words], marked=[0])
    seen = "before the first example" if state.row is None else f"after row {state.row}"
    return Picture(
        [panel], f"{seen}: {sum(word == '?' for word in words)} of {len(words)} attributes are free.".capitalize()
    )

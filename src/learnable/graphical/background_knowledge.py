"""What is known of a graph before the data are seen. Syllabus: G14."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from learnable.graphical.dag import CyclicGraphError
from learnable.graphical.mixed_graph import Node, Pair, distinct_names, edge_matrix
from learnable.solvers.graphical.acyclicity import order_or_cycle


class Knowledge(NamedTuple):
    """Background knowledge as matrices.

    Attributes
    ----------
    required : (p, p) arrows that are there.
    forbidden : (p, p) arrows that are not there.
    """

    required: np.ndarray
    forbidden: np.ndarray

    @property
    def possible(self) -> np.ndarray:
        """(p, p) pairs that may be joined."""
        possible = ~(self.forbidden & self.forbidden.T)
        np.fill_diagonal(possible, False)
        return possible

    @property
    def one_way(self) -> np.ndarray:
        """(p, p) arrows i → j for pairs that, if joined, can only be joined so."""
        return self.required | (self.forbidden.T & ~self.forbidden)


class BackgroundKnowledge:
    """Arrows that must be there, arrows that must not, and tiers in time.

    Parameters
    ----------
    required : pairs (from, to) of arrows that are there; their edges are not tested.
    forbidden : pairs (from, to) of arrows that are not there; give both directions to forbid an edge.
    tiers : lists of nodes, from the first to the last: nothing leads from a later one to an earlier one.

    Examples
    --------
    >>> known = BackgroundKnowledge(required=[("a", "b")], tiers=[["a"], ["b", "c"]])
    >>> known.matrices(["a", "b", "c"]).one_way.astype(int)
    array([[0, 1, 1],
           [0, 0, 0],
           [0, 0, 0]])
    """

    def __init__(
        self, required: Iterable[Pair] = (), forbidden: Iterable[Pair] = (), tiers: Sequence[Sequence[Node]] = ()
    ):
        self.required = tuple(tuple(pair) for pair in required)
        self.forbidden = tuple(tuple(pair) for pair in forbidden)
        self.tiers = tuple(tuple(tier) for tier in tiers)

    def __repr__(self) -> str:
        return f"BackgroundKnowledge(required={self.required}, forbidden={self.forbidden}, tiers={self.tiers})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BackgroundKnowledge) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.required, self.forbidden, self.tiers))

    def matrices(self, nodes: Sequence[Node]) -> Knowledge:
        """The knowledge on these nodes, refused when it contradicts itself."""
        names = distinct_names(nodes)
        required, forbidden = edge_matrix(names, self.required), edge_matrix(names, self.forbidden)
        place = {node: i for i, node in enumerate(names)}
        tier_of = np.full(len(names), -1)
        for t, tier in enumerate(self.tiers):
            for node in tier:
                if node not in place:
                    raise ValueError(f"tiers: there is no node {node!r}")
                if tier_of[place[node]] >= 0:
                    raise ValueError(f"tiers: node {node!r} stands in two tiers")
                tier_of[place[node]] = t
        known = tier_of >= 0
        forbidden |= (tier_of[:, None] > tier_of[None, :]) & known[:, None] & known[None, :]
        for i, j in np.argwhere(required & forbidden):
            raise ValueError(f"BackgroundKnowledge: the arrow {names[i]!r} → {names[j]!r} is required and forbidden")
        # What is required forbids its opposite.
        forbidden |= required.T
        cycle = order_or_cycle(required)[1]
        if cycle:
            raise CyclicGraphError([names[i] for i in cycle])
        return Knowledge(required, forbidden)

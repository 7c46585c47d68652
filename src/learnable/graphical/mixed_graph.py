"""Nodes with names, arrows and lines: what directed and partially directed graphs share. Syllabus: G6, G8."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

Node = Hashable
Pair = tuple[Any, Any]


class MixedGraph:
    """Nodes, arrows i → j and lines i — j between them, at most one edge between two nodes.

    Attributes
    ----------
    nodes : tuple of names.
    arrows : bool array (p, p), [i, j] for i → j.
    lines : bool array (p, p), symmetric.
    """

    def __init__(self, nodes: Sequence[Node], arrows: np.ndarray, lines: np.ndarray):
        self.nodes = distinct_names(nodes)
        self.arrows, self.lines = np.array(arrows, dtype=bool), np.array(lines, dtype=bool)
        shape = (len(self.nodes),) * 2
        if self.arrows.shape != shape or self.lines.shape != shape:
            raise ValueError(f"{len(self.nodes)} nodes, but edges of shape {self.arrows.shape} and {self.lines.shape}")
        if not np.array_equal(self.lines, self.lines.T):
            raise ValueError("lines must be symmetric: [i, j] and [j, i] say the same")
        loops = np.flatnonzero(np.diag(self.arrows | self.lines))
        if len(loops):
            raise ValueError(f"node {self.nodes[loops[0]]!r} has an edge to itself")
        for i, j in np.argwhere(self.lines & self.arrows):
            raise ValueError(f"both an arrow and a line between {self.nodes[i]!r} and {self.nodes[j]!r}")
        self.arrows.setflags(write=False)
        self.lines.setflags(write=False)

    def index(self, node: Node) -> int:
        """The place of a node."""
        try:
            return self.nodes.index(node)
        except ValueError:
            raise KeyError(f"no node {node!r}; the nodes are {', '.join(map(str, self.nodes))}") from None

    @property
    def adjacency(self) -> np.ndarray:
        """Bool array (p, p): whether an edge of any kind is between two nodes."""
        return self.arrows | self.arrows.T | self.lines

    @property
    def directed_edges(self) -> tuple[Pair, ...]:
        """(i, j) for every arrow i → j."""
        return tuple((self.nodes[i], self.nodes[j]) for i, j in np.argwhere(self.arrows))

    @property
    def undirected_edges(self) -> tuple[Pair, ...]:
        """(i, j), i first in order, for every line."""
        return tuple((self.nodes[i], self.nodes[j]) for i, j in np.argwhere(np.triu(self.lines)))

    @property
    def skeleton(self) -> tuple[Pair, ...]:
        """(i, j), i first in order, for every edge of any kind."""
        return tuple((self.nodes[i], self.nodes[j]) for i, j in np.argwhere(np.triu(self.adjacency)))

    @property
    def v_structures(self) -> tuple[tuple[Any, Any, Any], ...]:
        """(i, k, j) for every i → k ← j with i and j not adjacent."""
        adjacent = self.adjacency
        found = []
        for k in range(len(self.nodes)):
            into = np.flatnonzero(self.arrows[:, k])
            found += [
                (self.nodes[i], self.nodes[k], self.nodes[j])
                for a, i in enumerate(into)
                for j in into[a + 1 :]
                if not adjacent[i, j]
            ]
        return tuple(found)

    def parents(self, node: Node) -> tuple[Node, ...]:
        """Nodes with an arrow to this one."""
        return self._names(self.arrows[:, self.index(node)])

    def children(self, node: Node) -> tuple[Node, ...]:
        """Nodes this one has an arrow to."""
        return self._names(self.arrows[self.index(node)])

    def adjacent(self, node: Node) -> tuple[Node, ...]:
        """Nodes joined to this one by an edge of any kind."""
        return self._names(self.adjacency[self.index(node)])

    def _names(self, chosen: Iterable[Any]) -> tuple[Node, ...]:
        return tuple(self.nodes[i] for i in np.flatnonzero(np.asarray(chosen)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MixedGraph)
            and self.nodes == other.nodes
            and np.array_equal(self.arrows, other.arrows)
            and np.array_equal(self.lines, other.lines)
        )

    def __hash__(self) -> int:
        return hash((self.nodes, self.arrows.tobytes(), self.lines.tobytes()))

    def __repr__(self) -> str:
        edges = [f"{a} → {b}" for a, b in self.directed_edges] + [f"{a} — {b}" for a, b in self.undirected_edges]
        alone = [str(node) for node, some in zip(self.nodes, np.any(self.adjacency, axis=0).tolist()) if not some]
        return f"{type(self).__name__}({', '.join(edges + alone)})"

    def to_svg(self, highlight: Iterable[Pair] = ()) -> str:
        """A drawing in layers, arrows downwards, as SVG text. `highlight` names edges to be drawn heavier."""
        from learnable.graphical.drawing import svg

        return svg(self, highlight)

    _repr_svg_ = to_svg

    def to_networkx(self) -> Any:
        """A `networkx.DiGraph`; a line becomes two arrows that carry `undirected=True`."""
        from learnable.graphical.export import to_networkx

        return to_networkx(self)

    def to_graphml(self) -> str:
        """GraphML text; every edge says whether it is directed."""
        from learnable.graphical.export import to_graphml

        return to_graphml(self)

    def to_dot(self) -> str:
        """DOT text for Graphviz."""
        from learnable.graphical.export import to_dot

        return to_dot(self)


def distinct_names(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The names as a tuple, refused when two are the same.

    >>> distinct_names(["a", "b", "a"])
    Traceback (most recent call last):
    ValueError: two nodes are called 'a'; give each node its own name
    """
    seen = set()
    for node in nodes:
        if node in seen:
            raise ValueError(f"two nodes are called {node!r}; give each node its own name")
        seen.add(node)
    return tuple(nodes)


def edge_matrix(nodes: tuple[Node, ...], edges: Iterable[Pair]) -> np.ndarray:
    """Bool array (p, p) of pairs of names."""
    place = {node: i for i, node in enumerate(nodes)}
    matrix = np.zeros((len(nodes),) * 2, dtype=bool)
    for edge in edges:
        if len(edge) != 2:
            raise ValueError(f"edge {tuple(edge)!r}: an edge is a pair of nodes")
        a, b = edge
        for end in (a, b):
            if end not in place:
                raise ValueError(f"edge ({a!r}, {b!r}): there is no node {end!r}")
        matrix[place[a], place[b]] = True
    return matrix


def named_in_order(nodes: Sequence[Node] | None, *edge_lists: Iterable[Pair]) -> tuple[Node, ...]:
    """The nodes given, or those of the edges in the order in which they appear."""
    if nodes is not None:
        return distinct_names(nodes)
    return tuple(dict.fromkeys(end for edges in edge_lists for edge in edges for end in edge))

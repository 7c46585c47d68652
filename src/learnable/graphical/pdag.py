"""Partially directed acyclic graphs. Syllabus: G9."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from learnable.graphical.mixed_graph import MixedGraph, Node, Pair, edge_matrix, named_in_order
from learnable.solvers.graphical.acyclicity import order_or_cycle
from learnable.solvers.graphical.orientation import close, extension

if TYPE_CHECKING:
    from learnable.graphical.dag import DAG


class PDAG(MixedGraph):
    """Arrows without a directed cycle, and lines whose direction is open.

    Syllabus: G9.

    Parameters
    ----------
    directed : pairs (from, to).
    undirected : pairs, in any order.
    nodes : names; None takes those of the edges in the order in which they appear.

    Examples
    --------
    >>> graph = PDAG([("a", "b")], [("b", "c")])
    >>> graph.closed()
    PDAG(a → b, b → c)
    """

    def __init__(
        self, directed: Iterable[Pair] = (), undirected: Iterable[Pair] = (), nodes: Sequence[Node] | None = None
    ):
        directed, undirected = list(directed), list(undirected)
        names = named_in_order(nodes, directed, undirected)
        lines = edge_matrix(names, undirected)
        self._settle(names, edge_matrix(names, directed), lines | lines.T)

    @classmethod
    def from_matrices(cls, nodes: Sequence[Node], arrows: np.ndarray, lines: np.ndarray) -> "PDAG":
        """From the matrices of arrows and of lines."""
        graph = cls.__new__(cls)
        graph._settle(tuple(nodes), np.asarray(arrows, dtype=bool), np.asarray(lines, dtype=bool))
        return graph

    def _settle(self, nodes: tuple[Node, ...], arrows: np.ndarray, lines: np.ndarray) -> None:
        super().__init__(nodes, arrows, lines)
        refuse_cycle(self)

    def closed(self) -> "PDAG":
        """The graph after the rules R1–R4: every line whose direction follows from the arrows has become one."""
        arrows, lines = self.arrows.copy(), self.lines.copy()
        close(arrows, lines)
        return PDAG.from_matrices(self.nodes, arrows, lines)

    def extension(self) -> "DAG":
        """A directed acyclic graph with the same skeleton and the same v-structures; ValueError if there is none."""
        return one_extension(self)


def refuse_cycle(graph: MixedGraph) -> None:
    """CyclicGraphError if the arrows of a graph form a cycle."""
    _, cycle = order_or_cycle(graph.arrows)
    if cycle:
        from learnable.graphical.dag import CyclicGraphError

        raise CyclicGraphError([graph.nodes[i] for i in cycle])


def one_extension(graph: MixedGraph) -> "DAG":
    """A directed acyclic graph with the skeleton and the v-structures of a partially directed one."""
    from learnable.graphical.dag import DAG

    arrows = extension(graph.arrows, graph.lines)
    if arrows is None:
        raise ValueError(f"{type(graph).__name__}: no directed acyclic graph has this skeleton and these v-structures")
    return DAG.from_arrows(arrows, graph.nodes)


def all_extensions(graph: MixedGraph) -> Iterator["DAG"]:
    """Every directed acyclic graph with the skeleton, the arrows and the v-structures of a partially directed one."""
    from learnable.graphical.dag import DAG

    if not graph.lines.any():
        yield DAG.from_arrows(graph.arrows, graph.nodes)
        return
    i, j = (int(k) for k in np.argwhere(graph.lines)[0])
    for a, b in ((i, j), (j, i)):
        arrows, lines = graph.arrows.copy(), graph.lines.copy()
        arrows[a, b], lines[a, b], lines[b, a] = True, False, False
        _, conflicts = close(arrows, lines)
        if conflicts or order_or_cycle(arrows)[1]:
            continue
        narrower = PDAG.from_matrices(graph.nodes, arrows, lines)
        if set(narrower.v_structures) == set(graph.v_structures):
            yield from all_extensions(narrower)

"""Completed partially directed acyclic graphs: one for each class of Markov equivalent DAGs. Syllabus: G9."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from learnable.graphical.mixed_graph import MixedGraph, Node
from learnable.graphical.pdag import all_extensions, one_extension, refuse_cycle
from learnable.solvers.graphical.orientation import extension, pattern

if TYPE_CHECKING:
    from learnable.graphical.dag import DAG


class CPDAG(MixedGraph):
    """The graph of an equivalence class: an arrow where all its DAGs agree, a line where they do not.

    Syllabus: G9.

    Parameters
    ----------
    nodes : names.
    arrows, lines : bool arrays (p, p). ValueError unless they are the class of some DAG.

    Examples
    --------
    >>> from learnable.graphical import DAG
    >>> chain = DAG([("a", "b"), ("b", "c")]).cpdag()
    >>> chain
    CPDAG(a — b, b — c)
    >>> list(chain.members())
    [DAG(a → b, b → c), DAG(b → a, b → c), DAG(b → a, c → b)]
    """

    def __init__(self, nodes: Sequence[Node], arrows: np.ndarray, lines: np.ndarray):
        super().__init__(nodes, arrows, lines)
        refuse_cycle(self)
        member = extension(self.arrows, self.lines)
        if member is None:
            raise ValueError("CPDAG: no directed acyclic graph has this skeleton and these v-structures")
        compelled, _ = pattern(member)
        odd = np.argwhere(compelled != self.arrows)
        if len(odd):
            i, j = (self.nodes[k] for k in odd[0])
            raise ValueError(f"CPDAG: the direction of the edge {i!r}, {j!r} is not what its equivalence class says")

    def member(self) -> "DAG":
        """One DAG of the class."""
        return one_extension(self)

    def members(self) -> Iterator["DAG"]:
        """Every DAG of the class; their number may grow as p!."""
        return all_extensions(self)

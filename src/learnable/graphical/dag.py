"""Directed acyclic graphs: order, factorisation, d-separation, Markov equivalence. Syllabus: G6, G8, G10."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from learnable.graphical.cpdag import CPDAG
from learnable.graphical.mixed_graph import MixedGraph, Node, Pair, edge_matrix, named_in_order
from learnable.seeds import generator_from
from learnable.solvers.graphical.acyclicity import ancestors, order_or_cycle
from learnable.solvers.graphical.d_separation import blocking_node, open_path, paths
from learnable.solvers.graphical.orientation import pattern

# Listing the blocked paths of a dense graph never ends: more than this many are not listed.
MOST_PATHS = 10_000


class CyclicGraphError(ValueError):
    """The arrows go round in a circle; `cycle` names it, first and last node the same."""

    def __init__(self, cycle: Sequence[Node]):
        super().__init__(f"the arrows form a cycle: {' → '.join(map(str, cycle))}; a DAG must have none")
        self.cycle = tuple(cycle)


class Block(NamedTuple):
    """A path that does not let information pass, and the node that stops it.

    Attributes
    ----------
    path : tuple of nodes.
    node : where it is blocked.
    why : "given" (the node is no collider and in the set) or "collider" (neither it nor a descendant is in the set).
    """

    path: tuple[Node, ...]
    node: Node
    why: str


class Separation(NamedTuple):
    """Whether a set separates two nodes, with the proof.

    Attributes
    ----------
    separated : bool.
    open_path : a path that lets information pass, None if they are separated.
    blocks : the blocking node of each path between the two, if they are separated.
    complete : whether `blocks` lists all paths; there may be too many.
    """

    separated: bool
    open_path: tuple[Node, ...] | None
    blocks: tuple[Block, ...]
    complete: bool


class Equivalence(NamedTuple):
    """Whether two graphs say the same about independence.

    Attributes
    ----------
    equivalent : bool.
    edges : edges that only one of the skeletons has.
    v_structures : colliders that only one of them has.
    """

    equivalent: bool
    edges: tuple[Pair, ...]
    v_structures: tuple[tuple[Node, Node, Node], ...]

    def __bool__(self) -> bool:
        return self.equivalent


class DAG(MixedGraph):
    """A directed acyclic graph.

    Syllabus: G6, G8, G10.

    Parameters
    ----------
    edges : pairs (parent, child).
    nodes : names; None takes those of the edges in the order in which they appear.

    Attributes
    ----------
    nodes, arrows, lines : see `MixedGraph`; there are no lines.
    order : a topological order of the nodes, every parent before its children.

    Examples
    --------
    >>> graph = DAG([("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")])
    >>> graph.factorisation()
    'f(rain) f(sprinkler) f(wet | rain, sprinkler) f(slippery | wet)'
    >>> graph.d_separation("rain", "sprinkler").blocks
    (Block(path=('rain', 'wet', 'sprinkler'), node='wet', why='collider'),)
    >>> graph.d_separation("rain", "sprinkler", given=["slippery"]).open_path
    ('rain', 'wet', 'sprinkler')
    >>> DAG([("a", "b"), ("b", "a")])
    Traceback (most recent call last):
    learnable.graphical.dag.CyclicGraphError: the arrows form a cycle: a → b → a; a DAG must have none
    """

    def __init__(self, edges: Iterable[Pair] = (), nodes: Sequence[Node] | None = None):
        edges = list(edges)
        names = named_in_order(nodes, edges)
        self._settle(names, edge_matrix(names, edges))

    @classmethod
    def from_arrows(cls, arrows: Any, nodes: Sequence[Node] | None = None) -> "DAG":
        """From a matrix whose entry [i, j] says whether i → j; nodes are 0 … p − 1 unless named."""
        arrows = np.asarray(arrows) != 0
        graph = cls.__new__(cls)
        graph._settle(tuple(range(len(arrows))) if nodes is None else tuple(nodes), arrows)
        return graph

    @classmethod
    def random(cls, n_nodes: int, degree: float = 2.0, random_state: Any = None) -> "DAG":
        """Each pair is joined with probability degree / (p − 1), along a random order of the nodes."""
        generator = generator_from(random_state, "DAG.random")
        upper = np.triu(generator.random((n_nodes, n_nodes)) * max(n_nodes - 1, 1) < degree, 1)
        place = generator.permutation(n_nodes)
        return cls.from_arrows(upper[np.ix_(place, place)])

    def _settle(self, nodes: tuple[Node, ...], arrows: np.ndarray) -> None:
        super().__init__(nodes, arrows, np.zeros_like(arrows))
        order, cycle = order_or_cycle(self.arrows)
        if cycle:
            raise CyclicGraphError([nodes[i] for i in cycle])
        self.order = tuple(nodes[i] for i in order)

    def ancestors(self, node: Node) -> tuple[Node, ...]:
        """Nodes from which a directed path leads here."""
        return self._names(self._lineage(self.arrows, node))

    def descendants(self, node: Node) -> tuple[Node, ...]:
        """Nodes that a directed path leads to from here."""
        return self._names(self._lineage(self.arrows.T, node))

    def _lineage(self, arrows: np.ndarray, node: Node) -> np.ndarray:
        i = self.index(node)
        reached = ancestors(arrows, [i])
        reached[i] = False
        return reached

    def factorisation(self) -> str:
        """The product of conditional densities that the graph stands for: f(x) = Π f(x_v | parents of v)."""
        terms = []
        for node in self.order:
            above = ", ".join(map(str, self.parents(node)))
            terms.append(f"f({node} | {above})" if above else f"f({node})")
        return " ".join(terms)

    def joint(self, tables: Mapping[Node, Any]) -> np.ndarray:
        """The joint law Π P(v | parents), one axis a node in the order of `nodes`.

        Parameters
        ----------
        tables : node → array with one axis for each parent, in the order of `parents(node)`, and the last one for the
            node itself; the last axis sums to one.
        """
        p = len(self.nodes)
        law = np.ones((1,) * p)
        for node in self.nodes:
            table = np.asarray(tables[node], dtype=float)
            axes = [self.index(parent) for parent in self.parents(node)] + [self.index(node)]
            if table.ndim != len(axes) or not np.allclose(table.sum(axis=-1), 1.0) or np.any(table < 0.0):
                raise ValueError(
                    f"table of {node!r}: needs {len(axes)} axes (parents {self.parents(node)}, then itself), "
                    f"probabilities that sum to one along the last; it has shape {table.shape}"
                )
            shape = [1] * p
            for axis, size in zip(axes, table.shape):
                shape[axis] = size
            law = law * np.transpose(table, np.argsort(axes)).reshape(shape)
        return law

    def cpdag(self) -> CPDAG:
        """The graph of its equivalence class: an arrow where all members agree, a line where they do not."""
        return CPDAG(self.nodes, *pattern(self.arrows))

    def markov_equivalent(self, other: "DAG") -> Equivalence:
        """Same skeleton and same v-structures, or the difference.

        >>> DAG([("a", "b"), ("b", "c")]).markov_equivalent(DAG([("a", "b"), ("c", "b")]))
        Equivalence(equivalent=False, edges=(), v_structures=(('a', 'b', 'c'),))
        """
        if set(self.nodes) != set(other.nodes):
            odd = sorted(map(str, set(self.nodes) ^ set(other.nodes)))
            raise ValueError(f"graphs on different nodes cannot be compared; only in one: {', '.join(odd)}")
        place = [other.index(node) for node in self.nodes]
        other = DAG.from_arrows(other.arrows[np.ix_(place, place)], self.nodes)
        edges = tuple(sorted(set(self.skeleton) ^ set(other.skeleton), key=self._places))
        colliders = tuple(sorted(set(self.v_structures) ^ set(other.v_structures), key=self._places))
        return Equivalence(not edges and not colliders, edges, colliders)

    def _places(self, nodes: tuple[Node, ...]) -> list[int]:
        return [self.index(node) for node in nodes]

    def d_separation(self, x: Node, y: Node, given: Iterable[Node] = ()) -> Separation:
        """Whether `given` separates x and y: an open path, or the node that blocks each path.

        Parameters
        ----------
        x, y : two nodes.
        given : other nodes.
        """
        i, j = self.index(x), self.index(y)
        S = [self.index(node) for node in given]
        if i == j or i in S or j in S:
            raise ValueError(f"d_separation({x!r}, {y!r}, given={list(given)}): the nodes must all be different")
        way = open_path(self.arrows, i, j, S)
        if way is not None:
            return Separation(False, tuple(self.nodes[v] for v in way), (), True)
        blocks: list[Block] = []
        for path in paths(self.arrows, i, j):
            if len(blocks) == MOST_PATHS:
                return Separation(True, None, tuple(blocks), False)
            v = blocking_node(self.arrows, path, S)
            assert v is not None, "a path is open although the nodes are separated"
            why = "given" if v in S and not self._collides(path, v) else "collider"
            blocks.append(Block(tuple(self.nodes[k] for k in path), self.nodes[v], why))
        return Separation(True, None, tuple(blocks), True)

    def _collides(self, path: list[int], v: int) -> bool:
        at = path.index(v)
        return bool(self.arrows[path[at - 1], v] and self.arrows[path[at + 1], v])

    def to_bnlearn(self) -> str:
        """The model string of R's bnlearn, e.g. "[a][b][c|a:b]"."""
        from learnable.graphical.export import to_bnlearn

        return to_bnlearn(self)

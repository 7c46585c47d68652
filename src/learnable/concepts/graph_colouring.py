"""Colouring a graph is learning a k-term DNF: the reduction that makes the latter NP-complete, in both directions."""

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from learnable.concepts.k_term_dnf_learner import KTermDNFLearner
from learnable.concepts.normal_form import DNF
from learnable.plain import plain


class ColouringExamples(NamedTuple):
    """A graph as examples: a variable a node.

    Attributes
    ----------
    X : int array (nodes + edges, nodes) of zeros and ones.
    y : bool array; the nodes are positive, the edges negative.
    nodes : the node of each variable.
    """

    X: np.ndarray
    y: np.ndarray
    nodes: tuple[Hashable, ...]


class Colouring(NamedTuple):
    """What is known about a graph.

    Attributes
    ----------
    colours : node -> colour 0 … k − 1, or None when there is no colouring or none was found.
    model : the fitted `KTermDNFLearner`; its certificate has the formula checked or the proof that there is none.
    clash : when there is none, the nodes whose rows are in the proof, so that they cannot be coloured by themselves.
    """

    colours: dict[Hashable, int] | None
    model: KTermDNFLearner
    clash: tuple[Hashable, ...]


def colouring_examples(graph: Any) -> ColouringExamples:
    """The examples whose consistent k-term DNFs are the k-colourings of a graph.

    Node i is a positive example, all ones but for a zero at i; edge {i, j} is a negative one with zeros at i and j.
    Syllabus: V11.

    Parameters
    ----------
    graph : networkx graph, or anything with `nodes` and `edges`.

    Examples
    --------
    >>> import networkx as nx
    >>> examples = colouring_examples(nx.path_graph(3))
    >>> print(np.column_stack([examples.X, examples.y]))
    [[0 1 1 1]
     [1 0 1 1]
     [1 1 0 1]
     [0 0 1 0]
     [1 0 0 0]]
    """
    nodes = tuple(graph.nodes)
    if not nodes:
        raise ValueError("colouring_examples(graph): the graph has no nodes")
    place = {node: i for i, node in enumerate(nodes)}
    edges = np.array([(place[edge[0]], place[edge[1]]) for edge in graph.edges], dtype=int).reshape(-1, 2)
    X = np.ones((len(nodes) + len(edges), len(nodes)), dtype=int)
    X[np.arange(len(nodes)), np.arange(len(nodes))] = 0
    X[len(nodes) + np.arange(len(edges))[:, None], edges] = 0
    return ColouringExamples(X, np.arange(len(X)) < len(nodes), nodes)


def formula_of_colouring(colours: Mapping[Hashable, int], k: int = 3) -> DNF:
    """The k-term DNF of a colouring: T_c has the variables of the nodes whose colour is *not* c.

    Syllabus: V11.

    Parameters
    ----------
    colours : node -> colour 0 … k − 1, the nodes in the order of the variables.
    k : number of colours.

    Examples
    --------
    >>> print(formula_of_colouring({"a": 0, "b": 1, "c": 0}, k=2))
    (x0 ∧ x2) ∨ x1
    """
    if wrong := [(node, colour) for node, colour in colours.items() if colour not in range(k)]:
        node, colour = wrong[0]
        raise ValueError(
            f"formula_of_colouring(k={k}): node {plain(node)!r} has colour {plain(colour)!r}, not one of 0 … {k - 1}"
        )
    given = list(colours.values())
    return DNF([[i for i, other in enumerate(given) if other != colour] for colour in range(k)], len(given))


def colouring_of_formula(formula: DNF, nodes: tuple[Hashable, ...]) -> dict[Hashable, int]:
    """The colouring of a formula that fits the examples of a graph: the first term that is true at the node's row.

    Two neighbours of one colour would make that term true at their edge too, which is negative. Syllabus: V11.

    Parameters
    ----------
    formula : DNF that covers the row of every node.
    nodes : the node of each variable.

    Examples
    --------
    >>> colouring_of_formula(DNF([[0, 2], [1]], n_variables=3), ("a", "b", "c"))
    {'a': 1, 'b': 0, 'c': 1}
    """
    rows = 1 - np.eye(len(nodes), dtype=int)
    true = np.array([term.covers(rows) for term in formula], dtype=bool).reshape(-1, len(nodes))
    if not true.any(axis=0).all():
        bare = nodes[int(np.argmin(true.any(axis=0)))]
        raise ValueError(f"colouring_of_formula: no term is true at the row of node {plain(bare)!r}; it has no colour")
    return dict(zip(nodes, true.argmax(axis=0).tolist()))


def colour_graph(graph: Any, k: int = 3, *, max_conflicts: int = 20_000) -> Colouring:
    """Colour a graph with k colours by learning a k-term DNF, or prove that it cannot be done.

    Syllabus: V10, V11.

    Parameters
    ----------
    graph : networkx graph, or anything with `nodes` and `edges`.
    k : number of colours.
    max_conflicts : as of `KTermDNFLearner`.

    Returns
    -------
    Colouring

    Examples
    --------
    >>> import networkx as nx
    >>> ring = nx.cycle_graph(5)
    >>> colours = colour_graph(ring).colours
    >>> all(colours[one] != colours[other] for one, other in ring.edges)
    True
    >>> refuted = colour_graph(nx.complete_graph(4))
    >>> refuted.colours, refuted.clash, refuted.model.certificate_.claims[-1].holds
    (None, (0, 1, 2, 3), True)
    """
    X, y, nodes = colouring_examples(graph)
    model = KTermDNFLearner(k, max_conflicts=max_conflicts, classes=(False, True)).fit(X, y)
    if model.consistent_:
        return Colouring(colouring_of_formula(model.hypothesis_, nodes), model, ())
    return Colouring(None, model, tuple(nodes[row] for row in model.witness_ if row < len(nodes)))

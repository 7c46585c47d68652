"""Graphs for other programs: networkx, GraphML, DOT, bnlearn; names are escaped. Syllabus: G6."""

from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from learnable.graphical.dag import DAG
    from learnable.graphical.mixed_graph import MixedGraph


def to_networkx(graph: "MixedGraph") -> Any:
    """A `networkx.DiGraph`; a line becomes two arrows that carry `undirected=True`."""
    import networkx

    found = networkx.DiGraph()
    found.add_nodes_from(graph.nodes)
    found.add_edges_from(graph.directed_edges)
    for a, b in graph.undirected_edges:
        found.add_edge(a, b, undirected=True)
        found.add_edge(b, a, undirected=True)
    return found


def to_graphml(graph: "MixedGraph") -> str:
    """GraphML text. Nodes are numbered, their names are data, so that any name will do."""
    place = {node: i for i, node in enumerate(graph.nodes)}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '<key id="name" for="node" attr.name="name" attr.type="string"/>',
        '<graph edgedefault="directed">',
    ]
    for i, node in enumerate(graph.nodes):
        lines.append(f'<node id="n{i}"><data key="name">{escape(printable(node))}</data></node>')
    for directed, edges in (("true", graph.directed_edges), ("false", graph.undirected_edges)):
        for a, b in edges:
            lines.append(f'<edge source="n{place[a]}" target="n{place[b]}" directed="{directed}"/>')
    return "\n".join([*lines, "</graph>", "</graphml>", ""])


def to_dot(graph: "MixedGraph") -> str:
    """DOT text for Graphviz, names quoted.

    >>> from learnable.graphical import PDAG
    >>> print(to_dot(PDAG([("a", 'b"')], [("a", "c")])), end="")
    digraph {
      n0 [label="a"];
      n1 [label="b\\""];
      n2 [label="c"];
      n0 -> n1;
      n0 -> n2 [dir=none];
    }
    """
    place = {node: i for i, node in enumerate(graph.nodes)}
    lines = ["digraph {"]
    for i, node in enumerate(graph.nodes):
        label = printable(node).replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  n{i} [label="{label}"];')
    lines += [f"  n{place[a]} -> n{place[b]};" for a, b in graph.directed_edges]
    lines += [f"  n{place[a]} -> n{place[b]} [dir=none];" for a, b in graph.undirected_edges]
    return "\n".join([*lines, "}", ""])


def to_bnlearn(graph: "DAG") -> str:
    """The model string of R's bnlearn; names that it cannot hold are refused.

    >>> from learnable.graphical import DAG
    >>> to_bnlearn(DAG([("a", "c"), ("b", "c")]))
    '[a][b][c|a:b]'
    """
    for node in graph.nodes:
        bad = sorted(set(str(node)) & set("[]|: \n\t"))
        if bad or not str(node):
            raise ValueError(f"node {node!r}: a bnlearn string has no way to write {bad or 'an empty name'}; rename it")
    terms = []
    for node in graph.order:
        above = ":".join(str(parent) for parent in graph.parents(node))
        terms.append(f"[{node}|{above}]" if above else f"[{node}]")
    return "".join(terms)


def from_bnlearn(text: str) -> "DAG":
    """The DAG of a bnlearn model string.

    >>> from_bnlearn("[a][b][c|a:b]")
    DAG(a → c, b → c)
    """
    from learnable.graphical.dag import DAG

    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(f"from_bnlearn({text[:40]!r}): a model string looks like '[a][b][c|a:b]'")
    nodes, edges = [], []
    for term in text[1:-1].split("]["):
        node, _, above = term.partition("|")
        if not node:
            raise ValueError(f"from_bnlearn: a node without a name in {term!r}")
        nodes.append(node)
        edges += [(parent, node) for parent in above.split(":") if parent]
    return DAG(edges, nodes=nodes)


def printable(node: Any) -> str:
    """A name without control characters, which neither XML nor DOT can hold."""
    return "".join(letter if letter.isprintable() else " " for letter in str(node))

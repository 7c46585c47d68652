"""Graphs as SVG in layers: arrows lead downwards, few edges cross. Syllabus: G6."""

import itertools
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from learnable.solvers.graphical.acyclicity import order_or_cycle
from learnable.solvers.graphical.orientation import extension

if TYPE_CHECKING:
    from learnable.graphical.mixed_graph import MixedGraph

LETTER, HEIGHT, GAP, LEVEL = 7.5, 28.0, 26.0, 74.0
LONGEST_LABEL = 24
SWEEPS = 12


def svg(graph: "MixedGraph", highlight: Iterable[Any] = ()) -> str:
    """SVG text of a graph; the names are escaped, and cut when they are long (the whole name is its tooltip)."""
    heavy = {frozenset(edge) for edge in highlight}
    labels = [_short(str(node)) for node in graph.nodes]
    width = np.array([max(HEIGHT, LETTER * len(label) + 16.0) for label in labels])
    x, y, bends = _layout(graph, width)
    if not len(x):
        return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'
    left, right = float(np.min(x - width / 2)) - 10.0, float(np.max(x + width / 2)) + 10.0
    for way in bends.values():
        left, right = min([left, *(a - 10.0 for a, _ in way)]), max([right, *(a + 10.0 for a, _ in way)])
    top, bottom = float(y.min()) - HEIGHT, float(y.max()) + HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top:.1f} {right - left:.1f} {bottom - top:.1f}" '
        f'width="{right - left:.0f}" height="{bottom - top:.0f}" font-family="sans-serif" font-size="13">',
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
        'orient="auto-start-reverse"><path d="M 0 1 L 10 5 L 0 9 z" fill="#333"/></marker></defs>',
    ]
    for i, j in np.argwhere(graph.arrows | np.triu(graph.lines)):
        way = [(x[i], y[i]), *bends.get((int(i), int(j)), []), (x[j], y[j])]
        way[0] = _border(way[0], way[1], width[i])
        way[-1] = _border(way[-1], way[-2], width[j])
        path = "M " + " L ".join(f"{a:.1f} {b:.1f}" for a, b in way)
        tip = ' marker-end="url(#tip)"' if graph.arrows[i, j] else ""
        stroke = 2.6 if frozenset((graph.nodes[i], graph.nodes[j])) in heavy else 1.2
        parts.append(f'<path d="{path}" fill="none" stroke="#333" stroke-width="{stroke}"{tip}/>')
    for i, label in enumerate(labels):
        whole = escape(str(graph.nodes[i]))
        parts.append(
            f'<g><title>{whole}</title><rect x="{x[i] - width[i] / 2:.1f}" y="{y[i] - HEIGHT / 2:.1f}" '
            f'width="{width[i]:.1f}" height="{HEIGHT}" rx="12" fill="#eef3f8" stroke="#456"/>'
            f'<text x="{x[i]:.1f}" y="{y[i] + 4.5:.1f}" text-anchor="middle">{escape(label)}</text></g>'
        )
    return "\n".join([*parts, "</svg>"])


def layers(graph: "MixedGraph") -> np.ndarray:
    """(p,) the layer of each node: the longest directed way to it, lines taken in the direction of an extension."""
    arrows = extension(graph.arrows, graph.lines)
    if arrows is None:
        arrows = graph.arrows | np.triu(graph.lines)
        if order_or_cycle(arrows)[1]:
            arrows = graph.arrows
    level = np.zeros(len(arrows), dtype=int)
    for v in order_or_cycle(arrows)[0]:
        above = np.flatnonzero(arrows[:, v])
        level[v] = 1 + level[above].max() if len(above) else 0
    for v in reversed(order_or_cycle(arrows)[0]):
        # A node without parents goes down to just above its first child.
        below = np.flatnonzero(arrows[v])
        if len(below) and not arrows[:, v].any():
            level[v] = level[below].min() - 1
    return level


def _layout(graph: "MixedGraph", width: np.ndarray) -> tuple[np.ndarray, np.ndarray, dict]:
    """Centres of the nodes, and the points at which edges over several layers bend."""
    p = len(graph.nodes)
    level = layers(graph)
    # 1. Edges over several layers get a point in each layer between.
    place_level, place_width = list(level), list(width)
    links: list[tuple[int, int]] = []
    chains: dict[tuple[int, int], list[int]] = {}
    for i, j in np.argwhere(graph.arrows | np.triu(graph.lines)).tolist():
        step = 1 if level[j] > level[i] else -1
        chain = [i]
        for between in range(level[i] + step, level[j], step):
            chain.append(len(place_level))
            place_level.append(between)
            place_width.append(4.0)
        chain.append(j)
        chains[i, j] = chain
        links += list(itertools.pairwise(chain))
    rows: list[list[int]] = [[] for _ in range(max(place_level, default=-1) + 1)]
    for v, at in enumerate(place_level):
        rows[at].append(v)
    # 2. The order in a layer: by the mean place of the neighbours in the layer before, down and up in turns.
    neighbours: dict[int, list[int]] = {v: [] for v in range(len(place_level))}
    for a, b in links:
        neighbours[a].append(b)
        neighbours[b].append(a)
    for sweep in range(SWEEPS):
        order = range(1, len(rows)) if sweep % 2 == 0 else range(len(rows) - 2, -1, -1)
        for at in order:
            before = rows[at - 1 if sweep % 2 == 0 else at + 1]
            rank = {v: k for k, v in enumerate(before)}
            wish = {v: _mean([rank[u] for u in neighbours[v] if u in rank], k) for k, v in enumerate(rows[at])}
            rows[at].sort(key=wish.__getitem__)
    # 3. Places: side by side, each layer centred.
    x = np.zeros(len(place_level))
    for row in rows:
        sizes = np.array([place_width[v] + GAP for v in row])
        ends = np.cumsum(sizes)
        x[row] = ends - sizes / 2 - (ends[-1] / 2 if len(ends) else 0.0)
    y = LEVEL * np.array(place_level, dtype=float)
    bends = {edge: [(x[v], y[v]) for v in chain[1:-1]] for edge, chain in chains.items()}
    return x[:p], y[:p], bends


def _mean(places: list[int], otherwise: float) -> float:
    return sum(places) / len(places) if places else otherwise


def _border(centre: tuple, towards: tuple, width: float) -> tuple[float, float]:
    """Where the way from the centre of a box towards a point leaves the box."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    scale = max(abs(dx) / (width / 2), abs(dy) / (HEIGHT / 2), 1e-9)
    return centre[0] + dx / scale, centre[1] + dy / scale


def _short(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"

"""A binary tree of merges over the chunks of a table: what is merged with what depends on their number alone.

Whoever has the results of some chunks merges them as far as they are neighbours in the tree, and hands on the rest. So
the bits of the whole do not depend on which worker held which chunks.
"""

from collections.abc import Callable, Iterable
from typing import Any

from .source import own

# (level, place): a result of the chunks place · 2**level … (place + 1) · 2**level - 1, as many of these as there are.
Nodes = dict[tuple[int, int], Any]


def join(nodes: Nodes, node: tuple[int, int], result: Any, n_chunks: int, merge: Callable[[Any, Any], Any]) -> None:
    """Put a result among the others, merged with its neighbours as far up as these are there.

    Examples
    --------
    >>> nodes = {}
    >>> for chunk in (0, 2, 1):
    ...     join(nodes, (0, chunk), str(chunk), 3, lambda a, b: f"({a} {b})")
    ...     print(nodes)
    {(0, 0): '0'}
    {(0, 0): '0', (1, 1): '2'}
    {(2, 0): '((0 1) 2)'}
    """
    level, place = node
    while (width := -(-n_chunks >> level)) > 1:
        if place ^ 1 < width:
            if (level, place ^ 1) not in nodes:
                break
            neighbour = nodes.pop((level, place ^ 1))
            left, right = (neighbour, result) if place & 1 else (result, neighbour)
            # A merge may write to its left side, which may be data of the caller, or have come read-only from afar.
            result = merge(own(left), right)
        level, place = level + 1, place >> 1
    nodes[level, place] = result


def united(parts: Iterable[Nodes], n_chunks: int, merge: Callable[[Any, Any], Any]) -> Nodes:
    """What several have, merged as far as it goes."""
    nodes: Nodes = {}
    for part in parts:
        for node, result in part.items():
            join(nodes, node, result, n_chunks, merge)
    return nodes

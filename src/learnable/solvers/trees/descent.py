"""Leading rows to their leaves: as a tree is, or with its nodes packed where rows are many."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from learnable._jit.core.vectors import read_only
from learnable._jit.trees.descend import BITS, descend, descend_together
from learnable.problems.trees.tree import Tree
from learnable.rows.parts import in_parts

# Rows from which on a tree is worth being packed, and nodes a row up to which it is: one of 12,000 nodes takes longer
# where rows are fewer than 2,000. Paid for by `python -m benchmarks trees`, forests of 50 trees and 3,000 rows.
MANY, NODES = 2**10, 6
# Rows that one thread leads down at a time.
PART = 2**12


def leaf_numbers(tree: Tree, cells: np.ndarray) -> np.ndarray:
    """The leaf of each row, rows over threads where they are many."""
    (found,) = leaves_in_turn([tree], cells)
    return found


def leaves_in_turn(trees: Iterable[Tree], cells: np.ndarray) -> Iterator[np.ndarray]:
    """`leaf_numbers` of one tree after the other; the cells are looked at once."""
    told = _all_told(cells)
    for tree in trees:
        yield _over_threads(_way_down(tree, len(cells), told), cells)


def ways_down(trees: Sequence[Tree], cells: np.ndarray) -> list[Callable[[np.ndarray], np.ndarray]]:
    """For each tree, what finds the leaves of the cells, or of some rows of them."""
    told = _all_told(cells)
    return [_way_down(tree, len(cells), told) for tree in trees]


def _all_told(cells: np.ndarray) -> bool:
    """Whether no cell is missing, of a table of which packed trees can be asked."""
    return len(cells) >= MANY and cells.shape[1] < 2**BITS and not np.isnan(cells).any()


def _way_down(tree: Tree, n: int, told: bool) -> Callable[[np.ndarray], np.ndarray]:
    packed = told and n * NODES >= tree.node_count and not len(tree.category_left)
    return _packed(tree) if packed else _as_it_is(tree)


def _over_threads(way: Callable[[np.ndarray], np.ndarray], cells: np.ndarray) -> np.ndarray:
    if len(cells) < PART:
        return way(cells)
    found = np.empty(len(cells), dtype=np.int64)

    def some(part: slice) -> None:
        rows = slice(part.start * PART, part.stop * PART)
        found[rows] = way(cells[rows])

    # To go down a tree takes about as long as to go through thirty numbers.
    in_parts(some, np.arange(1, -(-len(cells) // PART) + 1) * PART * 30)
    return found


def _as_it_is(tree: Tree) -> Callable[[np.ndarray], np.ndarray]:
    fields = [
        read_only(each)
        for each in (
            tree.children_left, tree.children_right, tree.feature, tree.threshold, tree.missing_go_to_left,
            tree.category_row, tree.category_left,
        )
    ]  # fmt: skip

    def way(cells: np.ndarray) -> np.ndarray:
        out = np.empty(len(cells), dtype=np.int64)
        descend(*fields, read_only(cells), out)
        return out

    return way


def _packed(tree: Tree) -> Callable[[np.ndarray], np.ndarray]:
    """Nodes in another order, in which a right child follows its left sibling: a word holds the left child and the
    column. A leaf is its own left child, and nothing is above its threshold."""
    m = tree.node_count
    inner = np.flatnonzero(tree.children_left >= 0)
    first = 1 + 2 * np.arange(len(inner))
    place = np.zeros(m, dtype=np.int64)
    place[tree.children_left[inner]], place[tree.children_right[inner]] = first, first + 1
    words, threshold, number = place << BITS, np.full(m, np.inf), np.empty(m, dtype=np.int64)
    words[inner] = (first << BITS) | tree.feature[inner]
    threshold[place[inner]] = tree.threshold[inner]
    ordered = np.empty_like(words)
    ordered[place], number[place] = words, np.arange(m)

    def way(cells: np.ndarray) -> np.ndarray:
        out = np.empty(len(cells), dtype=np.int64)
        descend_together(ordered, threshold, number, read_only(cells), out)
        return out

    return way

"""One boosted tree: whole-number slopes, histograms and partitions over threads, growth leaf by leaf.

Every sum is one of whole numbers, so nothing depends on how the rows are dealt out to threads.
"""

from typing import Any, NamedTuple

import numpy as np

from learnable._jit.ensembles import histograms, leafwise
from learnable._jit.ensembles.histograms import Slopes
from learnable._jit.ensembles.split_search import Draws, Growth, Nodes, Table
from learnable.rows.parts import in_parts

# Rows that are partitioned as one, and from how many cells on a node is dealt out to threads.
BLOCK = 2**13
LARGE = 2**19
# Bytes of histograms that are kept for the sake of subtraction; a few are always kept.
KEPT = 2**28


class Room(NamedTuple):
    """Where a tree grows: its nodes, the rows in the order of its leaves, histograms."""

    nodes: Nodes
    rows: np.ndarray
    spare: np.ndarray
    histograms: np.ndarray


def room_for(growth: Growth, n: int, p: int, width: int) -> Room:
    """Arrays for trees on n rows and p columns, with words of this width."""
    m = 2 * growth.max_leaves
    slots = max(8, min(growth.max_leaves, KEPT // (p * 256 * 8 * width)))
    whole = np.int32
    nodes = Nodes(
        np.full(m, -1, whole), np.full(m, -1, whole), np.zeros(m, whole), np.zeros(m, whole), np.zeros(m, np.uint8),
        np.zeros((m, 256), np.uint8), np.zeros(m, np.uint8), np.zeros(m, np.int64), np.zeros(m, np.int64),
        np.zeros(m, whole), np.zeros(m), np.zeros((m, 3)), np.zeros(m), np.zeros(m), np.ones((m, p), np.uint8),
        np.zeros(m, whole), np.zeros(m, whole), np.zeros(slots, whole), np.zeros(4, np.int64),
    )  # fmt: skip
    rows = np.empty(n, dtype=np.int32 if n < 2**31 else np.int64)
    return Room(nodes, rows, np.empty_like(rows), np.zeros((slots + 1, p, 256, width), dtype=np.int64))


def slopes_of(gradient: np.ndarray, curvature: np.ndarray, size: float, bend: float, words: np.ndarray) -> Slopes:
    """Slopes with their words, which are written here.

    Parameters
    ----------
    size, bend : Σ |gradient| and Σ curvature, which bound every sum.
    """
    bits = len(gradient).bit_length()
    gradient_unit, curvature_unit = _unit(size, 61 - bits), _unit(bend, 61)
    in_parts(
        lambda part: histograms.write_words(
            *(each[part.start * BLOCK : part.stop * BLOCK] for each in (gradient, curvature, words)),
            bits,
            gradient_unit,
            curvature_unit,
        ),
        _work(len(gradient), 1),
    )
    return Slopes(gradient, curvature, words, bits, gradient_unit, curvature_unit)


def _unit(size: float, bits: int) -> float:
    """The smallest power of two with size ≤ unit · 2^bits that one can divide by."""
    if not 0.0 < size < np.inf:
        return 1.0 if size == 0.0 else np.inf
    return float(2.0 ** max(np.ceil(np.log2(size)) - bits, -1022.0))


def grow(slopes: Slopes, table: Table, growth: Growth, room: Room, seed: int, threads: bool) -> np.ndarray:
    """Grow a tree in `room`; returns its leaves."""
    n, p = table.bins.shape
    nodes, rows, spare, tables = room
    draws = Draws(
        np.zeros(256, dtype=np.int64), np.zeros(256), np.array([seed], dtype=np.uint64), np.arange(p, dtype=np.int32)
    )
    rows[:] = np.arange(n)
    tables[0] = 0
    _sum(table.bins, rows, slopes.words, tables[0], threads)
    leafwise.begin(slopes, table, growth, nodes, draws, tables, n)
    large = LARGE // p if threads else n
    while (node := int(leafwise.grow(slopes, table, growth, nodes, draws, tables, rows, spare, large))) >= 0:
        n_left = _partition(table.columns, room, node)
        slot, small = leafwise.divide(table, nodes, tables, node, n_left)
        _sum(table.bins, rows[nodes.start[small] : nodes.end[small]], slopes.words, tables[slot], threads)
        leafwise.settle(slopes, table, growth, nodes, draws, tables, rows, node, slot, small)
    return np.flatnonzero(nodes.left[: nodes.counters[0]] < 0)


def _sum(bins: np.ndarray, rows: np.ndarray, words: np.ndarray, histogram: np.ndarray, threads: bool) -> None:
    """Sum the words of rows by bin; parts of them in histograms of their own, where there are many."""
    if not threads or len(rows) * bins.shape[1] <= LARGE:
        histograms.sum_rows(bins, rows, words, histogram)
        return

    def part_of(part: slice) -> np.ndarray:
        mine = np.zeros_like(histogram)
        histograms.sum_rows(bins, rows[part.start * BLOCK : part.stop * BLOCK], words, mine)
        return mine

    for part in in_parts(part_of, _work(len(rows), bins.shape[1])):
        histogram += part


def _partition(columns: np.ndarray, room: Room, node: int) -> int:
    """Rows that go left first, each side in its order; returns how many go left."""
    nodes = room.nodes
    here = slice(int(nodes.start[node]), int(nodes.end[node]))
    rows, spare = room.rows[here], room.spare[here]
    codes, goes = columns[nodes.feature[node]], histograms.sides(nodes, node)
    work = _work(len(rows), 2)
    n_left = np.zeros(len(work), dtype=np.int64)
    in_parts(
        lambda part: histograms.partition_blocks(codes, goes, rows, BLOCK, part.start, part.stop, spare, n_left), work
    )
    before = np.cumsum(n_left) - n_left
    total = int(n_left.sum())
    in_parts(
        lambda part: histograms.place_blocks(rows, BLOCK, part.start, part.stop, before, n_left, total, spare), work
    )
    rows[:] = spare
    return total


def _work(n: int, cells: int) -> np.ndarray:
    """Cells read after each block of rows."""
    return np.minimum(BLOCK * np.arange(1, -(-n // BLOCK) + 1), n) * cells


def step(
    slopes: Slopes, room: Room, leaves: np.ndarray, growth: Growth, rate: float, score: np.ndarray, threads: bool
) -> np.ndarray:
    """Values of the nodes, Newton steps at the leaves, which are added to the scores."""
    nodes = room.nodes
    value = np.zeros(int(nodes.counters[0]))

    def some(part: slice) -> Any:
        leafwise.step_leaves(slopes, nodes, room.rows, leaves, part.start, part.stop, growth.l2, rate, value, score)

    if threads:
        in_parts(some, np.cumsum(nodes.end[leaves] - nodes.start[leaves]) * 4)
    else:
        some(slice(0, len(leaves)))
    return value

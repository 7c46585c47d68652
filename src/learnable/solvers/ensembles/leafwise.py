"""One boosted tree: whole-number slopes, growth leaf by leaf with several threads, Newton steps.

Every sum is one of whole numbers, so nothing depends on how the work is dealt out to threads.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.shared_work import end, new_board
from learnable._jit.ensembles import leafwise
from learnable._jit.ensembles.histograms import Slopes
from learnable._jit.ensembles.leafwise import Job, Tree
from learnable._jit.ensembles.split_search import Found, Growth, Nodes, Table
from learnable.problems.ensembles.steps import LEAST_CURVATURE
from learnable.rows.helpers import invite
from learnable.rows.parts import in_parts
from learnable.rows.threads import one_blas_thread, worker_count

# Rows whose scores are moved as one.
BLOCK = 2**13
# From how many cells on a tree is worth threads.
LARGE = 2**15
# Bytes of histograms that are kept for the sake of subtraction; a few are always kept.
KEPT = 2**28


class Room(NamedTuple):
    """Where a tree grows: nodes, what is found at them, rows in the order of leaves, the leaf of each row, sums of the
    leaves, histograms, jobs."""

    nodes: Nodes
    found: Found
    rows: np.ndarray
    leaf: np.ndarray
    leaf_sums: np.ndarray
    histograms: np.ndarray
    job: Job


def room_for(growth: Growth, n: int, p: int, width: int) -> Room:
    """Arrays for trees on n rows and p columns, with words of this width."""
    slots = max(8, min(growth.max_leaves, KEPT // (p * 256 * 8 * width)))
    whole, blocks = np.int32, -(-n // leafwise.BLOCK)
    nodes, found = room_for_nodes(2 * growth.max_leaves, p, slots)
    job = Job(
        np.zeros(11, np.int64), np.zeros(256, np.uint8), np.zeros(blocks, np.int64), np.zeros(blocks + 1, np.int64),
        np.zeros((blocks, 2), np.int64), np.zeros(growth.max_leaves, whole),
    )  # fmt: skip
    rows = np.empty(n, dtype=np.int32 if n < 2**31 else np.int64)
    tables = np.zeros((slots + 1, p, 256, width), dtype=np.int64)
    sums = np.zeros((leafwise.STRETCHES, growth.max_leaves, 2))
    return Room(nodes, found, rows, np.empty_like(rows), sums, tables, job)


def room_for_nodes(m: int, p: int, slots: int) -> tuple[Nodes, Found]:
    """m nodes of which nothing is known, and what is found at them."""
    whole = np.int32
    nodes = Nodes(
        np.full(m, -1, whole), np.full(m, -1, whole), np.zeros(m, whole), np.zeros(m, whole), np.zeros(m, np.uint8),
        np.zeros((m, 256), np.uint8), np.zeros(m, np.uint8), np.zeros(m, np.int64), np.zeros(m, np.int64),
        np.zeros(m, whole), np.zeros(m), np.zeros((m, 2), np.int64), np.zeros((m, 2), np.int64), np.zeros((m, 3)),
        np.zeros(m), np.zeros(m), np.ones((m, p), np.uint8), np.zeros(m, whole), np.zeros(m, whole),
        np.zeros(slots, whole), np.zeros(4, np.int64),
    )  # fmt: skip
    found = Found(
        np.zeros((2, p)), np.zeros((2, p, 2), whole), np.zeros((2, p, 2), np.int64), np.zeros((2, p, 256), np.uint8),
        np.zeros((p, 2, 256), np.int64), np.zeros((p, 256)),
    )  # fmt: skip
    return nodes, found


def slopes_of(gradient: np.ndarray, curvature: np.ndarray, size: float, bend: float, words: np.ndarray) -> Slopes:
    """Slopes with room for their words.

    Parameters
    ----------
    size, bend : Σ |gradient| and Σ curvature, which bound every sum.
    """
    return Slopes(gradient, curvature, words, *units_of(len(gradient), size, bend))


def units_of(n: int, size: float, bend: float) -> tuple[int, float, float]:
    """Bits for the count of n rows, and the units of gradients and of curvatures."""
    bits = n.bit_length()
    return bits, _unit(size, 61 - bits), _unit(bend, 61)


def _unit(size: float, bits: int) -> float:
    """The smallest power of two with size ≤ unit · 2^bits that one can divide by."""
    if not 0.0 < size < np.inf:
        return 1.0 if size == 0.0 else np.inf
    return float(2.0 ** max(np.ceil(np.log2(size)) - bits, -1022.0))


def grow(slopes: Slopes, table: Table, growth: Growth, room: Room, seed: int, threads: bool) -> np.ndarray:
    """Grow a tree in `room`; returns its leaves."""
    p, n = table.columns.shape
    with one_blas_thread() as granted:
        n_threads = worker_count(None, granted, p) if threads and n * p >= LARGE else 1
        tree = Tree(
            slopes, table, growth, room.nodes, room.found, room.histograms, room.rows, room.leaf, room.leaf_sums,
            np.array([seed], dtype=np.uint64), np.arange(p, dtype=np.int32), room.job, new_board(), n_threads,
        )  # fmt: skip
        if n_threads > 1:
            invite(lambda: leafwise.help_grow(tree), n_threads - 1)
        try:
            n_leaves = leafwise.grow(tree)
        finally:
            end(tree.board)
    return room.job.leaves[:n_leaves].copy()


def step(slopes: Slopes, room: Room, leaves: np.ndarray, growth: Growth, rate: float) -> np.ndarray:
    """Newton steps at the leaves: rate · −G/(H + l2) within their bounds."""
    nodes = room.nodes
    gradient, curvature = room.leaf_sums[:, : len(leaves)].sum(axis=0).T
    if slopes.words.shape[1] == 1:
        curvature = (nodes.end[leaves] - nodes.start[leaves]).astype(float)
    return rate * np.clip(newton(gradient, curvature + growth.l2), nodes.lower[leaves], nodes.upper[leaves])


def newton(gradient: np.ndarray, bend: np.ndarray) -> np.ndarray:
    """−G/(H + l2); no step where there is no curvature."""
    return np.divide(-gradient, bend, out=np.zeros(len(gradient)), where=bend >= LEAST_CURVATURE)


def move(room: Room, value: np.ndarray, score: np.ndarray) -> None:
    """Add the values of the leaves to the scores of their rows."""
    n = len(score)

    def some(part: slice) -> None:
        rows = slice(part.start * BLOCK, part.stop * BLOCK)
        leafwise.add_leaves(room.leaf[rows], value, score[rows])

    in_parts(some, np.minimum(BLOCK * np.arange(1, -(-n // BLOCK) + 1), n))

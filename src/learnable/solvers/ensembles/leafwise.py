"""One boosted tree: whole-number slopes, growth leaf by leaf with several threads, Newton steps.

Every sum is one of whole numbers, so nothing depends on how the work is dealt out to threads.
"""

from typing import Any, NamedTuple

import numpy as np

from learnable._jit.core.shared_work import end, new_board
from learnable._jit.ensembles import histograms, leafwise
from learnable._jit.ensembles.histograms import Slopes
from learnable._jit.ensembles.leafwise import Job, Tree
from learnable._jit.ensembles.split_search import Found, Growth, Nodes, Table
from learnable.rows.helpers import invite
from learnable.rows.parts import in_parts
from learnable.rows.threads import one_blas_thread, worker_count

# Rows whose words are written as one.
BLOCK = 2**13
# From how many cells on a tree is worth threads.
LARGE = 2**15
# Bytes of histograms that are kept for the sake of subtraction; a few are always kept.
KEPT = 2**28


class Room(NamedTuple):
    """Where a tree grows: nodes, what is found at them, rows and words in the order of leaves, histograms, jobs."""

    nodes: Nodes
    found: Found
    rows: np.ndarray
    spare: np.ndarray
    ordered: np.ndarray
    histograms: np.ndarray
    job: Job


def room_for(growth: Growth, n: int, p: int, width: int) -> Room:
    """Arrays for trees on n rows and p columns, with words of this width."""
    m = 2 * growth.max_leaves
    slots = max(8, min(growth.max_leaves, KEPT // (p * 256 * 8 * width)))
    whole, blocks = np.int32, -(-n // leafwise.BLOCK)
    nodes = Nodes(
        np.full(m, -1, whole), np.full(m, -1, whole), np.zeros(m, whole), np.zeros(m, whole), np.zeros(m, np.uint8),
        np.zeros((m, 256), np.uint8), np.zeros(m, np.uint8), np.zeros(m, np.int64), np.zeros(m, np.int64),
        np.zeros(m, whole), np.zeros(m), np.zeros((m, 2), np.int64), np.zeros((m, 2), np.int64), np.zeros((m, 3)),
        np.zeros(m), np.zeros(m), np.ones((m, p), np.uint8), np.zeros(m, whole), np.zeros(m, whole),
        np.zeros(slots, whole), np.zeros(4, np.int64),
    )  # fmt: skip
    found = Found(
        np.zeros((2, p)), np.zeros((2, p, 2), whole), np.zeros((2, p, 2), np.int64), np.zeros((2, p, 256), np.uint8)
    )
    job = Job(
        np.zeros(11, np.int64), np.zeros(256, np.uint8), np.zeros(blocks, np.int64), np.zeros(blocks + 1, np.int64)
    )
    rows = np.empty(n, dtype=np.int32 if n < 2**31 else np.int64)
    tables = np.zeros((slots + 1, p, 256, width), dtype=np.int64)
    return Room(nodes, found, rows, np.empty_like(rows), np.empty((n, width), np.int64), tables, job)


def slopes_of(
    gradient: np.ndarray, curvature: np.ndarray, size: float, bend: float, words: np.ndarray
) -> tuple[Slopes, tuple[int, int]]:
    """Slopes with their words, which are written here, and the sums of the words.

    Parameters
    ----------
    size, bend : Σ |gradient| and Σ curvature, which bound every sum.
    """
    bits = len(gradient).bit_length()
    gradient_unit, curvature_unit = _unit(size, 61 - bits), _unit(bend, 61)
    sums = in_parts(
        lambda part: histograms.write_words(
            *(each[part.start * BLOCK : part.stop * BLOCK] for each in (gradient, curvature, words)),
            bits,
            gradient_unit,
            curvature_unit,
        ),
        _work(len(gradient), 1),
    )
    word, other = (sum(each) for each in zip(*sums))
    return Slopes(gradient, curvature, words, bits, gradient_unit, curvature_unit), (word, other)


def _unit(size: float, bits: int) -> float:
    """The smallest power of two with size ≤ unit · 2^bits that one can divide by."""
    if not 0.0 < size < np.inf:
        return 1.0 if size == 0.0 else np.inf
    return float(2.0 ** max(np.ceil(np.log2(size)) - bits, -1022.0))


def grow(
    slopes: Slopes, total: tuple[int, int], table: Table, growth: Growth, room: Room, seed: int, threads: bool
) -> np.ndarray:
    """Grow a tree in `room`, from slopes and the sums of their words; returns its leaves."""
    p, n = table.columns.shape
    room.rows[:] = np.arange(n)
    with one_blas_thread() as granted:
        n_threads = worker_count(None, granted, p) if threads and n * p >= LARGE else 1
        tree = Tree(
            slopes, table, growth, room.nodes, room.found, room.histograms, room.rows, room.spare, room.ordered,
            np.array([seed], dtype=np.uint64), np.arange(p, dtype=np.int32), room.job, new_board(), n_threads,
        )  # fmt: skip
        if n_threads > 1:
            invite(lambda: leafwise.help_grow(tree), n_threads - 1)
        try:
            leafwise.grow(tree, *total)
        finally:
            end(tree.board)
    return np.flatnonzero(room.nodes.left[: room.nodes.counters[0]] < 0)


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

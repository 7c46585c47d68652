"""Boosted trees one after the other: whole-number slopes, growth leaf by leaf with several threads, Newton steps.

Every sum of slopes over bins is one of whole numbers, and other sums are taken by stretches of rows, so nothing depends
on how the work is dealt out to threads.
"""

from collections import deque
from functools import partial
from time import sleep
from typing import NamedTuple

import numpy as np

from learnable._jit.core.shared_work import PATIENCE, end, new_board
from learnable._jit.ensembles import leafwise
from learnable._jit.ensembles.expansions import Scores
from learnable._jit.ensembles.leafwise import Job, Tree
from learnable._jit.ensembles.slopes import slopes_for
from learnable._jit.ensembles.split_search import Found, Growth, MixedTable, Nodes, table_for
from learnable.problems.ensembles.steps import LEAST_CURVATURE
from learnable.rows.helpers import invite
from learnable.rows.threads import one_blas_thread, worker_count

# Stretches of rows in which the loss is expanded, however many threads there are.
STRETCHES = 32
# Strips of rows, where none is shorter or longer than so many: the rows of a longer one take more than two bytes each.
STRIPS, SHORTEST, LONGEST = 32, 2**12, 2**16
# From how many cells on a tree is worth threads.
LARGE = 2**15
# Looks at whether helpers have left, and seconds between two. One that comes later still finds nothing to do.
LOOKS, BETWEEN = 2**10, 1e-5
# Bytes of histograms that are kept for the sake of subtraction; a few are always kept.
KEPT = 2**28


class Room(NamedTuple):
    """Where a tree grows: nodes, what is found at them, rows of each strip in the order of leaves, room for those of
    one strip, the leaf of each row, sums of the leaves, histograms, shares of other threads in one, words of some rows,
    jobs."""

    nodes: Nodes
    found: Found
    rows: np.ndarray
    spare: np.ndarray
    leaf: np.ndarray
    leaf_sums: np.ndarray
    histograms: np.ndarray
    shares: np.ndarray
    words: np.ndarray
    job: Job

    def rows_of(self, node: int) -> np.ndarray:
        """The rows of a node, which rise."""
        bounds = zip(self.nodes.start[node].tolist(), self.nodes.end[node].tolist())
        length = self.spare.shape[1]
        return np.concatenate([self.rows[slice(*ends)] + np.int64(k * length) for k, ends in enumerate(bounds)])


def room_for(growth: Growth, n: int, p: int, width: int, n_threads: int) -> Room:
    """Arrays for trees on n rows and p columns, with words of this width, grown by so many threads."""
    # Of L leaves at most max_leaves − L are split, those of the largest gains: no more than half wait with a reason.
    slots = max(8, min(growth.max_leaves // 2 + 1, KEPT // (p * 256 * 8 * width)))
    # So long that bounds of nodes in strips do not take more than the rows, where leaves are many.
    length = min(n, max(SHORTEST, min(-(-n // STRIPS), LONGEST), 4 * growth.max_leaves))
    strips = -(-n // length)
    nodes, found = room_for_nodes(2 * growth.max_leaves, p, slots, strips)
    job = Job(
        np.zeros(11, np.int64), np.zeros(256, np.uint8), np.zeros(strips, np.int64), np.zeros(strips, np.int64),
        np.zeros((strips, 2), np.int64), np.zeros(n_threads, np.int64), np.zeros(growth.max_leaves, np.int32),
    )  # fmt: skip
    # Strips longer than the longest come with many leaves alone: two kinds, not three, to compile.
    wide = length > LONGEST or growth.max_leaves > 256
    rows = np.empty(n, dtype=np.uint32 if wide else np.uint16)
    spare = np.empty((n_threads, length), dtype=rows.dtype)
    leaf = np.empty(n, dtype=np.uint32 if wide else np.uint8)
    tables = np.zeros((slots + 1, p, 256, width), dtype=np.int64)
    shares = np.zeros((n_threads - 1, p, 256, width), dtype=np.int64)
    words = np.zeros((n_threads, leafwise.BY_ROWS, width), dtype=np.int64)
    sums = np.zeros((strips, growth.max_leaves, 2))
    return Room(nodes, found, rows, spare, leaf, sums, tables, shares, words, job)


def room_for_nodes(m: int, p: int, slots: int, strips: int) -> tuple[Nodes, Found]:
    """m nodes of which nothing is known, and what is found at them."""
    whole = np.int32
    nodes = Nodes(
        np.full(m, -1, whole), np.full(m, -1, whole), np.zeros(m, whole), np.zeros(m, whole), np.zeros(m, np.uint8),
        np.zeros((m, 256), np.uint8), np.zeros(m, np.uint8), np.zeros((m, strips), np.int64),
        np.zeros((m, strips), np.int64), np.zeros(m, whole), np.zeros(m), np.zeros((m, 2), np.int64),
        np.zeros((m, 2), np.int64), np.zeros((m, 3)), np.zeros(m), np.zeros(m), np.ones((m, p), np.uint8),
        np.zeros(m, whole), np.zeros(m, whole), np.zeros(slots, whole), np.zeros(4, np.int64),
    )  # fmt: skip
    found = Found(
        np.zeros((2, p)), np.zeros((2, p, 2), whole), np.zeros((2, p, 2), np.int64), np.zeros((2, p, 256), np.uint8),
        np.zeros((p, 2, 256), np.int64), np.zeros((p, 256)),
    )  # fmt: skip
    return nodes, found


class Grower:
    """Trees in one room, and threads that stay from one to the next.

    Paid for by `python -m benchmarks trees`: a thread that sleeps between two trees comes so late that it does a third
    of the work, not half (aarch64, 2 cores).

    Parameters
    ----------
    width : words of a row: 1 where all curvatures are 1, else 2.
    two_classes : whether `expand` is of the binomial loss, else of the squared one.
    threads : whether to share the work with other threads.
    """

    def __init__(self, table: MixedTable, growth: Growth, width: int, two_classes: bool, threads: bool):
        n, p = table.codes.shape
        with one_blas_thread() as granted:
            self.n_threads = worker_count(None, granted, p) if threads and n * p >= LARGE else 1
        self.room, self.table, self.growth = (
            room_for(growth, n, p, width, self.n_threads),
            table_for(table, growth),
            growth,
        )
        self.width, self.two_classes = width, two_classes
        self.units, self.board = np.ones(4), new_board()
        self.value, self.sums = np.zeros((2, growth.max_leaves)), np.empty((STRETCHES, 3))
        self.random, self.features = np.zeros(1, dtype=np.uint64), np.arange(p, dtype=np.int32)
        self.away = deque(range(1, self.n_threads))

    def grow(self, gradient, curvature, size: float, bend: float, seed: int) -> np.ndarray:
        """Grow a tree; returns its leaves.

        Parameters
        ----------
        size, bend : Σ |gradient| and Σ curvature, which bound every sum.
        """
        self.units[:] = units_of(len(gradient), size, bend)
        self.random[0] = seed
        self.features[:] = np.arange(len(self.features))
        tree = self._tree(gradient, curvature)
        self._call_helpers(tree)
        return self.room.job.leaves[: leafwise.work(tree, leafwise.GROW)].copy()

    def note(self, value: np.ndarray) -> None:
        """What the leaves add to the scores, for `expand`."""
        self.value[:, : len(value)] = (np.exp(value), np.exp(-value)) if self.two_classes else value

    def expand(self, gradient, curvature, moved: bool) -> np.ndarray:
        """Move the scores by what was noted, if they have `moved`, and expand the loss.

        Returns Σ loss, Σ |gradient| and Σ curvature.
        """
        tree = self._tree(gradient, curvature)
        tree.job.what[:3] = leafwise.EXPAND, STRETCHES, moved
        self._call_helpers(tree)
        leafwise.work(tree, leafwise.LEAD)
        return self.sums.sum(axis=0)

    def end(self) -> None:
        """Send the helpers away, and let those who are here go: they take the arrays along, beside the certificate."""
        end(self.board)
        for _ in range(LOOKS):
            if len(self.away) == self.n_threads - 1:
                return
            sleep(BETWEEN)

    def _tree(self, gradient: np.ndarray, curvature: np.ndarray) -> Tree:
        room = self.room
        slopes = slopes_for(gradient, curvature, self.width, len(gradient).bit_length(), self.units)
        scores = Scores(self.value, self.sums)
        return Tree(
            slopes, scores, self.table, self.growth, room.nodes, room.found, room.histograms, room.shares, room.words,
            room.rows, room.spare, room.leaf, room.leaf_sums, self.random, self.features, room.job, self.board,
            self.n_threads, 0,
        )  # fmt: skip

    def _call_helpers(self, tree: Tree) -> None:
        """Invite the threads that are not here, for as long as they have patience."""

        def stay(number: int) -> None:
            leafwise.work(tree._replace(thread=number), PATIENCE)
            self.away.append(number)

        for _ in range(len(self.away)):
            invite(partial(stay, self.away.popleft()), 1)


def units_of(n: int, size: float, bend: float) -> np.ndarray:
    """The units of gradients, which share a word with the count of n rows, and of curvatures; one over each."""
    units = np.array([_unit(size, 61 - n.bit_length()), _unit(bend, 61)])
    return np.concatenate([units, 1.0 / units])


def _unit(size: float, bits: int) -> float:
    """The smallest power of two with size ≤ unit · 2^bits that one can divide by."""
    if not 0.0 < size < np.inf:
        return 1.0 if size == 0.0 else np.inf
    return float(2.0 ** max(np.ceil(np.log2(size)) - bits, -1022.0))


def step(grower: Grower, leaves: np.ndarray, rate: float) -> np.ndarray:
    """Newton steps at the leaves: rate · −G/(H + l2) within their bounds."""
    room, nodes = grower.room, grower.room.nodes
    gradient, curvature = room.leaf_sums[:, : len(leaves)].sum(axis=0).T
    return rate * np.clip(newton(gradient, curvature + grower.growth.l2), nodes.lower[leaves], nodes.upper[leaves])


def newton(gradient: np.ndarray, bend: np.ndarray) -> np.ndarray:
    """−G/(H + l2); no step where there is no curvature."""
    return np.divide(-gradient, bend, out=np.zeros(len(gradient)), where=bend >= LEAST_CURVATURE)

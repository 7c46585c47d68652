"""A boosted tree on rows that are elsewhere: who has them is asked for histograms, the splits are sought here.

The leaf of the largest gain is split, as in `leafwise`; leaves that are likely to follow are asked for in the same
pass. What best-first growth does not come to is left out in the end, so the tree is the one that `leafwise` grows.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.ensembles.far_rows import bear, seek
from learnable._jit.ensembles.slopes import slopes_for
from learnable._jit.ensembles.split_search import Growth, MixedTable, Nodes, table_for
from learnable.solvers.ensembles import leafwise
from learnable.solvers.ensembles.boosting_places import Answer, Leaves, Root, Split

# Leaves whose children are asked for in one pass, fewer where histograms are large: up to so many bytes of them.
AT_ONCE = 8
BYTES_AT_ONCE = 2**26

Ask = Callable[..., Answer]


class Grown(NamedTuple):
    """A tree: nodes in the order in which they came, the leaves among them, gradients and curvatures of the leaves; the
    histogram of the root of the next tree, where that was asked for."""

    nodes: Nodes
    leaves: np.ndarray
    gradient: np.ndarray
    curvature: np.ndarray
    following: np.ndarray | None


def bytes_at_once(p: int, width: int) -> int:
    """The bytes of histograms that one pass asks for, at most."""
    return max(1, min(AT_ONCE, BYTES_AT_ONCE // _size(p, width))) * _size(p, width)


def _size(p: int, width: int) -> int:
    return p * 256 * 8 * width


class FarTree:
    """A tree that grows.

    Parameters
    ----------
    ask : takes steps.
    table : without rows.
    width : words a row.
    root : the step that begins it.
    """

    def __init__(self, ask: Ask, table: MixedTable, growth: Growth, width: int, root: Root) -> None:
        self.ask, self.table, self.growth, self.root = ask, table_for(table, growth), growth, root
        p = table.codes.shape[1]
        nothing = np.empty(0)
        self.slopes = slopes_for(nothing, nothing, width, root.bits, root.units)
        # As many splits may be foreseen in vain as there are in the tree.
        self.nodes, self.found = leafwise.room_for_nodes(4 * growth.max_leaves, p, 1, 0)
        self.n_nodes = 1
        self.goes = np.zeros((4 * growth.max_leaves, 256), dtype=np.uint8)
        self.room = max(8, leafwise.KEPT // _size(p, width))
        self.at_once = bytes_at_once(p, width) // _size(p, width)
        self.histograms: dict[int, np.ndarray] = {}
        # Gains of the nodes that may be split and are not in the tree yet, or are its leaves.
        self.known: dict[int, float] = {}

    def grown(self, histogram: np.ndarray | None, following: Root | None) -> Grown:
        """The tree.

        Parameters
        ----------
        histogram : that of the root, where it has come already.
        following : what begins the next tree, where that is known: it goes with the last pass.
        """
        if histogram is None:
            histogram = self.ask(self.root).words[0]
        histogram = histogram.copy()
        self.nodes.words[0] = 0
        self.nodes.words[0, : histogram.shape[2]] = histogram[0].sum(axis=0)
        bear(self.slopes, self.table, self.nodes, -1, 0)
        self._seek(0, histogram)
        order, split, last = self._best_first()
        leaf = np.array([node not in split for node in order])
        then = () if following is None else (following,)
        sums, words, _ = self.ask(*last, Leaves(self.root.k, np.array(order)[leaf]), *then)
        nodes, leaves = self._renumbered(order, leaf), np.flatnonzero(leaf)
        curvature = sums[:, 1] if histogram.shape[2] == 2 else nodes.sums[leaves, 2]
        return Grown(nodes, leaves, sums[:, 0], curvature, words[0] if then else None)

    def _best_first(self) -> tuple[list[int], set[int], list[Split]]:
        """(nodes of the tree in the order in which they came, those that are split, what is still to be parted)."""
        nodes, most = self.nodes, self.growth.max_leaves
        order, last = [0], []
        split: set[int] = set()
        waiting = [(-nodes.gain[0], 0, 0)] if nodes.gain[0] > 0.0 else []
        while waiting and len(split) + 1 < most:
            *_, node = waiting[0]
            if nodes.left[node] < 0:
                to_come = most - 1 - len(split)
                if to_come == 1:  # nobody will look at its children
                    last = [self._bear([node], summed=False)]
                else:
                    self._look_into(self._foreseen(node, to_come))
            heappop(waiting)
            split.add(node)
            self.known.pop(node)
            for child in (int(nodes.left[node]), int(nodes.right[node])):
                order.append(child)
                if nodes.gain[child] > 0.0:
                    heappush(waiting, (-nodes.gain[child], len(order) - 1, child))
        return order, split, last

    def _foreseen(self, node: int, to_come: int) -> list[int]:
        """The node, and others that will be split, unless leaves to come gain more."""
        ranked = sorted(self.known, key=lambda other: -self.known[other])[:to_come]
        others = [other for other in ranked if self.nodes.left[other] < 0 and other != node]
        spare = (len(self.goes) - self.n_nodes) // 2 - to_come
        return [node, *others[: min(self.at_once - 1, spare)]]

    def _bear(self, some: list[int], summed: bool = True) -> Split:
        """Give nodes their children; what is to be done where the rows are."""
        nodes, growth = self.nodes, self.growth
        left = self.n_nodes + 2 * np.arange(len(some))
        self.n_nodes += 2 * len(some)
        places, n_places = np.full((len(some), 2), -1), 0
        for i, node in enumerate(some):
            bear(self.slopes, self.table, nodes, node, left[i])
            children = slice(left[i], left[i] + 2)
            enough = (nodes.sums[children, 2] >= 2 * growth.min_leaf) & (nodes.depth[children] < growth.max_depth)
            if summed and enough.any():
                small = int(nodes.sums[left[i], 2] > nodes.sums[left[i] + 1, 2])
                for side in (small,) if node in self.histograms else (0, 1):
                    places[i, side], n_places = n_places, n_places + 1
        return Split(np.array(some), left, nodes.feature[some], self.goes[some], places)

    def _look_into(self, some: list[int]) -> None:
        """Find the splits of the children of nodes."""
        order = self._bear(some)
        words = self.ask(order).words
        for node, left, places in zip(some, order.left.tolist(), order.summed.tolist()):
            whole: Any = self.histograms.pop(node, None)
            here: list[Any] = [None if place < 0 else words[place] for place in places]
            for side in (0, 1):
                if here[side] is None and here[1 - side] is not None:
                    here[side] = np.subtract(whole, here[1 - side], out=whole)
            for side, histogram in enumerate(here):
                if histogram is not None:
                    self._seek(left + side, np.ascontiguousarray(histogram))

    def _seek(self, node: int, histogram: np.ndarray) -> None:
        seek(histogram, self.slopes, self.table, self.growth, self.nodes, node, self.found, self.goes[node])
        if self.nodes.gain[node] > 0.0:
            self.known[node] = float(self.nodes.gain[node])
            if len(self.histograms) < self.room:
                self.histograms[node] = histogram

    def _renumbered(self, order: list[int], leaf: np.ndarray) -> Nodes:
        number = np.full(self.n_nodes, -1)
        number[order] = np.arange(len(order))
        nodes = Nodes._make([*(each[order] for each in self.nodes[:-2]), *self.nodes[-2:]])
        for side in (nodes.left, nodes.right):
            side[:] = np.where(leaf, -1, number[side])
        nodes.counters[0] = len(order)
        return nodes

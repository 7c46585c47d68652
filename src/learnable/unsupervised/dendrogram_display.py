"""The tree of merges of an agglomerative clustering."""

from typing import Any

import numpy as np

from learnable.evaluation.displays.style import INK, MUTED, ORANGE, tidy


class DendrogramDisplay:
    """Every merge as a bracket at its height, and the height at which the tree is cut.

    Parameters
    ----------
    children : (n − 1, 2) clusters joined. heights : (n − 1,), rising.
    n_clusters : where the tree is cut, default=None for nowhere.

    Attributes
    ----------
    order : (n,) the rows from left to right.
    brackets : (n − 1, 4, 2) corners of each merge.
    figure_, ax_ : of the last plot.

    Examples
    --------
    >>> DendrogramDisplay(np.array([[0, 2], [1, 3]]), np.array([1.0, 3.0])).order.tolist()
    [1, 0, 2]
    """

    def __init__(self, children, heights, n_clusters: int | None = None):
        self.children, self.heights = np.asarray(children), np.asarray(heights, dtype=float)
        self.n_clusters = n_clusters
        n = len(self.heights) + 1
        if self.children.shape != (n - 1, 2):
            raise ValueError(f"DendrogramDisplay: children of shape {self.children.shape} beside {n - 1} heights")
        self.order = self._leaves(n)
        place, height = np.empty(2 * n - 1), np.zeros(2 * n - 1)
        place[self.order] = np.arange(n)
        self.brackets = np.empty((n - 1, 4, 2))
        for merge, (a, b) in enumerate(self.children):
            top = self.heights[merge]
            self.brackets[merge] = [(place[a], height[a]), (place[a], top), (place[b], top), (place[b], height[b])]
            place[n + merge], height[n + merge] = 0.5 * (place[a] + place[b]), top

    @classmethod
    def from_estimator(cls, model: Any) -> "DendrogramDisplay":
        """Of a fitted `AgglomerativeClustering`."""
        return cls(model.children_, model.distances_, model.n_clusters_)

    def _leaves(self, n: int) -> np.ndarray:
        order, stack = [], [2 * n - 2]
        while stack:
            node = stack.pop()
            if node < n:
                order.append(node)
            else:
                stack.extend(int(child) for child in self.children[node - n][::-1])
        return np.array(order)

    def plot(self, ax: Any = None) -> "DendrogramDisplay":
        """Draw on an axis, or on a new figure."""
        from matplotlib.collections import LineCollection

        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(6.0, 3.5), layout="constrained")
        n = len(self.order)
        ax.add_collection(LineCollection(list(self.brackets), colors=INK, linewidths=0.8))
        if self.n_clusters is not None and 1 < self.n_clusters <= n:
            above = self.heights[n - self.n_clusters]
            below = self.heights[n - self.n_clusters - 1] if self.n_clusters < n else 0.0
            ax.axhline(0.5 * (above + below), color=ORANGE, linestyle="--", linewidth=1)
        ax.set_xlim(-0.5, n - 0.5)
        ax.set_ylim(0.0, 1.05 * max(float(self.heights.max()), np.finfo(float).tiny))
        ax.set_xticks([])
        ax.tick_params(colors=MUTED)
        tidy(ax, ylabel="distance of the clusters joined")
        self.figure_, self.ax_ = ax.figure, ax
        return self

"""Silhouettes: how much nearer each row is to its own cluster than to the next one."""

from typing import Any

import numpy as np

from learnable.evaluation.displays.style import MUTED, PALETTE, tidy
from learnable.unsupervised.reading import plain_table


def silhouette_values(X: Any, labels: Any) -> np.ndarray:
    """s_i = (b_i − a_i) / max(a_i, b_i), a_i the mean distance to the other rows of its cluster, b_i the least mean
    distance to the rows of another; 0 for a cluster of one row (Rousseeuw 1987).

    Parameters
    ----------
    X : array (n, p). labels : array (n,), at least two clusters.

    Examples
    --------
    >>> silhouette_values([[0.0], [1.0], [10.0]], [0, 0, 1]).round(3)
    array([0.9  , 0.889, 0.   ])
    """
    X, labels = plain_table(X, "silhouette_values"), np.asarray(labels)
    if labels.shape != (len(X),):
        raise ValueError(f"silhouette_values: {len(X)} rows, but labels of shape {labels.shape}")
    parts, index = np.unique(labels, return_inverse=True)
    if len(parts) < 2:
        raise ValueError(f"silhouette_values: {len(parts)} cluster; at least 2 are needed")
    sizes = np.bincount(index)
    member = np.eye(len(parts))[index]
    values = np.zeros(len(X))
    for start in range(0, len(X), 512):
        chosen = np.arange(start, min(start + 512, len(X)))
        distances = np.array([np.sqrt(np.sum((X - X[i]) ** 2, axis=1)) for i in chosen])
        sums = distances @ member
        own = index[chosen]
        at = np.arange(len(chosen))
        a = sums[at, own] / np.maximum(sizes[own] - 1, 1)
        means = sums / sizes
        means[at, own] = np.inf
        b = means.min(axis=1)
        larger = np.maximum(a, b)
        values[chosen] = np.where((sizes[own] > 1) & (larger > 0.0), (b - a) / np.where(larger > 0.0, larger, 1.0), 0.0)
    return values


class SilhouetteDisplay:
    """The silhouette of every row, cluster by cluster, and their mean.

    Parameters
    ----------
    values : (n,) silhouettes. labels : (n,) clusters.

    Attributes
    ----------
    figure_, ax_ : of the last plot.

    Examples
    --------
    >>> round(SilhouetteDisplay.from_data([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]).mean, 3)
    0.9
    """

    def __init__(self, values, labels):
        self.values, self.labels = np.asarray(values, dtype=float), np.asarray(labels)

    @classmethod
    def from_data(cls, X, labels) -> "SilhouetteDisplay":
        """Of the rows of X in these clusters."""
        return cls(silhouette_values(X, labels), labels)

    @classmethod
    def from_estimator(cls, model: Any, X) -> "SilhouetteDisplay":
        """Of a fitted clusterer on the rows it was fitted on."""
        return cls.from_data(X, model.labels_)

    @property
    def mean(self) -> float:
        """The mean silhouette."""
        return float(self.values.mean())

    def plot(self, ax: Any = None) -> "SilhouetteDisplay":
        """Draw on an axis, or on a new figure."""
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(5.0, 4.0), layout="constrained")
        bottom = 0
        for k, part in enumerate(np.unique(self.labels)):
            values = np.sort(self.values[self.labels == part])
            ax.fill_betweenx(
                np.arange(bottom, bottom + len(values)), 0.0, values, color=PALETTE[k % len(PALETTE)], lw=0
            )
            ax.annotate(f"{part} ", (0.0, bottom + 0.5 * len(values)), ha="right", va="center", fontsize=8)
            bottom += len(values) + max(len(self.values) // 50, 1)
        ax.axvline(self.mean, color=MUTED, linestyle="--", linewidth=1)
        ax.set_yticks([])
        tidy(ax, xlabel=f"silhouette (mean {self.mean:.2f})")
        self.figure_, self.ax_ = ax.figure, ax
        return self

"""The gap statistic: how many clusters the data have that data without clusters would not."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from learnable.config import config_context
from learnable.evaluation.displays.style import INK, MUTED, ORANGE, tidy
from learnable.seeds import generator_from
from learnable.unsupervised.kmeans import KMeans
from learnable.unsupervised.reading import plain_table


class GapStatistic(NamedTuple):
    """log J of k-means on data without clusters, less log J on the data.

    Attributes
    ----------
    n_clusters : (m,) numbers tried. objective : (m,) J on the data.
    gap : (m,) mean over references of log J_reference − log J. error : (m,) its standard error, with the simulation's.
    chosen : the least K whose gap is within one error of the largest gap. (The first K with gap(K) ≥ gap(K + 1) −
        error(K + 1), as Tibshirani, Walther and Hastie (2001) have it, stops at 1 where two clusters fit badly.)
    """

    n_clusters: np.ndarray
    objective: np.ndarray
    gap: np.ndarray
    error: np.ndarray
    chosen: int


def gap_statistic(X: Any, max_clusters: int = 8, *, n_references: int = 10, n_init: int = 3, random_state=None):
    """The gap of 1 to max_clusters clusters; references are uniform in the box of the principal axes of X.

    Parameters
    ----------
    X : array (n, p). max_clusters : int. n_references : int, tables without clusters. n_init : int, starts of k-means.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    GapStatistic

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 2)) + 9.0 * np.repeat([[0, 0], [1, 0], [0, 1]], 20, axis=0)
    >>> gap_statistic(X, 4, n_references=5, random_state=0).chosen
    3
    """
    X = plain_table(X, "gap_statistic")
    if not 1 <= max_clusters < len(X):
        raise ValueError(f"gap_statistic(max_clusters={max_clusters}): it must be between 1 and the rows less 1")
    if n_references < 2:
        raise ValueError(f"gap_statistic(n_references={n_references}): at least 2 are needed for an error")
    generator = generator_from(random_state, "gap_statistic")
    about = X - X.mean(axis=0)
    _, _, V = np.linalg.svd(about, full_matrices=False)
    turned = about @ V.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    sizes = np.arange(1, max_clusters + 1)
    objective = _objectives(X, sizes, n_init, generator)
    references = np.array(
        [
            np.log(_objectives(low + (high - low) * generator.random(turned.shape), sizes, n_init, generator))
            for _ in range(n_references)
        ]
    )
    gap = references.mean(axis=0) - np.log(objective)
    error = references.std(axis=0) * np.sqrt(1.0 + 1.0 / n_references)
    best = int(np.argmax(gap))
    enough = np.flatnonzero(gap >= gap[best] - error[best])
    return GapStatistic(sizes, objective, gap, error, int(sizes[enough[0]]))


def _objectives(X: np.ndarray, sizes: np.ndarray, n_init: int, generator: np.random.Generator) -> np.ndarray:
    tiny = np.finfo(float).tiny
    with config_context(certificates=False), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # rows that are the same may leave clusters without any
        seeds = generator.integers(2**31, size=len(sizes))
        models = [KMeans(int(K), n_init=n_init, random_state=int(seed)).fit(X) for K, seed in zip(sizes, seeds)]
    return np.array([max(model.inertia_, tiny) for model in models])


class GapDisplay:
    """The gap with its errors, and the number of clusters it chooses.

    Parameters
    ----------
    result : GapStatistic

    Attributes
    ----------
    figure_, ax_ : of the last plot.
    """

    def __init__(self, result: GapStatistic):
        self.result = result

    def plot(self, ax: Any = None) -> "GapDisplay":
        """Draw on an axis, or on a new figure."""
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(5.0, 3.2), layout="constrained")
        found = self.result
        ax.errorbar(found.n_clusters, found.gap, yerr=found.error, color=INK, ecolor=MUTED, marker="o", markersize=4)
        ax.axvline(found.chosen, color=ORANGE, linestyle="--", linewidth=1)
        tidy(ax, xlabel="clusters", ylabel="gap of log J")
        self.figure_, self.ax_ = ax.figure, ax
        return self

"""Stability: do two clusterings of resampled rows agree on all rows?"""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from learnable.config import config_context
from learnable.evaluation.displays.style import INK, MUTED, tidy
from learnable.seeds import generator_from
from learnable.unsupervised.kmeans import KMeans
from learnable.unsupervised.reading import plain_table


def adjusted_rand(a: Any, b: Any) -> float:
    """Agreement of two clusterings: 1 for the same parts whatever their names, 0 on average for unrelated ones.

    (Σ C(n_ij, 2) − E) / (½ (Σ C(n_i, 2) + Σ C(n_j, 2)) − E), E = Σ C(n_i, 2) Σ C(n_j, 2) / C(n, 2).

    >>> adjusted_rand([0, 0, 1, 1], [5, 5, 3, 3])
    1.0
    """
    _, i = np.unique(a, return_inverse=True)
    _, j = np.unique(b, return_inverse=True)
    if len(i) != len(j):
        raise ValueError(f"adjusted_rand: {len(i)} labels beside {len(j)}")
    table = np.zeros((i.max() + 1, j.max() + 1))
    np.add.at(table, (i, j), 1.0)

    def pairs(counts):
        return float(np.sum(counts * (counts - 1.0))) / 2.0

    rows, columns, both = pairs(table.sum(axis=1)), pairs(table.sum(axis=0)), pairs(table)
    expected = rows * columns / max(len(i) * (len(i) - 1.0) / 2.0, 1.0)
    most = 0.5 * (rows + columns)
    return 1.0 if most == expected else (both - expected) / (most - expected)


class Stability(NamedTuple):
    """Agreement of clusterings of resampled rows.

    Attributes
    ----------
    n_clusters : (m,). agreement : (m, r) adjusted Rand index of each pair of resamples.
    """

    n_clusters: np.ndarray
    agreement: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        return self.agreement.mean(axis=1)

    @property
    def most_stable(self) -> int:
        """The largest number of clusters whose agreement is within one standard error of the best."""
        mean, error = self.mean, self.agreement.std(axis=1, ddof=1) / np.sqrt(self.agreement.shape[1])
        best = int(np.argmax(mean))
        return int(self.n_clusters[np.flatnonzero(mean >= mean[best] - error[best]).max()])


def cluster_stability(
    X: Any, n_clusters: Any = range(2, 7), *, estimator: Any = None, n_pairs: int = 10, random_state=None
):
    """For each number of clusters: two bootstrap samples are clustered, and all rows are labelled by both.

    Parameters
    ----------
    X : array (n, p). n_clusters : numbers to try, each ≥ 2. n_pairs : int ≥ 2, pairs of samples.
    estimator : clusterer with `n_clusters` and `predict`, default=None for `KMeans(n_init=3)`.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    Stability

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((60, 2)) + 9.0 * np.repeat([[0, 0], [1, 0], [0, 1]], 20, axis=0)
    >>> cluster_stability(X, [2, 3, 4], n_pairs=4, random_state=0).most_stable
    3
    """
    X = plain_table(X, "cluster_stability")
    sizes = np.array(list(n_clusters), dtype=int)
    if len(sizes) == 0 or sizes.min() < 2 or sizes.max() >= len(X):
        raise ValueError(
            f"cluster_stability(n_clusters={sizes.tolist()}): numbers between 2 and the rows less 1 are needed"
        )
    if n_pairs < 2:
        raise ValueError(f"cluster_stability(n_pairs={n_pairs}): at least 2 are needed")
    generator = generator_from(random_state, "cluster_stability")
    base = KMeans(n_init=3) if estimator is None else estimator
    agreement = np.empty((len(sizes), n_pairs))
    with config_context(certificates=False), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a sample may have fewer different rows than clusters
        for place, K in enumerate(sizes):
            for pair in range(n_pairs):
                one, two = (_labels(base, X, int(K), generator) for _ in range(2))
                agreement[place, pair] = adjusted_rand(one, two)
    return Stability(sizes, agreement)


def _labels(base: Any, X: np.ndarray, K: int, generator: np.random.Generator) -> np.ndarray:
    model = clone(base).set_params(n_clusters=K, random_state=int(generator.integers(2**31)))
    return model.fit(X[generator.integers(len(X), size=len(X))]).predict(X)


class StabilityDisplay:
    """Agreement of pairs of clusterings, for each number of clusters.

    Parameters
    ----------
    result : Stability

    Attributes
    ----------
    figure_, ax_ : of the last plot.
    """

    def __init__(self, result: Stability):
        self.result = result

    def plot(self, ax: Any = None) -> "StabilityDisplay":
        """Draw on an axis, or on a new figure."""
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(5.0, 3.2), layout="constrained")
        found = self.result
        for K, values in zip(found.n_clusters, found.agreement):
            ax.plot(np.full(len(values), K), values, ".", color=MUTED, markersize=4)
        ax.plot(found.n_clusters, found.mean, "o-", color=INK, markersize=4)
        tidy(ax, xlabel="clusters", ylabel="agreement (adjusted Rand)")
        self.figure_, self.ax_ = ax.figure, ax
        return self

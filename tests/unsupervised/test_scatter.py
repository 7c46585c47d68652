"""The scatter split for any dissimilarity, and that its within-part is not the objective of k-means."""

import numpy as np

from learnable.unsupervised import kmeans_objective, pairwise_within, scatter_split


def test_total_is_within_plus_between_for_any_dissimilarity():
    random = np.random.default_rng(0)
    for n, K in ((1, 1), (5, 2), (30, 4)):
        d = random.normal(size=(n, n)) ** 3  # neither symmetric nor positive
        found = scatter_split(d, random.integers(K, size=n))
        np.testing.assert_allclose(found.total, found.within + found.between, rtol=1e-12)
        np.testing.assert_allclose(found.total, 0.5 * d.sum(), rtol=1e-12)


def test_within_of_squared_distances_is_the_sum_of_sizes_times_spreads():
    random = np.random.default_rng(1)
    X, labels = random.normal(size=(40, 3)) + 1e3, random.integers(4, size=40)
    squares = ((X[:, None] - X[None, :]) ** 2).sum(axis=2)
    np.testing.assert_allclose(scatter_split(squares, labels).within, pairwise_within(X, labels), rtol=1e-9)


def test_within_and_kmeans_rank_clusterings_differently():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [8.0]])
    tail, halves = np.array([0, 0, 0, 0, 0, 0, 1]), np.array([0, 0, 0, 0, 1, 1, 1])
    assert pairwise_within(X, halves) < pairwise_within(X, tail)
    X[-1] = 10.0
    assert kmeans_objective(X, tail) < kmeans_objective(X, halves)
    assert pairwise_within(X, halves) < pairwise_within(X, tail)


def test_weights_count_as_repetitions():
    random = np.random.default_rng(2)
    X, labels, times = random.normal(size=(12, 2)), random.integers(3, size=12), random.integers(1, 4, size=12)
    repeated = kmeans_objective(np.repeat(X, times, axis=0), np.repeat(labels, times))
    np.testing.assert_allclose(kmeans_objective(X, labels, times), repeated, rtol=1e-12)

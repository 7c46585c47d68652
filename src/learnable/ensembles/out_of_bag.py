"""What the rows that a tree never saw say about the forest."""

from typing import NamedTuple

import numpy as np

from learnable.evaluation.proportion import effective_interval
from learnable.problems.ensembles.bags import bag_rows
from learnable.problems.trees.tree import Tree
from learnable.trees.decision_tree import leaf_numbers


class OutOfBag(NamedTuple):
    """value (n, K): mean over the trees that did not see the row, NaN where all did; the score and its 95% interval."""

    value: np.ndarray
    score: float
    interval: tuple[float, float]


def out_of_bag(
    trees: list[Tree], cells: np.ndarray, seeds: np.ndarray, drawn: int, target: np.ndarray, weight: np.ndarray, K: int
) -> OutOfBag:
    """Accuracy (Wilson's interval) or R² (from the spread of squared errors) on rows out of the bag."""
    n = len(cells)
    total, count = np.zeros((n, max(K, 1))), np.zeros(n)
    for tree, seed in zip(trees, seeds):
        left_out = np.ones(n, dtype=bool)
        left_out[bag_rows(int(seed), n, drawn)] = False
        total[left_out] += tree.value[leaf_numbers(tree, cells[left_out]), 0]
        count += left_out
    with np.errstate(invalid="ignore", divide="ignore"):
        value = total / count[:, None]
    judged = (count > 0) & (weight > 0.0)
    if not judged.any():
        return OutOfBag(value, 0.0, (0.0, 1.0))
    w = weight[judged]
    if K:
        right = value[judged].argmax(axis=1) == target[judged]
        score = float(np.average(right, weights=w))
        interval = effective_interval(score, len(right))
        return OutOfBag(value, score, (float(interval.low), float(interval.high)))
    error = (target[judged] - value[judged, 0]) ** 2
    spread = float(np.average((target[judged] - np.average(target[judged], weights=w)) ** 2, weights=w))
    mean = float(np.average(error, weights=w))
    half = 1.959963984540054 * float(np.std(error)) / np.sqrt(len(error))
    if spread == 0.0:
        return OutOfBag(value, 1.0 if mean == 0.0 else 0.0, (0.0, 1.0))
    return OutOfBag(value, 1.0 - mean / spread, (1.0 - (mean + half) / spread, 1.0 - (mean - half) / spread))

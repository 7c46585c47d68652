"""What the rows that a tree never saw say about the forest."""

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from learnable.evaluation.proportion import effective_interval
from learnable.problems.ensembles.bags import bag_rows
from learnable.problems.trees.tree import Tree
from learnable.trees.decision_tree import leaf_numbers


class OutOfBag(NamedTuple):
    """value (n, K): mean over the trees that did not see the row, NaN where all did; the score and its 95% interval."""

    value: np.ndarray
    score: float
    interval: tuple[float, float]


class Importances(NamedTuple):
    """mean (p,) rise of the error out of the bag, the interval low, high (p,) of the mean, and each (T, p) tree's."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    each: np.ndarray


def permuted(
    trees: list[Tree], bags: list[np.ndarray], cells: np.ndarray, target: np.ndarray, K: int, generator, level: float
) -> Importances:
    """The rise of each tree's error on the rows out of its bag when a column is shuffled among them."""
    n, p = cells.shape
    each = []
    for tree, bag in zip(trees, bags):
        out = np.setdiff1d(np.arange(n), bag)
        if not len(out):
            continue
        rows = cells[out]

        def error(table: np.ndarray, tree: Tree = tree, out: np.ndarray = out) -> float:
            said = tree.value[leaf_numbers(tree, table), 0]
            if K:
                return float(np.mean(said.argmax(axis=1) != target[out]))
            return float(np.mean((said[:, 0] - target[out]) ** 2))

        plain, rise = error(rows), np.zeros(p)
        for j in np.unique(tree.feature[tree.feature >= 0]):
            shuffled = rows.copy()
            shuffled[:, j] = generator.permutation(rows[:, j])
            rise[j] = error(shuffled) - plain
        each.append(rise)
    if not each:
        raise ValueError("permutation_importances: no row is out of any bag")
    rises = np.array(each)
    mean, T = rises.mean(axis=0), len(rises)
    half = student.ppf(0.5 + 0.5 * level, T - 1) * rises.std(axis=0, ddof=1) / np.sqrt(T) if T > 1 else np.inf
    return Importances(mean, mean - half, mean + half, rises)


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

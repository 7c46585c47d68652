"""What the rows that a tree never saw say about the forest."""

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from learnable.evaluation.proportion import effective_interval
from learnable.problems.ensembles.bags import bag_rows
from learnable.problems.trees.tree import Tree
from learnable.trees.decision_tree import leaf_numbers


class Importances(NamedTuple):
    """mean (p,) rise of the error out of the bag, the interval low, high (p,) of the mean, and each (T, p) tree's."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    each: np.ndarray


def permuted(
    trees: list[Tree], bags: list[np.ndarray], cells: np.ndarray, target: np.ndarray, classes: bool, generator,
    level: float,
) -> Importances:  # fmt: skip
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
            if classes:
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


def out_of_bag(trees: list[Tree], cells: np.ndarray, seeds: np.ndarray, drawn: int) -> np.ndarray:
    """(n, outputs, K) mean value over the trees that did not see the row, NaN where all did."""
    n = len(cells)
    total, count = np.zeros((n, *trees[0].value.shape[1:])), np.zeros(n)
    for tree, seed in zip(trees, seeds):
        left_out = np.ones(n, dtype=bool)
        left_out[bag_rows(int(seed), n, drawn)] = False
        total[left_out] += tree.value[leaf_numbers(tree, cells[left_out])]
        count += left_out
    with np.errstate(invalid="ignore", divide="ignore"):
        return total / count[:, None, None]


def accuracy(target: np.ndarray, said: np.ndarray, weight: np.ndarray) -> tuple[float, tuple[float, float]]:
    """Share of the rows with every output right, and Wilson's 95% interval."""
    score = float(np.average(np.all(target == said, axis=1), weights=weight))
    interval = effective_interval(score, len(said))
    return score, (float(interval.low), float(interval.high))


def explained(target: np.ndarray, said: np.ndarray, weight: np.ndarray) -> tuple[float, tuple[float, float]]:
    """R², the mean over outputs, and a 95% interval from the spread of the squared errors."""
    error = (target - said) ** 2
    spread = np.average((target - np.average(target, axis=0, weights=weight)) ** 2, axis=0, weights=weight)
    varied = np.ptp(target, axis=0) > 0.0
    # A constant output is met or it is not.
    constant = float(np.sum(np.average(error[:, ~varied], axis=0, weights=weight) == 0.0))
    if not varied.any():
        return constant / len(spread), (0.0, 1.0)
    relative = np.sum(error[:, varied] / spread[varied], axis=1) / len(spread)
    score = (np.count_nonzero(varied) + constant) / len(spread) - float(np.average(relative, weights=weight))
    half = 1.959963984540054 * float(np.std(relative)) / np.sqrt(len(relative))
    return float(score), (float(score - half), float(score + half))

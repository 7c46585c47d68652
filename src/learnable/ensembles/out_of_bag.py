"""What the rows that a tree never saw say about the forest."""

import warnings
from collections.abc import Sized
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from learnable.evaluation._validation import effective_size
from learnable.evaluation.proportion import effective_interval
from learnable.problems.ensembles.bags import bag_rows
from learnable.problems.trees.tree import Tree
from learnable.solvers.trees.descent import leaf_numbers

NORMAL_95 = 1.959963984540054


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
    half = stdtrit(T - 1, 0.5 + 0.5 * level) * rises.std(axis=0, ddof=1) / np.sqrt(T) if T > 1 else np.inf
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


def warn_of_unjudged(model: Any, members: Sized, unjudged: np.ndarray, kind: str) -> None:
    """Say that rows in every bag have no prediction out of the bag, where all members that were asked for are there."""
    if unjudged.any() and len(members) == model.n_estimators:
        warnings.warn(
            f"{type(model).__name__}: Some inputs do not have OOB scores. This probably means too few {kind} were used "
            f"to compute any reliable oob estimates. {np.count_nonzero(unjudged)} of {len(unjudged)} rows are in every "
            "bag; raise n_estimators",
            stacklevel=2,
        )


def accuracy(target: np.ndarray, said: np.ndarray, weight: np.ndarray) -> tuple[float, tuple[float, float]]:
    """Share of rows with every output right, and Wilson's 95% interval for the rows that the weights amount to."""
    score = float(np.average(np.all(target == said, axis=1), weights=weight))
    interval = effective_interval(score, effective_size(weight))
    return score, (float(interval.low), float(interval.high))


def explained(target: np.ndarray, said: np.ndarray, weight: np.ndarray) -> tuple[float, tuple[float, float]]:
    """R², the mean over outputs, and the normal 95% interval by the delta method.

    To first order R² = 1 − E(y − f)²/E(y − ȳ)² moves with a row by ((y − f)² − (1 − R²)(y − ȳ)²)/E(y − ȳ)².
    """
    share = weight / weight.sum()
    varied = np.ptp(target, axis=0) > 0.0
    error, away = (target - said) ** 2, (target - share @ target) ** 2
    # A constant output is met or it is not.
    scores = np.where(share @ error == 0.0, 1.0, 0.0)
    scores[varied] = 1.0 - share @ error[:, varied] / (share @ away[:, varied])
    score = float(scores.mean())
    if not varied.any():
        return score, (0.0, 1.0)
    moved = (error - (1.0 - scores) * away)[:, varied] / (share @ away[:, varied])
    half = NORMAL_95 * float(np.linalg.norm(share * moved.sum(axis=1))) / len(scores)
    return score, (score - half, min(score + half, 1.0))

"""SLIQ: trees grown level by level from attribute lists that are sorted once and a class list that stays in memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from learnable._jit.core.vectors import read_only
from learnable._jit.trees.scan import score_of_classes
from learnable._jit.trees.sliq import scan_list
from learnable.problems.trees.tree import Tree
from learnable.solvers.trees.cart import CRITERIA, EXHAUSTIVE, TIE
from learnable.solvers.trees.subsets import best_subset


class Lists(NamedTuple):
    """Attribute lists: values and rows of each column in the order of its values; codes of categories as they stand."""

    values: list[np.ndarray]
    rows: list[np.ndarray]
    categorical: np.ndarray


class Settings(NamedTuple):
    criterion: str
    max_depth: float
    min_split: int
    min_leaf: int
    midpoint: bool


class SliqState(NamedTuple):
    """The tree after a level, scans of attribute lists made so far, and the mean impurity of the leaves."""

    tree: Tree
    n_scans: int
    objective: float


def attribute_lists(X: np.ndarray, categorical: np.ndarray, directory: str | None) -> Lists:
    """Sort the columns once; with a directory, the lists live in files there and are read through memory maps."""
    values, rows = [], []
    for j in range(X.shape[1]):
        order = np.arange(len(X)) if categorical[j] else np.argsort(X[:, j], kind="stable")
        pair = (np.ascontiguousarray(X[order, j]), order.astype(np.int32))
        if directory is not None:
            folder = Path(directory)
            pair = (_spilled(pair[0], folder / f"values_{j}.npy"), _spilled(pair[1], folder / f"rows_{j}.npy"))
        values.append(pair[0])
        rows.append(pair[1])
    return Lists(values, rows, np.asarray(categorical, dtype=bool))


def _spilled(array: np.ndarray, path: Path) -> np.ndarray:
    np.save(path, array)
    return np.load(path, mmap_mode="r")


class _Growing:
    """Nodes of the tree as lists."""

    def __init__(self) -> None:
        self.left: list[int] = []
        self.right: list[int] = []
        self.feature: list[int] = []
        self.threshold: list[float] = []
        self.missing: list[int] = []
        self.category: list[np.ndarray | None] = []
        self.counts: list[np.ndarray] = []
        self.rows: list[int] = []
        self.impurity: list[float] = []

    def add(self, counts: np.ndarray, n_rows: int, criterion: int) -> int:
        total = float(counts.sum())
        score = score_of_classes(criterion, counts, total)
        impurity = abs(-score / total / np.log(2.0)) if criterion == CRITERIA["entropy"] else 1.0 - score / total
        self.left.append(-1)
        self.right.append(-1)
        self.feature.append(-2)
        self.threshold.append(-2.0)
        self.missing.append(0)
        self.category.append(None)
        self.counts.append(counts)
        self.rows.append(n_rows)
        self.impurity.append(0.0 if np.count_nonzero(counts) == 1 else float(impurity))
        return len(self.left) - 1

    def tree(self, widest: int, p: int) -> Tree:
        rows = np.full(len(self.left), -1, dtype=np.int32)
        tables = [(node, table) for node, table in enumerate(self.category) if table is not None]
        rows[[node for node, _ in tables]] = np.arange(len(tables))
        counts = np.array(self.counts)
        weight = counts.sum(axis=1)
        return Tree(
            np.array(self.left, dtype=np.int32), np.array(self.right, dtype=np.int32),
            np.array(self.feature, dtype=np.int32), np.array(self.threshold), np.array(self.missing, dtype=np.uint8),
            rows, np.array([table for _, table in tables], dtype=np.uint8).reshape(len(tables), widest),
            (counts / weight[:, None])[:, None, :], np.array(self.impurity), np.array(self.rows), weight, p,
        )  # fmt: skip


def iterates(
    lists: Lists, X: np.ndarray, label: np.ndarray, weight: np.ndarray, K: int, settings: Settings
) -> Iterator[SliqState]:
    """One state a level."""
    criterion = CRITERIA[settings.criterion]
    n = len(label)
    tie = TIE * float(weight.sum())
    widest = 0
    if lists.categorical.any():
        widest = int(np.nanmax(X[:, lists.categorical], initial=0.0)) + 2
    growing = _Growing()
    leaf = np.zeros(n, dtype=np.int32)
    counts = np.bincount(label, weight, minlength=K)
    active = [growing.add(counts, n, criterion)]
    scans, depth = 0, 0
    while True:
        active = [
            node for node in active
            if depth < settings.max_depth and np.count_nonzero(growing.counts[node]) > 1
            and growing.rows[node] >= max(settings.min_split, 2 * settings.min_leaf)
        ]  # fmt: skip
        children: list[int] = []
        if active:
            children = _level(lists, X, label, weight, K, settings, criterion, tie, growing, leaf, active, widest)
            scans += len(lists.rows)
        tree = growing.tree(widest, X.shape[1])
        ends = tree.is_leaf
        objective = float(tree.impurity[ends] @ tree.weighted_n_node_samples[ends]) / float(weight.sum())
        yield SliqState(tree, scans, objective)
        if not children:
            return
        active, depth = children, depth + 1


def _level(lists, X, label, weight, K, settings, criterion, tie, growing: _Growing, leaf, active, widest) -> list[int]:
    """Find the best split of every active leaf with one scan an attribute, and make the splits."""
    S = len(active)
    slot = np.full(len(growing.left), -1, dtype=np.int32)
    slot[active] = np.arange(S)
    totals = np.array([np.append(growing.counts[node], growing.counts[node].sum()) for node in active])
    n_rows = np.array([growing.rows[node] for node in active])
    best = np.full(S, -np.inf)
    split: list[tuple | None] = [None] * S
    for j in range(len(lists.rows)):
        if lists.categorical[j]:
            for s in range(S):
                found = _categories(lists, j, leaf, slot, s, label, weight, K, criterion, settings.min_leaf, tie)
                if found is not None and found[0] > best[s] + tie:
                    best[s], split[s] = found[0], (j, None, found[1])
            continue
        score, low, high = np.full(S, -np.inf), np.zeros(S), np.zeros(S)
        scan_list(
            read_only(lists.values[j]), read_only(lists.rows[j]), leaf, slot, label, weight, totals, criterion,
            settings.min_leaf, tie, np.zeros((S, K + 1)), np.zeros(S, dtype=np.int64), np.zeros(S), n_rows, score,
            low, high,
        )  # fmt: skip
        for s in np.flatnonzero(score > best + tie).tolist():
            middle = 0.5 * low[s] + 0.5 * high[s]
            threshold = middle if settings.midpoint and low[s] <= middle < high[s] else low[s]
            best[s], split[s] = score[s], (j, threshold, None)
    children = []
    for s, node in enumerate(active):
        choice = split[s]
        if choice is None:
            continue
        j, threshold, chosen = choice
        rows = np.flatnonzero(leaf == node)
        table = None
        if chosen is None:
            goes = X[rows, j] <= threshold
        else:
            table = np.full(widest, 2, dtype=np.uint8)
            table[list(chosen)] = [chosen[c] for c in chosen]
            goes = table[X[rows, j].astype(int)] == 1
        majority = int(2 * np.count_nonzero(goes) > len(rows))
        if table is not None:
            table[table == 2] = majority
        growing.feature[node], growing.missing[node], growing.category[node] = j, majority, table
        growing.threshold[node] = -2.0 if threshold is None else threshold
        for side, link in ((goes, growing.left), (~goes, growing.right)):
            here = rows[side]
            child = growing.add(np.bincount(label[here], weight[here], minlength=K), len(here), criterion)
            link[node] = child
            leaf[here] = child
            children.append(child)
    return children


def _categories(lists, j, leaf, slot, s, label, weight, K, criterion, min_leaf, tie):
    here = slot[leaf] == s
    codes = lists.values[j][here].astype(int)
    return best_subset(codes, label[here], weight[here], K, criterion, min_leaf, EXHAUSTIVE, tie)

"""Scores of rows by boosted trees, blocks of rows over threads."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from learnable._jit.core.vectors import read_only
from learnable._jit.ensembles.boosted_descent import add_plain_trees, add_trees
from learnable._jit.ensembles.histograms import MISSING
from learnable._jit.ensembles.leaf_masks import LeafMasks, add_leaves, bin_columns, write_masks
from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.problems.trees.tree import Tree
from learnable.rows.threads import in_order, one_blas_thread_meanwhile, worker_count

# Rows at a time: their scores stay in the second cache.
BLOCK = 2**11
# Rows from which on masks are worth being made: those of a tree take as long as some hundred rows on their way down.
MANY = 2**10
# Nodes whose masks are made at a time: four megabytes at most, as long as trees have no more than 32 leaves.
NODES = 2**13


def scores_of(trees: BoostedTrees, X: np.ndarray, start: np.ndarray) -> np.ndarray:
    """(n, K) raw scores."""
    score = np.tile(start, (len(X), 1))
    add_scores(trees, X, score)
    return score


def boosted(trees: Sequence[Tree], steps: Sequence[np.ndarray], n_scores: int) -> BoostedTrees:
    """Trees that ask about numbers alone in one set of arrays, right children next to left ones, with what leaves add.

    Paid for by `python -m benchmarks trees`, exact boosting: 100 trees of depth 3 predict 3,000 rows in half the time.
    """
    sizes = np.array([tree.node_count for tree in trees])
    roots = np.cumsum(sizes) - sizes

    def together(name: str) -> np.ndarray:
        return np.concatenate([getattr(tree, name) for tree in trees])

    left, right = together("children_left"), together("children_right")
    split = np.flatnonzero(left >= 0)
    root = np.repeat(roots, sizes)[split]
    # The place of the left child of every split: the splits of a tree in turn, two places each.
    child = root + 1 + 2 * (np.arange(len(split)) - np.searchsorted(split, root))
    place = np.empty(len(left), dtype=np.int64)
    place[roots], place[root + left[split]], place[root + right[split]] = roots, child, child + 1

    def placed(values: np.ndarray, dtype: Any) -> np.ndarray:
        found = np.zeros(len(values), dtype=dtype)
        found[place] = values
        return found

    lefts, rights = np.full((2, len(left)), -1, dtype=np.int32)
    lefts[place[split]], rights[place[split]] = child, child + 1
    return BoostedTrees(
        roots.reshape(-1, n_scores),
        lefts,
        rights,
        placed(together("feature"), np.int32),
        placed(np.where(left >= 0, together("threshold"), 0.0), float),
        placed(together("missing_go_to_left"), np.uint8),
        np.full(len(left), -1, dtype=np.int32),
        np.zeros((0, 256), dtype=np.uint8),
        placed(np.concatenate(steps), float),
        placed(together("n_node_samples"), np.int64),
    )


def add_scores(trees: BoostedTrees, X: Any, score: np.ndarray) -> None:
    """Add the trees to scores; by either way the values of leaves are added in the order of the trees."""
    blocks = [slice(a, a + BLOCK) for a in range(0, len(X), BLOCK)]
    for some in _in_groups(trees) if len(X) >= MANY else [trees]:
        add = (_by_masks(some) if len(X) >= MANY else None) or _by_descent(some)

        def add_block(block: slice, add: Any = add) -> None:
            add(X[block], score[block])

        with one_blas_thread_meanwhile() as granted:
            for _ in in_order(add_block, iter(blocks), worker_count(None, granted, len(blocks))):
                pass


def _in_groups(trees: BoostedTrees) -> Iterator[BoostedTrees]:
    """Some rounds after the other, with nodes that are numbered from 0."""
    roots, a = np.append(trees.first[:, 0], len(trees.value)), 0
    while a < trees.n_rounds:
        b = max(a + 1, int(np.searchsorted(roots, roots[a] + NODES, side="right")) - 1)
        low, here = roots[a], slice(roots[a], roots[b])
        left, right = trees.children_left[here], trees.children_right[here]
        children = (np.where(each >= 0, each - low, each).astype(each.dtype) for each in (left, right))
        inner, ends = ([array[here] for array in some] for some in (trees[3:7], trees[8:]))
        yield BoostedTrees._make([trees.first[a:b] - low, *children, *inner, trees.category_left, *ends])
        a = b


def _by_descent(trees: BoostedTrees) -> Callable[[np.ndarray, np.ndarray], None]:
    """What adds the trees to the scores of cells, step by step down the trees."""
    trees = BoostedTrees._make(map(read_only, trees))
    fields = (
        trees.first, trees.children_left, trees.children_right, trees.feature, trees.threshold,
        trees.missing_go_to_left, trees.category_row, trees.category_left, trees.value,
    )  # fmt: skip
    plain = (trees.first, trees.children_left, trees.feature, trees.threshold, trees.value)
    split = trees.children_left >= 0
    beside = np.array_equal(trees.children_right[split], trees.children_left[split] + 1)
    by_number = beside and not len(trees.category_left)

    def add(cells: np.ndarray, score: np.ndarray) -> None:
        if by_number and not np.isnan(cells).any():
            add_plain_trees(*plain, read_only(cells), score)
        else:
            add_trees(*fields, read_only(cells), score)

    return add


def _by_masks(trees: BoostedTrees) -> Callable[[np.ndarray, np.ndarray], None] | None:
    """The same by sets of leaves; None where a tree has too many of them, a column too many thresholds, or where there
    are too few trees: to put the cells of a column into bins takes as long as a tree."""
    split = trees.children_left >= 0
    used = np.unique(trees.feature[split])
    if trees.first.size < len(used) or _most_leaves(trees) > 64:
        return None
    column = np.searchsorted(used, trees.feature)
    by_number = split & (trees.category_row < 0) & (trees.threshold < np.inf)
    edges, cut = [], np.full(len(split), MISSING - 1)
    for u in range(len(used)):
        here = by_number & (column == u)
        edges.append(np.unique(trees.threshold[here]))
        cut[here] = np.searchsorted(edges[-1], trees.threshold[here])
    n_edges = np.array([len(each) for each in edges], dtype=np.int64)
    categorical = np.zeros(len(used), dtype=np.uint8)
    categorical[column[split & (trees.category_row >= 0)]] = 1
    if n_edges.max(initial=0) >= MISSING or np.any(n_edges[categorical == 1]):
        return None
    if (found := _masks(trees, column, cut)) is None:
        return None
    first = np.cumsum(n_edges) - n_edges
    bins = used, np.concatenate([*edges, [0.0]]) + 0.0, first, n_edges, categorical  # no −0, as for `bin_rows`

    def add(cells: np.ndarray, score: np.ndarray) -> None:
        codes = np.empty((len(used), len(cells)), dtype=np.uint8)
        bin_columns(cells, *bins, codes)
        add_leaves(found, codes, score)

    return add


def _most_leaves(trees: BoostedTrees) -> int:
    """Of one tree; it has a leaf more than splits."""
    return (int(np.diff(trees.first.ravel(), append=len(trees.value)).max()) + 1) // 2


def _masks(trees: BoostedTrees, column: np.ndarray, cut: np.ndarray) -> LeafMasks | None:
    """The masks of all trees in as short words as hold their leaves, None if none does."""
    n_trees, n_splits = trees.first.size, int(np.count_nonzero(trees.children_left >= 0))
    for word in (np.uint32, np.uint64):
        found = LeafMasks(
            np.empty(n_trees + 1, np.int64), np.empty(n_splits, np.int64), np.empty((n_splits, 256), word),
            np.empty(n_trees, np.int64), np.empty(n_splits + n_trees),
        )  # fmt: skip
        if write_masks(
            trees.first.ravel(), trees.children_left, trees.children_right, column, cut, trees.missing_go_to_left,
            trees.category_row, trees.category_left, trees.value, found,
        ):  # fmt: skip
            return found
    return None

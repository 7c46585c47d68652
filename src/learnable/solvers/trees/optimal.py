"""Optimal trees of small depth: dynamic programming over sets of rows, with bounds, down to trees of depth two."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.trees.optimal import best_two_levels, class_counts

# (mistakes, tree), where a tree is None for a leaf or (question, subtree for no, subtree for yes).
Answer = tuple[int, Any]


class OptimalState(NamedTuple):
    """The best tree so far, its mistakes, and how many questions have been tried at the root."""

    tree: Any
    tried: int
    objective: float


def packed(rows: np.ndarray) -> np.ndarray:
    """Rows of booleans (m, n) as words of 64 bits (m, ⌈n/64⌉)."""
    m, n = rows.shape
    words = -(-n // 64)
    padded = np.zeros((m, words * 64), dtype=bool)
    padded[:, :n] = rows
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64).reshape(m, words)


class Search:
    """The search over trees, with a memory of the sets of rows that were solved."""

    def __init__(self, answers: np.ndarray, label: np.ndarray, K: int):
        self.questions = packed(answers.T)
        self.classes = packed(label[None, :] == np.arange(K)[:, None])
        self.all = packed(np.ones((1, len(label)), dtype=bool))[0]
        F, W = self.questions.shape
        self.room = (
            np.zeros((F, K, W), dtype=np.uint64), np.zeros((F, K), dtype=np.int64),
            np.zeros((F, F, K), dtype=np.int64), np.zeros(K, dtype=np.int64),
        )  # fmt: skip
        self.solved: dict[tuple[bytes, int], Answer] = {}

    def solve(self, mask: np.ndarray, depth: int) -> Answer:
        """The best tree of at most this depth on the rows of the mask."""
        key = (mask.tobytes(), depth)
        if key not in self.solved:
            self.solved[key] = self._solve(mask, depth)
        return self.solved[key]

    def leaf(self, mask: np.ndarray) -> Answer:
        counts = np.zeros(len(self.classes), dtype=np.int64)
        class_counts(self.classes, mask, counts)
        return int(counts.sum() - counts.max()), None

    def _solve(self, mask: np.ndarray, depth: int) -> Answer:
        if depth == 0:
            return self.leaf(mask)
        if depth <= 2:
            wrong, root, no, yes = best_two_levels(self.questions, self.classes, mask, depth, *self.room)
            below = [None if question < 0 else (int(question), None, None) for question in (no, yes)]
            return int(wrong), None if root < 0 else (int(root), *below)
        best = self.leaf(mask)
        for f in range(len(self.questions)):
            if best[0] == 0:
                break
            best = self.better(mask, depth, f, best)
        return best

    def better(self, mask: np.ndarray, depth: int, f: int, best: Answer) -> Answer:
        """The best tree with question f at its root, if it beats the one given."""
        yes = mask & self.questions[f]
        no = mask & ~self.questions[f]
        if not yes.any() or not no.any():
            return best
        first = self.solve(no, depth - 1)
        if first[0] >= best[0]:
            return best
        second = self.solve(yes, depth - 1)
        wrong = first[0] + second[0]
        return (wrong, (f, first[1], second[1])) if wrong < best[0] else best


def iterates(answers: np.ndarray, label: np.ndarray, K: int, depth: int) -> Iterator[OptimalState]:
    """One state a question tried at the root; the last one is optimal.

    Parameters
    ----------
    answers : (n, F) booleans, the answers of the rows to the questions.
    label : (n,) class indices.
    """
    search = Search(answers, label, K)
    n = len(label)
    if depth <= 2:
        best = search.solve(search.all, depth)
        yield OptimalState(best[1], answers.shape[1], best[0] / n)
        return
    best = search.solve(search.all, 2)  # a good start: whatever is no better is cut off
    yield OptimalState(best[1], 0, best[0] / n)
    for f in range(answers.shape[1]):
        if best[0] == 0:
            return
        best = search.better(search.all, depth, f, best)
        yield OptimalState(best[1], f + 1, best[0] / n)

"""Shared by classifying machines: one machine a pair of classes, and how their scores become a decision."""

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from learnable.kernels.kernel_machine import KernelMachine


class ClassifierMachine(ClassifierMixin, KernelMachine):
    """One machine for each pair of classes. The sign conventions are scikit-learn's: between two classes a positive
    score is the second one, between many a positive score of the pair (i, j) is class i."""

    decision_function_shape: str
    break_ties: bool
    class_weight: Any
    classes_: np.ndarray
    n_support_: np.ndarray

    def _class_weights(self, classes: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.class_weight is None:
            return np.ones(len(classes))
        each = compute_class_weight(self.class_weight, classes=classes, y=y)
        if not np.all(each >= 0.0) or not each.any():
            raise ValueError(f"class_weight={self.class_weight!r}: weights must be >= 0, and at least one positive")
        return each

    @staticmethod
    def _pairs(index: np.ndarray, K: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """(rows, ±1) of each pair of classes, of many classes one class after the other."""
        if K == 2:
            return [(np.arange(len(index)), np.where(index == 1, 1.0, -1.0))]
        members = [np.flatnonzero(index == k) for k in range(K)]
        found = []
        for i, j in combinations(range(K), 2):
            rows = np.concatenate([members[i], members[j]])
            sides = np.ones(len(rows))
            sides[len(members[i]) :] = -1.0
            found.append((rows, sides))
        return found

    @staticmethod
    def _layout(
        index: np.ndarray, K: int, rows: list[np.ndarray], betas: list[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(support by class, how many of each class, dual coefficients in K − 1 rows)."""
        full = np.zeros((len(index), len(rows)))
        for column, (chosen, beta) in enumerate(zip(rows, betas)):
            full[chosen, column] = beta
        support = np.flatnonzero((full != 0.0).any(axis=1))
        support = support[np.argsort(index[support], kind="stable")].astype(np.int32)
        owner = index[support]
        counts = np.bincount(owner, minlength=K)
        dual, ends = np.zeros((K - 1, len(support))), np.cumsum(counts)
        for column, (i, j) in enumerate(combinations(range(K), 2)):
            for mine, other in ((i, j), (j, i)):
                part = slice(ends[mine] - counts[mine], ends[mine])
                dual[other - (other > mine), part] = full[support[part], column]
        return support, counts.astype(np.int32), dual

    def _pair_scores(self, X: Any) -> np.ndarray:
        """(n, pairs)."""
        check_is_fitted(self)
        return self._product(X, self._coefficients()) + self.intercept_

    def _coefficients(self) -> np.ndarray:
        """(support vectors, pairs)."""
        K = len(self.classes_)
        owner = np.repeat(np.arange(K), self.n_support_)
        table, dual = np.zeros((len(owner), K * (K - 1) // 2)), self._dual()
        for column, (i, j) in enumerate(combinations(range(K), 2)):
            for mine, other in ((i, j), (j, i)):
                chosen = owner == mine
                table[chosen, column] = dual[other - (other > mine), chosen]
        return table

    def decision_function(self, X) -> np.ndarray:
        """Scores: one number a row between two classes; else votes with confidences, or one column a pair.

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError(f"decision_function_shape={self.decision_function_shape!r}: 'ovr' or 'ovo'")
        found = self._pair_scores(X)
        if len(self.classes_) == 2:
            return found[:, 0]
        return found if self.decision_function_shape == "ovo" else votes_with_confidence(found, len(self.classes_))

    def predict(self, X) -> np.ndarray:
        """The class with most votes among the pairs, the first of equals; by confidence too where `break_ties`.

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        found = self._pair_scores(X)
        K = len(self.classes_)
        if K == 2:
            return self.classes_[(found[:, 0] >= 0.0).astype(np.intp)]
        if self.break_ties:
            return self.classes_[votes_with_confidence(found, K).argmax(axis=1)]
        return self.classes_[pair_votes(found, K).argmax(axis=1)]


def pair_votes(found: np.ndarray, K: int) -> np.ndarray:
    """(n, K) pairs won; a score of 0 is the second class of the pair.

    >>> pair_votes(np.array([[1.0, -1.0, 2.0]]), 3)
    array([[1, 1, 1]])
    """
    votes = np.zeros((len(found), K), dtype=int)
    for column, (i, j) in enumerate(combinations(range(K), 2)):
        won = found[:, column] > 0.0
        votes[won, i] += 1
        votes[~won, j] += 1
    return votes


def votes_with_confidence(found: np.ndarray, K: int) -> np.ndarray:
    """Votes, and between equal votes the sum of the scores squeezed into ±1/3."""
    total = np.zeros((len(found), K))
    for column, (i, j) in enumerate(combinations(range(K), 2)):
        total[:, i] += found[:, column]
        total[:, j] -= found[:, column]
    votes = np.zeros((len(found), K))
    for column, (i, j) in enumerate(combinations(range(K), 2)):
        # A tie of the pair goes to its first class here, as in scikit-learn's sums.
        votes[:, i] += found[:, column] >= 0.0
        votes[:, j] += found[:, column] < 0.0
    return votes + total / (3.0 * (np.abs(total) + 1.0))

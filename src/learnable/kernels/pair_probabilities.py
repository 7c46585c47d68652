"""Shared by classifying machines: probabilities from scores of rows that were left out. Syllabus: C5."""

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from learnable.base import Data
from learnable.config import config_context
from learnable.kernels.kernel_classifier_machine import ClassifierMachine
from learnable.problems.kernels.pairs import pair_sides
from learnable.problems.kernels.platt import probability
from learnable.solvers.kernels.platt import coupled, sigmoid

# As LIBSVM's probabilities.
FOLDS = 5


def _asked_for(model: Any) -> bool:
    if model.probability in (False, "deprecated"):
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class PairProbabilities(ClassifierMachine):
    """`predict_proba` where `probability=True`.

    A machine has scores, no probabilities. Those given here are fitted to scores of rows left out: each row, in five
    parts of the data that have the classes' shares, is scored by the machines of the other parts; a sigmoid a pair is
    fitted to these scores; the pairs of more than two classes are put together. Where a class has one row only, the
    machines of the other parts have not met it, and each of its pairs scores ±1 for the class that they have met.
    """

    probability: Any
    probA_: np.ndarray
    probB_: np.ndarray

    def _calibration(self, data: Data, index: np.ndarray, K: int, gamma: float) -> dict[str, Any]:
        """Left-out scores of the pairs, and the sigmoid of each; nothing where none was asked for."""
        if self.probability in (False, "deprecated"):
            return {}
        fold = self._parts(index, K)
        weight = np.ones(len(index)) if data.sample_weight is None else data.sample_weight
        found = np.zeros((len(index), K * (K - 1) // 2))
        for k in range(int(fold.max()) + 1):
            out, rest = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
            found[out] = self._left_out(data, weight, index, K, gamma, out, rest)
        sides = pair_sides(index, K)
        curves = []
        for column in range(found.shape[1]):
            mine = sides[:, column] != 0.0
            curves.append(sigmoid(found[mine, column], sides[mine, column], weight[mine]))
        A, B = np.array(curves).T
        return {"probA_": A, "probB_": B, "left_out_scores_": found}

    def _left_out(
        self, data: Data, weight: np.ndarray, index: np.ndarray, K: int, gamma: float, out: np.ndarray, rest: np.ndarray
    ) -> np.ndarray:
        """(rows out, pairs) scores by the machines of the rest.

        A pair of which the rest has one class only is told ±1 for that class, as by LIBSVM, and 0 where it has none.
        """
        X, there = data.X, np.unique(index[rest])
        sides = pair_sides(np.arange(K), K)
        found = np.tile(sides[there].sum(axis=0), (len(out), 1))
        if len(there) < 2:
            return found
        machine = clone(self).set_params(probability=False, gamma=gamma)
        with config_context(certificates=False):
            given = X[rest][:, rest] if self._is_precomputed else X[rest]
            machine.fit(given, data.y[rest], weight[rest])
        scores = machine._pair_scores(X[out][:, rest] if self._is_precomputed else X[out])
        columns = np.count_nonzero(sides[there], axis=0) == 2
        # Between two classes a positive score is the second one, between many the first of the pair.
        found[:, columns] = -scores if len(there) == 2 < K else scores
        return found

    def _parts(self, index: np.ndarray, K: int) -> np.ndarray:
        """The part of each row: the rows of a class in turn, in as many parts as the classes of several rows allow."""
        counts = np.bincount(index, minlength=K)
        several = counts[counts > 1]
        if not len(several):
            raise ValueError(
                f"{type(self).__name__}(probability=True): every class has one row only; scores of rows left out need "
                "a class of two rows at least"
            )
        parts = np.empty(len(index), dtype=np.intp)
        for k in range(K):
            parts[index == k] = np.arange(counts[k]) % min(FOLDS, int(several.min()))
        return parts

    @available_if(_asked_for)
    def predict_proba(self, X) -> np.ndarray:
        """P(class | x) by a sigmoid of the scores, fitted to rows left out; (n, K) in the order of `classes_`.

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        scores = self._pair_scores(X)
        if not hasattr(self, "probA_"):
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        found = probability(scores, self.probA_, self.probB_)
        K = len(self.classes_)
        if K == 2:
            return np.column_stack([1.0 - found[:, 0], found[:, 0]])
        r = np.zeros((len(found), K, K))
        for column, (i, j) in enumerate(combinations(range(K), 2)):
            r[:, i, j], r[:, j, i] = found[:, column], 1.0 - found[:, column]
        return coupled(r)

    @available_if(_asked_for)
    def predict_log_proba(self, X) -> np.ndarray:
        """The logarithm of `predict_proba`.

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        return np.log(self.predict_proba(X))

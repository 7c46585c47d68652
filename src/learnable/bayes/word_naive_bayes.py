"""What the naive Bayes classifiers of word counts share: what is counted."""

import numpy as np

from learnable.bayes.discrete_naive_bayes import DiscreteNaiveBayes
from learnable.rows import Rows
from learnable.solvers.bayes.class_counts import WordCounts, word_counts


class WordNaiveBayes(DiscreteNaiveBayes):
    """Base of the classifiers whose answer follows from how often each word occurs in each class."""

    class_count_: np.ndarray
    feature_count_: np.ndarray

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _count(self, rows: Rows, n_classes: int) -> WordCounts:
        return word_counts(rows, n_classes, type(self).__name__)

    def _refuse_infinite(self, words: np.ndarray, logarithms: np.ndarray) -> None:
        """Counts that are numbers each, and whose sum is none. Their `logarithms` are infinite or undefined then."""
        if np.isfinite(logarithms).all():
            return
        with np.errstate(over="ignore"):
            total = words.sum()
        if np.isinf(total):
            raise ValueError(
                f"{type(self).__name__}: the counts of X add up to more than {np.finfo(float).max:.2g}, the largest "
                "number there is; divide X by a constant"
            )

    def _counts_so_far(self) -> WordCounts:
        return WordCounts(self.class_count_, self.feature_count_)

    def _add_counts(self, before: WordCounts, now: WordCounts) -> WordCounts:
        return WordCounts(before.members + now.members, before.words + now.words)

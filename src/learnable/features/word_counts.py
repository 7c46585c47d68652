"""Documents as words: a vocabulary neither too frequent nor too rare, each word counted or merely noted."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable.base.fit_context import fit_context


class WordCounts(TransformerMixin, BaseEstimator):
    """Count the words of documents over a vocabulary that leaves out the most frequent and the rarest words.

    Built on scikit-learn's `CountVectorizer`, which splits the documents.

    Syllabus: Y8.

    Parameters
    ----------
    representation : {"bag", "set"}, default="bag"
        "bag": how often each word occurs (for multinomial naive Bayes). "set": 1 if it occurs, else 0 (for Bernoulli).
    drop_frequent : int >= 0, default=0
        How many of the most frequent words are left out. Among words of equal frequency, the first in the alphabet go.
    min_count : int >= 1, default=1
        Words that occur fewer times than this in all the training documents together are left out.
    lowercase : bool, default=True
    token_pattern : str, default=r"(?u)\\b\\w\\w+\\b"
        What a word is: two letters or more by default.

    Attributes
    ----------
    vocabulary_ : array of str
        The words kept, sorted; one column each.
    counts_ : array of int
        How often each occurs in the training documents.
    frequent_, rare_ : arrays of str
        The words left out, most frequent first and in alphabetical order.

    Examples
    --------
    >>> from learnable.features import WordCounts
    >>> documents = ["the cat and the dog", "the dog barks", "the cat sleeps"]
    >>> words = WordCounts(drop_frequent=1, min_count=2).fit(documents)
    >>> words.vocabulary_.tolist(), words.frequent_.tolist(), words.rare_.tolist()
    (['cat', 'dog'], ['the'], ['and', 'barks', 'sleeps'])
    >>> words.transform(["dog eats dog"]).toarray().tolist()
    [[0, 2]]
    """

    _parameter_constraints: ClassVar = {
        "representation": [StrOptions({"bag", "set"})],
        "drop_frequent": [Interval(Integral, 0, None, closed="left")],
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "lowercase": ["boolean"],
        "token_pattern": [str],
    }

    def __init__(
        self, representation="bag", *, drop_frequent=0, min_count=1, lowercase=True, token_pattern=r"(?u)\b\w\w+\b"
    ):
        self.representation = representation
        self.drop_frequent = drop_frequent
        self.min_count = min_count
        self.lowercase = lowercase
        self.token_pattern = token_pattern

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn the vocabulary.

        Parameters
        ----------
        X : iterable of documents, each a str
        y : ignored
        """
        self._learn(X)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X, y=None):
        """Learn the vocabulary and count; the documents are split once.

        Parameters
        ----------
        X : iterable of documents, each a str
        y : ignored
        """
        counts, keep = self._learn(X)
        return self._represented(counts[:, keep])

    def transform(self, X):
        """A sparse matrix, one row a document and one column a word of the vocabulary; other words are left out.

        Parameters
        ----------
        X : iterable of documents, each a str
        """
        check_is_fitted(self)
        splitter = self._splitter().set_params(vocabulary=self.vocabulary_.tolist())
        return self._represented(splitter.transform(documents(X, "WordCounts")))

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """The words, in the order of the columns."""
        check_is_fitted(self)
        return self.vocabulary_.astype(object)

    def _learn(self, X):
        given = documents(X, "WordCounts")
        splitter = self._splitter()
        counts = splitter.fit_transform(given)
        words = splitter.get_feature_names_out().astype(str)
        totals = np.asarray(counts.sum(axis=0)).ravel()
        order = np.lexsort((words, -totals))
        frequent = order[: self.drop_frequent]
        rare = np.flatnonzero(totals < self.min_count)
        keep = np.setdiff1d(np.arange(len(words)), np.union1d(frequent, rare))
        if len(keep) == 0:
            raise ValueError(
                f"WordCounts(drop_frequent={self.drop_frequent}, min_count={self.min_count}): no word of "
                f"{len(words)} is left; the most frequent occurs {totals.max()} times. Lower one of the two"
            )
        self.vocabulary_, self.counts_ = words[keep], totals[keep]
        self.frequent_, self.rare_ = words[frequent], words[np.setdiff1d(rare, frequent)]
        return counts, keep

    def _splitter(self) -> Any:
        from sklearn.feature_extraction.text import CountVectorizer  # takes long to import

        return CountVectorizer(lowercase=self.lowercase, token_pattern=self.token_pattern)

    def _represented(self, counts):
        if self.representation == "set":
            counts.data = np.minimum(counts.data, 1)
        return counts

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def documents(X, name: str) -> list[str]:
    """The documents as a list of str, or an error that names the first that is not."""
    if isinstance(X, str):
        raise ValueError(f"{name}: X is one string; give a list of documents, e.g. [X]")
    given = list(X)
    for row, document in enumerate(given):
        if not isinstance(document, str):
            raise ValueError(f"{name}: document {row} is {document!r}, not a string; drop it or make it ''")
    if not given:
        raise ValueError(f"{name}: no documents")
    return given

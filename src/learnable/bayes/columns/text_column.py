"""A column of documents: words counted, or merely noted, in each class."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from learnable.problems.bayes.naive_bayes import log_bernoulli, log_probabilities, virtual_counts


class Vocabulary(NamedTuple):
    """How documents become words.

    Attributes
    ----------
    representation : "bag" (how often a word occurs; multinomial) or "set" (whether it does; Bernoulli).
    drop_frequent : how many of the most frequent words are left out.
    min_count : words that occur fewer times are left out.
    """

    representation: str = "bag"
    drop_frequent: int = 0
    min_count: int = 1


class TextColumn(NamedTuple):
    """Counts of every word by class; which of them make the vocabulary is decided when they are used.

    Attributes
    ----------
    words : tuple of str, sorted.
    occurrences : (K, words), how often each occurs in the documents of class c, by weight.
    documents : (K, words), weight of the documents of class c that contain it.
    known : (K,), weight of the documents of class c, missing ones aside.
    """

    words: tuple[str, ...]
    occurrences: np.ndarray
    documents: np.ndarray
    known: np.ndarray

    @classmethod
    def counted(cls, cells: np.ndarray, index: np.ndarray, weight: np.ndarray, n_classes: int) -> "TextColumn":
        """The counts of the documents (str, None where missing), whose rows have class `index` and this weight."""
        present = np.array([cell is not None for cell in cells.tolist()], dtype=bool) & (weight > 0.0)
        index, weight = index[present], weight[present]
        known = np.bincount(index, weight, n_classes)
        documents = cells[present].tolist()
        splitter = CountVectorizer(dtype=np.float64)
        split = splitter.build_analyzer()
        if not any(split(document) for document in documents):
            return cls((), np.zeros((n_classes, 0)), np.zeros((n_classes, 0)), known)
        counts = sparse.csr_array(splitter.fit_transform(documents))
        words = tuple(splitter.get_feature_names_out().tolist())
        member = sparse.csr_array((weight, (index, np.arange(len(index)))), shape=(n_classes, len(index)))
        occurrences = (member @ counts).toarray()
        return cls(words, occurrences, (member @ (counts > 0).astype(float)).toarray(), known)

    def merged(self, other: "TextColumn") -> "TextColumn":
        """The counts of the rows of both, over the words of either."""
        words = tuple(sorted({*self.words, *other.words}))
        place = {word: j for j, word in enumerate(words)}
        occurrences, documents = (np.zeros((len(self.known), len(words))) for _ in range(2))
        for part in (self, other):
            at = [place[word] for word in part.words]
            occurrences[:, at] += part.occurrences
            documents[:, at] += part.documents
        return TextColumn(words, occurrences, documents, self.known + other.known)

    def kept(self, vocabulary: Vocabulary) -> np.ndarray:
        """Which words are neither too frequent nor too rare: their positions. Equal frequencies go by the alphabet."""
        totals = self.occurrences.sum(axis=0)
        order = np.lexsort((np.array(self.words), -totals)) if self.words else np.zeros(0, dtype=np.intp)
        candidates = order[vocabulary.drop_frequent :]
        return np.sort(candidates[totals[candidates] >= vocabulary.min_count])

    def log_likelihood(self, cells: np.ndarray, vocabulary: Vocabulary, m: float | None) -> np.ndarray:
        """(n, K): log P(document | class); 0 for a missing one. Words outside the vocabulary are left out.

        A bag: Σ_v x_v log P(v|c), P(v|c) = (n_cv + m/V)/(n_c + m), with n_c words in the documents of the class.
        A set: Σ_v log P(v present or absent | c), P(v|c) = (d_cv + m/2)/(d_c + m), with d_c documents.
        m is the number of outcomes (V words; present and absent), Laplace's rule, when it is None.
        """
        keep = self.kept(vocabulary)
        n_classes = len(self.known)
        present = np.array([cell is not None for cell in cells.tolist()], dtype=bool)
        if len(keep) == 0 or not present.any():
            return np.zeros((len(cells), n_classes))
        counts = _word_counts(["" if cell is None else cell for cell in cells.tolist()], [self.words[j] for j in keep])
        if vocabulary.representation == "bag":
            virtual = virtual_counts(len(keep), len(keep) if m is None else m)
            found = _summed(counts, _defined(log_probabilities(self.occurrences[:, keep], virtual)))
        else:
            pair = log_bernoulli(self.documents[:, keep], self.known[:, None], 1.0 if m is None else m / 2)
            yes, no = map(_defined, pair)
            noted = (counts > 0).astype(float)
            found = _summed(noted, yes) + _summed(1.0 - noted.toarray(), no) if np.isinf(no).any() else (
                _summed(noted, yes) - noted @ no.T + no.sum(axis=1)
            )  # fmt: skip
        found[~present] = 0.0
        return found


def _word_counts(documents: list[str], words: Any) -> sparse.csr_array:
    return sparse.csr_array(CountVectorizer(vocabulary=list(words)).transform(documents), dtype=float)


def _defined(logs: np.ndarray) -> np.ndarray:
    """0 where a class without examples and without virtual ones has no estimate."""
    return np.where(np.isnan(logs), 0.0, logs)


def _summed(counts: Any, logs: np.ndarray) -> np.ndarray:
    """counts · logsᵀ in which 0 · (−∞) is 0: an impossible word matters only where it occurs."""
    impossible = np.isneginf(logs)
    found = np.asarray(counts @ np.where(impossible, 0.0, logs).T)
    if impossible.any():
        found[np.asarray(counts @ impossible.T.astype(float)) > 0.0] = -np.inf
    return found

"""The words that tell a class from the rest, ranked by log-odds with their uncertainty."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import digamma, ndtri, polygamma

from learnable.plain import plain


@dataclass(frozen=True, eq=False)
class TellingWords:
    """Words of one class against all others, most telling first.

    Attributes
    ----------
    label : the class.
    words : tuple of str
    log_odds : array
        Posterior mean of log odds of the word in the class − log odds in the rest.
    deviation : array
        Posterior standard deviation of the same.
    counts, other_counts : arrays
        How often each word occurs in the class and in the rest.
    """

    label: Any
    words: tuple[str, ...]
    log_odds: np.ndarray
    deviation: np.ndarray
    counts: np.ndarray
    other_counts: np.ndarray

    @property
    def z(self) -> np.ndarray:
        """log_odds / deviation: how many deviations the word is from telling nothing."""
        return self.log_odds / self.deviation

    def interval(self, level: float = 0.95) -> np.ndarray:
        """One (low, high) a word, by the normal approximation of the posterior."""
        if not 0 < level < 1:
            raise ValueError(f"TellingWords.interval(level={level}): level must be in (0, 1)")
        half = ndtri((1 + level) / 2) * self.deviation
        return np.column_stack([self.log_odds - half, self.log_odds + half])

    def __str__(self) -> str:
        width = max(map(len, self.words), default=0)
        lines = [
            f"  {word:<{width}}  {odds:+.2f} ± {deviation:.2f}  ({n:g} here, {other:g} elsewhere)"
            for word, odds, deviation, n, other in zip(
                self.words, self.log_odds, self.deviation, self.counts, self.other_counts
            )
        ]
        return "\n".join([f"{self.label}:", *lines])


def telling_words(
    counts: Any, y: ArrayLike, words: ArrayLike, *, top: int = 10, smoothing: float = 1.0
) -> list[TellingWords]:
    """For every class the words whose share in it exceeds their share elsewhere most surely.

    With n_w of n words in the class and `smoothing` virtual occurrences of every word, the share of w is
    Beta(α, β), α = n_w + s, β = n − n_w + s(|V| − 1); its log-odds have mean ψ(α) − ψ(β) and variance ψ'(α) + ψ'(β),
    exactly. The difference between the class and the rest is ranked by its distance from zero in standard
    deviations, so that a word seen twice does not come before one seen a hundred times.

    Parameters
    ----------
    counts : array or sparse matrix (documents, words)
        From `features.WordCounts` or `CountVectorizer`.
    y : array (documents,) of classes
    words : array (words,) of str
    top : int, default=10
        How many words a class.
    smoothing : float > 0, default=1.0
        1 is Laplace's rule, as in multinomial naive Bayes.

    Returns
    -------
    list of TellingWords, one a class in sorted order.

    Syllabus: Y9.

    >>> from learnable.features import WordCounts
    >>> mails = ["win money now", "money money win", "meeting at noon", "noon meeting notes"]
    >>> coder = WordCounts()
    >>> ham, spam = telling_words(coder.fit_transform(mails), ["spam", "spam", "ham", "ham"], coder.vocabulary_, top=2)
    >>> spam.words, ham.words
    (('money', 'win'), ('meeting', 'noon'))
    """
    table = sparse.csr_array(counts, dtype=float)
    labels = np.asarray(y)
    names = np.asarray(words).astype(str)
    if labels.shape != (table.shape[0],) or names.shape != (table.shape[1],):
        raise ValueError(
            f"telling_words: counts of shape {table.shape} need as many labels and words; got {labels.shape} and "
            f"{names.shape}"
        )
    if len(names) < 2:
        raise ValueError(f"telling_words(words): {len(names)} word(s); shares need at least two")
    if not np.all(np.isfinite(table.data)) or np.any(table.data < 0):
        raise ValueError("telling_words(counts): counts must be finite and >= 0")
    if not 0 < smoothing < np.inf:
        raise ValueError(f"telling_words(smoothing={smoothing}): smoothing must be finite and > 0")
    if top < 1:
        raise ValueError(f"telling_words(top={top}): top must be >= 1")
    classes, index = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"telling_words(y): only one class, {plain(classes[0])!r}; there is nothing to tell it from")
    member = sparse.csr_array((np.ones(len(index)), (index, np.arange(len(index)))), shape=(len(classes), len(index)))
    inside = (member @ table).toarray()
    found = []
    for k, label in enumerate(classes):
        outside = inside.sum(axis=0) - inside[k]
        (mean, variance), (other, other_variance) = (_log_odds(n, smoothing) for n in (inside[k], outside))
        odds, deviation = mean - other, np.sqrt(variance + other_variance)
        order = np.lexsort((names, -odds / deviation))[:top]
        found.append(
            TellingWords(
                label.item() if isinstance(label, np.generic) else label,
                tuple(names[order].tolist()), odds[order], deviation[order], inside[k][order], outside[order],
            )
        )  # fmt: skip
    return found


def _log_odds(counts: np.ndarray, smoothing: float) -> tuple[np.ndarray, np.ndarray]:
    """(mean, variance) of the log-odds of every word's share."""
    alpha = counts + smoothing
    beta = alpha.sum() - alpha
    return digamma(alpha) - digamma(beta), polygamma(1, alpha) + polygamma(1, beta)

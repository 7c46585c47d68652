"""Naive Bayes for counts of words."""

from collections.abc import Callable

import numpy as np

from learnable.bayes.discrete_naive_bayes import possible_sum, table_work
from learnable.bayes.naive_bayes_classifier import NaiveBayesState
from learnable.bayes.word_naive_bayes import WordNaiveBayes
from learnable.bayes.word_scores import word_scorer
from learnable.problems.bayes.naive_bayes import log_probabilities
from learnable.rows import Block
from learnable.rows.parts import in_parts
from learnable.solvers.bayes.class_counts import WordCounts


class MultinomialNB(WordNaiveBayes):
    """Naive Bayes for bags of words: every occurrence of a word is drawn anew from the words of the class.

    log P(c, x) = log P(c) + Σᵥ xᵥ log P(v | c), with P(v | c) = (n_cv + α) / (n_c + α |V|), n_cv how often the word v
    occurs in class c, and n_c how many words the class has: the m-estimate with m = α |V| and a uniform prior, and
    Laplace's rule for α = 1. Drop-in for `sklearn.naive_bayes.MultinomialNB`. A missing count is refused: given the
    length of a text the counts of its words depend on one another, so that one cannot be left out. Syllabus: Y9.

    Parameters
    ----------
    alpha : float or array (p,), default=1.0
        Virtual occurrences of every word in every class.
    force_alpha : bool, default=True
        If False, alpha is lifted to 1e-10 at least.
    fit_prior : bool, default=True
        Whether P(c) is the share of the class; otherwise it is uniform.
    class_prior : array (K,), default=None
        P(c), if it is known.

    Attributes
    ----------
    classes_ : array (K,)
    class_count_ : array (K,), weight of the rows of each class
    feature_count_ : array (K, p), n_cv
    class_log_prior_ : array (K,)
    feature_log_prob_ : array (K, p), log P(v | c)
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        Y9 : the counts are those of the data; P(v | c) follows from them and sums to 1 over the words, P(c) over
        classes.

    Examples
    --------
    >>> from learnable.bayes import MultinomialNB
    >>> X = [[2, 1, 0], [1, 2, 0], [0, 1, 3]]
    >>> model = MultinomialNB().fit(X, ["sport", "sport", "politics"])
    >>> model.predict([[0, 0, 1]]), model.certificate_.holds
    (array(['politics'], dtype='<U8'), True)
    """

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _answer(self, found: WordCounts, classes: np.ndarray) -> NaiveBayesState:
        alpha, table = self._check_alpha(), np.empty(found.words.shape)

        # A class at a time, so that its numbers are still in the cache when they are needed again.
        def fill(part: slice) -> list[float]:
            log_likelihoods = []
            for row, words in zip(table[part], found.words[part]):
                log_likelihoods.append(possible_sum(words, log_probabilities(words, alpha, out=row)))
            return log_likelihoods

        log_likelihood = np.concatenate(in_parts(fill, table_work(table.shape))).sum()
        # All words of a class have a probability, or none has.
        self._refuse_infinite(found.words, table[:, :1])
        self._refuse_undefined(table[:, :1], classes, "words")
        log_prior = self._log_prior(found.members)
        return NaiveBayesState(
            -(possible_sum(found.members, log_prior) + log_likelihood) / found.members.sum(),
            {
                "class_count_": found.members,
                "feature_count_": found.words,
                "class_log_prior_": log_prior,
                "feature_log_prob_": table,
            },
        )

    def _scorer(self) -> Callable[[Block], np.ndarray]:
        return word_scorer(type(self).__name__, self.class_log_prior_, self.feature_log_prob_)

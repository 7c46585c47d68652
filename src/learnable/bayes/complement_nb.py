"""Naive Bayes by the words of all other classes."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from learnable.bayes.discrete_naive_bayes import possible_sum, table_work
from learnable.bayes.naive_bayes_classifier import NaiveBayesState
from learnable.bayes.word_naive_bayes import WordNaiveBayes
from learnable.bayes.word_scores import word_scorer
from learnable.problems.bayes.naive_bayes import log_probabilities
from learnable.rows import Block
from learnable.rows.parts import in_parts
from learnable.solvers.bayes.class_counts import WordCounts


class ComplementNB(WordNaiveBayes):
    """The class whose complement explains a text worst (Rennie and others, 2003): sturdier when classes differ in size.

    Score of class c: −Σᵥ xᵥ log P(v | not c), with P(v | not c) = (n_v − n_cv + α) / (n − n_c + α |V|) the m-estimate
    from the words of all other classes. Drop-in for `sklearn.naive_bayes.ComplementNB`. The scores are no joint
    probabilities, and what Bayes' rule makes of them is a ranking rather than a posterior. Syllabus: Y9.

    Parameters
    ----------
    alpha : float or array (p,), default=1.0
        Virtual occurrences of every word in every complement.
    force_alpha : bool, default=True
        If False, alpha is lifted to 1e-10 at least.
    fit_prior : bool, default=True
        Whether `class_log_prior_` is that of the shares of the classes; otherwise it is uniform.
    class_prior : array (K,), default=None
        P(c), if it is known. It does not weigh the classes, but one with a prior of zero is never predicted.
    norm : bool, default=False
        Whether the weights of each class are divided by their sum, so that no class is favoured by long weights.

    Attributes
    ----------
    classes_ : array (K,)
    class_count_ : array (K,), weight of the rows of each class
    feature_count_ : array (K, p), n_cv
    feature_all_ : array (p,), n_v
    class_log_prior_ : array (K,)
    feature_log_prob_ : array (K, p), −log P(v | not c), or these divided by their sum
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        Y9 : the counts are those of the data; P(v | not c) follows from them and sums to 1 over the words.

    Examples
    --------
    >>> from learnable.bayes import ComplementNB
    >>> X = [[2, 1, 0], [1, 2, 0], [0, 1, 3]]
    >>> model = ComplementNB().fit(X, ["sport", "sport", "politics"])
    >>> model.predict([[0, 0, 1]]), model.certificate_.holds
    (array(['politics'], dtype='<U8'), True)
    """

    _parameter_constraints: ClassVar = {**WordNaiveBayes._parameter_constraints, "norm": ["boolean"]}

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None, norm=False):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    def _answer(self, found: WordCounts, classes: np.ndarray) -> NaiveBayesState:
        alpha, weights = self._check_alpha(), np.empty(found.words.shape)
        with np.errstate(over="ignore"):
            all_words = found.words.sum(axis=0)

        # A class at a time, so that its numbers are still in the cache when they are needed again.
        def fill(part: slice) -> list[tuple[float, float]]:
            of_classes = []
            for weight, words in zip(weights[part], found.words[part]):
                with np.errstate(invalid="ignore"):
                    others = all_words - words
                row = log_probabilities(others, alpha, out=weight)
                of_classes.append((possible_sum(others, row), row.min()))
                if self.norm:
                    with np.errstate(invalid="ignore"):
                        row /= row.sum()
                else:
                    np.negative(row, out=row)
            return of_classes

        log_likelihood, lowest = np.concatenate(in_parts(fill, table_work(weights.shape))).T
        self._refuse_infinite(found.words, lowest)
        self._refuse_undefined(lowest[:, np.newaxis], classes, "words outside it")
        if np.any(np.isneginf(lowest)):
            c, v = np.argwhere(~np.isfinite(weights))[0]
            raise ValueError(
                f"ComplementNB: column {v} occurs in class {classes.tolist()[c]!r} only, and without smoothing its "
                "weight is infinite; set alpha > 0"
            )
        return NaiveBayesState(
            -log_likelihood.sum() / found.members.sum(),
            {
                "class_count_": found.members,
                "feature_count_": found.words,
                "feature_all_": all_words,
                "class_log_prior_": self._log_prior(found.members),
                "feature_log_prob_": weights,
            },
        )

    def _scorer(self) -> Callable[[Block], np.ndarray]:
        constant = np.where(np.isneginf(self.class_log_prior_), -np.inf, 0.0)
        return word_scorer(type(self).__name__, constant, self.feature_log_prob_)

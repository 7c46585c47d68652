"""Naive Bayes for attributes that are there or not."""

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import Interval

from learnable._jit.bayes.words import add_word_scores
from learnable._jit.core.vectors import read_only
from learnable.bayes.discrete_naive_bayes import DiscreteNaiveBayes, possible_sum, table_work
from learnable.bayes.naive_bayes_classifier import NaiveBayesState
from learnable.problems.bayes.naive_bayes import log_bernoulli
from learnable.rows import Block, Rows
from learnable.rows.parts import in_parts
from learnable.solvers.bayes.class_counts import Presences, added_presences, presence_counts, present_entries


class BernoulliNB(DiscreteNaiveBayes):
    """Naive Bayes for sets of words: every attribute is present or absent, and both count.

    log P(c, x) = log P(c) + Σⱼ log P(xⱼ | c), with P(xⱼ = 1 | c) = (n_cj + α) / (n_c + 2α), n_c the rows of class c and
    n_cj those of them that have j: the m-estimate with m = 2α and a uniform prior. A missing cell (NaN) is left out of
    both counts and of the sum. Drop-in for `sklearn.naive_bayes.BernoulliNB`. Syllabus: Y9.

    Parameters
    ----------
    alpha : float or array (p,), default=1.0
        Virtual rows with, and as many without, every attribute in every class.
    force_alpha : bool, default=True
        If False, alpha is lifted to 1e-10 at least.
    binarize : float or None, default=0.0
        An attribute is present where x is larger. None: X holds 0, 1 and NaN only.
    fit_prior : bool, default=True
        Whether P(c) is the share of the class; otherwise it is uniform.
    class_prior : array (K,), default=None
        P(c), if it is known.

    Attributes
    ----------
    classes_ : array (K,)
    class_count_ : array (K,), weight of the rows of each class
    feature_count_ : array (K, p), n_cj
    observed_count_ : array (K, p), weight of the rows of which it is known whether they have j; (K, 1) when all are
    class_log_prior_ : array (K,)
    feature_log_prob_ : array (K, p), log P(xⱼ = 1 | c)
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        Y9 : the counts are those of the data; P(xⱼ | c) follows from them; P(c) sums to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.bayes import BernoulliNB
    >>> X = np.array([[1, 0], [1, 1], [0, np.nan], [0, 1]])
    >>> model = BernoulliNB().fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[1, np.nan]]), np.exp(model.feature_log_prob_[1])
    (array(['a'], dtype='<U1'), array([0.25      , 0.66666667]))
    """

    _parameter_constraints: ClassVar = {
        **DiscreteNaiveBayes._parameter_constraints,
        "binarize": [None, Interval(Real, 0, None, closed="left")],
    }
    missing_cells = True

    def __init__(self, *, alpha=1.0, force_alpha=True, binarize=0.0, fit_prior=True, class_prior=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _count(self, rows: Rows, n_classes: int) -> Presences:
        if self.binarize is None:
            rows.reduce(_refuse_other_than_0_and_1)
        return presence_counts(rows, n_classes, self._threshold)

    def _counts_so_far(self) -> Presences:
        return Presences(self.class_count_, self.feature_count_.copy(), self.observed_count_)

    def _add_counts(self, before: Presences, now: Presences) -> Presences:
        return added_presences(before, now)

    def _answer(self, found: Presences, classes: np.ndarray) -> NaiveBayesState:
        alpha, log_prior = self._check_alpha(), self._log_prior(found.members)
        table = np.empty(found.present.shape)

        # A class at a time, so that its numbers are still in the cache when they are needed again.
        def fill(part: slice) -> list[tuple[float, float]]:
            of_classes = []
            for row, has, known in zip(table[part], found.present[part], found.known[part]):
                row[:], absent = log_bernoulli(has, known, alpha)
                log_likelihood = possible_sum(has, row) + possible_sum(known - has, absent)
                of_classes.append((log_likelihood, float(row.sum())))
            return of_classes

        log_likelihood, total = np.concatenate(in_parts(fill, table_work(table.shape))).T
        self._refuse_undefined(total[:, np.newaxis], classes, "rows in which every column is known")
        return NaiveBayesState(
            -(possible_sum(found.members, log_prior) + log_likelihood.sum()) / found.members.sum(),
            {
                "class_count_": found.members,
                "feature_count_": found.present,
                "observed_count_": found.known,
                "class_log_prior_": log_prior,
                "feature_log_prob_": table,
            },
        )

    def _scorer(self) -> Callable[[Block], np.ndarray]:
        present = self.feature_log_prob_
        absent = _log_complement(present)
        some_certain = not np.isfinite(present.sum() + absent.sum())
        if some_certain:
            # What cannot be is counted apart from what can: −∞ + ∞ has no value.
            never, always = np.isneginf(present), np.isneginf(absent)
            present, absent = np.where(never, 0.0, present), np.where(always, 0.0, absent)
        constant = self.class_log_prior_ + absent.sum(axis=1)
        odds = read_only(np.ascontiguousarray((present - absent).T))
        threshold = self._threshold

        def scores(block: Block) -> np.ndarray:
            if self.binarize is None:
                _refuse_other_than_0_and_1(block)
            found = np.tile(constant, (block.stop - block.start, 1))
            if sparse.issparse(block.X):
                entries, unknown = present_entries(block.X, threshold)
                add_word_scores(*entries, odds, found)
            else:
                found += np.greater(block.X, threshold).astype(float) @ odds
                unknown = block.X.dtype.kind == "f" and np.isnan(block.X).any()
            if unknown:
                found -= _where_unknown(block.X) @ absent.T
            if some_certain:
                X = block.X.toarray() if sparse.issparse(block.X) else block.X
                present_but_never = np.greater(X, threshold) @ never.T.astype(float)
                absent_but_always = np.less_equal(X, threshold) @ always.T.astype(float)
                found[present_but_never + absent_but_always > 0.0] = -np.inf
            return found

        return scores

    @property
    def _threshold(self) -> float:
        return 0.5 if self.binarize is None else float(self.binarize)


def _log_complement(log_probability: np.ndarray) -> np.ndarray:
    """log(1 − e^l), to full precision also where e^l is close to one; a row at a time, which stays in the cache."""
    found = np.exp(log_probability)
    with np.errstate(divide="ignore"):
        for given, row in zip(log_probability, found):
            close = np.flatnonzero(given > -0.1)
            np.subtract(1.0, row, out=row)
            row[close] = -np.expm1(given[close])
            np.log(row, out=row)
    return found


def _where_unknown(X) -> Any:
    """1 where a cell is NaN, 0 elsewhere."""
    if sparse.issparse(X):
        return sparse.csr_array((np.isnan(X.data).astype(float), X.indices, X.indptr), X.shape)
    return np.isnan(X).astype(float)


def _refuse_other_than_0_and_1(block: Block) -> int:
    values = block.X.data if sparse.issparse(block.X) else np.asarray(block.X)
    strange = (values != 0) & (values != 1) & (values == values)
    if strange.any():
        raise ValueError(
            f"BernoulliNB(binarize=None): X must hold 0, 1 and NaN only, but has {values[strange][0]}; set binarize to "
            "the threshold above which an attribute is present"
        )
    return 0

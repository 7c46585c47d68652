"""Naive Bayes for categories."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable._jit.bayes.counts import add_code_scores
from learnable._jit.core.vectors import read_only
from learnable.bayes.discrete_naive_bayes import DiscreteNaiveBayes, mean_negative
from learnable.bayes.naive_bayes_classifier import NaiveBayesState
from learnable.problems.bayes.naive_bayes import log_probabilities, virtual_counts
from learnable.rows import Block, Rows
from learnable.solvers.bayes.class_counts import (
    CodeCounts,
    added_codes,
    code_counts,
    codes_of,
    refuse_bad_cell,
    with_values,
)


class CategoricalNB(DiscreteNaiveBayes):
    """Naive Bayes for attributes with values: log P(c, x) = log P(c) + Σⱼ log P(xⱼ | c).

    P(xⱼ = v | c) is the m-estimate (n_cv + m p_v) / (n_c + m), with n_c the examples of class c and n_cv those of them
    with the value v: m virtual examples fall on the values as the prior p says. Without `m` every value gets `alpha`
    virtual examples: m = α · (number of values), p uniform; α = 1 is Laplace's rule, m = 0 the share itself. A missing
    cell (NaN) is left out of n_c, n_cv and the sum. Drop-in for `sklearn.naive_bayes.CategoricalNB`, which has no m.
    Syllabus: Y6, Y7.

    Parameters
    ----------
    alpha : float, default=1.0
        Virtual examples of every value in every class; not used when `m` is given.
    force_alpha : bool, default=True
        If False, alpha is lifted to 1e-10 at least.
    fit_prior : bool, default=True
        Whether P(c) is the share of the class; otherwise it is uniform.
    class_prior : array (K,), default=None
        P(c), if it is known.
    min_categories : int or array (p,), default=None
        Values that a column has at least, seen or not.
    m : float, default=None
        Size of the virtual sample.
    p : list of p arrays, default=None
        Prior of the values of each column, for `m`; uniform by default.

    Attributes
    ----------
    classes_ : array (K,)
    class_count_ : array (K,), weight of the rows of each class
    n_categories_ : array (p,), number of values of each column
    category_count_ : list of p arrays (K, n_categories), n_cv
    class_log_prior_ : array (K,)
    feature_log_prob_ : list of p arrays (K, n_categories), log P(v | c)
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        Y6 : the counts are those of the data, counted again; P(c) is as said and sums to 1.
        Y7 : P(v | c) is the m-estimate, and sums to 1 over the values.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.bayes import CategoricalNB
    >>> X, y = np.array([[0, 1], [0, 0], [1, 1]]), np.array(["no", "no", "yes"])
    >>> model = CategoricalNB(m=1.0).fit(X, y)
    >>> np.exp(model.feature_log_prob_[0]), model.certificate_.holds
    (array([[0.83333333, 0.16666667],
           [0.25      , 0.75      ]]), True)
    """

    _parameter_constraints: ClassVar = {
        **DiscreteNaiveBayes._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "min_categories": [None, "array-like", Interval(Integral, 1, None, closed="left")],
        "m": [None, Interval(Real, 0, None, closed="left")],
        "p": [None, "array-like"],
    }
    missing_cells = True
    sparse_rows = False

    def __init__(
        self,
        *,
        alpha=1.0,
        force_alpha=True,
        fit_prior=True,
        class_prior=None,
        min_categories=None,
        m=None,
        p=None,
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.m = m
        self.p = p

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags

    def _count(self, rows: Rows, n_classes: int) -> CodeCounts:
        return code_counts(rows, n_classes, getattr(self, "feature_names_in_", None))

    def _counts_so_far(self) -> CodeCounts:
        return CodeCounts(self.class_count_.copy(), self.n_categories_, np.hstack(self.category_count_))

    def _add_counts(self, before: CodeCounts, now: CodeCounts) -> CodeCounts:
        return added_codes(before, now)

    def _answer(self, found: CodeCounts, classes: np.ndarray) -> NaiveBayesState:
        found = with_values(found, self._n_categories(found.n_values))
        counts = found.by_column()
        tables = [log_probabilities(part, virtual) for part, virtual in zip(counts, self._virtual(found.n_values))]
        for j, table in enumerate(tables):
            self._refuse_undefined(table, classes, f"known cell in column {j}")
        log_prior = self._log_prior(found.members)
        return NaiveBayesState(
            mean_negative((found.members, log_prior), *zip(counts, tables), total=found.members.sum()),
            {
                "class_count_": found.members,
                "n_categories_": found.n_values,
                "category_count_": counts,
                "class_log_prior_": log_prior,
                "feature_log_prob_": tables,
            },
        )

    def _n_categories(self, seen: np.ndarray) -> np.ndarray:
        if self.min_categories is None:
            return seen
        least = np.asarray(self.min_categories)
        if least.dtype.kind not in "iu":
            raise ValueError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
        if least.shape not in ((), seen.shape):
            raise ValueError(
                f"'min_categories' should have shape {seen.shape} when an array-like is provided. Got {least.shape} "
                "instead."
            )
        return np.maximum(seen, least)

    def _virtual(self, n_values: np.ndarray) -> list:
        """m p_v for the values of each column."""
        if self.m is None:
            if self.p is not None:
                raise ValueError("CategoricalNB(p=...): a prior of the values needs m, the size of the virtual sample")
            return [self._check_alpha()] * len(n_values)
        if self.p is None:
            return [virtual_counts(n, self.m) if n else 0.0 for n in n_values]
        if len(self.p) != len(n_values):
            raise ValueError(f"CategoricalNB(p=...): {len(self.p)} priors for {len(n_values)} columns; give one each")
        found = []
        for j, (n, prior) in enumerate(zip(n_values, self.p)):
            prior = np.asarray(prior, dtype=float)
            if prior.shape != (n,) or not np.all(prior >= 0.0) or not np.isclose(prior.sum(), 1.0):
                raise ValueError(
                    f"CategoricalNB(p=...): the prior of column {j} is {prior.tolist()}; it must be {n} numbers >= 0 "
                    "that sum to 1, one for each value (min_categories makes room for values not seen)"
                )
            found.append(virtual_counts(n, self.m, prior))
        return found

    def _scorer(self) -> Callable[[Block], np.ndarray]:
        names = getattr(self, "feature_names_in_", None)
        n_values = np.array([table.shape[1] for table in self.feature_log_prob_])
        first = np.concatenate(([0], np.cumsum(n_values)))
        table = read_only(np.ascontiguousarray(np.hstack(list(self.feature_log_prob_)).T))

        def scores(block: Block) -> np.ndarray:
            found = np.tile(self.class_log_prior_, (block.stop - block.start, 1))
            refuse_bad_cell(add_code_scores(codes_of(block), first, table, found), block, names, n_values)
            return found

        return scores

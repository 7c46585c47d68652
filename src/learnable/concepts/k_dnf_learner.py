"""The elimination learner of k-DNF formulas."""

import numpy as np

from learnable.concepts.clause_learner import ClauseLearner
from learnable.concepts.normal_form import CNF, DNF


class KDNFLearner(ClauseLearner):
    """Learns a disjunction of terms of at most k literals: of all such terms, those true at no negative example.

    The dual of `KCNFLearner`: ¬f is a k-CNF whose positive examples are the negative ones of f. The answer is the
    most general k-DNF that covers no negative example: if it misses a positive one, no k-DNF is consistent.
    Syllabus: V2, V9.

    Parameters
    ----------
    k : int, default=2
        Literals in a term at most.
    domains : mapping {column: values}, sequence of the values of every column, or None
        The values each column can take; by default those in the table.
    classes : pair of labels (outside, inside the concept), or None
        By default the two labels in sorted order.

    Attributes
    ----------
    hypothesis_ : DNF
        All terms that are left.
    formula_ : str
        The same in words, with the names of the attributes and without redundant terms.
    consistent_ : bool
        Whether it is true at every positive example.
    witness_ : tuple of int
        Empty, or rows that prove that no k-DNF fits: a positive example, then negative ones that rule it out; a
        single one if the two are the same.
    attributes_, classes_, inside_ : the columns, the two labels, and which of them means membership.
    certificate_ : `certificates.Certificate`, which claims
        V2 (all positive examples covered, no negative one; `consistent_` and `witness_` are right), V9 (exactly the
        terms that are true at no negative example).

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0], [0, 1, 0]])
    >>> model = KDNFLearner(k=2).fit(X, [1, 1, 1, 0, 0])
    >>> print(model.formula_)
    (x0 ∧ x1) ∨ x2 ∨ (¬x0 ∧ ¬x1)
    """

    def _teaches(self, inside: np.ndarray) -> np.ndarray:
        return ~inside

    def _hypothesis(self, conjunction: CNF) -> DNF:
        return conjunction.negated()

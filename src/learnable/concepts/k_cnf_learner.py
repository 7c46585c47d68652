"""The elimination learner of k-CNF formulas."""

import numpy as np

from learnable.concepts.clause_learner import ClauseLearner
from learnable.concepts.normal_form import CNF


class KCNFLearner(ClauseLearner):
    """Learns a conjunction of clauses of at most k literals: of all N = Σ C(n,i)2ⁱ clauses, those no positive refutes.

    Each clause counts as a new variable and the rest is the elimination of literals from a monomial. The answer is
    the most specific k-CNF that covers the positive examples: if it covers a negative one, no k-CNF is consistent.
    It learns every k-CNF from (N ln 2 + ln 1/δ)/ε examples, and every k-term DNF too, since that is a k-CNF.
    Syllabus: V2, V9, V13.

    Parameters
    ----------
    k : int, default=2
        Literals in a clause at most.
    domains : mapping {column: values}, sequence of the values of every column, or None
        The values each column can take; by default those in the table.
    classes : pair of labels (outside, inside the concept), or None
        By default the two labels in sorted order.

    Attributes
    ----------
    hypothesis_ : CNF
        All clauses that are left.
    formula_ : str
        The same in words, with the names of the attributes and without redundant clauses.
    consistent_ : bool
        Whether it is false at every negative example.
    witness_ : tuple of int
        Empty, or rows that prove that no k-CNF fits: a negative example, then positive ones that force it; a single
        one if the two are the same.
    attributes_, classes_, inside_ : the columns, the two labels, and which of them means membership.
    certificate_ : `certificates.Certificate`, which claims
        V2 (all positive examples covered, no negative one; `consistent_` and `witness_` are right), V9 (exactly the
        clauses that no positive example makes false).

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0]])
    >>> model = KCNFLearner(k=2).fit(X, [1, 1, 1, 0, 0, 0])
    >>> print(model.formula_)
    (x0 ∨ x1) ∧ (x0 ∨ x2) ∧ (x1 ∨ x2)
    >>> model.consistent_, KCNFLearner(k=2, domains=[(0, 1)] * 10).sample_size(epsilon=0.1, delta=0.05)
    (True, 1417)
    """

    def _teaches(self, inside: np.ndarray) -> np.ndarray:
        return inside

    def _hypothesis(self, conjunction: CNF) -> CNF:
        return conjunction

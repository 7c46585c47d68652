"""Find-S for monomials."""

import numpy as np

from learnable.concepts.literal_learner import LiteralLearner
from learnable.concepts.literal_set import Monomial


class MonomialLearner(LiteralLearner):
    """The most specific conjunction of literals that covers every example of the concept.

    h ← x₁ ∧ ¬x₁ ∧ … ∧ xₙ ∧ ¬xₙ; every *member* of the concept deletes the literals that are false in it. What is left
    contains the literals of the target and covers only what any consistent monomial covers; if it covers an example
    outside the concept, the answer is NO. Columns of zeros and ones are the variables; a column of k > 2 categories
    is k variables. Syllabus: V4.

    Parameters
    ----------
    domains : mapping {name: values}, sequence of values per column, or None
        What each attribute can be. Columns that are not listed have the values seen in training.
    classes : (outside, inside) or None
        The two labels. By default those of y in order, the second being inside the concept.

    Attributes
    ----------
    hypothesis_ : Monomial
    formula_ : str, the same with the names of the attributes.
    consistent_ : bool, whether it agrees with every example.
    witness_ : tuple of int
        Empty, or rows that prove NO: one outside the concept, then members that no monomial tells it apart from.
    attributes_ : Attributes, names and domains of the columns.
    classes_, inside_ : the labels, and the one inside the concept.
    certificate_ : the monomial agrees with every row, and its literals are exactly those true in every member.

    Examples
    --------
    >>> X, y = [[1, 0, 1], [1, 0, 0], [0, 0, 1], [1, 1, 1]], [True, True, False, False]
    >>> model = MonomialLearner().fit(X, y)
    >>> model.formula_, model.consistent_
    ('x0 ∧ ¬x1', True)
    >>> model.sample_size(epsilon=0.1, delta=0.05)
    64
    >>> MonomialLearner().fit(X, [True, True, True, False]).formula_
    '¬x1'
    >>> MonomialLearner().fit(X, [False, True, False, True]).witness_
    (0, 1, 3)
    """

    def _hypothesis(self, literals: np.ndarray, n_variables: int) -> Monomial:
        return Monomial(literals, n_variables)

    def _teaches(self, inside: np.ndarray) -> np.ndarray:
        return inside

    def _refuted(self, truth: np.ndarray) -> np.ndarray:
        return ~truth

    def _value(self, truth: np.ndarray, kept: np.ndarray) -> np.ndarray:
        return np.asarray(truth[:, kept].all(axis=1))

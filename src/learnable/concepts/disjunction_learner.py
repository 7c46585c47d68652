"""Find-S for disjunctions of literals (1-DNF)."""

import numpy as np

from learnable.concepts.literal_learner import LiteralLearner
from learnable.concepts.literal_set import Clause


class DisjunctionLearner(LiteralLearner):
    """The most general disjunction of literals that covers no example outside the concept.

    h ← x₁ ∨ ¬x₁ ∨ … ∨ xₙ ∨ ¬xₙ; every example *outside* the concept deletes the literals that are true in it. Then the
    members are checked: one that h does not cover is covered by no disjunction that stays outside, and the answer is
    NO. By De Morgan this is the learner of monomials on the complement. Syllabus: V5.

    Parameters
    ----------
    domains : mapping {name: values}, sequence of values per column, or None
        What each attribute can be. Columns that are not listed have the values seen in training.
    classes : (outside, inside) or None
        The two labels. By default those of y in order, the second being inside the concept.

    Attributes
    ----------
    hypothesis_ : Clause
    formula_ : str, the same with the names of the attributes.
    consistent_ : bool, whether it agrees with every example.
    witness_ : tuple of int
        Empty, or rows that prove NO: the uncovered member, then examples outside the concept that delete its literals.
    attributes_ : Attributes, names and domains of the columns.
    classes_, inside_ : the labels, and the one inside the concept.
    certificate_ : the disjunction agrees with every row, and its literals are exactly those false in every example
        outside the concept.

    Examples
    --------
    >>> X, y = [[0, 1, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]], [False, False, True, True]
    >>> DisjunctionLearner().fit(X, y).formula_
    'x0 ∨ ¬x1'
    >>> no = DisjunctionLearner().fit(X, [False, True, False, False])
    >>> no.consistent_, no.witness_
    (False, (1, 0, 3))
    """

    def _hypothesis(self, literals: np.ndarray, n_variables: int) -> Clause:
        return Clause(literals, n_variables)

    def _teaches(self, inside: np.ndarray) -> np.ndarray:
        return ~inside

    def _refuted(self, truth: np.ndarray) -> np.ndarray:
        return truth

    def _value(self, truth: np.ndarray, kept: np.ndarray) -> np.ndarray:
        return np.asarray(truth[:, kept].any(axis=1))

"""What learners of a Boolean formula share: literals of the table, the formula as the answer, the rows that refute."""

from typing import NamedTuple

import numpy as np

from learnable.base import Data
from learnable.concepts.concept_learner import ConceptLearner
from learnable.concepts.literals import Literals
from learnable.concepts.normal_form import DNF, NormalForm


class BooleanExamples(NamedTuple):
    """Training examples as truth values.

    Attributes
    ----------
    literals : the 2n literals of the table.
    truth : bool array (rows, 2n), their truth values.
    inside : bool array (rows,), the members of the concept.
    data : the table and the labels as they were given, checked.
    """

    literals: Literals
    truth: np.ndarray
    inside: np.ndarray
    data: Data


class FormulaLearner(ConceptLearner):
    """Base of the classifiers whose answer is a formula over the literals of a categorical table.

    A column of two values is one Boolean variable, true at the second; one of r > 2 values is r variables
    "attribute = value".

    Attributes every fit leaves behind
    ----------------------------------
    hypothesis_ : CNF or DNF
    consistent_ : bool, whether it covers all members of the concept and nothing else.
    witness_ : tuple of row numbers, empty, or rows that no formula of the language fits.
    """

    hypothesis_: NormalForm
    consistent_: bool
    witness_: tuple[int, ...]

    @property
    def formula_(self) -> str:
        """The hypothesis in words, with the names of the attributes and without redundant parts.

        Left out are parts that contain another, and those that no row makes true (a term that asks an attribute for
        two values) or false (a clause that forbids it two).
        """
        literals, parts = Literals(self.attributes_), self.hypothesis_.parts
        column = np.array([column for column, _ in literals.variables])
        telling = (parts >= 0) & ((parts < literals.n_variables) == isinstance(self.hypothesis_, DNF))
        asked = np.sort(np.where(telling, column[parts % literals.n_variables], -1 - np.arange(parts.shape[1])), axis=1)
        meant = parts[~(np.diff(asked, axis=1) == 0).any(axis=1)]
        return type(self.hypothesis_)(meant, literals.n_variables).in_words(literals.names)

    def _covers(self, X: np.ndarray) -> np.ndarray:
        return self.hypothesis_.true_on(Literals(self.attributes_).truth(X))

    def _boolean_examples(self, X, y) -> BooleanExamples:
        examples = self._examples(X, y)
        literals = Literals(examples.attributes)
        return BooleanExamples(literals, literals.truth(examples.data.X), examples.inside, examples.data)

"""Elimination of literals: what the learners of monomials and of disjunctions share."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from learnable.base import Fitting
from learnable.concepts.attributes import Attributes
from learnable.concepts.concept_learner import ConceptLearner
from learnable.concepts.literal_set import LiteralSet
from learnable.concepts.literals import Literals
from learnable.concepts.witness import witness_rows
from learnable.trace import Status, to_the_end


class LiteralState(NamedTuple):
    """After one example.

    Attributes
    ----------
    objective : examples still to come.
    row : the example just met; None at the start.
    kept : mask of the literals that are left.
    deleted : the literals that this example took away.
    """

    objective: float
    row: int | None
    kept: np.ndarray
    deleted: tuple[int, ...]


class LiteralLearner(ConceptLearner):
    """Base of the learners that start with all 2n literals and delete those that an example refutes."""

    _parameter_constraints: ClassVar[dict] = {"domains": [dict, "array-like", None], "classes": ["array-like", None]}

    hypothesis_: LiteralSet

    def __init__(self, domains=None, classes=None):
        self.domains = domains
        self.classes = classes

    @abstractmethod
    def _hypothesis(self, literals: np.ndarray, n_variables: int) -> LiteralSet:
        """The formula made of these literals."""

    @abstractmethod
    def _teaches(self, inside: np.ndarray) -> np.ndarray:
        """Mask of the examples that delete literals; the other class is only checked."""

    @abstractmethod
    def _refuted(self, truth: np.ndarray) -> np.ndarray:
        """Which literals a teaching example with these truth values deletes."""

    @abstractmethod
    def _value(self, truth: np.ndarray, kept: np.ndarray) -> np.ndarray:
        """Which rows the formula of the kept literals covers."""

    def _pose(self, X, y) -> Fitting:
        examples = self._examples(X, y)
        literals = Literals(examples.attributes)
        truth = literals.truth(examples.data.X)
        n = literals.n_variables
        teaches = self._teaches(examples.inside)

        def attributes(state: LiteralState) -> dict[str, Any]:
            wrong = self._value(truth, state.kept) != examples.inside
            refused, teachers = np.flatnonzero(wrong & ~teaches), np.flatnonzero(~wrong & teaches)
            return {
                "hypothesis_": self._hypothesis(np.flatnonzero(state.kept), n),
                "consistent_": not wrong.any(),
                "witness_": witness_rows(truth[:, :n], refused, teachers),
            }

        refuted = self._refuted(truth)
        return Fitting(
            eliminated_literals(refuted, teaches),
            to_the_end,
            attributes,
            examples.data,
            max_steps=len(truth) + 1,
            ended=Status.OPTIMAL,
        )

    @property
    def formula_(self) -> str:
        """The hypothesis in words, with the names of the attributes."""
        return self.hypothesis_.in_words(Literals(self.attributes_).names)

    def _covers(self, X: np.ndarray) -> np.ndarray:
        truth = Literals(self.attributes_).truth(X)
        kept = np.zeros(truth.shape[1], dtype=bool)
        kept[list(self.hypothesis_.literals)] = True
        return self._value(truth, kept)

    def _n_hypotheses(self, attributes: Attributes) -> int:
        return 3 ** Literals(attributes).n_variables + 1


def eliminated_literals(refuted: np.ndarray, teaches: np.ndarray) -> Iterator[LiteralState]:
    """One state at the start and one an example.

    Parameters
    ----------
    refuted : mask (n, 2v), the literals that each example would delete.
    teaches : mask of the examples that may.
    """
    n = len(refuted)
    kept = np.ones(refuted.shape[1], dtype=bool)
    yield LiteralState(float(n), None, kept, ())
    for row in range(n):
        deleted = kept & refuted[row] if teaches[row] else np.zeros_like(kept)
        if deleted.any():
            kept = kept & ~deleted
        yield LiteralState(float(n - row - 1), row, kept, tuple(np.flatnonzero(deleted).tolist()))

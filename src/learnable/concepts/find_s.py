"""Find-S for attribute conjunctions."""

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from learnable.base import Fitting
from learnable.concepts.attributes import Attributes
from learnable.concepts.concept_learner import ConceptLearner, Examples
from learnable.concepts.conjunction import ANY_CODE, NEVER_CODE, Conjunction, count_conjunctions, covered
from learnable.concepts.witness import witness_rows
from learnable.trace import Status, to_the_end


class FindSState(NamedTuple):
    """After one example.

    Attributes
    ----------
    objective : examples still to come.
    row : the example just met; None at the start.
    codes : the hypothesis, coded by `attributes`.
    """

    objective: float
    row: int | None
    codes: np.ndarray
    attributes: Attributes

    @property
    def hypothesis(self) -> Conjunction:
        return Conjunction.from_codes(self.codes, self.attributes)

    def __str__(self) -> str:
        return f"{'before the first example' if self.row is None else f'row {self.row}'}: {self.hypothesis}"


class FindS(ConceptLearner):
    """The most specific conjunction that covers every example of the concept.

    h ← ⟨∅, …, ∅⟩; each member x of the concept that h does not cover relaxes it as little as possible: hⱼ ← ? where
    hⱼ ≠ xⱼ. Every conjunction that covers the members is more general than h. So if h covers an example outside the
    concept, no conjunction is consistent: the answer is NO, and `witness_` names rows that prove it.
    Syllabus: V3.

    Parameters
    ----------
    domains : mapping {name: values}, sequence of values per column, or None
        What each attribute can be. Columns that are not listed have the values seen in training.
    classes : (outside, inside) or None
        The two labels. By default those of y in order, the second being inside the concept.

    Attributes
    ----------
    hypothesis_ : Conjunction
    consistent_ : bool, whether it agrees with every example.
    witness_ : tuple of int
        Empty, or rows that no conjunction tells apart: one outside the concept, then members that force it in. Two
        rows with equal cells and different labels are such a witness.
    attributes_ : Attributes, names and domains of the columns.
    classes_, inside_ : the labels, and the one inside the concept.
    certificate_ : the hypothesis agrees with every row; it covers every member, and nothing more specific does.

    Examples
    --------
    >>> from learnable.datasets import enjoy_sport
    >>> days = enjoy_sport().to_arrow().to_pandas()
    >>> model = FindS().fit(days.drop(columns="EnjoySport"), days["EnjoySport"])
    >>> print(model.hypothesis_, model.consistent_)
    <Sunny, Warm, ?, Strong, ?, ?> True
    >>> model.sample_size(epsilon=0.1, delta=0.05) > 0
    True
    """

    _parameter_constraints: ClassVar[dict] = {"domains": [dict, "array-like", None], "classes": ["array-like", None]}

    def __init__(self, domains=None, classes=None):
        self.domains = domains
        self.classes = classes

    def _pose(self, X, y) -> Fitting:
        examples = self._examples(X, y)

        def attributes(state: FindSState) -> dict[str, Any]:
            covers = covered(state.codes[None], examples.codes)[0]
            admitted, members = np.flatnonzero(covers & ~examples.inside), np.flatnonzero(covers & examples.inside)
            return {
                "hypothesis_": state.hypothesis,
                "consistent_": bool(np.array_equal(covers, examples.inside)),
                "witness_": witness_rows(examples.codes, admitted, members),
            }

        return Fitting(
            find_s(examples),
            to_the_end,
            attributes,
            examples.data,
            max_steps=len(examples.codes) + 1,
            ended=Status.OPTIMAL,
        )

    def _covers(self, X: np.ndarray) -> np.ndarray:
        return covered(self.hypothesis_.codes(self.attributes_)[None], self.attributes_.code(X))[0]

    def _n_hypotheses(self, attributes: Attributes) -> int:
        return count_conjunctions(attributes)


def find_s(examples: Examples) -> Iterator[FindSState]:
    """One state at the start and one an example; only members of the concept change the hypothesis."""
    codes, inside, attributes = examples.codes, examples.inside, examples.attributes
    n, d = codes.shape
    hypothesis = np.full(d, NEVER_CODE, dtype=np.int32)
    yield FindSState(float(n), None, hypothesis, attributes)
    met = 0
    while met < n:
        uncovered = inside[met:] & ~covered(hypothesis[None], codes[met:])[0]
        changing = met + int(np.argmax(uncovered)) if uncovered.any() else n
        for row in range(met, changing):
            yield FindSState(float(n - row - 1), row, hypothesis, attributes)
        if changing < n:
            hypothesis = generalised(hypothesis, codes[changing])
            yield FindSState(float(n - changing - 1), changing, hypothesis, attributes)
        met = changing + 1


def generalised(hypothesis: np.ndarray, row: np.ndarray) -> np.ndarray:
    """The minimal generalisation that covers the row, in codes."""
    if hypothesis[0] == NEVER_CODE:
        return row.copy()
    return np.where(hypothesis == row, hypothesis, ANY_CODE).astype(np.int32)

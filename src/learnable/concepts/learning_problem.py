"""A learning problem written down: what is to be learnt, from what, knowing what, and how the learner is judged."""

from typing import Any, NamedTuple


class LearningProblem(NamedTuple):
    """The record that Rivest asks for before one speaks of a learner.

    Syllabus: V14.

    Attributes
    ----------
    learner : the algorithm.
    domain : what the examples are taken from.
    concept : what is to be learnt about them.
    source : what the learner is told.
    prior : what is known before.
    criterion : when it has learnt.

    Examples
    --------
    >>> from learnable.concepts import KCNFLearner
    >>> print(LearningProblem.of(KCNFLearner(k=3)))
    learner    KCNFLearner(k=3)
    domain     rows of n Boolean variables, or of attributes with finitely many values
    concept    a conjunction of clauses of at most k = 3 literals
    source     labelled examples, independent draws of one law, without noise
    prior      the concept can be written in this language
    criterion  with probability 1 − δ an error of at most ε, from sample_size(ε, δ) examples
    """

    learner: str
    domain: str
    concept: str
    source: str
    prior: str
    criterion: str

    @classmethod
    def of(cls, learner: Any) -> "LearningProblem":
        """The record of a learner of this room."""
        name = type(learner).__name__
        if name not in _LANGUAGES:
            raise TypeError(f"LearningProblem.of({name}): no record; known are {', '.join(sorted(_LANGUAGES))}")
        domain, concept = _LANGUAGES[name]
        return cls(
            str(learner),
            domain,
            concept.format(**learner.get_params(deep=False)),
            "labelled examples, independent draws of one law, without noise",
            "the concept can be written in this language",
            "with probability 1 − δ an error of at most ε, from sample_size(ε, δ) examples",
        )

    def __str__(self) -> str:
        width = max(map(len, self._fields))
        return "\n".join(f"{field:<{width}}  {value}" for field, value in zip(self._fields, self))


_ROWS = "rows of n Boolean variables, or of attributes with finitely many values"
_POINTS = "points of a real space"
_LANGUAGES = {
    "CandidateElimination": ("rows of attributes with finitely many values", "a conjunction of values of attributes"),
    "DisjunctionLearner": (_ROWS, "a disjunction of literals"),
    "FindS": ("rows of attributes with finitely many values", "a conjunction of values of attributes"),
    "HalfSpaceLearner": (_POINTS, "a half-space"),
    "KCNFLearner": (_ROWS, "a conjunction of clauses of at most k = {k} literals"),
    "KDNFLearner": (_ROWS, "a disjunction of terms of at most k = {k} literals"),
    "KTermDNFLearner": (_ROWS, "a disjunction of at most k = {k} terms"),
    "MonomialLearner": (_ROWS, "a conjunction of literals"),
    "RectangleLearner": (_POINTS, "a box with axis-parallel faces"),
}

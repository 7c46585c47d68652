"""Every learner of the room has its record."""

import pytest

from learnable import concepts
from learnable.checks import all_estimators
from learnable.concepts import KTermDNFLearner, LearningProblem
from learnable.linear import Perceptron

FIELDS = ("learner", "domain", "concept", "source", "prior", "criterion")
RECORDS = {
    "CandidateElimination": ("finitely many values", "a conjunction of values of attributes"),
    "DisjunctionLearner": ("Boolean variables", "a disjunction of literals"),
    "FindS": ("finitely many values", "a conjunction of values of attributes"),
    "HalfSpaceLearner": ("points of a real space", "a half-space"),
    "KCNFLearner": ("Boolean variables", "a conjunction of clauses of at most k = {k} literals"),
    "KDNFLearner": ("Boolean variables", "a disjunction of terms of at most k = {k} literals"),
    "KTermDNFLearner": ("Boolean variables", "a disjunction of at most k = {k} terms"),
    "MonomialLearner": ("Boolean variables", "a conjunction of literals"),
    "RectangleLearner": ("points of a real space", "a box with axis-parallel faces"),
}


def test_every_learner_of_concepts_has_a_record():
    kinds = [kind for name, kind in all_estimators() if getattr(concepts, name, None) is kind]
    assert len(kinds) >= 5
    for kind in kinds:
        record = LearningProblem.of(kind())
        assert all(record)
        domain, concept = RECORDS[kind.__name__]
        params = kind().get_params()
        assert (domain in record.domain, record.concept) == (True, concept.format(**params))
        assert record.learner == str(kind())
        assert "labelled examples" in record.source
        assert "without noise" in record.source
        assert "this language" in record.prior
        assert "with probability 1 − δ an error of at most ε" in record.criterion
        # Each field is a line of its own when it is printed.
        assert [line.split(maxsplit=1) for line in str(record).splitlines()] == [
            list(pair) for pair in zip(FIELDS, record)
        ]
        assert kind.__name__ in record.learner
        assert hasattr(kind, "sample_size")


def test_the_record_names_the_language():
    assert LearningProblem.of(KTermDNFLearner(4)).concept == "a disjunction of at most k = 4 terms"


def test_a_learner_of_another_room_is_refused():
    with pytest.raises(TypeError, match="Perceptron"):
        LearningProblem.of(Perceptron())

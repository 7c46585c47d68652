"""Every learner of the room has its record."""

import pytest

from learnable import concepts
from learnable.checks import all_estimators
from learnable.concepts import KTermDNFLearner, LearningProblem
from learnable.linear import Perceptron


def test_every_learner_of_concepts_has_a_record():
    kinds = [kind for name, kind in all_estimators() if getattr(concepts, name, None) is kind]
    assert len(kinds) >= 5
    for kind in kinds:
        record = LearningProblem.of(kind())
        assert all(record)
        assert kind.__name__ in record.learner
        assert hasattr(kind, "sample_size")


def test_the_record_names_the_language():
    assert LearningProblem.of(KTermDNFLearner(4)).concept == "a disjunction of at most k = 4 terms"


def test_a_learner_of_another_room_is_refused():
    with pytest.raises(TypeError, match="Perceptron"):
        LearningProblem.of(Perceptron())

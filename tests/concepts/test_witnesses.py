"""The certificate of a concept learner judges what it says of its consistency, and its proof of NO."""

from copy import deepcopy

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.concepts import HalfSpaceLearner, KCNFLearner, KDNFLearner, KTermDNFLearner, RectangleLearner

BITS = np.array([[0, 0], [1, 1], [0, 1], [1, 0], [0, 0]])
POINTS = np.array([[0.0, 0.0], [2.0, 2.0], [1.0, 1.0], [0.0, 2.0], [5.0, 5.0]])

# (learner, rows, labels that no hypothesis of its language fits)
REFUTED = [
    (RectangleLearner(), POINTS, [1, 1, 0, 0, 0]),
    (KCNFLearner(k=1), BITS, [1, 1, 0, 0, 1]),
    (KDNFLearner(k=1), BITS, [0, 0, 1, 1, 0]),
    (KTermDNFLearner(k=1), BITS, [1, 1, 0, 0, 1]),
    (HalfSpaceLearner(), BITS.astype(float), [1, 1, 0, 0, 1]),
]
# The same with labels that one does fit.
FITTED = [
    (RectangleLearner(), POINTS, [1, 1, 1, 1, 0]),
    (KCNFLearner(k=1), BITS, [0, 1, 0, 0, 0]),
    (KDNFLearner(k=1), BITS, [0, 1, 1, 1, 0]),
    (KTermDNFLearner(k=1), BITS, [0, 1, 0, 0, 0]),
    (HalfSpaceLearner(), BITS.astype(float), [0, 1, 0, 0, 0]),
]


def _named(case):
    return type(case[0]).__name__


def _broken(model, X, y):
    """The statements that do not hold."""
    return {claim.statement for claim in certify(model, X, y) if not claim.holds}


def _with(model, **answers):
    altered = deepcopy(model)
    for name, value in answers.items():
        setattr(altered, name, value)
    return altered


@each("case", FITTED, ids=_named)
def test_a_fit_that_agrees_has_no_witness(case):
    learner, X, y = case
    model = learner.fit(X, y)
    assert model.consistent_
    assert model.witness_ == ()
    assert not _broken(model, X, y)
    assert _broken(_with(model, consistent_=False), X, y)
    for rows in ((0,), (0, 1), (1, 0), (2, 0, 1), tuple(range(len(y))), (99, 0), (-1, 0)):
        assert _broken(_with(model, witness_=rows), X, y), rows


@each("case", REFUTED, ids=_named)
def test_a_proof_of_no_must_be_one(case):
    learner, X, y = case
    model = learner.fit(X, y)
    assert not model.consistent_
    honest = _broken(model, X, y)
    assert not any("witness" in statement or "consistent_" in statement for statement in honest)
    assert _broken(_with(model, consistent_=True), X, y) > honest
    first, *rest = model.witness_
    for rows in ((first,), tuple(rest), (99, *rest), (-1, *rest)):
        assert _broken(_with(model, witness_=rows), X, y) > honest, rows


def test_a_witness_without_its_proof_is_none():
    """Labels drawn at random on five bits need more than four terms, and more than unit propagation to see it."""
    X = np.array([[i >> j & 1 for j in range(5)] for i in range(32)])
    y = np.random.default_rng(0).integers(0, 2, 32)
    model = KTermDNFLearner(k=4).fit(X, y)
    honest = _broken(model, X, y)
    assert not any("witness" in statement for statement in honest)
    assert _broken(_with(model, refutation_=model.refutation_[:0]), X, y) > honest
    assert _broken(_with(model, witness_=()), X, y) > honest


@each("rows", [[[0, 0], [0, 0]], [[0, 0], [1, 4]], [[0, 0], [1, 99]], [[-1, -1], [-1, -1]], [[0, 0]]])
def test_each_face_of_a_box_has_its_row(rows):
    _, X, y = FITTED[0]
    model = RectangleLearner().fit(X, y)
    assert _broken(_with(model, support_=np.array(rows)), X, y)
    empty = RectangleLearner(classes=(0, 1)).fit(X, np.zeros(len(X), dtype=int))
    assert not _broken(empty, X, np.zeros(len(X), dtype=int))


def test_the_margin_of_a_refused_half_space_is_zero():
    _, X, y = REFUTED[-1]
    model = HalfSpaceLearner().fit(X, y)
    assert _broken(_with(model, margin_=0.1), X, y) > _broken(model, X, y)

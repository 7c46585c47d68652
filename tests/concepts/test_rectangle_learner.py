"""The tightest box: brute force, the proof that none fits, the PAC promise."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable import certify, watch
from learnable.checks import well_posed
from learnable.concepts import RectangleLearner
from learnable.theory import ExampleOracle, Rectangles, Refutation, pac_experiment


@st.composite
def samples(draw):
    rows = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
    labels = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    return np.array(rows, dtype=float), np.array(labels)


@settings(max_examples=80, deadline=None)
@given(samples())
def test_the_oracle_of_the_class_gives_the_same_answer(sample):
    X, y = sample
    model = RectangleLearner(classes=(False, True)).fit(X, y)
    answer = Rectangles(2).realise(X, y)
    assert model.consistent_ == (not isinstance(answer, Refutation)) == model.certificate_.holds
    if model.consistent_:
        assert (tuple(model.low_), tuple(model.high_)) == (answer.low, answer.high)
        assert np.array_equal(model.predict(X), y)
    else:
        rows = list(model.witness_)
        assert not y[rows[0]]
        assert y[rows[1:]].all()
        assert not RectangleLearner(classes=(False, True)).fit(X[rows], y[rows]).consistent_
        if any(np.array_equal(X[rows[0]], X[i]) for i in np.flatnonzero(y)):
            assert len(rows) == 2


def test_the_box_grows_with_every_state():
    X, y = well_posed(RectangleLearner(), 1)
    states = [step.state for step in watch(RectangleLearner(), X, y)]
    assert states[0].example == -1
    assert np.all(states[0].low > states[0].high)
    for before, after in itertools.pairwise(states):
        assert np.all(after.low <= before.low)
        assert np.all(after.high >= before.high)
        assert y[after.example] == "yes"
        assert np.any(X[after.example] < before.low) or np.any(X[after.example] > before.high)
        columns = np.arange(X.shape[1])
        assert np.array_equal(X[after.support[0], columns], after.low)
        assert np.array_equal(X[after.support[1], columns], after.high)


@each("d", [1, 2, 3])
def test_pac_promise(d):
    epsilon, delta = 0.1, 0.1
    low, high = np.full(d, 0.2), np.full(d, 0.8)
    m = RectangleLearner().sample_size(epsilon, delta, dimension=d)
    assert m == int(np.ceil(2 * d / epsilon * np.log(2 * d / delta)))

    def risk(model):
        inner = np.prod(np.maximum(model.high_ - model.low_, 0.0)) if np.all(model.low_ <= model.high_) else 0.0
        return float(np.prod(high - low) - inner)

    def learn(X, y):
        return RectangleLearner(classes=(False, True)).fit(X, y)

    oracle = ExampleOracle(
        lambda size, random: random.random((size, d)), lambda X: np.all((X > 0.2) & (X < 0.8), axis=1)
    )
    result = pac_experiment(oracle, learn, risk, m=m, epsilon=epsilon, repeats=60)
    assert result.supports(delta), result
    few = pac_experiment(oracle, learn, risk, m=3, epsilon=epsilon, repeats=40)
    assert not few.supports(delta), few


def test_sample_size_in_the_plane():
    assert RectangleLearner().sample_size(0.1, 0.05, dimension=2) == int(np.ceil(4 / 0.1 * np.log(4 / 0.05)))
    with pytest.raises(ValueError, match="dimension"):
        RectangleLearner().sample_size(0.1, 0.05)


def test_only_negatives_give_the_empty_box():
    X = np.array([[0.0, 1.0], [1.0, 2.0]])
    model = RectangleLearner(classes=("no", "yes")).fit(X, ["no", "no"])
    assert model.certificate_.holds
    assert model.predict(X).tolist() == ["no", "no"]
    model.low_, model.high_ = np.array([5.0, 5.0]), np.array([6.0, 6.0])
    assert not certify(model, X, ["no", "no"]).holds


def test_data_frames_and_labels():
    frame = pd.DataFrame({"height": [1.7, 1.8, 1.75, 1.2], "weight": [70.0, 80.0, 75.0, 20.0]})
    model = RectangleLearner(classes=("other", "adult")).fit(frame, ["adult", "adult", "adult", "other"])
    assert model.consistent_
    assert model.predict(frame).tolist() == ["adult", "adult", "adult", "other"]

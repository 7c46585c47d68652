"""Half-spaces by linear programming: two oracles agree, the margin is the largest, refutations are points in common."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from learnable import certify, watch
from learnable.certificates.linear.separability import separability
from learnable.checks import well_posed
from learnable.concepts import HalfSpaceLearner
from learnable.theory import HalfSpaces, Refutation, behw


@st.composite
def samples(draw):
    rows = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=10))
    labels = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    return np.array(rows, dtype=float), np.array([True, False, *labels[2:]])


@settings(max_examples=15, deadline=None)
@given(samples())
def test_three_oracles_agree(sample):
    X, y = sample
    model = HalfSpaceLearner().fit(X, y)
    assert model.consistent_ == separability(X, y).separated
    assert model.consistent_ == (not isinstance(HalfSpaces(2).realise(X, y), Refutation))
    assert model.certificate_.holds == model.consistent_
    if model.consistent_:
        assert np.array_equal(model.predict(X), y)
        assert model.witness_ == ()
    else:
        assert model.certificate_.claims[-1].holds, "the hulls meet"
        rows = list(model.witness_)
        assert len(rows) <= X.shape[1] + 2
        assert not HalfSpaceLearner().fit(X[rows], y[rows]).consistent_


def test_the_witness_is_a_common_point_of_the_hulls():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((60, 3)), np.arange(60) % 2
    model = HalfSpaceLearner().fit(X, y)
    assert not model.consistent_
    one, other = (model.weights_[y == label] @ X[y == label] for label in (0, 1))
    assert np.allclose(one, other, atol=1e-9)
    assert np.allclose([model.weights_[y == label].sum() for label in (0, 1)], 1)


def test_no_direction_has_a_larger_margin():
    """Random directions with their best offset never beat the program."""
    X, y = well_posed(HalfSpaceLearner(), 2)
    model = HalfSpaceLearner().fit(X, y)
    scaled, up = X / np.abs(X).max(axis=0), y == "up"
    best = 0.0
    coef = model.coef_[0] * np.abs(X).max(axis=0)
    for noise in np.random.default_rng(0).standard_normal((3000, 5)):
        w = coef / np.abs(coef).max() + 0.1 * noise
        scores = scaled @ (w / np.abs(w).max())
        best = max(best, (scores[up].min() - scores[~up].max()) / 2)
    assert 0.0 < best <= model.margin_ + 1e-12
    # The same half-space with other scores is another answer.
    model.coef_, model.intercept_ = 1.5 * model.coef_, 1.5 * model.intercept_
    assert not certify(model, X, y).holds


def test_watch_tells_one_program_or_two():
    X, y = well_posed(HalfSpaceLearner(), 0)
    assert [step.state.objective for step in watch(HalfSpaceLearner(), X, y)] == [0.0]
    y = np.where(np.arange(len(y)) == 5, np.where(y == "up", "down", "up"), y)
    states = [step.state for step in watch(HalfSpaceLearner(), X, y)]
    assert len(states) == 2
    assert 0.0 < states[1].objective < 20.0


def test_classes_that_overlap_get_the_least_slack():
    random = np.random.default_rng(4)
    X = random.standard_normal((80, 3))
    y = X @ [1.0, -1.0, 0.5] + 0.8 * random.standard_normal(80) > 0.2
    model = HalfSpaceLearner().fit(X, y)
    sign = np.where(y, 1.0, -1.0)

    def slack(coef, intercept):
        return np.maximum(0.0, 1.0 - sign * (X @ coef + intercept)).sum()

    least = slack(model.coef_[0], model.intercept_[0])
    for noise in random.standard_normal((500, 4)):
        assert slack(model.coef_[0] + 0.1 * noise[:3], model.intercept_[0] + 0.1 * noise[3]) >= least - 1e-9


def test_a_wrong_answer_or_wrong_weights_are_noticed():
    X, y = well_posed(HalfSpaceLearner(), 0)
    model = HalfSpaceLearner().fit(X, y)
    model.weights_ = np.roll(model.weights_, 1)
    assert not certify(model, X, y).holds
    model = HalfSpaceLearner().fit(X, y)
    largest = np.abs(X).max(axis=0)
    model.coef_ = model.coef_ * (1.0 + 0.01 * np.arange(5))
    scores = np.where(y == "up", 1.0, -1.0) * (X @ model.coef_[0] + model.intercept_[0])
    model.margin_ = scores.min() / np.abs(model.coef_[0] * largest).max()
    assert model.margin_ > 0.0, "it separates"
    assert not certify(model, X, y).holds, "but not with the largest margin"
    model = HalfSpaceLearner().fit(X, y)
    model.margin_ *= 1.01
    assert not certify(model, X, y).holds


def test_contradictory_rows_are_the_witness():
    X = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [1.0, 2.0]])
    model = HalfSpaceLearner().fit(X, [0, 0, 1, 1])
    assert model.witness_ == (1, 3)


def test_sparse_rows_give_the_dense_answer():
    X, y = well_posed(HalfSpaceLearner(), 0)
    X = np.where(np.abs(X) > 0.3, X, 0.0)
    dense, thin = HalfSpaceLearner().fit(X, y), HalfSpaceLearner().fit(sparse.csr_array(X), y)
    assert np.allclose(dense.coef_, thin.coef_)
    assert thin.certificate_.holds == dense.certificate_.holds


def test_columns_of_very_different_size():
    X, y = well_posed(HalfSpaceLearner(), 0)
    model = HalfSpaceLearner().fit(X * np.array([1e9, 1.0, 1e-9, 1.0, 1.0]), y)
    assert model.certificate_.holds
    with pytest.raises(ValueError, match="column 0"):
        HalfSpaceLearner().fit(X * np.array([1e200, 1.0, 1.0, 1.0, 1.0]), y)


def test_columns_far_from_zero_are_separated_as_well():
    """The scale of such a column is what varies in it: beside its mean the classes would seem to meet."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 2))
    y = (X[:, 0] > 0.1).astype(int)
    margins = []
    for far in (1e3, 1e6, 1e9):
        moved = X + np.array([far, 0.0])
        model = HalfSpaceLearner().fit(moved, y)
        assert model.consistent_
        assert np.array_equal(model.predict(moved), y)
        assert certify(model, moved, y).holds
        margins.append(model.margin_)
    assert margins == pytest.approx([margins[0]] * 3, rel=1e-5)


def test_sample_size():
    assert (
        HalfSpaceLearner().sample_size(0.1, 0.05, dimension=2)
        == behw.solve_for("m", epsilon=0.1, delta=0.05, d=3).value
    )
    with pytest.raises(ValueError, match="dimension"):
        HalfSpaceLearner().sample_size(0.1, 0.05)
    with pytest.raises(ValueError, match="binary"):
        HalfSpaceLearner().fit([[0.0], [1.0], [2.0]], [0, 1, 2])


def test_of_many_common_points_of_the_hulls_two_contradictory_rows_are_named():
    X, y = well_posed(HalfSpaceLearner(), 0)
    X, y = np.vstack([X, X[0]]), np.append(y, "up" if y[0] == "down" else "down")
    for table in (X, sparse.csr_array(X)):
        model = HalfSpaceLearner().fit(table, y)
        assert model.witness_ == (0, 200)
        assert model.certificate_.claims[-1].holds, "the two rows alone prove that nothing separates"

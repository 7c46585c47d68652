"""The observable chain: counts, the maximum, unseen states, smoothing, the long run."""

import numpy as np
import pytest
from scipy.linalg import null_space
from tests.cases import each

from learnable import certify
from learnable.checks import well_posed
from learnable.sequences import MarkovChain, communicating_classes, stationary_distributions


def test_probability_by_hand():
    model = MarkovChain().fit([[0, 1, 1], [1, 0]])
    np.testing.assert_allclose(model.transmat_, [[0.0, 1.0], [0.5, 0.5]])
    np.testing.assert_allclose(model.startprob_, [0.5, 0.5])
    assert model.score([0, 1, 0]) == pytest.approx(np.log(0.5 * 1.0 * 0.5))
    assert model.score([0, 0]) == -np.inf
    assert list(model.score_sequences([[1], [0, 0]])) == [np.log(0.5), -np.inf]
    assert model.log_likelihood_ == pytest.approx(model.score([[0, 1, 1], [1, 0]]))
    assert list(model.predict([0, 0, 1])) == [1, 1, 0]


def test_no_other_chain_is_more_likely():
    generator = np.random.default_rng(0)
    X = generator.integers(3, size=(300, 1))
    model = MarkovChain().fit(X, lengths=[100, 200])
    best = model.score(X, lengths=[100, 200])
    for _ in range(200):
        other = MarkovChain(3)
        other.startprob_ = model.startprob_
        shares = np.clip(model.transmat_ + 0.05 * generator.standard_normal((3, 3)), 1e-3, None)
        other.transmat_ = shares / shares.sum(axis=1, keepdims=True)
        assert other.score(X, lengths=[100, 200]) < best
        model_with = MarkovChain(3).fit(X, lengths=[100, 200])
        model_with.transmat_ = other.transmat_
        _, shortfall, *_ = certify(model_with, X, lengths=[100, 200])
        assert not shortfall.holds
        assert shortfall.value == pytest.approx(best - other.score(X, lengths=[100, 200]), rel=1e-9)


def test_states_never_seen_and_never_left():
    model = MarkovChain(4).fit([[0, 1, 2], [0, 2]])
    assert list(model.never_left_) == [2, 3]
    np.testing.assert_allclose(model.transmat_[2:], np.full((2, 4), 0.25))
    assert model.certificate_.holds
    assert model.certificate_[-1].value == 2
    smoothed = MarkovChain(4, smoothing=1.0).fit([[0, 1, 2], [0, 2]])
    np.testing.assert_allclose(smoothed.transmat_[0], [1 / 6, 2 / 6, 2 / 6, 1 / 6])
    assert np.isfinite(smoothed.score([3, 3, 0]))
    assert smoothed.certificate_.holds


def test_weights_are_repetitions():
    one = MarkovChain().fit([[0, 1, 0], [1, 1, 0]], sequence_weight=[3.0, 1.0])
    many = MarkovChain().fit([[0, 1, 0]] * 3 + [[1, 1, 0]])
    np.testing.assert_allclose(one.transmat_, many.transmat_)
    np.testing.assert_allclose(one.startprob_, many.startprob_)
    assert one.certificate_.holds


def test_weights_of_many_blocks():
    generator = np.random.default_rng(2)
    listed, weights = [generator.integers(3, size=1000) for _ in range(20)], generator.random(20)
    counts = np.zeros((3, 3))
    for sequence, weight in zip(listed, weights):
        np.add.at(counts, (sequence[:-1], sequence[1:]), weight)
    np.testing.assert_allclose(MarkovChain(n_jobs=2).fit(listed, sequence_weight=weights).counts_, counts, rtol=1e-12)


def test_dask_counts_the_same():
    from dask import array, bag

    generator = np.random.default_rng(1)
    listed = [generator.integers(3, size=int(n)) for n in generator.integers(1, 30, size=9)]
    here = MarkovChain().fit(listed)
    there = MarkovChain().fit(bag.from_sequence(listed, npartitions=4))
    assert np.array_equal(here.counts_, there.counts_)
    table = array.from_array(np.concatenate(listed)[:, None], chunks=(11, 1))
    assert np.array_equal(here.counts_, MarkovChain().fit(table, lengths=[len(each) for each in listed]).counts_)
    assert there.certificate_.holds


@each("seed", range(10))
def test_stationary_distributions_solve_their_equation(seed):
    generator = np.random.default_rng(seed)
    A = generator.dirichlet(np.ones(5), size=5)
    pi = stationary_distributions(A)
    np.testing.assert_allclose(pi @ A, pi, atol=1e-14)
    want = null_space(A.T - np.eye(5)).ravel()
    np.testing.assert_allclose(pi[0], want / want.sum(), rtol=1e-9)


def test_a_tiny_probability_keeps_its_digits():
    """π ∝ (b, a) for two states left with probability a and b, however small."""
    for a in (1e-3, 1e-10, 1e-15):
        # 1 - a is rounded: the row says a, and only a may be used.
        pi = stationary_distributions([[1.0 - a, a], [0.5, 0.5]])[0]
        assert pi[1] / pi[0] == pytest.approx(2.0 * a, rel=1e-12)
        pi = stationary_distributions([[0.5, 0.5], [a, 1.0 - a]])[0]
        assert pi[0] / pi[1] == pytest.approx(2.0 * a, rel=1e-12)


def test_classes_and_periods():
    cycle = np.roll(np.eye(6), 1, axis=1)
    assert [each.period for each in communicating_classes(cycle)] == [6]
    cycle[0] = 0.0
    cycle[0, 1] = cycle[0, 4] = 0.5  # ways back of length 6 and 3
    assert [each.period for each in communicating_classes(cycle)] == [3]
    absorbing = [[1.0, 0.0], [0.5, 0.5]]
    assert [(each.states, each.recurrent) for each in communicating_classes(absorbing)] == [((0,), True), ((1,), False)]
    assert MarkovChain().fit([[0, 1, 0, 1]]).communicating_classes()[0].period == 2


def test_a_long_sample_is_the_chain():
    model = MarkovChain().fit(well_posed(MarkovChain(), 0)[0])
    again = MarkovChain().fit(model.sample(50_000, random_state=0))
    np.testing.assert_allclose(again.transmat_, model.transmat_, atol=0.02)
    assert model.bic([0, 1]) - model.aic([0, 1]) == pytest.approx(8 * (np.log(2) - 2))


@each(
    ("X", "message"),
    [
        ([[0, np.nan, 1]], "NaN"),
        ([0.5, 1.0], "row 0 holds 0.5"),
        ([0, -1], "Negative values"),
        ([[0, 1], []], "sequence 1 is empty"),
    ],
)
def test_bad_input(X, message):
    with pytest.raises(ValueError, match=message):
        MarkovChain().fit(X)


def test_states_beyond_the_last():
    with pytest.raises(ValueError, match="X holds state 3, but the states are 0 … 1"):
        MarkovChain(2).fit([0, 3])
    with pytest.raises(ValueError, match="X holds state 2"):
        MarkovChain().fit([0, 1]).score([0, 2])


@each("smoothing", [0.0, 1.0])
@each(
    ("name", "change"),
    [
        ("counts_", lambda counts: counts + np.eye(4)),
        ("counts_", lambda counts: counts[:2]),
        ("start_counts_", lambda counts: counts[::-1]),
        ("never_left_", lambda states: states[:-1]),
        ("never_left_", lambda states: states + 1),
        ("transmat_", lambda rows: np.vstack([rows[:3], [1.0, 0.0, 0.0, 0.0]])),
    ],
)
def test_altered_counts_and_rows_without_counts_are_noticed(name, change, smoothing):
    X = np.array([0, 1, 2, 0, 2])[:, None]
    model = MarkovChain(4, smoothing=smoothing).fit(X, lengths=[3, 2])
    assert certify(model, X, lengths=[3, 2]).holds
    setattr(model, name, change(getattr(model, name)))
    assert not certify(model, X, lengths=[3, 2]).holds

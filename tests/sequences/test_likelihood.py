"""Likelihood and posteriors: scaled = in logarithms = brute force; what cannot happen; identities of time reversal."""

import numpy as np
import pytest
from tests.cases import each
from tests.sequences.models import holding, random_categorical, random_gaussian, random_multinomial

from learnable._jit.sequences import hmm_log
from learnable.sequences import CategoricalHMM, GaussianHMM, enumerate_paths, stationary_distributions
from learnable.solvers.sequences.forward_backward import smoothed
from learnable.solvers.sequences.sequence_blocks import LocalSequences

MAKERS = {
    "symbols": lambda g, zeros: random_categorical(3, 4, g, zeros),
    "counts": lambda g, zeros: random_multinomial(3, 4, g, zeros),
    "spherical": lambda g, zeros: random_gaussian(3, 2, "spherical", g, zeros),
    "diag": lambda g, zeros: random_gaussian(3, 2, "diag", g, zeros),
    "full": lambda g, zeros: random_gaussian(3, 2, "full", g, zeros),
    "tied": lambda g, zeros: random_gaussian(3, 2, "tied", g, zeros),
}


@each("zeros", [False, True])
@each("kind", MAKERS)
def test_equal_to_the_sum_over_all_paths(kind, zeros):
    generator = np.random.default_rng(0)
    for T in (1, 2, 5, 8):
        model = MAKERS[kind](generator, zeros)
        X, states = model.sample(T, random_state=generator)
        truth = enumerate_paths(model, X)
        assert model.score(X) == pytest.approx(truth.log_likelihood, rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(model.predict_proba(X), truth.posterior, rtol=1e-9, atol=1e-14)
        assert model.decode(X)[0] == pytest.approx(truth.log_joint, rel=1e-12, abs=1e-12)
        assert np.array_equal(model.predict(X), truth.path)
        assert model.log_joint(X, states) <= truth.log_joint + 1e-12
        assert model.log_joint(X, truth.path) == pytest.approx(truth.log_joint, rel=1e-12, abs=1e-12)


@each("kind", MAKERS)
def test_missing_observations_are_summed_out(kind):
    """P(O without row t) = Σ or ∫ over row t: the sum of exact enumerations for symbols, deletion of evidence else."""
    generator = np.random.default_rng(1)
    model = MAKERS[kind](generator, False)
    X, _ = model.sample(6, random_state=generator)
    X = X.astype(float)
    X[2] = np.nan
    truth = enumerate_paths(model, X)
    assert model.score(X) == pytest.approx(truth.log_likelihood, rel=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), truth.posterior, rtol=1e-9, atol=1e-14)
    if kind == "symbols":
        filled = []
        for v in range(4):
            X[2] = v
            filled.append(model.score(X))
        assert np.log(np.sum(np.exp(filled))) == pytest.approx(truth.log_likelihood, rel=1e-12)


@each("kind", ["spherical", "diag", "full", "tied"])
def test_missing_coordinates_are_integrated_out(kind):
    """The density of what is left is the marginal Gaussian: drop the column from means and covariances."""
    generator = np.random.default_rng(2)
    model = random_gaussian(3, 3, kind, generator)
    X, _ = model.sample(40, random_state=generator)
    partly = X.copy()
    partly[:, 1] = np.nan
    keep = [0, 2]
    covars = {
        "spherical": lambda c: c,
        "diag": lambda c: c[:, keep],
        "full": lambda c: c[np.ix_(range(3), keep, keep)],
        "tied": lambda c: c[np.ix_(keep, keep)],
    }[kind](model.covars_)
    smaller = holding(
        GaussianHMM(3, covariance_type=kind), startprob_=model.startprob_, transmat_=model.transmat_,
        means_=model.means_[:, keep], covars_=covars,
    )  # fmt: skip
    assert model.score(partly) == pytest.approx(smaller.score(X[:, keep]), rel=1e-12)


def _in_logarithms(model, X):
    found = model._model()
    log_B = np.ascontiguousarray(found.emission.log_density(model._in_memory(X, None).rows, None))
    alpha, gamma, xi = np.empty_like(log_B), np.empty_like(log_B), np.zeros_like(model.transmat_)
    with np.errstate(divide="ignore"):
        log_A = np.log(found.transition)
        value = hmm_log.log_forward(np.log(found.start), log_A, log_B, alpha)
    hmm_log.log_backward(log_A, log_B, alpha, value, 1.0, gamma, xi)
    return value, gamma, xi


@each("zeros", [False, True])
@each("kind", MAKERS)
def test_scaled_is_equal_to_logarithms_on_long_sequences(kind, zeros):
    generator = np.random.default_rng(3)
    model = MAKERS[kind](generator, zeros)
    X, _ = model.sample(700, random_state=generator)
    value, gamma, xi = _in_logarithms(model, X)
    rows = model._in_memory(X, None).rows
    found = smoothed(model._model(), LocalSequences(rows, [700]).block(0))
    assert found.log_likelihoods[0] == pytest.approx(value, rel=1e-11)
    assert model.score(X) == pytest.approx(value, rel=1e-11)
    np.testing.assert_allclose(found.gamma, gamma, atol=1e-10)
    np.testing.assert_allclose(found.transition, xi, atol=1e-8)
    assert found.transition.sum() == pytest.approx(699.0, rel=1e-12)


def test_evidence_lost_to_underflow_comes_back():
    """Two regimes that never mix: 400 steps speak against the second, 500 for it. A forward variable that has rounded
    to zero must not decide."""
    model = holding(
        GaussianHMM(2), startprob_=[0.5, 0.5], transmat_=np.eye(2), means_=[[0.0], [3.0]], covars_=[[1.0], [1.0]]
    )
    X = np.concatenate([np.zeros(400), np.full(500, 3.0)])[:, None]
    each = [-0.5 * np.sum((X - mean) ** 2 + np.log(2.0 * np.pi)) for mean in (0.0, 3.0)]
    assert model.score(X) == pytest.approx(np.log(0.5) + np.logaddexp(*each), rel=1e-12)
    assert np.all(model.predict_proba(X)[:, 1] > 0.999)


def test_far_outliers_do_not_underflow():
    """All densities of a row below the smallest number: only their ratios matter."""
    model = random_gaussian(2, 1, "diag", np.random.default_rng(4))
    X = np.array([[0.0], [1e6], [0.0]])
    assert model.score(X) == pytest.approx(enumerate_paths(model, X).log_likelihood, rel=1e-12)
    # The only state that can be reached is the worse one by e^-20000.
    forced = holding(
        GaussianHMM(2), startprob_=[1.0, 0.0], transmat_=[[1.0, 0.0], [0.0, 1.0]], means_=[[0.0], [200.0]],
        covars_=[[1.0], [1.0]],
    )  # fmt: skip
    assert forced.score([[200.0]]) == pytest.approx(-0.5 * (200.0**2 + np.log(2.0 * np.pi)), rel=1e-14)


def test_what_cannot_happen_has_probability_zero():
    model = holding(
        CategoricalHMM(2), startprob_=[1.0, 0.0], transmat_=[[0.0, 1.0], [0.0, 1.0]],
        emissionprob_=[[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]],
    )  # fmt: skip
    assert model.score([0, 1, 2]) == pytest.approx(np.log(0.25))
    assert model.score([1, 1]) == -np.inf
    assert model.score([0, 0]) == -np.inf
    assert list(model.score_sequences([[0, 1], [0, 0], [0, 2, 2]])) == pytest.approx(
        [np.log(0.5), -np.inf, np.log(0.25)]
    )
    for ask in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match="sequence 1 has probability 0"):
            ask([[0, 1], [0, 0]])


def test_posterior_decoding_flags_impossible_transitions():
    """Each state is the best one at its step, yet the path is forbidden."""
    model = holding(
        CategoricalHMM(3), startprob_=[0.4, 0.3, 0.3], transmat_=[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]],
        emissionprob_=np.ones((3, 1)),
    )  # fmt: skip
    _, states = model.decode([0, 0], algorithm="map")
    assert list(states) == [0, 2]
    assert list(model.impossible_transitions(states)) == [1]
    assert model.log_joint([0, 0], states) == -np.inf
    best = model.predict([0, 0])
    assert len(model.impossible_transitions(best)) == 0
    assert list(model.impossible_transitions([0, 0, 1, 2], lengths=[2, 2])) == []
    assert list(holding(model, startprob_=[1, 0, 0]).impossible_transitions([0, 0, 1, 2], lengths=[2, 2])) == [2]


@each("seed", range(20))
def test_a_stationary_chain_read_backwards(seed):
    """P(O) = P(O reversed) under π_j a_ji / π_i, and the posteriors are reversed too."""
    generator = np.random.default_rng(seed)
    model = random_categorical(4, 3, generator)
    pi = stationary_distributions(model.transmat_)[0]
    model = holding(model, startprob_=pi)
    backwards = holding(
        CategoricalHMM(4),
        startprob_=pi,
        transmat_=model.transmat_.T * pi / pi[:, None],
        emissionprob_=model.emissionprob_,
    )
    X, _ = model.sample(60, random_state=seed)
    assert backwards.score(X[::-1]) == pytest.approx(model.score(X), rel=1e-11)
    np.testing.assert_allclose(backwards.predict_proba(X[::-1])[::-1], model.predict_proba(X), atol=1e-11)
    assert backwards.decode(X[::-1])[0] == pytest.approx(model.decode(X)[0], rel=1e-11)


def test_a_worked_example():
    """The urns of every text book: two states, symbols 0 1 0, by hand."""
    model = holding(
        CategoricalHMM(2),
        startprob_=[0.6, 0.4],
        transmat_=[[0.7, 0.3], [0.4, 0.6]],
        emissionprob_=[[0.5, 0.5], [0.1, 0.9]],
    )
    a2 = np.array([(0.3 * 0.7 + 0.04 * 0.4) * 0.5, (0.3 * 0.3 + 0.04 * 0.6) * 0.9])
    a3 = np.array([(a2[0] * 0.7 + a2[1] * 0.4) * 0.5, (a2[0] * 0.3 + a2[1] * 0.6) * 0.1])
    assert model.score([0, 1, 0]) == pytest.approx(np.log(a3.sum()), rel=1e-14)
    best, path = model.decode([0, 1, 0])
    assert (best, list(path)) == (pytest.approx(np.log(0.6 * 0.5 * 0.7 * 0.5 * 0.7 * 0.5)), [0, 0, 0])


def test_many_states_and_odd_numbers_of_them():
    generator = np.random.default_rng(5)
    for K in (1, 2, 3, 5, 6, 7, 9, 17):
        model = random_categorical(K, 5, generator)
        X, _ = model.sample(300, random_state=generator)
        assert model.score(X) == pytest.approx(_in_logarithms(model, X)[0], rel=1e-11)


def test_samples_come_from_the_model():
    model = random_gaussian(3, 2, "full", np.random.default_rng(6))
    X, states = model.sample(60_000, random_state=0)
    pi = stationary_distributions(model.transmat_)[0]
    np.testing.assert_allclose(np.bincount(states, minlength=3) / len(states), pi, atol=0.02)
    for k in range(3):
        np.testing.assert_allclose(X[states == k].mean(axis=0), model.means_[k], atol=0.08)
        np.testing.assert_allclose(np.cov(X[states == k].T), model.covars_[k], atol=0.25, rtol=0.08)
    assert np.array_equal(model.sample(5, random_state=0)[0], model.sample(5, random_state=0)[0])
    assert model.sample(1, random_state=0, currstate=2)[1][0] == 2

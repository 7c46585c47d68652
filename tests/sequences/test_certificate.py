"""The certificate finds again what the fit found, and refuses everything else."""

import copy

import numpy as np
import pytest
from tests.sequences.models import random_categorical, random_gaussian, random_multinomial, starting_from

from learnable import certify
from learnable.certificates.sequences import hidden_markov as judge
from learnable.certificates.sequences import hidden_markov_messages as messages
from learnable.checks import tampered, well_posed
from learnable.sequences import CategoricalHMM, GaussianHMM
from learnable.solvers.sequences import baum_welch
from learnable.solvers.sequences.sequence_blocks import LocalSequences

KINDS = ("spherical", "diag", "full", "tied")


def _random(kind, generator, zeros=False):
    if kind == "symbols":
        return random_categorical(3, 4, generator, zeros)
    if kind == "counts":
        return random_multinomial(3, 4, generator, zeros)
    return random_gaussian(3, 2, kind, generator, zeros)


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("kind", ["symbols", "counts", *KINDS])
def test_expectations_agree_with_the_kernels(kind, zeros):
    """Two programs without a line in common: sums, likelihoods and the next values."""
    generator = np.random.default_rng(0)
    model = _random(kind, generator, zeros)
    lengths = np.array([300, 1, 40, 7])
    X = model.sample(348, random_state=1)[0].astype(float)
    X[generator.random(X.shape) < 0.1] = np.nan
    states = np.where(generator.random(348) < 0.02, 0, -1)
    weights = np.array([1.0, 0.5, 2.0, 1.0])
    states[:] = -1 if zeros else states
    start = starting_from(model)
    rows = start._reader().encode(X)
    start.n_features_in_ = X.shape[1]
    solver = baum_welch.expected(model._model(), LocalSequences(rows, lengths, weights, states).block(0))
    at = judge.Lambda(model.startprob_, model.transmat_, judge._emission_class(model)(model))
    found = judge.expectation(at, judge.Part(X, lengths, weights, states))
    assert found.log_likelihood == pytest.approx(solver.log_likelihood, rel=1e-12)
    assert found.drift < 1e-10
    np.testing.assert_allclose(found.start, solver.start, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.transition, solver.transition, rtol=1e-9, atol=1e-11)
    better = at.emission.improved(found.emission)
    theirs = model._model().emission.maximised(solver.emission)
    for ours, other in ((getattr(better, "p", None), "prob"), (getattr(better, "means", None), "means")):
        if ours is not None and hasattr(theirs, other):
            np.testing.assert_allclose(ours, getattr(theirs, other), rtol=1e-9, atol=1e-10)
    if hasattr(theirs, "covars"):
        np.testing.assert_allclose(better.covars, theirs.covars, rtol=1e-8, atol=1e-10)
    assert at.emission.log_prior() == pytest.approx(model._model().emission.log_prior(), rel=1e-12, abs=1e-12)


def test_a_long_sequence_in_pieces_is_the_sequence_in_one(monkeypatch):
    generator = np.random.default_rng(1)
    model = random_gaussian(4, 2, "diag", generator)
    X = model.sample(2500, random_state=1)[0]
    at = judge.Lambda(model.startprob_, model.transmat_, judge.Gaussians(model))
    part = judge.Part(X, np.array([2000, 500]), np.ones(2), None)
    whole = judge.expectation(at, part)
    monkeypatch.setattr(messages, "SHORTEST_PIECE", 10)
    pieces = judge.expectation(at, part)
    assert len(messages.Pieces(part.lengths).firsts) > 10
    assert pieces.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-13)
    np.testing.assert_allclose(pieces.transition, whole.transition, rtol=1e-11)
    assert pieces.drift < 1e-9


def test_pieces_of_a_chain_that_never_forgets(monkeypatch):
    """Two regimes that never mix: what the first piece knows must reach the last one."""
    monkeypatch.setattr(messages, "SHORTEST_PIECE", 5)
    A, start = np.eye(2), np.array([0.5, 0.5])
    B = np.tile([0.6, 0.5], (60, 1))
    alpha, log_c = messages.forward(start, A, B, messages.Pieces(np.array([60])), messages.PROBABILITIES)
    assert log_c.sum() == pytest.approx(np.log(0.5 * 0.6**60 + 0.5 * 0.5**60), rel=1e-13)
    assert alpha[-1, 0] == pytest.approx(1.0 / (1.0 + (0.5 / 0.6) ** 60), rel=1e-12)


def test_logarithms_where_probabilities_underflow():
    model = GaussianHMM(
        2, startprob_init=[0.5, 0.5], transmat_init=np.eye(2), means_init=[[0.0], [3.0]], covars_init=[[1.0], [1.0]],
        params="mc",
    )  # fmt: skip
    X = np.concatenate([np.zeros(400), np.full(500, 3.0)])[:, None] + 0.1 * np.sin(np.arange(900.0))[:, None]
    assert model.fit(X).certificate_.holds


@pytest.mark.parametrize("kind", ["symbols", "counts", *KINDS])
def test_tampering_is_noticed(kind):
    X = _random(kind, np.random.default_rng(2)).sample(300, random_state=3)[0]
    model = starting_from(_random(kind, np.random.default_rng(3)), tol=1e-5, n_iter=5000).fit(X)
    assert model.certificate_.holds
    for what, altered in tampered(model):
        assert not certify(altered, X).holds, what


def test_small_changes_are_noticed_too():
    X, _ = well_posed(GaussianHMM(), 0)
    model = GaussianHMM(tol=1e-7, random_state=0).fit(X)
    for name in ("startprob_", "transmat_", "means_", "covars_", "log_likelihood_"):
        altered = copy.deepcopy(model)
        value = np.array(getattr(model, name), dtype=float)
        if name in ("startprob_", "transmat_"):
            # Still a distribution: move a thousandth from the largest entry to the smallest.
            rows = np.atleast_2d(value)
            rows[0, np.argmax(rows[0])] -= 1e-3
            rows[0, np.argmin(rows[0])] += 1e-3
            value = rows.reshape(value.shape)
        else:
            value = value * (1.0 + 1e-3)
        setattr(altered, name, value)
        assert not certify(altered, X).holds, name


@pytest.mark.parametrize("name", ["transmat_", "means_", "covars_"])
def test_a_forgery_that_states_its_own_likelihood_is_not_stationary(name):
    """Another answer with the likelihood and the history that belong to it: only the EM step gives it away."""
    X, _ = well_posed(GaussianHMM(), 0)
    forged = GaussianHMM(tol=1e-7, random_state=0, covars_prior=0.0).fit(X)
    value = getattr(forged, name)
    value = 0.98 * value + 0.01 if name == "transmat_" else 1.01 * value
    setattr(forged, name, value)
    forged.log_likelihood_ = forged.score(X)
    forged.history_ = np.array([forged.log_likelihood_])
    failed = [claim.statement for claim in certify(forged, X) if not claim.holds]
    assert failed == ["one more EM step raises the penalised log-likelihood by"]


def test_a_history_that_fell_is_noticed():
    X, _ = well_posed(CategoricalHMM(), 0)
    model = CategoricalHMM(random_state=0).fit(X)
    model.history_ = np.append(model.history_[:-1] + 1.0, model.history_[-1])
    failed = [claim for claim in certify(model, X) if not claim.holds]
    assert len(failed) == 1
    assert "never fell" in failed[0].statement


def test_other_data_are_refused():
    X, _ = well_posed(CategoricalHMM(), 0)
    model = CategoricalHMM(random_state=0).fit(X)
    with pytest.raises(ValueError, match="200 rows, but X has 199"):
        certify(model, X[:-1])

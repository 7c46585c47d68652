"""The certificate finds again what the fit found, and refuses everything else."""

import copy
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp
from sklearn.base import BaseEstimator
from tests.cases import each
from tests.sequences.models import random_categorical, random_gaussian, random_multinomial, starting_from

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.sequences import hidden_markov as judge
from learnable.certificates.sequences import hidden_markov_messages as messages
from learnable.checks import tampered, well_posed
from learnable.sequences import CategoricalHMM, GaussianHMM, MarkovChain, MultinomialHMM
from learnable.solvers.sequences import baum_welch
from learnable.solvers.sequences.sequence_blocks import LocalSequences

KINDS = ("spherical", "diag", "full", "tied")


def _random(kind, generator, zeros=False):
    if kind == "symbols":
        return random_categorical(3, 4, generator, zeros)
    if kind == "counts":
        return random_multinomial(3, 4, generator, zeros)
    return random_gaussian(3, 2, kind, generator, zeros)


@each("zeros", [False, True])
@each("kind", ["symbols", "counts", *KINDS])
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
    assert len(messages.Pieces(part.lengths).sizes) > 10
    assert pieces.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-13)
    np.testing.assert_allclose(pieces.transition, whole.transition, rtol=1e-11)
    assert pieces.drift < 1e-9


def test_pieces_of_a_chain_that_never_forgets(monkeypatch):
    """Two regimes that never mix: what the first piece knows must reach the last one."""
    for name, value in (("SHORTEST_PIECE", 5), ("FEW", 0), ("FEW_PRODUCTS", 0)):
        monkeypatch.setattr(messages, name, value)
    A, start = np.eye(2), np.array([0.5, 0.5])
    B = np.tile([0.6, 0.5], (60, 1))
    alpha, log_c = messages.forward(start, A, B, np.array([60]), messages.PROBABILITIES)
    assert log_c.sum() == pytest.approx(np.log(0.5 * 0.6**60 + 0.5 * 0.5**60), rel=1e-13)
    assert alpha[-1, 0] == pytest.approx(1.0 / (1.0 + (0.5 / 0.6) ** 60), rel=1e-12)


@each("smallest", [judge.SMALLEST, np.inf], ids=["probabilities", "logarithms"])
def test_counts_of_zeros_are_what_lifting_them_a_little_gives(smallest):
    model = _random("symbols", np.random.default_rng(5))
    X = model.sample(400, random_state=6)[0]
    zero = np.array([0.0, 0.0, 1.0]) > 0.5
    start = np.where(zero, 0.0, model.startprob_) / (1.0 - model.startprob_[zero].sum())
    transition = np.where(np.eye(3)[::-1] > 0.0, 0.0, model.transmat_)
    at = judge.Lambda(start, transition / transition.sum(axis=1, keepdims=True), judge.Symbols(model))
    part, lift = judge.Part(X, np.array([150, 250]), np.array([1.0, 2.0]), None), 1e-8
    lifted = at._replace(start=at.start + lift * zero, transition=at.transition + lift * np.eye(3)[::-1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "SMALLEST", smallest)
        before, after = judge.expectation(at, part), judge.expectation(lifted, part)
    assert not before.start[zero].any()
    np.testing.assert_allclose(before.of_zeros[0][zero], after.start[zero] / lift, rtol=1e-5)
    where = np.eye(3)[::-1] > 0.0
    np.testing.assert_allclose(before.of_zeros[1][where], after.transition[where] / lift, rtol=1e-5)
    assert before.of_zeros[1][where].min() > 0.0
    assert not before.of_zeros[1][~where].any()


def test_logarithms_where_probabilities_underflow():
    model = GaussianHMM(
        2, startprob_init=[0.5, 0.5], transmat_init=np.eye(2), means_init=[[0.0], [3.0]], covars_init=[[1.0], [1.0]],
        params="mc",
    )  # fmt: skip
    X = np.concatenate([np.zeros(200), np.full(250, 3.0)])[:, None] + 0.1 * np.sin(np.arange(450.0))[:, None]
    assert model.fit([X, X[:200]]).certificate_.holds


@each("kind", ["symbols", "counts", *KINDS])
def test_tampering_is_noticed(kind):
    X = _random(kind, np.random.default_rng(2)).sample(80, random_state=3)[0]
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


@each("name", ["transmat_", "means_", "covars_"])
def test_a_forgery_that_states_its_own_likelihood_is_not_stationary(name):
    """Another answer with the likelihood and the history that belong to it: only the EM step gives it away."""
    X, _ = well_posed(GaussianHMM(), 0)
    forged = GaussianHMM(tol=1e-7, random_state=0, covars_prior=0.0).fit(X)
    value = getattr(forged, name)
    value = 0.98 * value + 0.01 if name == "transmat_" else 1.01 * value
    setattr(forged, name, value)
    forged.log_likelihood_ = forged.score(X)
    forged.history_, forged.n_iter_ = np.array([forged.log_likelihood_]), 0
    failed = [claim.statement for claim in certify(forged, X) if not claim.holds]
    assert failed == ["one more EM step raises the penalised log-likelihood by"]


def test_a_history_that_fell_is_noticed():
    X, _ = well_posed(CategoricalHMM(), 0)
    model = CategoricalHMM(random_state=0).fit(X)
    model.history_ = np.append(model.history_[:-1] + 1.0, model.history_[-1])
    failed = [claim for claim in certify(model, X) if not claim.holds]
    assert len(failed) == 1
    assert "never fell" in failed[0].statement


def test_other_data_are_noticed():
    X, _ = well_posed(CategoricalHMM(), 0)
    model = CategoricalHMM(random_state=0).fit(X)
    assert not certify(model, X[:-1]).holds
    with pytest.raises(ValueError, match="100 rows, but X has 200"):
        certify(model, X, lengths=[100])


def test_lengths_come_with_the_data_and_not_from_the_model():
    """A model that says it saw other sequences than it did is judged on those that are given."""
    X, _ = well_posed(CategoricalHMM(), 0)
    chain = well_posed(MarkovChain(), 0)[0]
    for model, table in ((CategoricalHMM(random_state=0), X), (MarkovChain(), chain)):
        model.fit(table, lengths=[120, 80])
        parts = [table[:120], table[120:]]
        assert model.certificate_.holds
        for found in (certify(model, table, lengths=[120, 80]), certify(model, parts)):
            assert found.holds
            assert set(model.certificate_) <= set(found)
        with pytest.raises(ValueError, match="fitted on 2 sequences; give their lengths"):
            certify(model, table)
        assert not certify(model, table, lengths=[80, 120]).holds
        forged = copy.deepcopy(model)
        forged.lengths_ = np.array([80, 120])
        assert not certify(forged, table, lengths=[120, 80]).holds
        with pytest.raises(ValueError, match="own lengths"):
            certify(model, parts, lengths=[120, 80])


def test_a_looser_tol_loosens_no_verdict():
    X, _ = well_posed(GaussianHMM(), 0)
    model = GaussianHMM(random_state=0).fit(X)
    loose = GaussianHMM(random_state=0, tol=5.0).fit(X)
    assert (loose.certificate_.verdict, loose.status_) == (Verdict.NOTHING_ASSERTED, "stationary")
    forged = copy.deepcopy(model)
    forged.means_ = 1.1 * model.means_
    forged.log_likelihood_, forged.tol = forged.score(X), 1e6
    forged.history_, forged.n_iter_ = np.array([forged.log_likelihood_]), 0
    assert not certify(forged, X).holds
    # What a verdict says does not hang on the units of X or on the scale of the weights.
    for scale in (1e-6, 1e6):
        scaled = GaussianHMM(random_state=0, covars_prior=1e-2 * scale**2, min_covar=1e-3 * scale**2).fit(X * scale)
        assert certify(scaled, X * scale).holds
        weighted = GaussianHMM(random_state=0, covars_weight=1.0, covars_prior=0.0).fit(X, sequence_weight=[scale])
        assert certify(weighted, X, sequence_weight=[scale]).holds, weighted.certificate_


def test_what_is_not_learned_is_compared_with_its_start():
    X, _ = well_posed(CategoricalHMM(), 0)
    given = {"startprob_init": [0.4, 0.6], "transmat_init": [[0.7, 0.3], [0.2, 0.8]], "params": "e"}
    model = CategoricalHMM(random_state=0, **given).fit(X)
    assert model.certificate_.holds
    forged = copy.deepcopy(model)
    forged.transmat_ = np.array([[0.5, 0.5], [0.5, 0.5]])
    forged.log_likelihood_ = forged.score(X)
    forged.history_, forged.n_iter_ = np.array([forged.log_likelihood_]), 0
    assert not certify(forged, X).holds
    # Nobody can tell any more where this one started.
    drawn = CategoricalHMM(random_state=0, params="s").fit(X)
    assert drawn.certificate_.verdict is Verdict.NOTHING_ASSERTED


def test_models_of_another_library_are_refused_by_name():
    parts = {"__module__": "hmmlearn.hmm", "fit": lambda self, X: self}
    foreign = type("GaussianHMM", (BaseEstimator,), parts)()
    foreign.startprob_ = np.array([0.5, 0.5])
    with pytest.raises(TypeError, match=r"no certificate is known for hmmlearn\.hmm\.GaussianHMM"):
        certify(foreign, np.zeros((5, 1)))


@each("kind", ["symbols", "counts", *KINDS])
def test_forward_and_backward_variables_are_those_of_the_definition(kind):
    """α_t(i) = P(O_1 … O_t, q_t = i) and β_t(i) = P(O_{t+1} … O_T | q_t = i), summed over all paths."""
    model = _random(kind, np.random.default_rng(5))
    X, _ = model.sample(9, random_state=6)
    lengths = [4, 5]
    found = model.forward_backward(X, lengths)
    log_B = np.column_stack([_log_density(model, X, k) for k in range(model.n_components)])
    first = 0
    for length in lengths:
        B = log_B[first : first + length]
        for t in range(length):
            for i in range(model.n_components):
                before, after = [], []
                for path in product(range(model.n_components), repeat=t + 1):
                    if path[-1] == i:
                        steps = np.log(model.transmat_[path[:-1], path[1:]]).sum()
                        before.append(np.log(model.startprob_[path[0]]) + steps + B[np.arange(t + 1), path].sum())
                for path in product(range(model.n_components), repeat=length - 1 - t):
                    steps = np.log(model.transmat_[(i, *path[:-1]), path]).sum() if path else 0.0
                    after.append(steps + B[np.arange(t + 1, length), path].sum())
                assert found.log_alpha[first + t, i] == pytest.approx(logsumexp(before), rel=1e-9)
                assert found.log_beta[first + t, i] == pytest.approx(logsumexp(after), rel=1e-9, abs=1e-12)
        first += length
    total, gamma = model.score_samples(X, lengths)
    assert found.log_likelihoods.sum() == pytest.approx(total)
    # The same sum at every step of a sequence, and the posterior from it.
    overlap = logsumexp(found.log_alpha + found.log_beta, axis=1)
    np.testing.assert_allclose(overlap, np.repeat(found.log_likelihoods, lengths), rtol=1e-10)
    np.testing.assert_allclose(np.exp(found.log_alpha + found.log_beta - overlap[:, None]), gamma, atol=1e-10)


def _log_density(model, X, k):
    """log b_k of every row, by SciPy."""
    if isinstance(model, CategoricalHMM):
        return np.log(model.emissionprob_[k, X[:, 0].astype(int)])
    if isinstance(model, MultinomialHMM):
        return stats.multinomial.logpmf(X, X.sum(axis=1), model.emissionprob_[k])
    covars = np.asarray(model.covars_)
    d = X.shape[1]
    covariance = {
        "spherical": lambda: covars[k] * np.eye(d), "diag": lambda: np.diag(covars[k]), "full": lambda: covars[k],
        "tied": lambda: covars,
    }[model.covariance_type]()  # fmt: skip
    return stats.multivariate_normal.logpdf(X, model.means_[k], covariance)


def test_zeros_that_nobody_started_from_prove_nothing():
    """EM leaves a 0 where it is: a model made with zeros passes every other claim of a fit that started without."""
    rng = np.random.default_rng(2)
    turns = [rng.choice(3, 15, p=p) for p in ([0.7, 0.2, 0.1], [0.1, 0.2, 0.7]) * 6]
    X = [np.concatenate(turns[k : k + 4]) for k in (0, 4, 8)]
    fitted = CategoricalHMM(2, random_state=0).fit(X)
    assert certify(fitted, X).holds
    A, B, start = np.array([[0.7, 0.3], [0.4, 0.6]]), fitted.emissionprob_, np.array([0.5, 0.5])
    absorbing, mute = np.array([[1.0, 0.0], [0.4, 0.6]]), np.array([[0.0, 0.7, 0.3], [0.5, 0.3, 0.2]])
    same = np.tile(B.mean(axis=0), (2, 1))
    for where, p in ((absorbing, B), (A, mute), (np.full((2, 2), 0.5), same)):
        made = CategoricalHMM(2, n_iter=3000, startprob_init=start, transmat_init=where, emissionprob_init=p).fit(X)
        forged = copy.deepcopy(fitted)
        for name in ("startprob_", "transmat_", "emissionprob_", "log_likelihood_", "history_", "n_iter_"):
            setattr(forged, name, getattr(made, name))
        assert certify(forged, X).verdict is not Verdict.PROVED, (where, p)


def test_states_that_no_sequence_tells_apart_prove_nothing():
    """Where states emit alike, and go on alike, every division among them has the same likelihood: none is proved."""
    rng = np.random.default_rng(3)
    varied, A = rng.choice(3, (80, 1)), np.array([[0.2, 0.8], [0.9, 0.1]])
    for X, groups in ((np.zeros((30, 1), dtype=int), None), (varied, [0, 0])):
        fitted = CategoricalHMM(2, random_state=0, emission_groups=groups).fit(X)
        forged = copy.deepcopy(fitted)
        forged.transmat_ = A
        assert np.abs(fitted.predict_proba(X) - forged.predict_proba(X)).max() > 0.01
        for model in (fitted, forged):
            assert certify(model, X).verdict is Verdict.NOTHING_ASSERTED
    # States that emit alike and go on otherwise are told apart.
    B = np.array([[0.8, 0.1, 0.1], [0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])
    duration = [[0.0, 1.0, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]]
    chain = CategoricalHMM(3, transmat_init=duration, emissionprob_init=B, emission_groups=[0, 0, 1]).fit(varied)
    assert certify(chain, varied).holds

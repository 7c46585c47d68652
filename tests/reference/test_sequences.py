"""Hidden Markov models against hmmlearn and Markov chains against R; see the scripts beside the values."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cases import each

from learnable.sequences import (
    CategoricalHMM,
    GaussianHMM,
    MarkovChain,
    MultinomialHMM,
    communicating_classes,
    stationary_distributions,
)

HMMLEARN = json.loads((Path(__file__).parent / "hidden_markov_hmmlearn.json").read_text())
R_HMM = json.loads((Path(__file__).parent / "hidden_markov_r.json").read_text())
R = json.loads((Path(__file__).parent / "markov_chain_r.json").read_text())
K, D, V = 3, 2, 4


def _model(kind):
    common = {"n_components": K, "n_iter": HMMLEARN["steps"], "tol": 0.0}
    common |= {"startprob_init": HMMLEARN["start"], "transmat_init": HMMLEARN["A"]}
    if kind == "symbols":
        settings = {"emissionprob_prior": 1.3, "n_features": V}
        return CategoricalHMM(**common, **settings, emissionprob_init=HMMLEARN["B"]), HMMLEARN["symbols"]
    if kind == "counts":
        return MultinomialHMM(**common, n_trials=5, emissionprob_init=HMMLEARN["B"]), HMMLEARN["counts"]
    covars = {
        "spherical": np.ones(K),
        "diag": np.ones((K, D)),
        "full": np.tile(np.eye(D), (K, 1, 1)),
        "tied": np.eye(D),
    }
    model = GaussianHMM(
        **common, covariance_type=kind, covars_prior=1e-2, covars_weight=5, means_weight=0.5, means_prior=0.1,
        transmat_prior=1.5, means_init=HMMLEARN["means"], covars_init=covars[kind],
    )  # fmt: skip
    return model, HMMLEARN["X"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("kind", HMMLEARN["fits"])
def test_the_same_steps_as_hmmlearn(kind):
    model, data = _model(kind)
    data, lengths = np.array(data), HMMLEARN["lengths"]
    model.fit(data, lengths=lengths)
    want = HMMLEARN["fits"][kind]
    for name in ("startprob", "transmat", "means", "covars", "emissionprob"):
        if name in want:
            value, theirs = getattr(model, f"{name}_"), np.array(want[name])
            if kind == "spherical" and name == "covars":
                theirs = theirs[:, 0]
            np.testing.assert_allclose(value, theirs, rtol=1e-8, atol=1e-12, err_msg=name)
    assert model.score(data, lengths=lengths) == pytest.approx(want["score"], rel=1e-10)
    best, path = model.decode(data, lengths)
    assert best == pytest.approx(want["viterbi"], rel=1e-10)
    assert list(path) == want["path"]
    np.testing.assert_allclose(model.predict_proba(data, lengths), want["posterior"], atol=1e-9)
    if kind != "counts":  # hmmlearn counts the parameters of counts as K V, not K (V - 1)
        assert model.aic(data, lengths) == pytest.approx(want["aic"], rel=1e-10)
        assert model.bic(data, lengths) == pytest.approx(want["bic"], rel=1e-10)


SEQUENCES = [[0, 0, 1, 2, 1, 0, 0, 2, 2, 1], [1, 1, 0, 2, 0, 0, 1], [2, 0, 1, 1, 2, 2, 2, 0]]


def test_markov_chain_as_in_r():
    np.testing.assert_allclose(MarkovChain().fit(SEQUENCES).transmat_, R["mle"], rtol=1e-14)
    np.testing.assert_allclose(MarkovChain(smoothing=1.0).fit(SEQUENCES[0]).transmat_, R["laplace"], rtol=1e-14)
    np.testing.assert_allclose(MarkovChain().fit(SEQUENCES).stationary_distributions(), R["steady"], rtol=1e-12)


def test_classes_and_stationary_distributions_as_in_r():
    A = [[0.5, 0.5, 0, 0, 0], [0.25, 0.75, 0, 0, 0], [0.1, 0, 0.2, 0.3, 0.4], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]]
    found = stationary_distributions(A)
    want = np.array(R["class_steady"])
    np.testing.assert_allclose(found[np.argsort(found[:, 0])], want[np.argsort(want[:, 0])], atol=1e-12)
    classes = communicating_classes(A)
    assert [(each.states, each.recurrent, each.period) for each in classes] == [
        ((0, 1), True, 1),
        ((2,), False, 1),
        ((3, 4), True, 2),
    ]


def _casino(**settings):
    return CategoricalHMM(
        n_components=2, n_features=6, startprob_init=[0.6, 0.4], transmat_init=[[0.95, 0.05], [0.1, 0.9]],
        emissionprob_init=[[1 / 6] * 6, [0.1] * 5 + [0.5]], params="te", tol=0.0, **settings,
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each(("what", "prior"), [("five_steps", 1.0), ("with_half_a_count", 1.5)])
def test_the_same_steps_as_hmm_in_r(what, prior):
    throws = np.array(R_HMM["throws"], dtype=int)
    model = _casino(n_iter=5, transmat_prior=prior, emissionprob_prior=prior).fit(throws)
    for name, theirs in R_HMM[what].items():
        np.testing.assert_allclose(getattr(model, f"{name}_"), theirs, rtol=1e-9, err_msg=name)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_likelihood_posterior_and_path_of_hmm_in_r():
    throws = np.array(R_HMM["throws"], dtype=int)
    model = _casino(n_iter=5).fit(throws)
    model.startprob_, model.transmat_ = np.array([0.6, 0.4]), np.array([[0.95, 0.05], [0.1, 0.9]])
    model.emissionprob_ = np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]])
    assert model.score(throws) == pytest.approx(R_HMM["log_likelihood"], rel=1e-12)
    np.testing.assert_allclose(model.predict_proba(throws).T, R_HMM["posterior"], rtol=1e-9)
    assert model.decode(throws)[1].tolist() == R_HMM["path"]

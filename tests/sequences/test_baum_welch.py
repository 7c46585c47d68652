"""Learning: the likelihood never falls, the end is stationary, and the same data in any form give one answer."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.optimize import check_grad
from tests.cases import each
from tests.sequences.models import random_categorical, random_gaussian, random_multinomial, starting_from

from learnable import certify, watch
from learnable.sequences import CategoricalHMM, GaussianHMM, MultinomialHMM
from learnable.solvers.sequences import baum_welch
from learnable.solvers.sequences.sequence_blocks import LocalSequences
from learnable.trace import Status

KINDS = ("spherical", "diag", "full", "tied")


def _run(model, X, lengths, **settings):
    """EM from the model's own values, without the driver."""
    start = starting_from(model, **settings)
    sequences, _ = start._reader().sequences(start, X, lengths, reset=True)
    return baum_welch.iterates(sequences, model._model()._replace(emission=_emission(start, model)), start._rules(3), 1)


def _history(model, X, lengths, n_steps, **settings):
    """Penalised log-likelihood along EM."""
    run = _run(model, X, lengths, **settings)
    for _ in range(n_steps):
        state = next(run)
    return np.append(state.history, state.history[-1] + state.gain)


def _emission(start, model):
    values = {name: getattr(model, f"{name}_") for name in list(model._letters.values())[2:]}
    return start._emission_at(values, model._width())


def test_the_likelihood_never_falls_on_a_thousand_random_models():
    generator = np.random.default_rng(0)
    for trial in range(1000):
        n = int(generator.integers(4, 40))
        lengths = [1, n - 1] if trial % 2 else [n]
        zeros = bool(trial % 3 == 0)
        if trial % 5 < 3:
            model = random_categorical(3, 4, generator, zeros)
            X = generator.integers(4, size=(n, 1)).astype(float)
            settings = {"emissionprob_prior": 1.5, "transmat_prior": 2.0} if trial % 4 == 0 else {}
        elif trial % 5 == 3:
            model = random_multinomial(3, 4, generator, zeros)
            X, settings = generator.integers(5, size=(n, 4)).astype(float), {"startprob_prior": 1.1}
        else:
            model = random_gaussian(3, 2, KINDS[trial // 5 % 4], generator, zeros)
            X = generator.standard_normal((n, 2))
            settings = {"means_weight": 0.5, "means_prior": 0.3, "covars_weight": 4.0} if trial % 2 else {}
        X[generator.random(X.shape) < 0.05] = np.nan
        history = _history(model, X, lengths, 1, **settings)
        assert np.all(np.diff(history) >= -1e-10 * (1.0 + np.abs(history[:-1]))), (trial, np.diff(history))
    # One step by hand: every path of two sequences counts with its probability given what was seen.
    model, total = random_categorical(3, 4, generator), 0.0
    first, pairs, seen = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 4))
    for symbols in ((2,), (0, 1, 1, 3, 0)):
        joint = {}
        for path in product(range(3), repeat=len(symbols)):
            steps = [model.transmat_[i, j] for i, j in pairwise(path)]
            joint[path] = model.startprob_[path[0]] * np.prod([*steps, *model.emissionprob_[path, symbols]])
        total += np.log(sum(joint.values()))
        for path, chance in joint.items():
            share = chance / sum(joint.values())
            first[path[0]] += share
            np.add.at(pairs, (path[:-1], path[1:]), share)
            np.add.at(seen, (path, symbols), share)
    state = next(_run(model, np.array([[2.0], [0], [1], [1], [3], [0]]), [1, 5]))
    assert state.history[0] == pytest.approx(total)
    np.testing.assert_allclose(state.model.start, first / 2.0, rtol=1e-10)
    np.testing.assert_allclose(state.model.transition, pairs / pairs.sum(axis=1, keepdims=True), rtol=1e-10)
    np.testing.assert_allclose(state.model.emission.prob, seen / seen.sum(axis=1, keepdims=True), rtol=1e-10)


@each("kind", KINDS)
def test_the_end_is_stationary_for_the_gradient(kind):
    """Not by EM's own measure: the derivative of the penalised log-likelihood in every mean is zero."""
    generator = np.random.default_rng(1)
    X, _ = random_gaussian(2, 2, kind, generator).sample(300, random_state=1)
    model = GaussianHMM(2, covariance_type=kind, tol=1e-10, n_iter=5000, random_state=0, covars_prior=0.5).fit(X)
    assert model.status_ is Status.STATIONARY

    def score(means):
        model.means_ = means.reshape(2, 2)
        return model.score(X)

    flat = model.means_.ravel().copy()
    slope = np.array([(score(flat + h) - score(flat - h)) / 2e-5 for h in 1e-5 * np.eye(4)])
    model.means_ = flat.reshape(2, 2)
    assert np.abs(slope).max() < 1e-3
    assert check_grad(lambda v: score(v), lambda v: np.zeros(4), flat) < 1e-2


def test_one_step_is_the_textbook_step():
    """A sequence of two steps, two states, by hand: γ and ξ from the four paths."""
    model = random_categorical(2, 2, np.random.default_rng(2))
    start, A, B = model.startprob_, model.transmat_, model.emissionprob_
    O = [0, 1]
    joint = np.array([[start[i] * B[i, 0] * A[i, j] * B[j, 1] for j in range(2)] for i in range(2)])
    xi = joint / joint.sum()
    fitted = _one_step(starting_from(model), O)
    np.testing.assert_allclose(fitted.start, xi.sum(axis=1), rtol=1e-13)
    np.testing.assert_allclose(fitted.transition, xi / xi.sum(axis=1, keepdims=True), rtol=1e-13)
    emitted = np.column_stack([xi.sum(axis=1), xi.sum(axis=0)])
    np.testing.assert_allclose(fitted.emission.prob, emitted / emitted.sum(axis=1, keepdims=True), rtol=1e-13)


def _one_step(model, X, **fit_params):
    return next(iter(watch(model, X, **fit_params))).state.model


def test_all_states_known_is_counting():
    generator = np.random.default_rng(3)
    X, states = random_categorical(3, 4, generator).sample(400, random_state=3)
    model = CategoricalHMM(3, random_state=0).fit(X, states=states)
    counts, emitted = np.zeros((3, 3)), np.zeros((3, 4))
    np.add.at(counts, (states[:-1], states[1:]), 1)
    np.add.at(emitted, (states, X[:, 0]), 1)
    np.testing.assert_allclose(model.transmat_, counts / counts.sum(axis=1, keepdims=True), atol=1e-12)
    np.testing.assert_allclose(model.emissionprob_, emitted / emitted.sum(axis=1, keepdims=True), atol=1e-12)
    assert model.startprob_[states[0]] == 1.0
    assert model.certificate_.holds
    assert certify(model, X, states).holds
    assert not certify(model, X).holds


def test_some_states_known():
    X, states = random_gaussian(2, 1, "diag", np.random.default_rng(4)).sample(200, random_state=4)
    partly = np.where(np.arange(200) % 10 == 0, states, -1)
    model = GaussianHMM(2, random_state=0).fit([X[:120], X[120:]], states=[partly[:120], partly[120:]])
    assert certify(model, X, partly, lengths=[120, 80]).holds
    assert certify(model, [X[:120], X[120:]], states=[partly[:120], partly[120:]]).holds
    # The labels decide which state is which, wherever the run begins.
    for seed in range(4):
        model = GaussianHMM(2, random_state=seed).fit(X, states=partly)
        assert np.mean(model.predict(X) == states) > 0.8


def test_fixed_entries_stay_and_the_others_are_best():
    X, _ = random_categorical(3, 4, np.random.default_rng(5)).sample(300, random_state=5)
    start = random_categorical(3, 4, np.random.default_rng(6))
    A_fixed, B_fixed = np.zeros((3, 3), bool), np.zeros((3, 4), bool)
    A_fixed[0, 1] = B_fixed[2, :2] = True
    model = starting_from(start, transmat_fixed=A_fixed, emissionprob_fixed=B_fixed, tol=1e-8, n_iter=3000).fit(X)
    assert model.transmat_[0, 1] == start.transmat_[0, 1]
    assert np.array_equal(model.emissionprob_[2, :2], start.emissionprob_[2, :2])
    assert model.certificate_.holds
    assert model.n_parameters_ == 2 + (1 + 2 + 2) + (3 + 3 + 1)
    free = starting_from(start, tol=1e-8, n_iter=3000).fit(X)
    assert free.n_parameters_ == 2 + 6 + 9
    assert free.certificate_.holds


def test_zeros_stay_zero_even_under_a_prior():
    X, _ = random_categorical(3, 4, np.random.default_rng(7), zeros=True).sample(300, random_state=5)
    start = random_categorical(3, 4, np.random.default_rng(8), zeros=True)
    model = starting_from(start, transmat_prior=3.0).fit(X)
    assert np.array_equal(model.transmat_ == 0.0, start.transmat_ == 0.0)
    assert model.certificate_.holds


@each("kind", KINDS)
def test_fixed_means(kind):
    X, _ = random_gaussian(2, 2, kind, np.random.default_rng(9)).sample(200, random_state=9)
    fixed = np.array([[True, True], [False, False]])
    model = GaussianHMM(
        2, covariance_type=kind, means_init=[[0.0, 0.5], [1.0, 1.0]], means_fixed=fixed, random_state=0, tol=1e-7
    ).fit(X)
    assert list(model.means_[0]) == [0.0, 0.5]
    assert model.certificate_.holds


def test_params_say_what_is_learned():
    X, _ = random_gaussian(2, 1, "diag", np.random.default_rng(10)).sample(200, random_state=1)
    start = random_gaussian(2, 1, "diag", np.random.default_rng(11))
    for letters in ("s", "tm", "c", "stc"):
        model = starting_from(start, params=letters).fit(X)
        for letter, name in model._letters.items():
            same = np.array_equal(getattr(model, f"{name}_"), getattr(start, f"{name}_"))
            assert same == (letter not in letters), (letters, name)
        assert model.certificate_.holds


def test_values_set_by_hand_are_the_start_as_in_hmmlearn():
    X, _ = random_categorical(2, 3, np.random.default_rng(12)).sample(100, random_state=1)
    by_hand = random_categorical(2, 3, np.random.default_rng(13), init_params="", n_iter=500)
    want = starting_from(by_hand, init_params="ste").fit(X)
    by_hand.fit(X)
    assert np.array_equal(by_hand.transmat_, want.transmat_)


@each("kind", ["symbols", "counts", *KINDS])
def test_states_that_share_their_emission(kind):
    generator = np.random.default_rng(14)
    settings = {"n_components": 3, "emission_groups": [0, 1, 0], "random_state": 0, "tol": 1e-5, "n_iter": 5000}
    if kind == "symbols":
        X, _ = random_categorical(3, 4, generator).sample(120, random_state=1)
        model = CategoricalHMM(**settings, emissionprob_prior=1.2).fit(X)
        shared = [model.emissionprob_]
    elif kind == "counts":
        X, _ = random_multinomial(3, 4, generator).sample(120, random_state=1)
        model = MultinomialHMM(**settings).fit(X)
        shared = [model.emissionprob_]
    else:
        X, _ = random_gaussian(3, 2, kind, generator).sample(120, random_state=1)
        model = GaussianHMM(**settings, covariance_type=kind, means_weight=0.1, covars_weight=5.0).fit(X)
        shared = [model.means_] + ([] if kind == "tied" else [model.covars_])
    for values in shared:
        np.testing.assert_allclose(values[0], values[2], rtol=1e-12)
        assert not np.allclose(values[0], values[1])
    assert model.certificate_.holds


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_ways_of_giving_sequences_agree():
    generator = np.random.default_rng(15)
    model = random_gaussian(3, 2, "full", generator)
    listed = [model.sample(int(n), random_state=generator)[0] for n in generator.integers(1, 900, size=30)]
    table, lengths = np.concatenate(listed), [len(each) for each in listed]
    fit = starting_from(model, n_iter=5, tol=0.0, n_jobs=1)
    one = fit.fit(listed)
    two = starting_from(model, n_iter=5, tol=0.0, n_jobs=1).fit(table, lengths=lengths)
    three = starting_from(model, n_iter=5, tol=0.0, n_jobs=2).fit(listed)
    for other in (two, three):
        for name in ("startprob_", "transmat_", "means_", "covars_", "log_likelihood_"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert np.array_equal(one.predict(listed), one.predict(table, lengths=lengths))
    assert one.score(listed) == pytest.approx(sum(one.score(each) for each in listed), rel=1e-12)


@each("family", ["gaussian", "categorical"])
def test_dask_gives_the_same_answer(family):
    from dask import array, bag

    generator = np.random.default_rng(16)
    model = random_gaussian(2, 2, "diag", generator) if family == "gaussian" else random_categorical(2, 3, generator)
    listed = [model.sample(int(n), random_state=generator)[0] for n in generator.integers(2, 60, size=12)]
    table, lengths = np.concatenate(listed), [len(each) for each in listed]
    fit = starting_from(model, tol=1e-6, n_iter=2000)
    here = fit.fit(listed)
    parts = bag.from_sequence(listed, npartitions=3)
    blocks = array.from_array(table, chunks=(37, table.shape[1]))
    for X, more in ((parts, {}), (blocks, {"lengths": lengths})):
        there = starting_from(model, tol=1e-6, n_iter=2000).fit(X, **more)
        for name in ("startprob_", "transmat_", "log_likelihood_"):
            np.testing.assert_allclose(getattr(here, name), getattr(there, name), rtol=1e-9, atol=1e-12)
        assert there.certificate_.holds
        assert there.decode(X, **more)[0] == pytest.approx(here.decode(listed)[0], rel=1e-8)
        assert there.score(X, **more) == pytest.approx(here.score(listed), rel=1e-10)
    with pytest.raises(TypeError, match="in memory"):
        fit.fit(parts, sequence_weight=np.ones(12))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_weight_of_two_is_the_sequence_twice_and_of_zero_never():
    generator = np.random.default_rng(17)
    model = random_categorical(2, 3, generator)
    a, b, c = (model.sample(50, random_state=generator)[0] for _ in range(3))
    weighted = starting_from(model, n_iter=10, tol=0.0).fit([a, b, c], sequence_weight=[1.0, 2.0, 0.0])
    twice = starting_from(model, n_iter=10, tol=0.0).fit([a, b, b])
    np.testing.assert_allclose(weighted.transmat_, twice.transmat_, rtol=1e-11)
    np.testing.assert_allclose(weighted.emissionprob_, twice.emissionprob_, rtol=1e-11)
    again = certify(weighted, [a, b, c], sequence_weight=[1.0, 2.0, 0.0])
    assert again == weighted.certificate_
    assert [claim.statement for claim in again if not claim.holds] == [
        "one more EM step raises the penalised log-likelihood by"
    ]


def test_restarts_keep_the_best_and_are_all_watched():
    X, _ = random_gaussian(3, 1, "diag", np.random.default_rng(18)).sample(60, random_state=2)
    settings = {"n_components": 3, "random_state": 0, "covars_prior": 0.1}
    best = GaussianHMM(**settings, n_init=4).fit(X)
    steps = list(watch(GaussianHMM(**settings, n_init=4), X))
    assert {step.state.restart for step in steps} == set(range(4))
    assert [step.status for step in steps[:-1]] == [None] * (len(steps) - 1)
    ends = {}
    for step in steps:
        ends[step.state.restart] = max(-step.state.objective, ends.get(step.state.restart, -np.inf))
    assert best.history_[-1] == max(ends.values())
    assert best.history_[-1] >= GaussianHMM(**settings).fit(X).history_[-1]
    assert best.certificate_.holds


def test_running_out_of_steps_is_never_called_converged():
    X, _ = random_gaussian(3, 1, "diag", np.random.default_rng(19)).sample(150, random_state=2)
    with pytest.warns(UserWarning, match="raise n_iter or tol"):
        model = GaussianHMM(3, n_iter=2, random_state=0).fit(X)
    assert model.status_ is Status.BUDGET_SPENT
    assert model.n_iter_ == 2
    failed = [claim.statement for claim in model.certificate_ if not claim.holds]
    assert failed == ["one more EM step raises the penalised log-likelihood by"]


def test_a_state_never_visited_keeps_its_values():
    """No count, no evidence: a row of zeros would be no distribution."""
    start = [1.0, 0.0]
    model = CategoricalHMM(
        2, startprob_init=start, transmat_init=[[1.0, 0.0], [0.3, 0.7]], emissionprob_init=[[0.5, 0.5], [0.2, 0.8]]
    ).fit([0, 1, 1, 0])
    assert list(model.transmat_[1]) == [0.3, 0.7]
    np.testing.assert_allclose(model.emissionprob_[1], [0.2, 0.8])
    assert model.certificate_.holds


def test_an_impossible_start_is_named():
    model = CategoricalHMM(
        2, startprob_init=[1.0, 0.0], transmat_init=np.eye(2), emissionprob_init=[[1.0, 0.0], [0.0, 1.0]]
    )
    with pytest.raises(ValueError, match="sequence 1 has probability 0 at the start"):
        model.fit([[0, 0], [0, 1]])


def test_a_collapsing_state_is_an_error_with_a_remedy():
    X = np.array([[0.0], [0.0], [0.0], [5.0], [6.0], [7.0]])
    with pytest.raises(ValueError, match="covars_prior > 0"):
        GaussianHMM(2, covars_prior=0.0, random_state=0).fit(X)


def test_far_from_the_origin_no_digits_are_lost():
    X, _ = random_gaussian(2, 2, "full", np.random.default_rng(20)).sample(300, random_state=3)
    here = GaussianHMM(2, covariance_type="full", random_state=0, tol=1e-8, n_iter=5000).fit(X)
    far = GaussianHMM(2, covariance_type="full", random_state=0, tol=1e-8, n_iter=5000).fit(X + 1e6)
    np.testing.assert_allclose(np.sort(far.means_[:, 0] - 1e6), np.sort(here.means_[:, 0]), atol=1e-4)
    assert far.score(X + 1e6) == pytest.approx(here.score(X), rel=1e-6)


def test_threads_have_the_same_bits():
    sequences = LocalSequences(np.random.default_rng(21).standard_normal((30_000, 2)), np.full(300, 100))
    one, two, three = (sequences.total(lambda block: block.rows.T @ block.rows, n_jobs) for n_jobs in (1, 2, 3))
    assert np.array_equal(one, two)
    assert np.array_equal(one, three)

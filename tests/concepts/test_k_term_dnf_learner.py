"""The exact learner of k-term DNF: brute force on small cases, proofs accepted and tampered proofs rejected."""

import builtins
from itertools import combinations_with_replacement, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable import certify, watch
from learnable.certificates import Verdict
from learnable.certificates.concepts.boolean_formulas import term_dnf_clauses
from learnable.certificates.concepts.rup import check_proof
from learnable.concepts import DNF, KTermDNFLearner, Monomial, MonomialLearner, colouring_examples, truth_table
from learnable.concepts.sat import satisfiable
from learnable.concepts.term_dnf_search import clauses_for
from learnable.trace import Status

BITS = (False, True)
few = settings(max_examples=40, deadline=None)


@st.composite
def samples(draw, n=4, most=14):
    rows = draw(st.lists(st.tuples(*[st.integers(0, 1)] * n), min_size=2, max_size=most))
    labels = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    return np.array(rows), np.array(labels)


def fit(X, y, k, **parameters):
    return KTermDNFLearner(k, domains=[(0, 1)] * X.shape[1], classes=BITS, **parameters).fit(X, y)


def parity(n):
    table = truth_table(n).astype(int)
    return table, table.sum(axis=1) % 2 == 1


TERMS = [
    Monomial([i + 3 * (1 - value) for i, value in enumerate(values) if value is not None], 3)
    for values in product((None, 0, 1), repeat=3)
]
FUNCTIONS = {
    k: {
        tuple(np.any([term.covers(truth_table(3)) for term in terms], axis=0).tolist())
        for terms in combinations_with_replacement(TERMS, k)
    }
    | {(False,) * 8}
    for k in (1, 2, 3)
}


@few
@given(samples(n=3, most=9), st.integers(1, 3))
def test_the_answer_agrees_with_trying_every_formula(sample, k):
    X, y = sample
    place = X @ [4, 2, 1]
    exists = any(all(function[i] == label for i, label in zip(place, y)) for function in FUNCTIONS[k])
    model = fit(X, y, k)
    assert model.consistent_ == exists
    # That there is none is an answer too, and it is proved: nothing is refuted. The formula kept is no optimum.
    assert model.status_ is (Status.OPTIMAL if exists else Status.INACCURATE)
    assert model.certificate_.verdict is (Verdict.PROVED if exists else Verdict.NOTHING_ASSERTED)
    assert bool(len(model.refutation_)) == bool(model.witness_) == (not exists)
    assert model.certificate_.holds == exists
    assert model.certificate_.claims[-1].holds, "the proof, or the formula, is accepted"


@few
@given(samples(n=5, most=30), st.integers(1, 3))
def test_formula_or_refutation(sample, k):
    X, y = sample
    model = fit(X, y, k)
    assert len(model.hypothesis_) <= k
    assert not np.any(model.predict(X) & ~y), "even a hypothesis that is refuted covers no negative example"
    if model.consistent_:
        assert np.array_equal(model.predict(X), y)
    else:
        rows = list(model.witness_)
        assert not fit(X[rows], y[rows], k).consistent_


@few
@given(samples())
def test_one_term_is_the_monomial(sample):
    X, y = sample
    term = MonomialLearner(domains=[(0, 1)] * 4, classes=BITS).fit(X, y)
    model = fit(X, y, 1)
    assert model.consistent_ == term.consistent_
    if model.consistent_ and y.any():
        assert next(iter(model.hypothesis_)) == term.hypothesis_


@few
@given(samples(n=3, most=8), st.integers(1, 3))
def test_the_learner_and_the_checker_pose_the_same_clauses(sample, k):
    X, y = sample
    truth = np.hstack([X == 1, X == 0])
    ours, checker = clauses_for(truth, y, k), list(term_dnf_clauses(truth, y, k))
    assert sorted(map(sorted, ours)) == sorted(map(sorted, checker))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(st.sampled_from([-4, -3, -2, -1, 1, 2, 3, 4]), min_size=1, max_size=3), max_size=14))
def test_the_proof_checker_never_accepts_what_is_not_so(clauses):
    """Random clauses: the empty clause is derived by propagation or splitting only if no assignment fits."""
    possible = any(
        all(any((literal > 0) == values[abs(literal) - 1] for literal in clause) for clause in clauses)
        for values in product(BITS, repeat=4)
    )
    splits = [[s * v for s, v in zip(signs, (1, 2, 3, 4))] for signs in product((1, -1), repeat=4)]
    proof = [clause[:length] for length in (4, 3, 2, 1) for clause in splits] + [[]]
    assert check_proof(clauses, proof).refutes == (not possible)
    assert (satisfiable(clauses) is None) == (not possible)


def test_parity_needs_a_term_for_every_odd_row():
    X, y = parity(4)
    model = fit(X, y, 8)
    assert model.consistent_
    assert len(model.hypothesis_) == 8
    refuted = fit(X, y, 5)
    assert not refuted.consistent_
    assert refuted.certificate_.claims[-1].holds


@each("change", ["truncate", "drop a step", "other rows", "other k", "flip"])
def test_a_tampered_proof_is_rejected(change):
    X, y, _ = colouring_examples(nx.chvatal_graph())
    model = fit(X, y, 3)
    assert len(model.refutation_) > 10
    if change == "truncate":
        model.refutation_ = model.refutation_[:-1]
        model.refutation_ = model.refutation_[: np.flatnonzero(model.refutation_ == 0)[0] + 1]
    elif change == "drop a step":
        ends = np.flatnonzero(model.refutation_ == 0)
        model.refutation_ = np.append(model.refutation_[ends[-2] + 1 :], 0)
    elif change == "other rows":
        model.witness_ = model.witness_[: len(model.witness_) // 2]
    elif change == "other k":
        model.k = 4
    else:
        model.refutation_ = np.concatenate([[1, 0, -1, 0], model.refutation_])
    assert not certify(model, X, y).claims[-1].holds


def test_a_term_that_could_be_longer_is_noticed():
    X, y = np.array([[1, 1, 0], [0, 0, 1]]), np.array([True, False])
    model = fit(X, y, 1)
    assert model.certificate_.holds
    assert model.formula_ == "x0 ∧ x1 ∧ ¬x2"
    model.hypothesis_ = DNF([[0, 1]], 3)
    assert np.array_equal(model.predict(X), y)
    assert not certify(model, X, y).holds


def test_a_budget_that_runs_out_is_said():
    X, y, _ = colouring_examples(nx.mycielski_graph(6))
    with pytest.warns(ConvergenceWarning, match="max_conflicts"):
        model = fit(X, y, 5, max_conflicts=300)
    assert model.status_ is Status.BUDGET_SPENT
    assert not model.consistent_
    assert model.witness_ == ()
    assert not model.certificate_.holds


def test_contradictory_examples_are_named():
    X = np.array([[0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 0, 0]])
    model = fit(X, np.array([True, True, False, False]), 3)
    assert model.witness_ == (1, 3)
    assert model.certificate_.claims[-1].holds


def test_watch_shows_terms_then_conflicts():
    X, y = parity(5)
    states = [step.state for step in watch(KTermDNFLearner(6), X, y)]
    assert [len(state.terms) for state in states[:7]] == list(range(7))
    assert states[-1].decided
    assert states[-1].conflicts >= states[-2].conflicts


def test_a_hidden_formula_of_three_terms_is_found():
    target = DNF([[0, 1, 14], [2, 15, 4], [5, 6, 19]], n_variables=12)
    X = np.random.default_rng(0).integers(0, 2, (400, 12))
    model = fit(X, target.covers(X), 3)
    assert model.certificate_.holds
    fresh = np.random.default_rng(1).integers(0, 2, (1000, 12))
    assert np.mean(model.predict(fresh) == target.covers(fresh)) > 0.97


def test_without_the_solver_the_error_names_the_extra(monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **keywords):
        if name.startswith("pysat"):
            raise ImportError(name)
        return real(name, *arguments, **keywords)

    X, y = parity(3)
    monkeypatch.setattr(builtins, "__import__", without)
    assert fit(X, y, 4).consistent_, "greedy terms need no solver"
    with pytest.raises(ImportError, match=r"learnable\[sat\]"):
        fit(X, y, 3)

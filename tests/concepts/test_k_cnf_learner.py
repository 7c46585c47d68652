"""Elimination learners of k-CNF and k-DNF against brute force, their duality, PAC experiments, speed."""

from itertools import combinations, pairwise, product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable import certify, watch
from learnable.certificates.concepts.boolean_formulas import count_unrefuted
from learnable.checks import well_posed
from learnable.concepts import (
    CNF,
    DNF,
    KCNFLearner,
    KDNFLearner,
    KTermDNFLearner,
    MonomialLearner,
    all_clauses,
    count_clauses,
    k_cnf_consistent,
    truth_table,
)
from learnable.theory import ExampleOracle, pac_experiment

BITS = (False, True)
few = settings(max_examples=40, deadline=None)


@st.composite
def samples(draw, n=4):
    rows = draw(st.lists(st.tuples(*[st.integers(0, 1)] * n), min_size=2, max_size=14))
    labels = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    return np.array(rows), np.array(labels)


def fit(kind, X, y, k=2, **parameters):
    return kind(k, domains=[(0, 1)] * X.shape[1], classes=BITS, **parameters).fit(X, y)


@few
@given(samples(), st.integers(1, 3))
def test_the_clauses_left_are_those_true_at_every_positive(sample, k):
    X, y = sample
    truth = np.hstack([X == 1, X == 0])
    kept = [part for part in all_clauses(4, k) if truth[y][:, part[part >= 0]].any(axis=1).all()]
    model = fit(KCNFLearner, X, y, k)
    assert model.hypothesis_ == CNF([part[part >= 0] for part in kept], 4)
    assert model.certificate_.holds == model.consistent_
    assert model.consistent_ == bool(np.array_equal(model.predict(X), y))
    assert count_unrefuted(truth[y], k) == len(kept)


def test_clauses_that_few_of_many_examples_rule_out_are_not_counted():
    """Eight of 3,000 rows alone have values of their own: the certificate finds them behind thousands of like rows."""
    X = np.random.default_rng(0).integers(0, 2, (3000, 4))
    X[:, 3] = X[:, 0] & X[:, 1]
    X[-8:] = [[a, b, c, 1 - (a & b)] for a, b, c in product((0, 1), repeat=3)]
    for rows in (X, X[:-4], X[:-8]):
        truth = np.hstack([rows == 1, rows == 0])
        for k in (1, 2, 3):
            kept = [part for part in all_clauses(4, k) if truth[:, part[part >= 0]].any(axis=1).all()]
            assert count_unrefuted(truth, k) == len(kept)
            model = fit(KCNFLearner, rows, np.ones(len(rows), dtype=bool), k)
            assert model.certificate_.holds
            assert len(model.hypothesis_.parts) == len(kept)


@few
@given(samples(), st.integers(1, 3))
def test_k_dnf_is_the_dual(sample, k):
    X, y = sample
    dnf, cnf = fit(KDNFLearner, X, y, k), fit(KCNFLearner, X, ~y, k)
    assert dnf.hypothesis_ == cnf.hypothesis_.negated()
    assert (dnf.consistent_, dnf.witness_) == (cnf.consistent_, cnf.witness_)
    assert dnf.certificate_.holds == dnf.consistent_


def test_inconsistent_means_that_no_k_cnf_fits():
    """All 2-CNFs over 3 variables are tried on every labelling of six rows."""
    table = truth_table(3)
    clauses = [CNF([part[part >= 0]], 3).covers(table) for part in all_clauses(3, 2)]
    reachable = {tuple([True] * 8)}
    for clause in clauses:
        reachable |= {tuple(np.array(one) & clause) for one in reachable}
    X = table[1:7].astype(int)
    fits = {function[1:7] for function in reachable}
    for labels in product(BITS, repeat=6):
        model = fit(KCNFLearner, X, np.array(labels))
        assert model.consistent_ == (labels in fits)


@few
@given(samples(), st.integers(1, 2), st.sampled_from([KCNFLearner, KDNFLearner]))
def test_the_witness_rows_alone_cannot_be_fitted(sample, k, kind):
    X, y = sample
    model = fit(kind, X, y, k)
    rows = list(model.witness_)
    assert bool(rows) == (not model.consistent_)
    if rows:
        assert not fit(kind, X[rows], y[rows], k).consistent_
        same = [(i, j) for i, j in combinations(range(len(X)), 2) if (X[i] == X[j]).all() and y[i] != y[j]]
        if any(rows[0] in pair for pair in same):
            assert len(rows) == 2
            assert (X[rows[0]] == X[rows[1]]).all()


@few
@given(samples())
def test_1_cnf_is_a_monomial(sample):
    X, y = sample
    term = MonomialLearner(domains=[(0, 1)] * 4, classes=BITS).fit(X, y)
    assert np.array_equal(fit(KCNFLearner, X, y, k=1).hypothesis_.parts.ravel(), term.hypothesis_.literals)


@few
@given(samples(), st.randoms())
def test_the_order_of_examples_does_not_matter(sample, random):
    X, y = sample
    order = list(range(len(y)))
    random.shuffle(order)
    assert fit(KCNFLearner, X, y).hypothesis_ == fit(KCNFLearner, X[order], y[order]).hypothesis_


@pytest.mark.parametrize("block", [3, 128])
def test_watching_shows_which_example_deletes_which_clauses(block, monkeypatch):
    monkeypatch.setattr("learnable.concepts.clause_elimination.FIRST_BLOCK", block)
    X, y = well_posed(KCNFLearner(), 3)
    steps = list(watch(KCNFLearner(), X, y))
    clauses = all_clauses(7, 2)
    assert steps[0].state.objective == len(clauses)
    assert steps[-1].state.objective == len(KCNFLearner().fit(X, y).hypothesis_)
    for before, after in pairwise(steps):
        row, gone = after.state.example, after.state.deleted
        assert y[row] == "yes"
        assert len(gone) > 0
        assert not np.any([CNF([part[part >= 0]], 7).covers(X[row]) for part in clauses[gone]])
        assert before.state.objective - after.state.objective == len(gone)
    rows = [step.state.example for step in steps]
    assert rows == sorted(set(rows)), "in the order of the examples"


def test_a_three_term_dnf_is_learnt_by_3_cnf():
    """Improper learning: the answer is no 3-term DNF, but is right on every row once all rows were seen."""
    target = DNF([[0, 1, 8], [2, 3, 4], [5, 9, 11]], n_variables=6)
    X = truth_table(6).astype(int)
    model = fit(KCNFLearner, X, target.covers(X), k=3)
    assert model.consistent_
    assert np.array_equal(model.predict(X), target.covers(X))
    assert set(map(tuple, target.to_cnf().parts)) <= set(map(tuple, model.hypothesis_.parts))


def risk_of(target, table):
    return lambda model: float(np.mean(model.predict(table) != target.covers(table)))


@each("kind", [KCNFLearner, KDNFLearner])
def test_pac_promise_of_k_cnf(kind):
    n, k, epsilon, delta = 5, 2, 0.1, 0.1
    target = CNF([[0, 1], [2, 8], [4]], n) if kind is KCNFLearner else DNF([[0, 1], [2, 8], [9, 3]], n)
    table = truth_table(n).astype(int)
    learner = kind(k, domains=[(0, 1)] * n, classes=BITS)
    m = learner.sample_size(epsilon, delta)
    assert m == k_cnf_consistent.solve_for("m", epsilon=epsilon, delta=delta, n=n, k=k).value
    oracle = ExampleOracle(lambda size, random: table[random.integers(2**n, size=size)], target.covers)
    result = pac_experiment(
        oracle, lambda X, y: kind(k, domains=[(0, 1)] * n, classes=BITS).fit(X, y), risk_of(target, table),
        m=m, epsilon=epsilon, repeats=50,
    )  # fmt: skip
    assert result.supports(delta), result
    few = pac_experiment(
        oracle, lambda X, y: kind(k, domains=[(0, 1)] * n, classes=BITS).fit(X, y), risk_of(target, table),
        m=4, epsilon=epsilon, repeats=40,
    )  # fmt: skip
    assert not few.supports(delta), few


def test_pac_promise_of_improper_learning():
    """3-term DNF by 3-CNF: the larger class asks for more examples than the proper one, and they are enough."""
    n, epsilon, delta = 5, 0.1, 0.1
    target = DNF([[0, 1], [2, 8], [9, 5]], n)
    table = truth_table(n).astype(int)
    parameters = {"domains": [(0, 1)] * n, "classes": BITS}
    proper, improper = KTermDNFLearner(3, **parameters), KCNFLearner(3, **parameters)
    m = improper.sample_size(epsilon, delta)
    assert proper.sample_size(epsilon, delta) < m
    oracle = ExampleOracle(lambda size, random: table[random.integers(2**n, size=size)], target.covers)
    result = pac_experiment(
        oracle, lambda X, y: KCNFLearner(3, **parameters).fit(X, y), risk_of(target, table),
        m=m, epsilon=epsilon, repeats=100,
    )  # fmt: skip
    assert result.supports(delta), result


def test_fifty_variables_and_clauses_of_three():
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (4000, 50))
    target = CNF([[0, 1, 52], [3, 4], [55, 6, 7]], 50)
    model = KCNFLearner(3).fit(X, target.covers(X))
    assert model.certificate_.holds
    assert count_clauses(50, 3) == 161_800
    assert set(map(tuple, target.parts)) <= set(map(tuple, model.hypothesis_.parts))


def test_sample_size_of_fifty_variables():
    m = KCNFLearner(3, domains=[(0, 1)] * 50).sample_size(0.1, 0.05)
    assert m == int(np.ceil((161_800 * np.log(2) + np.log(20)) / 0.1))


@each("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_of_words(frame):
    table = frame(
        {
            "sky": ["sunny", "rainy", "cloudy", "sunny", "rainy", "cloudy"],
            "wind": ["weak", "weak", "strong", "strong", "strong", "weak"],
        }
    )
    model = KDNFLearner(2).fit(table, ["go", "stay", "stay", "go", "stay", "go"])
    # "stay" is the second label, so the concept is staying at home.
    assert model.formula_ == (
        "(sky=cloudy ∧ wind=strong) ∨ sky=rainy ∨ (sky≠cloudy ∧ sky≠sunny) ∨ (sky≠sunny ∧ wind=strong)"
    )
    assert model.consistent_
    assert certify(model, table, ["go", "stay", "stay", "go", "stay", "go"]).holds
    assert model.predict(table).tolist() == ["go", "stay", "stay", "go", "stay", "go"]
    with pytest.raises(ValueError, match="'foggy'"):
        model.predict(frame({"sky": ["foggy"], "wind": ["weak"]}))


def test_only_positive_or_only_negative_examples():
    X = np.array([[0, 1], [1, 1]])
    everything = fit(KCNFLearner, X, np.array([True, True]))
    assert everything.consistent_
    assert everything.formula_ == "x1"
    nothing = fit(KCNFLearner, X, np.array([False, False]))
    assert nothing.consistent_
    assert len(nothing.hypothesis_) == count_clauses(2, 2)
    with pytest.raises(ValueError, match="only one class"):
        KCNFLearner().fit(X, [True, True])


def test_bad_parameters_and_data():
    X, y = np.array([[0, 1], [1, 1]]), [0, 1]
    with pytest.raises(ValueError, match="'k' parameter of KCNFLearner"):
        KCNFLearner(0).fit(X, y)
    with pytest.raises(MemoryError, match="lower k"):
        KCNFLearner(9).fit(np.eye(100, dtype=int), np.arange(100) < 50)
    with pytest.raises(ValueError, match="fit first"):
        KCNFLearner().sample_size(0.1, 0.1)


@few
@given(samples(), st.integers(0, 10**6))
def test_no_other_formula_has_the_certificate(sample, seed):
    """Any set of clauses but the right one is rejected."""
    X, y = sample
    model = fit(KCNFLearner, X, y)
    clauses = all_clauses(4, 2)
    other = CNF(clauses[np.random.default_rng(seed).random(len(clauses)) < 0.5], 4)
    if other != model.hypothesis_:
        model.hypothesis_ = other
        assert not certify(model, X, y).holds


def test_a_clause_written_twice_does_not_stand_for_another():
    X, y = well_posed(KCNFLearner(), 0)
    model = KCNFLearner().fit(X, y)
    model.hypothesis_.parts[-1] = model.hypothesis_.parts[-2]
    assert not certify(model, X, y).holds

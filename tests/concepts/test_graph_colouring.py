"""3-colouring as 3-term DNF learning, both ways, on real graphs; the decider made from a PAC learner."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.concepts import (
    KTermDNFLearner,
    colour_graph,
    colouring_examples,
    colouring_of_formula,
    decide_consistency,
    formula_of_colouring,
)

COLOURABLE = {
    "petersen": nx.petersen_graph(),
    "odd ring": nx.cycle_graph(7),
    "southern women": nx.davis_southern_women_graph(),
    "florentine families": nx.florentine_families_graph(),
    "dodecahedron": nx.dodecahedral_graph(),
}
NOT_COLOURABLE = {
    "K4": nx.complete_graph(4),
    "groetzsch": nx.mycielski_graph(4),
    "chvatal": nx.chvatal_graph(),
    "karate club": nx.karate_club_graph(),
    "les miserables": nx.les_miserables_graph(),
}


def valid(colours, graph):
    return all(colours[one] != colours[other] for one, other in graph.edges)


def brute_force(graph, k):
    return any(valid(dict(zip(graph.nodes, c)), graph) for c in product(range(k), repeat=len(graph)))


@each("name", COLOURABLE)
def test_a_learnt_formula_is_a_colouring_and_back(name):
    graph = COLOURABLE[name]
    answer = colour_graph(graph)
    assert answer.model.certificate_.holds
    assert valid(answer.colours, graph)
    assert set(answer.colours.values()) <= {0, 1, 2}
    # Any colouring is a formula that fits, and leads back to a colouring.
    X, y, nodes = colouring_examples(graph)
    formula = formula_of_colouring(answer.colours)
    assert np.array_equal(formula.covers(X), y)
    assert valid(colouring_of_formula(formula, nodes), graph)


@each("name", NOT_COLOURABLE)
def test_a_graph_without_colouring_is_refuted_with_a_proof(name):
    graph = NOT_COLOURABLE[name]
    answer = colour_graph(graph)
    assert answer.colours is None
    claim = answer.model.certificate_.claims[-1]
    assert claim.id == "V10"
    assert claim.holds
    assert "no DNF of 3 terms" in claim.statement
    if len(answer.clash) <= 5:
        assert not brute_force(graph.subgraph(answer.clash), 3)


def test_the_clash_in_the_karate_club_is_four_friends():
    clash = colour_graph(nx.karate_club_graph()).clash
    assert nx.karate_club_graph().subgraph(clash).number_of_edges() == 6
    assert len(clash) == 4


def test_groetzsch_has_a_colouring_in_four():
    graph = nx.mycielski_graph(4)
    assert valid(colour_graph(graph, k=4).colours, graph)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 3))
def test_colourable_exactly_when_a_formula_is_consistent(seed, k):
    graph = nx.gnp_random_graph(6, 0.6, seed=seed)
    answer = colour_graph(graph, k)
    assert (answer.colours is not None) == brute_force(graph, k)
    if answer.colours is not None:
        assert valid(answer.colours, graph)
        assert set(answer.colours) == set(graph.nodes)
        # The colour of a node is the first term that its row satisfies, among the k that there are.
        assert set(answer.colours.values()) <= set(range(k))


def test_terms_leave_out_their_own_colour():
    """T_c has the nodes whose colour is not c; with "= c" the formula would not fit."""
    graph = nx.cycle_graph(3)
    X, y, _ = colouring_examples(graph)
    formula = formula_of_colouring({0: 0, 1: 1, 2: 2})
    assert np.array_equal(formula.covers(X), y)
    assert str(formula) == "(x0 ∧ x1) ∨ (x0 ∧ x2) ∨ (x1 ∧ x2)"


def test_a_loop_cannot_be_coloured():
    graph = nx.Graph([(0, 0)])
    assert colour_graph(graph).colours is None


def test_bad_input():
    with pytest.raises(ValueError, match="no nodes"):
        colour_graph(nx.Graph())
    with pytest.raises(ValueError, match="colour 3"):
        formula_of_colouring({"a": 3})
    with pytest.raises(ValueError, match="'b'"):
        colouring_of_formula(formula_of_colouring({0: 0, 1: 1}, k=2).__class__([[1]], 2), ("a", "b"))


# --- the decider made from a PAC learner ---


def learner(n, k=3):
    return KTermDNFLearner(k, domains=[(0, 1)] * n, classes=(False, True))


@each("name", ["petersen", "odd ring"])
def test_the_decider_says_yes_with_a_formula(name):
    X, y, nodes = colouring_examples(COLOURABLE[name])
    decision = decide_consistency(learner(len(nodes)), X, y, delta=0.01, random_state=0)
    assert decision.consistent
    assert decision.error == 0.0
    assert np.array_equal(decision.model.predict(X), y)
    assert decision.sample_size == learner(len(nodes)).sample_size(1 / (len(y) + 1), 0.5)


@each("name", ["K4", "groetzsch"])
def test_the_decider_never_says_yes_wrongly(name):
    X, y, nodes = colouring_examples(NOT_COLOURABLE[name])
    for seed in range(3):
        decision = decide_consistency(learner(len(nodes)), X, y, delta=0.05, random_state=seed)
        assert not decision.consistent
        assert decision.runs == 5
        assert decision.error == 2**-5


class Forgetful(KTermDNFLearner):
    """A PAC learner at its worst: in about half of its runs it makes one mistake on purpose."""

    def sample_size(self, epsilon, delta):
        return 200

    def predict(self, X):
        labels = super().predict(X)
        return labels if self.coin_ else np.concatenate([~labels[:1], labels[1:]])

    def fit(self, X, y):
        super().fit(X, y)
        self.coin_ = int(X.sum()) % 2 == 0
        return self


def test_repetition_brings_the_error_down():
    X, y, nodes = colouring_examples(nx.cycle_graph(5))
    forgetful = Forgetful(3, domains=[(0, 1)] * len(nodes), classes=(False, True))
    once = [decide_consistency(forgetful, X, y, delta=0.5, random_state=seed) for seed in range(20)]
    often = [decide_consistency(forgetful, X, y, delta=1e-4, random_state=seed) for seed in range(20)]
    assert 2 <= sum(decision.consistent for decision in once) <= 18
    assert all(decision.consistent for decision in often)


@each("delta", [0.0, 1.0])
def test_delta_of_the_decider(delta):
    with pytest.raises(ValueError, match="delta"):
        decide_consistency(learner(2), [[0, 1]], [True], delta=delta)

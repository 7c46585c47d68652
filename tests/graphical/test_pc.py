"""The PC algorithm: the true class from a perfect test, evidence, orders, background knowledge. Syllabus: G13–G16."""

import copy
import os
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.graphical.graphs import moral_oracle, random_arrows

from learnable import certify, config_context, watch
from learnable.certificates import Verdict
from learnable.graphical import (
    DAG,
    PC,
    BackgroundKnowledge,
    CyclicGraphError,
    DSeparation,
    bootstrap_edges,
    from_causal_learn,
    linear_covariance,
    partial_correlation,
)
from learnable.solvers.graphical import orientation, skeleton


def linear_rows(arrows, n, generator):
    """Rows of a linear Gaussian model on a graph."""
    p = len(arrows)
    weights = np.where(arrows, generator.uniform(0.4, 1.0, (p, p)) * generator.choice([-1.0, 1.0], (p, p)), 0.0)
    sigma = linear_covariance(DAG.from_arrows(arrows), weights)
    return generator.multivariate_normal(np.zeros(p), sigma, size=n, method="cholesky")


def test_with_the_truth_as_its_test_pc_returns_the_true_class():
    generator = np.random.default_rng(0)
    for trial in range(3000 if os.environ.get("LEARNABLE_EXPLORE") else 240):
        p = int(generator.integers(2, 9))
        arrows = random_arrows(generator, p, float(generator.uniform(0.5, 4.0)))
        graph = DAG.from_arrows(arrows)

        separated = moral_oracle(arrows)

        def judge(i, j, S, separated=separated):
            return (0.0, 1.0) if separated(i, j, S) else (1.0, 0.0)

        *_, state = skeleton.iterates(skeleton.OneByOne(judge, 0.5), ~np.eye(p, dtype=bool), stable=bool(trial % 2))
        model = PC(test=DSeparation(graph))
        model.n_features_in_ = p
        found = model._attributes(state)
        truth = graph.cpdag()
        assert np.array_equal(found["graph_"].arrows, truth.arrows)
        assert np.array_equal(found["graph_"].lines, truth.lines)
        assert not found["conflicts_"]
        if trial % 20 == 0:
            # The oracle itself says what separation in the moral graph says, with certainty.
            oracle = DSeparation(graph)
            for i, j in combinations(range(p), 2):
                for S in combinations(set(range(p)) - {i, j}, min(p - 2, 2)):
                    assert oracle(np.zeros((3, p)), i, j, S) == judge(i, j, S)
            model = PC(test=oracle, alpha=0.5).fit(np.zeros((3, p)))
            assert model.graph_ == truth
            assert certify(model, np.zeros((3, p))).holds


def test_the_skeleton_is_that_of_tests_made_one_by_one():
    generator = np.random.default_rng(1)
    for trial in range(12):
        p, n = 8, 120
        X = linear_rows(random_arrows(generator, p, 3.0), n, generator)

        def one_by_one(X, i, j, S, n=n):
            found = partial_correlation(np.cov(X.T), i, j, S, n=n)
            return found.statistic, found.p_value

        fast = PC(alpha=0.05, stable=bool(trial % 2)).fit(X)
        slow = PC(alpha=0.05, stable=bool(trial % 2), test=one_by_one).fit(X)
        assert fast.graph_ == slow.graph_
        assert np.array_equal(fast.evidence_.sets, slow.evidence_.sets)
        assert np.allclose(fast.evidence_.statistic, slow.evidence_.statistic, rtol=1e-8)
        assert np.array_equal(fast.n_tests_, slow.n_tests_)
        assert fast.certificate_.holds, fast.certificate_
        assert certify(slow, X).holds


def test_the_stable_skeleton_does_not_depend_on_the_order_of_the_columns():
    generator = np.random.default_rng(2)
    moved = 0
    for _ in range(10):
        X = linear_rows(random_arrows(generator, 9, 4.0), 60, generator)
        order = generator.permutation(9)
        for stable in (True, False):
            one = PC(alpha=0.1, stable=stable).fit(X).graph_.adjacency[np.ix_(order, order)]
            two = PC(alpha=0.1, stable=stable).fit(X[:, order]).graph_.adjacency
            if stable:
                assert np.array_equal(one, two)
            else:
                moved += not np.array_equal(one, two)
    assert moved > 0


def test_tests_are_counted_at_each_size():
    """Every set is tried once: those of one end, then those of the other that are new, until one separates."""
    generator = np.random.default_rng(3)
    for _ in range(20):
        arrows = random_arrows(generator, 7, 3.0)
        separated = moral_oracle(arrows)
        with config_context(certificates=False):
            model = PC(test=DSeparation(DAG.from_arrows(arrows))).fit(np.zeros((2, 7)))
        adjacent, counts = ~np.eye(7, dtype=bool), []
        for size in range(len(model.n_tests_)):
            before, total = adjacent.copy(), 0
            for i, j in combinations(range(7), 2):
                if not before[i, j]:
                    continue
                sides = [
                    list(combinations([k for k in range(7) if before[a, k] and k != b], size))
                    for a, b in ((i, j), (j, i))
                ]
                for S in dict.fromkeys(sides[0] + sides[1]):
                    total += 1
                    if separated(i, j, S):
                        adjacent[i, j] = adjacent[j, i] = False
                        break
            counts.append(total)
        assert model.n_tests_.tolist() == counts
        assert counts[0] == comb(7, 2)
        degree = max(model.graph_.adjacency.sum(axis=0))
        assert len(counts) <= 1 + max(degree, 7 - 1)


def test_small_p_values_count_by_their_digits():
    X = linear_rows(np.eye(4, k=1, dtype=bool), 400, np.random.default_rng(3))
    model = PC(0.01).fit(X)
    assert certify(model, X).holds
    least = int(np.nanargmin(model.evidence_.p_value))
    assert 0.0 < model.evidence_.p_value[least] < 1e-9
    for factor in (1.01, 1e6, 0.0, -1.0, np.nan):
        forged = copy.deepcopy(model)
        forged.evidence_.p_value[least] *= factor
        assert certify(forged, X).verdict is Verdict.REFUTED, factor
    # Columns that determine each other have a p-value of rounding alone, which proves nothing against the fit.
    twins = np.column_stack([X[:8], X[:8, 0] * (1.0 + 1e-9)])
    assert certify(PC(0.01, max_level=0).fit(twins), twins).verdict is not Verdict.REFUTED


def test_evidence_names_the_set_and_the_nearest_miss():
    generator = np.random.default_rng(4)
    chain = DAG([("a", "b"), ("b", "c")])
    X = pd.DataFrame(linear_rows(chain.arrows, 800, generator), columns=["a", "b", "c"])
    model = PC().fit(X)
    apart, joined = model.evidence("c", "a"), model.evidence("a", "b")
    assert (apart.x, apart.y, apart.kept, apart.given) == ("a", "c", False, ("b",))
    assert apart.p_value == pytest.approx(partial_correlation(np.cov(X.T), 0, 2, [1], n=800).p_value)
    assert joined.kept
    nearest = max(partial_correlation(np.cov(X.T), 0, 1, S, n=800).p_value for S in ([], [2]))
    assert joined.p_value == pytest.approx(nearest)
    assert [step.state.level for step in watch(PC(), X)] == [0, 1]


def test_what_cannot_be_tested_is_marked_and_kept():
    generator = np.random.default_rng(5)
    x = generator.standard_normal((30, 1))
    X = x + 0.6 * generator.standard_normal((30, 5))
    few = PC(alpha=0.9999).fit(X[:6])  # n = 6: sets of three and more have no degrees of freedom
    assert few.n_tests_[3:].sum() == 0
    assert few.n_untestable_[3] > 0
    assert certify(few, X[:6]).holds
    assert PC().fit(X[:3]).graph_.adjacency.sum() == 20
    assert len(PC().fit(X[:3]).untestable_pairs_) == 10
    assert PC().fit(X[:3]).certificate_.holds
    twice = np.column_stack([X, X[:, 0]])
    model = PC().fit(twice)  # given the copy of a column, nothing can be said of that column
    assert model.graph_.adjacency[0, 5]
    assert model.n_untestable_.sum() > 0
    assert certify(model, twice).holds
    rare = np.hstack([generator.integers(0, 2, size=(39, 1))] * 5)
    flipped = rare ^ (generator.random(rare.shape) < 0.1)
    discrete = PC(test="g2", alpha=0.9999).fit(
        flipped
    )  # 4 degrees of freedom given two columns: 40 rows would be needed
    assert discrete.n_untestable_[2] > 0
    assert certify(discrete, flipped).holds


def test_discrete_tests_are_those_of_the_strata():
    generator = np.random.default_rng(6)
    n = 600
    z = generator.integers(0, 3, n)
    x, y = (z + (generator.random(n) < 0.4)) % 3, (z > 0) ^ (generator.random(n) < 0.2)
    X = np.column_stack([x, y, z])
    for test, kind in (("chi2", "pearson"), ("g2", "log-likelihood")):
        model = PC(test=test, alpha=0.01).fit(X)
        total, degrees = 0.0, 0
        for value in range(3):
            inside = z == value
            table = np.array([[np.sum(inside & (x == a) & (y == b)) for b in range(2)] for a in range(3)])
            found = stats.chi2_contingency(table[table.sum(axis=1) > 0], correction=False, lambda_=kind)
            total, degrees = total + found.statistic, degrees + 2
        evidence = model.evidence(0, 1)
        assert evidence.given == (2,)
        assert evidence.statistic == pytest.approx(total, rel=1e-9)
        assert evidence.p_value == pytest.approx(stats.chi2.sf(total, degrees), rel=1e-9)
        assert model.graph_.skeleton == ((0, 2), (1, 2))
        assert certify(model, X).holds
    with pytest.raises(ValueError, match=r"column 1 is constant"):
        PC(test="g2").fit(np.column_stack([x, np.ones(n), z]))


def test_background_knowledge_is_followed_and_its_contradictions_are_refused():
    generator = np.random.default_rng(7)
    chain = DAG([("a", "b"), ("b", "c"), ("c", "d")])
    X = pd.DataFrame(linear_rows(chain.arrows, 500, generator), columns=list("abcd"))
    assert set(PC().fit(X).graph_.undirected_edges) == {("a", "b"), ("b", "c"), ("c", "d")}
    for known in (
        BackgroundKnowledge(required=[("a", "b")]),
        BackgroundKnowledge(forbidden=[("b", "a")]),
        BackgroundKnowledge(tiers=[["a"], ["b", "c", "d"]]),
    ):
        model = PC(background=known).fit(X)
        assert model.graph_.directed_edges == (("a", "b"), ("b", "c"), ("c", "d"))
        assert certify(model, X).holds
    apart = PC(background=BackgroundKnowledge(forbidden=[("a", "b"), ("b", "a")])).fit(X)
    assert ("a", "b") not in apart.graph_.skeleton
    assert certify(apart, X).holds
    wanted = PC(background=BackgroundKnowledge(required=[("d", "a")])).fit(X)
    assert ("d", "a") in wanted.graph_.directed_edges
    assert certify(wanted, X).holds
    with pytest.raises(CyclicGraphError, match="a → b → a"):
        PC(background=BackgroundKnowledge(required=[("a", "b"), ("b", "a")])).fit(X)
    with pytest.raises(ValueError, match="required and forbidden"):
        PC(background=BackgroundKnowledge(required=[("b", "a")], tiers=[["a"], ["b"]])).fit(X)
    with pytest.raises(ValueError, match="no node 'z'"):
        PC(background=BackgroundKnowledge(required=[("a", "z")])).fit(X)


def test_small_samples_contradict_themselves_and_say_so():
    """Conflicts appear, are reported, and never make a cycle, a new collider or a certificate that fails."""
    generator = np.random.default_rng(8)
    seen = 0
    for _ in range(60):
        X = linear_rows(random_arrows(generator, 8, 3.0), 40, generator)
        model = PC(alpha=0.1).fit(X)
        seen += len(model.conflicts_)
        assert certify(model, X).holds, certify(model, X)
        claimed = {(i, k, j) for i, j, k in _colliders(model)}
        assert set(model.graph_.v_structures) <= claimed
    assert seen > 0


def _colliders(model):
    table = model.evidence_
    for (i, j), kept, size, S in zip(table.pairs, table.kept, table.size, table.sets):
        if not kept:
            for k in range(model.n_features_in_):
                if model.graph_.adjacency[i, k] and model.graph_.adjacency[j, k] and k not in S[:size]:
                    yield int(i), int(j), k


def test_resampled_edges_are_counted_the_same_for_any_number_of_threads():
    generator = np.random.default_rng(9)
    X = linear_rows(DAG([(0, 1), (1, 2)], nodes=range(4)).arrows, 150, generator)
    one, two = (bootstrap_edges(PC(), X, 30, random_state=0, n_jobs=jobs) for jobs in (1, 2))
    assert one == two
    frequency = {(edge.x, edge.y): edge for edge in one}
    assert min(frequency[0, 1].joined, frequency[1, 2].joined) > 0.8
    assert frequency[0, 3].joined < 0.5
    for edge in one:
        assert edge.low <= edge.joined <= edge.high
        assert edge.joined == pytest.approx(edge.forward + edge.backward + edge.undirected)


def test_a_broken_solver_is_found_out(monkeypatch):
    generator = np.random.default_rng(10)
    graph = DAG([("a", "c"), ("b", "c"), ("c", "d"), ("d", "e"), ("a", "e")])
    X = linear_rows(graph.arrows, 400, generator)
    sound = PC().fit(X)
    assert certify(sound, X).holds
    assert {rule for *_, rule in sound.orientations_} >= {"R0", "R1"}
    separate, close, pattern_triples = skeleton.separate, orientation.close, orientation.unshielded_triples

    def other_correlations(R, *rest):
        separate(R * (0.9 + 0.1 * np.eye(len(R))), *rest)

    def fewer_sets(R, size, critical, *rest):
        separate(R, size, 0.0 if size else critical, *rest)

    def more_separated(R, size, critical, *rest):
        separate(R, size, 1.5 * critical + 0.1, *rest)

    def no_rules(arrows, lines):
        return [], []

    def half_the_rules(arrows, lines):
        made, conflicts = close(arrows, lines)
        i, j, _ = made[-1]
        arrows[i, j], arrows[j, i] = False, True
        return made, conflicts

    def no_triples_around_c(adjacent):
        return [(i, k, j) for i, k, j in pattern_triples(adjacent) if k != 1]

    for room, name, broken in (
        (skeleton, "separate", other_correlations),
        (skeleton, "separate", fewer_sets),
        (skeleton, "separate", more_separated),
        (orientation, "close", no_rules),
        (orientation, "close", half_the_rules),
        (orientation, "unshielded_triples", no_triples_around_c),
        (orientation, "orient_colliders", lambda *_: []),
    ):
        with monkeypatch.context() as patch, config_context(certificates=False):
            patch.setattr(room, name, broken)
            model = PC().fit(X)
        assert not certify(model, X).holds, f"{name} broken by {broken.__name__} went unnoticed"


def test_bad_tables_are_refused():
    X = np.random.default_rng(11).standard_normal((20, 3))
    X[:, 1] = 7.0
    with pytest.raises(ValueError, match="column 1 is constant"):
        PC().fit(X)
    with pytest.raises(ValueError, match="'b'"):
        PC().fit(pd.DataFrame(X, columns=list("abc")))
    with pytest.raises(ValueError, match="p-value"):
        PC(test=lambda X, i, j, S: 2.0).fit(np.eye(3))
    with pytest.raises(ValueError, match="rescale"):
        PC().fit(np.eye(3) * 1e300)


class CausalLearnGraph:
    """What causal-learn's `CausalGraph` carries: G.graph with the ends of edges, and its separating sets."""

    def __init__(self, model):
        p = model.n_features_in_
        arrows, lines = model.graph_.arrows, model.graph_.lines
        self.G = self
        self.graph = np.where(arrows, -1, 0) + np.where(arrows.T, 1, 0) + np.where(lines, -1, 0)
        self.sepset = np.full((p, p), None, dtype=object)
        table = model.evidence_
        for (i, j), kept, size, S in zip(table.pairs, table.kept, table.size, table.sets):
            if not kept:
                self.sepset[i, j] = self.sepset[j, i] = [tuple(S[:size].tolist()), tuple(S[:size].tolist())]


def test_a_graph_of_causal_learn_is_certified_or_refuted():
    graph = DAG([(0, 2), (1, 2), (2, 3), (3, 4)], nodes=range(5))
    X = linear_rows(graph.arrows, 500, np.random.default_rng(12))
    ours = PC().fit(X)
    theirs = CausalLearnGraph(ours)
    read = from_causal_learn(theirs, X, alpha=0.01)
    assert read.graph_ == ours.graph_
    assert certify(read, X).holds, certify(read, X)
    i, j = np.argwhere(ours.graph_.arrows)[-1]
    theirs.graph[i, j], theirs.graph[j, i] = 1, -1
    assert not certify(from_causal_learn(theirs, X, alpha=0.01), X).holds
    # In the stable order causal-learn keeps the union of all sets that separate a pair.
    joint = CausalLearnGraph(ours)
    joint.sepset[0, 3] = joint.sepset[3, 0] = [(1, 2)]
    assert certify(from_causal_learn(joint, X, alpha=0.01), X).holds
    # An edge too many: of the sets that separate it, none is left in the evidence.
    chain = X[:, 2:]
    more = CausalLearnGraph(PC().fit(chain))
    assert certify(from_causal_learn(more, chain, alpha=0.01), chain).holds
    more.graph[0, 2] = more.graph[2, 0] = -1
    assert not certify(from_causal_learn(more, chain, alpha=0.01), chain).holds
    lost = CausalLearnGraph(ours)
    lost.graph[3, 4] = lost.graph[4, 3] = 0
    lost.sepset[3, 4] = lost.sepset[4, 3] = [(2,)]
    assert not certify(from_causal_learn(lost, X, alpha=0.01), X).holds

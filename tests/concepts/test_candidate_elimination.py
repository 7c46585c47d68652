"""Version spaces: the published trace, the boundary theorem by enumeration, exact votes, collapse, order, speed."""

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable import certify, watch
from learnable.certificates import Verdict
from learnable.checks import tampered
from learnable.concepts import (
    ANY,
    Attributes,
    CandidateElimination,
    Conjunction,
    FindS,
    VersionSpace,
    VersionSpaceDisplay,
    count_conjunctions,
    every_conjunction,
)
from learnable.concepts.counting import count_below
from learnable.datasets import enjoy_sport

DAYS = enjoy_sport().to_arrow().to_pandas().astype(str)
SPORT_X, SPORT_Y = DAYS.drop(columns="EnjoySport"), DAYS["EnjoySport"]
DOMAINS = {"Sky": ("Sunny", "Cloudy", "Rainy"), "Wind": ("Strong", "Light")}

LANGUAGES = [((0, 1),) * 4, ((0, 1, 2),) * 3, ((0, 1, 2, 3), (0, 1), ("only",))]


@st.composite
def problems(draw):
    """A small language with a few labelled rows."""
    domains = draw(st.sampled_from(LANGUAGES))
    row = st.tuples(*(st.sampled_from(domain) for domain in domains))
    examples = draw(st.lists(st.tuples(row, st.booleans()), min_size=1, max_size=7))
    X = np.empty((len(examples), len(domains)), dtype=object)
    for i, (cells, _) in enumerate(examples):
        X[i] = cells
    return domains, X, np.array([label for _, label in examples])


def agrees(hypothesis, X, y):
    return all(hypothesis.covers(row) == label for row, label in zip(X.tolist(), y.tolist()))


# --- the published example -------------------------------------------------------------------------------------------


def test_enjoy_sport_trace():
    states = [step.state for step in watch(CandidateElimination(DOMAINS), SPORT_X, SPORT_Y)]
    assert [str(state.specific) for state in states] == [
        "<∅, ∅, ∅, ∅, ∅, ∅>",
        "<Sunny, Warm, Normal, Strong, Warm, Same>",
        "<Sunny, Warm, ?, Strong, Warm, Same>",
        "<Sunny, Warm, ?, Strong, Warm, Same>",
        "<Sunny, Warm, ?, Strong, ?, ?>",
    ]
    everything = {"<?, ?, ?, ?, ?, ?>"}
    pair = {"<Sunny, ?, ?, ?, ?, ?>", "<?, Warm, ?, ?, ?, ?>"}
    boundaries = [{str(g) for g in state.general} for state in states]
    assert boundaries == [everything, everything, everything, pair | {"<?, ?, ?, ?, ?, Same>"}, pair]
    assert [str(g) for g in states[4].removed] == ["<?, ?, ?, ?, ?, Same>"]
    assert "row 3 is inside" in str(states[4])


def test_enjoy_sport_votes():
    model = CandidateElimination(DOMAINS).fit(SPORT_X, SPORT_Y)
    assert {str(h) for h in model.version_space_.hypotheses()} == {
        "<Sunny, Warm, ?, Strong, ?, ?>",
        "<Sunny, ?, ?, Strong, ?, ?>",
        "<Sunny, Warm, ?, ?, ?, ?>",
        "<?, Warm, ?, Strong, ?, ?>",
        "<Sunny, ?, ?, ?, ?, ?>",
        "<?, Warm, ?, ?, ?, ?>",
    }
    new = pd.DataFrame(
        [
            ("Sunny", "Warm", "Normal", "Strong", "Cool", "Change"),
            ("Rainy", "Cold", "Normal", "Light", "Warm", "Same"),
            ("Sunny", "Warm", "Normal", "Light", "Warm", "Same"),
            ("Sunny", "Cold", "Normal", "Strong", "Warm", "Same"),
        ],
        columns=SPORT_X.columns,
    )
    assert model.version_space_.votes(new) == [6, 0, 3, 2]
    verdict = model.classify(new)
    assert verdict.labels.tolist() == ["Yes", "No", None, None]
    assert verdict.unanimous.tolist() == [True, True, False, False]
    assert model.classify(new, agreement=0.6).labels.tolist() == ["Yes", "No", None, "No"]
    assert model.predict(new).tolist() == ["Yes", "No", "No", "No"]  # a tie goes to the first class
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], [1, 0, 1 / 2, 1 / 3])
    with pytest.raises(ValueError, match=r"agreement must be in \(0.5, 1\]"):
        model.classify(new, agreement=0.5)


# --- theorems, by enumeration ----------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(problems())
def test_boundary_representation(problem):
    """Between the boundaries lies exactly the version space; size, membership and votes agree with the list."""
    domains, X, y = problem
    model = CandidateElimination(domains, classes=(False, True)).fit(X, y)
    language = list(every_conjunction(model.attributes_))
    consistent = {h for h in language if agrees(h, X, y)}
    assert model.consistent_ == bool(consistent) == model.certificate_.holds
    if not consistent:
        return
    space = model.version_space_
    listed = list(space.hypotheses())
    assert len(listed) == len(set(listed)) == space.size
    assert set(listed) == consistent == {h for h in language if h in space}
    assert set(space.general) == {h for h in consistent if not any(g.strictly_more_general_than(h) for g in consistent)}
    assert [space.specific] == [h for h in consistent if not any(h.strictly_more_general_than(s) for s in consistent)]
    rows = np.array([*product(*domains)], dtype=object)
    assert space.votes(rows) == [sum(h.covers(row) for h in consistent) for row in rows.tolist()]


@settings(max_examples=40, deadline=None)
@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_the_examples_does_not_matter(problem, random):
    domains, X, y = problem
    shuffled = list(range(len(X)))
    random.shuffle(shuffled)
    one = CandidateElimination(domains, classes=(False, True)).fit(X, y)
    two = CandidateElimination(domains, classes=(False, True)).fit(X[shuffled], y[shuffled])
    assert one.consistent_ == two.consistent_
    if one.consistent_:
        assert one.version_space_.specific == two.version_space_.specific
        assert set(one.version_space_.general) == set(two.version_space_.general)


@settings(max_examples=40, deadline=None)
@given(problems())
def test_every_state_is_the_version_space_of_the_examples_met(problem):
    domains, X, y = problem
    met = []
    for step in watch(CandidateElimination(domains, classes=(False, True)), X, y):
        state = step.state
        if state.row is not None:
            met.append(state.row)
        consistent = {h for h in every_conjunction(state.attributes) if agrees(h, X[met], y[met])}
        if state.collapsed:
            assert not consistent
            met.pop()
            consistent = {h for h in every_conjunction(state.attributes) if agrees(h, X[met], y[met])}
            assert consistent  # it was this example that left nothing
        assert set(VersionSpace(state.attributes, state.specific, state.general).hypotheses()) == consistent
    assert sorted(met) == met or y[met[0]]


@settings(max_examples=40, deadline=None)
@given(problems())
def test_the_specific_boundary_is_find_s(problem):
    domains, X, y = problem
    model = CandidateElimination(domains, classes=(False, True)).fit(X, y)
    if model.consistent_:
        assert model.version_space_.specific == FindS(domains, classes=(False, True)).fit(X, y).hypothesis_


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.integers(-1, 2)] * 4), min_size=1, max_size=6), st.tuples(*[st.integers(4, 6)] * 4))
def test_counting_agrees_with_listing(members, choices):
    general = np.array(members)
    rows = np.array(list(product(*(range(-1, n - 1) for n in choices))))
    below = ((general[:, None] == -1) | (general[:, None] == rows[None])).all(axis=2).any(axis=0)
    assert count_below(general, choices) == below.sum()


# --- collapse --------------------------------------------------------------------------------------------------------


def test_contradictory_examples_are_named():
    X = np.array([["a", "b"], ["b", "b"], ["a", "c"], ["b", "b"], ["a", "b"]])
    model = CandidateElimination().fit(X, ["yes", "no", "yes", "no", "no"])
    assert not model.consistent_
    assert model.collapse_ == 4
    assert model.witness_ == (4, 0)
    assert not model.certificate_.holds
    *_, last = watch(CandidateElimination(), X, ["yes", "no", "yes", "no", "no"])
    assert last.state.reason == "row 4 leaves no consistent hypothesis"
    # The boundaries from before the collapse still predict.
    assert model.predict(X).tolist() == ["yes", "no", "yes", "no", "yes"]


def test_a_member_can_cause_the_collapse():
    X = np.array([[0, 0], [1, 1], [0, 1]])
    model = CandidateElimination().fit(X, [True, False, True])
    assert model.consistent_
    X = np.array([[0, 0], [0, 1], [1, 1]])
    model = CandidateElimination().fit(X, [True, False, True])
    assert model.collapse_ == 2
    assert model.witness_ == (1, 0, 2)


def test_only_examples_outside():
    X = np.array(list(product((0, 1), repeat=2)))
    no_member = CandidateElimination(classes=(False, True)).fit(X[:3], [False] * 3)
    assert {str(h) for h in no_member.version_space_.hypotheses()} == {"<∅, ∅>", "<1, 1>"}
    assert no_member.certificate_.holds
    nothing = CandidateElimination(classes=(False, True)).fit(X, [False] * 4)
    assert nothing.version_space_.size == 1
    assert [str(g) for g in nothing.version_space_.general] == ["<∅, ∅>"]
    assert nothing.certificate_.holds
    assert nothing.predict(X).tolist() == [False] * 4


@settings(max_examples=40, deadline=None)
@given(problems())
def test_the_certificate_rejects_every_other_pair_of_boundaries(problem):
    domains, X, y = problem
    model = CandidateElimination(domains, classes=(False, True)).fit(X, y)
    if model.consistent_:
        for what, altered in tampered(model):
            assert not certify(altered, X, y).holds, what


# --- size ------------------------------------------------------------------------------------------------------------


def test_a_thousand_examples_of_twenty_attributes():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(1000, 20))
    y = (X[:, :3] == 1).all(axis=1)
    model = CandidateElimination().fit(X, y)
    assert model.certificate_.holds
    assert [c if c != ANY else None for c in model.version_space_.general[0].constraints[:3]] == [1, 1, 1]


def test_a_large_version_space_is_counted_exactly():
    """One member and rows that differ from it in one attribute each: those attributes are asked for, 2^35 remain."""
    member = np.zeros(40, dtype=int)
    others = np.eye(40, dtype=int)[:5]
    X, y = np.vstack([member, others]), [True, *[False] * 5]
    space = CandidateElimination().fit(X, y).version_space_
    assert space.size == 2**35
    new = np.zeros((2, 40), dtype=int)
    new[0, 5:15] = 1
    new[1, 0] = 1
    assert space.votes(new) == [2**25, 0]
    assert Fraction(space.votes(new)[0], space.size) == Fraction(1, 1024)


def test_before_any_example_the_space_is_the_language():
    table = Attributes(tuple("abcdef"), (tuple("xyz"), *[(0, 1)] * 5))
    space = VersionSpace(table, Conjunction.nothing(6), (Conjunction.everything(6),))
    assert space.size == count_conjunctions(table) == 973


def test_the_ceiling_is_stated():
    X = np.random.default_rng(0).integers(0, 5, size=(30, 12))
    with pytest.raises(ValueError, match=r"CandidateElimination\(max_general=50\): the general boundary has more"):
        CandidateElimination(max_general=50, classes=(0, 1)).fit(X, np.zeros(30, dtype=int))


def test_too_many_cases_are_refused_before_memory_runs_out(monkeypatch):
    X = np.random.default_rng(0).integers(0, 3, size=(12, 10))
    y = np.arange(12) == 0
    model = CandidateElimination().fit(X, y)
    assert model.certificate_.holds
    monkeypatch.setattr("learnable.concepts.counting.MOST_BYTES", 1000)
    with pytest.raises(MemoryError, match="more examples or fewer attributes"):
        _ = model.version_space_.size
    monkeypatch.setattr("learnable.certificates.concepts.concepts.MOST_BYTES", 1000)
    undecided = certify(model, X, y)
    assert not undecided.holds
    assert undecided.verdict is Verdict.NOTHING_ASSERTED
    assert undecided.claim("V8").open


def test_sample_size_depends_on_the_language():
    model = CandidateElimination(DOMAINS).fit(SPORT_X, SPORT_Y)
    assert model.sample_size(0.1, 0.05) == 99


# --- the picture -----------------------------------------------------------------------------------------------------


def test_the_picture_has_levels_and_the_covering_relation():
    import matplotlib as mpl

    mpl.use("agg")
    space = CandidateElimination(DOMAINS).fit(SPORT_X, SPORT_Y).version_space_
    display = space.plot()
    assert [len(level) for level in display.levels()] == [2, 3, 1]
    assert display.complete
    hypotheses = set(space.hypotheses())
    expected = {(parent, h) for h in hypotheses for parent in h.parents(space.attributes) if parent in hypotheses}
    assert set(display.edges()) == expected
    assert "6 hypotheses" in display.ax_.get_title()
    few = VersionSpaceDisplay(space, most=5).plot()
    assert [len(level) for level in few.levels()] == [2, 1]
    assert "only the boundaries" in few.ax_.get_title()
    mpl.pyplot.close("all")

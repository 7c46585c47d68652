"""Find-S on attributes, monomials and disjunctions: the published trace, brute force, duality, NO with its proof."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable import certify, watch
from learnable.concepts import (
    ANY,
    Attributes,
    Conjunction,
    DisjunctionLearner,
    FindS,
    Literals,
    MonomialLearner,
    every_conjunction,
)
from learnable.datasets import enjoy_sport
from learnable.theory import ExampleOracle, pac_experiment

DAYS = enjoy_sport().to_arrow().to_pandas().astype(str)
SPORT_X, SPORT_Y = DAYS.drop(columns="EnjoySport"), DAYS["EnjoySport"]

boolean_tables = st.integers(1, 4).flatmap(
    lambda d: st.lists(st.tuples(st.tuples(*[st.integers(0, 1)] * d), st.booleans()), min_size=1, max_size=10)
)
tables = st.lists(st.tuples(st.tuples(*[st.integers(0, 2)] * 3), st.booleans()), min_size=1, max_size=10)


def split(examples):
    return np.array([row for row, _ in examples]), np.array([label for _, label in examples])


def test_enjoy_sport_trace():
    trace = [str(step.state.hypothesis) for step in watch(FindS(), SPORT_X, SPORT_Y)]
    assert trace == [
        "<∅, ∅, ∅, ∅, ∅, ∅>",
        "<Sunny, Warm, Normal, Strong, Warm, Same>",
        "<Sunny, Warm, ?, Strong, Warm, Same>",
        "<Sunny, Warm, ?, Strong, Warm, Same>",
        "<Sunny, Warm, ?, Strong, ?, ?>",
    ]


@settings(max_examples=60, deadline=None)
@given(tables)
def test_find_s_is_the_least_conjunction_that_covers_the_members(examples):
    X, y = split(examples)
    domains = [range(3)] * 3
    model = FindS(domains, classes=(False, True)).fit(X, y)
    language = list(every_conjunction(Attributes(("x0", "x1", "x2"), ((0, 1, 2),) * 3)))
    above = [h for h in language if all(h.covers(row) for row in X[y].tolist())]
    assert all(h.more_general_than(model.hypothesis_) for h in above)
    assert model.hypothesis_ in above
    consistent = [h for h in above if not any(h.covers(row) for row in X[~y].tolist())]
    assert model.consistent_ == bool(consistent) == model.certificate_.holds
    np.testing.assert_array_equal(model.predict(X), [model.hypothesis_.covers(row) for row in X.tolist()])
    check_witness(model, X, y, above)


def check_witness(model, X, y, above):
    if model.consistent_:
        assert model.witness_ == ()
        return
    row, *members = model.witness_
    assert not y[row]
    assert y[members].all()
    # The few members alone already leave no hypothesis without the row.
    few = [h for h in every_conjunction(model.attributes_) if all(h.covers(X[i].tolist()) for i in members)]
    assert all(h.covers(X[row].tolist()) for h in few)
    assert len(members) <= X.shape[1] + 1


@settings(max_examples=60, deadline=None)
@given(tables, st.sets(st.integers(0, 2)))
def test_the_certificate_counts_the_neighbours_below_that_cover_the_members(examples, freed):
    X, y = split(examples)
    model = FindS([range(3)] * 3, classes=(False, True)).fit(X, y)
    constraints = [ANY if j in freed else c for j, c in enumerate(model.hypothesis_.constraints)]
    # ∅ anywhere is ∅ everywhere.
    model.hypothesis_ = Conjunction.nothing(3) if not y.any() else Conjunction(tuple(constraints))
    below = model.hypothesis_.children(model.attributes_)
    tighter = [h for h in below if all(h.covers(row) for row in X[y].tolist())]
    claim = next(claim for claim in certify(model, X, y) if "neighbours" in claim.statement)
    assert claim.value == len(tighter)


def test_five_thousand_attributes_are_no_burden():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(300, 5000))
    y = X[:, 0] == 1
    model = FindS().fit(X, y)
    assert model.certificate_.holds
    assert model.hypothesis_.constraints[0] == 1


def test_two_equal_rows_with_different_labels_are_the_witness():
    X = np.array([["a", "b"], ["a", "c"], ["b", "b"], ["b", "c"], ["a", "c"]])
    y = ["yes", "yes", "yes", "no", "no"]
    model = FindS().fit(X, y)
    assert not model.consistent_
    assert model.witness_ == (4, 1)  # row 3 is covered as well, but it takes two members to force it
    assert not model.certificate_.holds
    assert proof_of_no(model.certificate_).holds
    model.witness_ = (3, 1)  # these two can be told apart
    assert not proof_of_no(certify(model, X, y)).holds
    model.witness_ = (1, 4)  # the labels are the wrong way round
    assert not proof_of_no(certify(model, X, y)).holds


def proof_of_no(certificate):
    return next(claim for claim in certificate if "witness_" in claim.statement)


@settings(max_examples=60, deadline=None)
@given(boolean_tables)
def test_monomials_and_disjunctions_against_brute_force(examples):
    X, y = split(examples)
    d = X.shape[1]
    truth = np.hstack([X == 1, X == 0])
    subsets = [list(np.flatnonzero(mask)) for mask in product([False, True], repeat=2 * d)]
    monomial = MonomialLearner(classes=(False, True)).fit(X, y)
    fitting = [s for s in subsets if np.array_equal(truth[:, s].all(axis=1), y)]
    assert monomial.consistent_ == bool(fitting) == monomial.certificate_.holds
    assert not fitting or set(monomial.hypothesis_.literals) == set().union(*map(set, fitting))
    disjunction = DisjunctionLearner(classes=(False, True)).fit(X, y)
    fitting = [s for s in subsets if np.array_equal(truth[:, s].any(axis=1), y)]
    assert disjunction.consistent_ == bool(fitting) == disjunction.certificate_.holds
    assert not fitting or set(disjunction.hypothesis_.literals) == set().union(*map(set, fitting))


@settings(max_examples=40, deadline=None)
@given(boolean_tables)
def test_a_disjunction_is_the_complement_of_a_monomial(examples):
    X, y = split(examples)
    disjunction = DisjunctionLearner(classes=(False, True)).fit(X, y)
    monomial = MonomialLearner(classes=(False, True)).fit(X, ~y)
    assert disjunction.hypothesis_.negated() == monomial.hypothesis_
    np.testing.assert_array_equal(disjunction.predict(X), ~monomial.predict(X))
    assert disjunction.witness_ == monomial.witness_


def test_monomial_keeps_the_literals_of_the_target_and_only_members_delete():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, size=(300, 8))
    y = (X[:, 2] == 1) & (X[:, 5] == 0)
    model = MonomialLearner().fit(X, y)
    assert {2, 5 + 8} <= set(model.hypothesis_.literals)
    for step in watch(MonomialLearner(), X, y):
        assert step.state.row is None or y[step.state.row] or not step.state.deleted


def test_categories_become_literals():
    X = pd.DataFrame({"colour": ["red", "green", "blue", "red"], "ripe": [1, 1, 1, 0]})
    model = MonomialLearner().fit(X, ["eat", "wait", "wait", "wait"])
    assert "colour=red" not in model.formula_.split(" ∧ ")  # "eat" < "wait": the concept is "wait"
    model = MonomialLearner(classes=("wait", "eat")).fit(X, ["eat", "wait", "wait", "wait"])
    assert model.formula_ == "colour=red ∧ ripe ∧ colour≠blue ∧ colour≠green"
    assert Literals(model.attributes_).n_variables == 4


def test_frames_arrays_and_labels_give_the_same_answer():
    one = FindS().fit(SPORT_X, SPORT_Y)
    two = FindS().fit(pl.from_pandas(SPORT_X), pl.from_pandas(SPORT_Y))
    three = FindS().fit(SPORT_X.to_numpy(), SPORT_Y.to_numpy())
    four = FindS().fit(SPORT_X.astype("category"), SPORT_Y == "Yes")
    assert one.hypothesis_ == two.hypothesis_ == three.hypothesis_ == four.hypothesis_
    assert list(one.feature_names_in_) == list(SPORT_X.columns)
    assert certify(one, SPORT_X, SPORT_Y) == one.certificate_
    assert certify(two, pl.from_pandas(SPORT_X), pl.from_pandas(SPORT_Y)).holds


def test_only_members_and_only_others():
    X = np.array([["a", "b"], ["a", "c"]])
    members = FindS(classes=("no", "yes")).fit(X, ["yes", "yes"])
    assert str(members.hypothesis_) == "<a, ?>"
    assert members.classes_.tolist() == ["no", "yes"]
    others = FindS(classes=("no", "yes")).fit(X, ["no", "no"])
    assert others.hypothesis_ == Conjunction.nothing(2)
    assert others.predict(X).tolist() == ["no", "no"]
    assert others.certificate_.holds
    with pytest.raises(ValueError, match=r"only one class, .*classes=\(label outside, label inside\)"):
        FindS().fit(X, ["yes", "yes"])


@each(
    ("fit", "message"),
    [
        (lambda: FindS().fit(np.empty((0, 2)), []), "0 sample"),
        (lambda: FindS(classes=("a", "a")).fit([[1], [0]], ["a", "b"]), "give two labels"),
        (lambda: FindS(classes=("a", "c")).fit([[1], [0]], ["a", "b"]), "y holds 'b', which is neither"),
        (lambda: FindS().fit([[1], [0], [2]], ["a", "b", "c"]), "Only binary classification is supported"),
        (
            lambda: FindS().fit(SPORT_X, SPORT_Y).predict(SPORT_X.assign(Sky="Foggy")),
            "'Foggy', which is not in its domain",
        ),
        (lambda: FindS().fit(SPORT_X.replace("Rainy", None), SPORT_Y), "column 'Sky' has a missing cell in row 2"),
        (lambda: FindS({"Sky": ["Sunny"]}).fit(SPORT_X, SPORT_Y), "row 2 holds 'Rainy'"),
        (lambda: FindS({"Sun": ["Sunny"]}).fit(SPORT_X, SPORT_Y), "no attribute is named 'Sun'"),
        (lambda: FindS().fit(SPORT_X.astype("string").where(SPORT_X != "Cold"), SPORT_Y), "column 'Temp' .* row 2"),
        (lambda: FindS().fit(SPORT_X.iloc[:, :0], SPORT_Y), "X has no columns"),
        (lambda: FindS().sample_size(0.1, 0.1), "fit first, or list them in the parameter domains"),
    ],
)
def test_bad_input_is_named(fit, message):
    with pytest.raises(ValueError, match=message):
        fit()


def test_a_table_is_passed_as_a_frame():
    with pytest.raises(TypeError, match=r"X is a Table; pass it as a data frame, X.to_arrow\(\)"):
        FindS().fit(enjoy_sport().drop("EnjoySport"), SPORT_Y)


def test_sample_size_is_that_of_the_finite_class():
    domains = {"Sky": ("Sunny", "Cloudy", "Rainy")} | {str(j): (0, 1) for j in range(5)}
    assert FindS(domains).sample_size(0.1, 0.05) == 99  # (ln 973 + ln 20)/0.1
    assert MonomialLearner([(0, 1)] * 10).sample_size(0.1, 0.02) == 149  # (ln(3^10 + 1) + ln 50)/0.1


@each("target", [(0, None, None, 2), (None, None, None, None), (0, 1, 2, 0)])
def test_pac_experiment_for_conjunctions(target):
    """At the promised number of examples, the share of bad outcomes is compatible with δ."""
    epsilon, delta = 0.1, 0.1
    domains = [range(3)] * 4
    every_row = np.array(list(product(*domains)))

    def concept(X):
        return np.all([X[:, j] == v for j, v in enumerate(target) if v is not None] or [np.ones(len(X), bool)], axis=0)

    def risk(model):
        return float(np.mean(model.predict(every_row) != concept(every_row)))

    learner = FindS(domains, classes=(False, True))
    result = pac_experiment(
        ExampleOracle(lambda m, rng: rng.integers(0, 3, size=(m, 4)), concept),
        lambda X, y: FindS(domains, classes=(False, True)).fit(X, y),
        risk,
        m=learner.sample_size(epsilon, delta),
        epsilon=epsilon,
        repeats=100,
    )
    assert result.supports(delta)
    # A tenth of that is not enough for a concept that is neither everything nor nearly nothing.
    if target == (None,) * 4:
        few = pac_experiment(
            ExampleOracle(lambda m, rng: rng.integers(0, 3, size=(m, 4)), concept),
            lambda X, y: FindS(domains, classes=(False, True)).fit(X, y), risk, m=2, epsilon=epsilon, repeats=100,
        )  # fmt: skip
        assert not few.supports(delta)

"""The language of attribute conjunctions: order axioms, neighbours and counts on languages small enough to list."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.concepts import ANY, NEVER, Attributes, Conjunction, consistency, count_conjunctions, every_conjunction
from learnable.concepts.conjunction import covered
from learnable.datasets import enjoy_sport

SMALL = Attributes(("a", "b", "c"), (("x", "y", "z"), (0, 1), ("u", "v")))
ROWS = list(product(*SMALL.domains))
LANGUAGE = list(every_conjunction(SMALL))


def extension(hypothesis):
    return frozenset(row for row in ROWS if hypothesis.covers(row))


def test_the_language_has_one_plus_the_product_of_one_plus_the_sizes():
    assert len(LANGUAGE) == count_conjunctions(SMALL) == 1 + 4 * 3 * 3
    assert len({extension(h) for h in LANGUAGE}) == len(LANGUAGE)  # semantically distinct


def test_enjoy_sport_has_973_distinct_hypotheses():
    table = Attributes.infer(np.array([c.values for c in enjoy_sport().columns[:-1]]).T)
    domains = (("Sunny", "Cloudy", "Rainy"), *[(0, 1)] * 5)
    assert count_conjunctions(Attributes(table.names, domains)) == 973


def test_more_general_is_inclusion_and_a_partial_order():
    for a, b in product(LANGUAGE, LANGUAGE):
        assert a.more_general_than(b) == (extension(a) >= extension(b))
        assert a.strictly_more_general_than(b) == (extension(a) > extension(b))
        if a.more_general_than(b) and b.more_general_than(a):
            assert a == b


def test_minimal_generalisation_is_the_least_one_above_both():
    for h, row in product(LANGUAGE, ROWS):
        above = [g for g in LANGUAGE if g.more_general_than(h) and g.covers(row)]
        least = [g for g in above if all(other.more_general_than(g) for other in above)]
        assert [h.minimal_generalisation(row)] == least


def test_minimal_specialisations_are_the_greatest_ones_below_without_the_row():
    for h, row in product(LANGUAGE, ROWS):
        below = [s for s in LANGUAGE if h.more_general_than(s) and not s.covers(row)]
        greatest = {s for s in below if not any(other.strictly_more_general_than(s) for other in below)}
        assert set(h.minimal_specialisations(row, SMALL)) == greatest


def test_neighbours_are_the_covering_relation():
    for h in LANGUAGE:
        below = [s for s in LANGUAGE if h.strictly_more_general_than(s)]
        next_below = {s for s in below if not any(b.strictly_more_general_than(s) for b in below)}
        above = [g for g in LANGUAGE if g.strictly_more_general_than(h)]
        next_above = {g for g in above if not any(g.strictly_more_general_than(a) for a in above)}
        assert set(h.children(SMALL)) == next_below
        assert set(h.parents(SMALL)) == next_above


def test_codes_and_back_and_coverage_of_codes():
    codes = np.array([h.codes(SMALL) for h in LANGUAGE])
    assert [Conjunction.from_codes(c, SMALL) for c in codes] == LANGUAGE
    expected = np.array([[h.covers(row) for row in ROWS] for h in LANGUAGE])
    np.testing.assert_array_equal(covered(codes, SMALL.code(ROWS)), expected)


def test_a_single_empty_constraint_makes_the_empty_hypothesis():
    assert Conjunction(("x", NEVER, ANY)) == Conjunction.nothing(3)
    assert str(Conjunction.nothing(3)) == "<∅, ∅, ∅>"
    assert Conjunction.everything(2).covers((NEVER, ANY)) is True


def test_a_cell_that_holds_a_question_mark_is_a_value():
    asked = Conjunction(("?", ANY))
    assert asked.covers(("?", 1))
    assert not asked.covers(("x", 1))
    assert asked != Conjunction((ANY, ANY))


def test_wrong_lengths_and_values_are_named():
    with pytest.raises(ValueError, match=r"<x, \?> has 2 constraints, but there are 3 cells"):
        Conjunction(("x", ANY)).covers(("x", 1, 2))
    with pytest.raises(ValueError, match="'w' is not in the domain"):
        Conjunction(("w", ANY, ANY)).codes(SMALL)


def test_consistency_names_the_counter_example():
    X, y = [("x", 0), ("x", 1), ("y", 0)], ["in", "out", "in"]
    found = consistency(Conjunction(("x", ANY)), X, y, inside="in")
    assert (found.missed, found.admitted, found.counter_example, bool(found)) == ((2,), (1,), 1, False)
    assert not found.complete
    assert not found.correct
    assert consistency(lambda row: row != ("x", 1), X, y, inside="in").counter_example is None
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2"):
        consistency(Conjunction(("x", ANY)), X, y[:2])


# --- attributes -------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.booleans()), min_size=1, max_size=8))
def test_codes_are_places_in_the_domains_whatever_the_table_is(rows):
    names = ["letter", "number", "flag"]
    for frame in (rows, pd.DataFrame(rows, columns=names), pl.DataFrame(rows, schema=names, orient="row")):
        table = Attributes.infer(frame)
        decoded = [[table.domains[j][code] for j, code in enumerate(row)] for row in table.code(frame).tolist()]
        assert decoded == [list(row) for row in rows]


def test_declared_categories_and_booleans_have_their_whole_domain():
    frame = pd.DataFrame({"size": pd.Categorical(["S", "S"], categories=["S", "M", "L"]), "flag": [True, True]})
    assert Attributes.infer(frame).domains == (("S", "M", "L"), (False, True))
    enum = pl.DataFrame({"size": pl.Series(["S"], dtype=pl.Enum(["S", "M"]))})
    assert Attributes.infer(enum).domains == (("S", "M"),)
    assert Attributes.infer(np.array([[1], [1]])).domains == ((0, 1),)


@each(
    ("make", "message"),
    [
        (lambda: SMALL.code([("w", 0, "u")]), "attribute 'a': row 0 holds 'w', which is not in its domain"),
        (lambda: SMALL.code([("x", None, "u")]), "attribute 'b': row 0 has a missing cell"),
        (lambda: SMALL.code([("x", 0)]), "the table has 2 columns, but there are 3 attributes"),
        (lambda: Attributes.infer([[None], [None]]), "attribute 'x0' has no domain: no cell"),
        (lambda: Attributes(("a",), ((),)), "attribute 'a' has no domain"),
        (lambda: Attributes(("a",), (("x", "x"),)), "names a value twice"),
        (lambda: Attributes(("a",), (("x", None),)), "None stands for a missing cell"),
        (lambda: Attributes.infer([["x"]], domains={"b": "xy"}), "no attribute is named 'b'"),
        (lambda: Attributes.infer([["x"]], domains=["xy", "z"]), "2 domains for 1 attributes"),
        (lambda: Attributes.infer([["x", "y"], ["z"]]), "row 1 has 1 cells, row 0 has 2"),
        (lambda: Attributes.infer(np.arange(3)), "rows and columns"),
    ],
)
def test_bad_tables_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()

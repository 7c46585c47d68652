"""Boolean formulas as values: evaluation, De Morgan, distribution, generality, against plain Python."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.concepts import (
    CNF,
    DNF,
    Clause,
    Monomial,
    all_clauses,
    consistency,
    count_clauses,
    generality,
    point_between,
    truth_table,
)
from learnable.concepts.packed import PackedTruth

N = 4
TABLE = np.array(list(product((0, 1), repeat=N)))
literal_sets = st.sets(st.integers(0, 2 * N - 1), max_size=5)
part_lists = st.lists(literal_sets, max_size=6)
few = settings(max_examples=60, deadline=None)


def true_at(literal, row):
    return bool(row[literal]) if literal < N else not row[literal - N]


def cnf_at(parts, row):
    return all(any(true_at(literal, row) for literal in part) for part in parts)


def dnf_at(parts, row):
    return any(all(true_at(literal, row) for literal in part) for part in parts)


@few
@given(literal_sets, literal_sets)
def test_monomials_and_clauses_by_their_definition(one, other):
    term, clause = Monomial(one, N), Clause(one, N)
    assert term.covers(TABLE).tolist() == [dnf_at([one], row) for row in TABLE]
    assert clause.covers(TABLE).tolist() == [cnf_at([one], row) for row in TABLE]
    assert np.array_equal(term.negated().covers(TABLE), ~term.covers(TABLE))
    assert clause.negated().negated() == clause
    for kind in (Monomial, Clause):
        a, b = kind(one, N), kind(other, N)
        assert a.more_general_than(b) == bool(np.all(a.covers(TABLE) | ~b.covers(TABLE)))


@few
@given(part_lists)
def test_normal_forms_by_their_definition(parts):
    cnf, dnf = CNF(parts, N), DNF(parts, N)
    assert cnf.covers(TABLE).tolist() == [cnf_at(parts, row) for row in TABLE]
    assert dnf.covers(TABLE).tolist() == [dnf_at(parts, row) for row in TABLE]
    for formula in (cnf, dnf):
        assert np.array_equal(formula.negated().covers(TABLE), ~formula.covers(TABLE))
        assert formula.negated().negated() == formula
        assert np.array_equal(formula.essential().covers(TABLE), formula.covers(TABLE))
        assert formula.size == sum(len(part) for part in {frozenset(part) for part in parts})
        assert formula.width == max((len(part) for part in parts), default=0)
        assert [formula.covers(row) for row in TABLE] == formula.covers(TABLE).tolist()
    assert CNF(cnf.parts[::-1, ::-1], N) == cnf
    assert hash(CNF(cnf.parts[::-1], N)) == hash(cnf)
    assert cnf != dnf


@few
@given(st.lists(literal_sets, max_size=3))
def test_a_k_term_dnf_is_a_k_cnf(terms):
    dnf = DNF(terms, N)
    cnf = dnf.to_cnf()
    assert np.array_equal(cnf.covers(TABLE), dnf.covers(TABLE))
    assert cnf.width <= len(dnf)
    assert len(cnf) <= np.prod([len(term) for term in dnf])


@few
@given(part_lists, part_lists, st.sampled_from([CNF, DNF]), st.sampled_from([CNF, DNF]), st.booleans())
def test_generality_by_truth_table_and_by_search(parts, others, kind, other_kind, search):
    general, specific = kind(parts, N), other_kind(others, N)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generality, "TABLE_VARIABLES", 0 if search else 16)
        point = point_between(general, specific)
        assert general.more_general_than(specific) == (point is None)
    assert (point is None) == bool(np.all(general.covers(TABLE) | ~specific.covers(TABLE)))
    if point is not None:
        assert specific.covers(point)
        assert not general.covers(point)


def test_generality_beyond_the_truth_table():
    one = DNF([list(range(25)), [30]], n_variables=40)
    assert one.to_cnf().more_general_than(one)
    assert one.more_general_than(one.to_cnf())
    point = point_between(DNF([list(range(26))], 40), one)
    assert one.covers(point)
    assert not point[:26].all()


@each("n_rows", [1, 63, 64, 65, 128, 200])
def test_packed_bits_agree_with_plain_arrays(n_rows):
    random = np.random.default_rng(n_rows)
    X = random.random((n_rows, 7)) < 0.7
    truth = np.hstack([X, ~X])
    parts = all_clauses(7, 2)
    plain = np.array([truth[:, part[part >= 0]].any(axis=1) for part in parts])
    packed = PackedTruth(truth)
    assert np.array_equal(packed.rows_where_any(parts), plain)
    first = np.where(plain.all(axis=1), n_rows, (~plain).argmax(axis=1))
    assert np.array_equal(packed.first_false(parts), first)


@each(("n", "k"), [(1, 3), (3, 1), (4, 2), (5, 3)])
def test_every_clause_is_listed_once(n, k):
    literals = range(2 * n)
    expected = {
        frozenset(part)
        for size in range(1, k + 1)
        for part in product(literals, repeat=size)
        if len({literal % n for literal in part}) == len(set(part)) == size
    }
    listed = [frozenset(row[row >= 0].tolist()) for row in all_clauses(n, k)]
    assert len(listed) == len(expected) == count_clauses(n, k)
    assert set(listed) == expected
    assert count_clauses(n, k) <= k * (2 * n) ** k


def test_text():
    names = ["rain", "wind", "dry", "calm"]
    assert Monomial([0, 3], 2).in_words(names) == "rain ∧ calm"
    assert str(CNF([[0, 1], [0, 1, 2]], 2)) == "x0 ∨ x1"
    assert str(CNF([], 2)) == "true"
    assert str(DNF([], 2)) == "false"
    assert str(CNF([[]], 2)) == "false"
    assert str(DNF([[]], 2)) == "true"
    assert str(CNF([[i] for i in range(20)], 20)).endswith("∧ … 8 more")
    assert repr(Clause([1], 2)) == "Clause(x1)"


def test_truth_table_has_every_row_once():
    assert len({tuple(row) for row in truth_table(5).tolist()}) == 32


def test_consistency_of_a_formula_names_the_rows():
    formula = DNF([[0, 1]], n_variables=2)
    found = consistency(formula, np.array([[1, 1], [0, 1], [1, 0]]), [True, True, False])
    assert found.missed == (1,)
    assert found.admitted == ()


@each(
    ("make", "error"),
    [
        (lambda: Monomial([4], 2), "0 … 3"),
        (lambda: CNF([[4]], 2), "0 … 3"),
        (lambda: DNF([[-1]], 2), "negative"),
        (lambda: CNF([[0]], 2).covers([[0, 2]]), "zeros and ones"),
        (lambda: CNF([[0]], 2).covers([[0, 1, 1]]), "2 variables"),
        (lambda: point_between(CNF([[0]], 2), CNF([[0]], 3)), "2 and 3 variables"),
    ],
)
def test_bad_input(make, error):
    with pytest.raises(ValueError, match=error):
        make()


def test_too_many_clauses_are_refused_before_they_are_listed():
    with pytest.raises(MemoryError, match="lower k"):
        all_clauses(1000, 3)


@each("form", [CNF, DNF])
def test_long_parts_are_put_into_words_at_once(form):
    """The 2⁴⁰ subsets of a part of 40 literals are not tried one by one."""
    formula = form([range(40), [*range(30), 41], range(20)], n_variables=41)
    assert formula.essential() == form([range(20)], n_variables=41)
    assert str(form([range(40)], n_variables=40)).count("x") == 40

"""Codings of discrete features: decode∘encode = identity, order, unknown and missing levels."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder
from tests.cases import each

from learnable.features import FactoredEncoder, ThermometerEncoder

LEVELS = ["low", "mid", "high", "top"]


@given(cells=st.lists(st.sampled_from(LEVELS), min_size=1, max_size=20))
def test_thermometer_is_a_code_of_the_order(cells):
    X = np.array(cells, dtype=object)[:, None]
    encoder = ThermometerEncoder([LEVELS]).fit(X)
    bits = encoder.transform(X)
    ranks = np.array([LEVELS.index(cell) + 1 for cell in cells])
    np.testing.assert_array_equal(bits.sum(axis=1), ranks)  # j bits on ...
    assert (np.diff(bits, axis=1) <= 0).all()  # ... and they are the first j
    assert encoder.inverse_transform(bits).tolist() == X.tolist()
    # Hamming distance between codes is distance in rank.
    np.testing.assert_array_equal(np.abs(bits[:, None] - bits[None]).sum(axis=2), np.abs(ranks[:, None] - ranks[None]))


@given(cells=st.lists(st.tuples(st.integers(-3, 3), st.floats(-5, 5)), min_size=1, max_size=15))
def test_thermometer_of_numbers_round_trips(cells):
    X = np.array(cells, dtype=float)
    encoder = ThermometerEncoder().fit(X)
    np.testing.assert_array_equal(encoder.inverse_transform(encoder.transform(X)), X)
    for j, levels in enumerate(encoder.levels_):
        np.testing.assert_array_equal(levels, np.unique(X[:, j]))


def test_thermometer_names_follow_the_frame():
    frame = pd.DataFrame({"heat": ["low", "high"], "size": [1, 2]})
    encoder = ThermometerEncoder([["low", "high"], [1, 2]]).fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["heat>=low", "heat>=high", "size>=1", "size>=2"]


def test_thermometer_unknown_and_missing():
    strict, lenient = (ThermometerEncoder([LEVELS], handle_unknown=h).fit([["low"]]) for h in ("error", "ignore"))
    for strange in ("warm", None):
        X = np.array([["low"], [strange]], dtype=object)
        with pytest.raises(ValueError, match=r"row 1, feature 0.*not among the levels|NaN"):
            strict.transform(X)
        assert lenient.transform(X).tolist() == [[1, 0, 0, 0], [0, 0, 0, 0]]
        assert lenient.inverse_transform(lenient.transform(X)).tolist() == [["low"], [None]]
    with pytest.raises(ValueError, match="not among the levels"):
        ThermometerEncoder([["a", "b"]]).fit([["c"]])


@each(
    ("encoder", "message"),
    [
        (ThermometerEncoder("sorted"), r"levels='sorted'"),
        (ThermometerEncoder([["a"], ["b"]]), r"2 lists of levels for 1 features"),
        (ThermometerEncoder([["a", "a"]]), r"each level once"),
        (ThermometerEncoder(handle_unknown="skip"), r"handle_unknown='skip'"),
        (FactoredEncoder(handle_unknown="skip"), r"handle_unknown='skip'"),
        (FactoredEncoder([{"a": ("a",)}] * 2), r"2 maps for 1 features"),
        (FactoredEncoder({"a": ("x", "y"), "b": ("x",)}), r"'b' has 1 parts"),
        (FactoredEncoder({"a": ("x",), "b": ("x",)}), r"'a' and 'b' have the same parts"),
        (FactoredEncoder({"b": ("x",)}), r"'a' is not in the map"),
    ],
)
def test_bad_parameters(encoder, message):
    with pytest.raises(ValueError, match=message):
        encoder.fit(np.array([["a"]], dtype=object))


def test_bad_parts_types():
    for parts in ({"a": "xy"}, {"a": ()}, {}, [3]):
        with pytest.raises(TypeError, match="tuple"):
            FactoredEncoder(parts).fit(np.array([["a"]], dtype=object))


def test_mixed_levels_cannot_be_sorted():
    with pytest.raises(TypeError, match="mixes words and numbers"):
        ThermometerEncoder().fit(np.array([["a"], [1]], dtype=object))


def test_codes_that_are_none_are_refused():
    encoder = ThermometerEncoder([LEVELS]).fit([["low"]])
    with pytest.raises(ValueError, match="no thermometer code"):
        encoder.inverse_transform([[0, 1, 0, 0]])
    with pytest.raises(ValueError, match="no thermometer code"):
        encoder.inverse_transform([[0.5, 0.5, 0, 0]])
    with pytest.raises(ValueError, match="expected 4 columns"):
        encoder.inverse_transform([[1, 0]])
    cards = FactoredEncoder({"AH": ("A", "H"), "KS": ("K", "S")}).fit([["AH"]])
    with pytest.raises(ValueError, match="code no value"):
        cards.inverse_transform([[1, 0, 0, 1]])  # the ace of spades is not in the map


CARDS = {rank + suit: (rank, suit) for rank in "A23456789TJQK" for suit in "SHDC"}


@given(cells=st.lists(st.sampled_from(sorted(CARDS)), min_size=1, max_size=20))
def test_factored_round_trip_and_shared_parts(cells):
    X = np.array(cells, dtype=object)[:, None]
    encoder = FactoredEncoder(CARDS).fit(X)
    bits = encoder.transform(X)
    assert bits.shape == (len(cells), 13 + 4)
    assert encoder.inverse_transform(bits).tolist() == X.tolist()
    # The inner product of two codes counts the parts they share.
    shared = [[sum(p == q for p, q in zip(CARDS[a], CARDS[b])) for b in cells] for a in cells]
    np.testing.assert_array_equal(bits @ bits.T, shared)


def test_factored_is_the_one_hot_code_of_the_parts():
    rng = np.random.default_rng(0)
    X = rng.choice(sorted(CARDS), 100)[:, None].astype(object)
    parts = np.array([CARDS[x] for x in X[:, 0]])
    categories = [sorted({p[i] for p in CARDS.values()}) for i in range(2)]
    expected = OneHotEncoder(categories=categories, sparse_output=False).fit_transform(parts)
    np.testing.assert_array_equal(FactoredEncoder(CARDS).fit_transform(X), expected)


def test_factored_unknown():
    X = np.array([["AS"], ["joker"]], dtype=object)
    with pytest.raises(ValueError, match="row 1, feature 0: 'joker' is not in the map"):
        FactoredEncoder(CARDS).fit(X)
    encoder = FactoredEncoder(CARDS, handle_unknown="ignore").fit(X)
    assert encoder.transform(X)[1].sum() == 0
    assert encoder.inverse_transform(encoder.transform(X)).tolist() == [["AS"], [None]]


def test_parts_of_mixed_types_are_ordered_somehow():
    encoder = FactoredEncoder({"a": (1, "x"), "b": ("one", None)}).fit([["a"], ["b"]])
    X = np.array([["b"], ["a"]], dtype=object)
    assert encoder.inverse_transform(encoder.transform(X)).tolist() == X.tolist()

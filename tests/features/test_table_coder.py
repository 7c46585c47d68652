"""The table coder: training rows only, any data frame, hostile cells, speed."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from tests.cases import each

from learnable.datasets import Column, Kind, Table, load, read_table
from learnable.features import TableCoder, ThermometerEncoder, coder_for


def frame():
    return pd.DataFrame(
        {
            "age": [20.0, np.nan, 40.0, 30.0, 80.0],
            "colour": ["red", "blue", None, "red", "green"],
            "grade": pd.Categorical(["A", "C", "B", None, "A"], ["C", "B", "A"], ordered=True),
            "member": [True, False, True, True, False],
            "same": [1, 1, 1, 1, 1],
            "day": pd.to_datetime(["2024-01-01"] * 4 + ["2024-01-02"]),
        }
    )


def test_names_and_reasons():
    coder = TableCoder().fit(frame())
    assert coder.get_feature_names_out().tolist() == [
        "age",
        "age missing",
        "colour=blue",
        "colour=green",
        "colour=red",
        "colour missing",
        "grade>=B",
        "grade>=A",
        "grade missing",
        "member=true",
        *coder.names_of("day"),
    ]
    assert coder.names_of("day")[0] == "day (days)"
    assert coder.dropped_ == {"same": "constant"}


def test_values_by_hand():
    coded = TableCoder().fit_transform(frame())
    filled = np.array([20.0, 35.0, 40.0, 30.0, 80.0])  # the median of 20, 30, 40, 80 is 35
    np.testing.assert_allclose(coded[:, 0], (filled - filled.mean()) / filled.std(), rtol=1e-13)
    np.testing.assert_array_equal(coded[:, 1], [0, 1, 0, 0, 0])
    np.testing.assert_array_equal(coded[:, 2:6], [[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]])
    # A missing grade takes the (lower) median of C, B, A, A, which is B.
    np.testing.assert_array_equal(coded[:, 6:9], [[1, 1, 0], [0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(coded[:, 9], [1, 0, 1, 1, 0])


def test_agrees_with_scikit_learn_column_by_column():
    table = load("houses").drop("price")
    table = table.take(~(table.column("age").missing | table.column("heating").missing))
    coder = TableCoder().fit(table)
    coded = dict(zip(coder.get_feature_names_out(), coder.transform(table).T))
    numbers = np.column_stack([c.values for c in table.columns if c.kind is Kind.NUMBER])
    scaled = StandardScaler().fit_transform(numbers)
    for j, column in enumerate(c for c in table.columns if c.kind is Kind.NUMBER):
        np.testing.assert_allclose(coded[column.name], scaled[:, j], atol=1e-12)
    district = table.column("district")
    one_hot = OneHotEncoder(sparse_output=False).fit_transform(district.values[:, None])
    np.testing.assert_array_equal(np.column_stack([coded[f"district={v}"] for v in district.levels]), one_hot)
    condition = table.column("condition")
    thermometer = ThermometerEncoder([condition.levels]).fit_transform(condition.values[:, None])
    bits = np.column_stack([coded[f"condition>={v}"] for v in condition.levels[1:]])
    np.testing.assert_array_equal(bits, thermometer[:, 1:])


def test_only_training_rows_matter():
    table = load("loans").drop("default")
    train, test = np.arange(400), np.arange(400, 600)
    coder = TableCoder().fit(table.take(train))
    whole = coder.transform(table)
    changed = [Column(c.name, c.kind, c.values.copy(), c.levels) for c in table.columns]
    for column in changed:
        column.values[test] = column.values[0]
    again = TableCoder().fit(Table(tuple(changed), 600).take(train))
    np.testing.assert_array_equal(again.transform(table), whole)
    np.testing.assert_allclose(whole[train, 0].mean(), 0, atol=1e-12)
    np.testing.assert_allclose(whole[train, 0].std(), 1, rtol=1e-12)


def test_every_library_codes_alike_and_order_is_free():
    pandas = frame()
    coder = TableCoder().fit(pandas)
    coded = coder.transform(pandas)
    polars = pl.from_pandas(pandas.drop(columns="grade")).with_columns(
        pl.Series("grade", ["A", "C", "B", None, "A"], dtype=pl.Enum(["C", "B", "A"]))
    )
    np.testing.assert_array_equal(coder.transform(polars), coded)
    np.testing.assert_array_equal(coder.transform(read_table(pandas).to_arrow()), coded)
    np.testing.assert_array_equal(coder.transform(pandas[pandas.columns[::-1]].assign(extra=1)), coded)
    for row in range(5):  # one row at a time: kinds come from training, not from the row
        np.testing.assert_array_equal(coder.transform(pandas.iloc[[row]]), coded[[row]])


def test_unknown_and_rare_levels_are_zeros_and_recorded():
    train = pd.DataFrame({"c": ["a"] * 5 + ["b"] * 3 + ["d"] * 2 + ["e"], "b": ["yes"] * 6 + ["no"] * 5})
    coder = TableCoder(max_levels=2).fit(train)
    assert coder.levels_["c"] == ["a", "b"]
    assert coder.rare_["c"] == ["d", "e"]
    new = pd.DataFrame({"c": ["a", "zebra", "d", None, "zebra"], "b": ["no", "yes", "perhaps", "no", "no"]})
    # A third value of a boolean takes the more frequent of the two, here yes.
    np.testing.assert_array_equal(coder.transform(new), [[1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]])
    assert coder.unknown_levels(new) == {"c": {"zebra": 2}, "b": {"perhaps": 1}}
    assert coder.unknown_levels(train) == {}


def test_booleans_match_in_any_case():
    coder = TableCoder().fit(pd.DataFrame({"b": [True, False, True]}))
    for spelling in ([True, False], ["True", "False"], ["TRUE", "FALSE"]):
        new = pd.DataFrame({"b": spelling})
        assert coder.transform(new).tolist() == [[1.0], [0.0]]
        assert coder.unknown_levels(new) == {}


def test_declared_levels_that_training_lacks_keep_their_rank():
    levels = ("S", "M", "L", "XL")

    def sizes(*cells):
        return Table((Column("size", Kind.ORDERED, np.array(cells, dtype=object), levels),), len(cells))

    coder = TableCoder().fit(sizes("S", "L", "L"))
    assert coder.get_feature_names_out().tolist() == ["size>=L"]
    np.testing.assert_array_equal(coder.transform(sizes("S", "M", "L", "XL"))[:, 0], [0, 0, 1, 1])


def test_missing_at_prediction_only():
    coder = TableCoder().fit(pd.DataFrame({"x": [1.0, 2.0, 6.0], "c": ["a", "b", "a"]}))
    coded = coder.transform(pd.DataFrame({"x": [None, 2.0], "c": [None, "b"]}))
    assert coded[0].tolist() == [coded[1][0], 0.0, 0.0]  # the median is 2


def test_a_single_value_with_gaps_gives_the_indicator_alone():
    coder = TableCoder().fit(pd.DataFrame({"x": [5.0, None, 5.0], "y": [1.0, 2.0, 3.0]}))
    assert coder.get_feature_names_out().tolist() == ["x missing", "y"]
    np.testing.assert_array_equal(coder.transform(pd.DataFrame({"x": [None, 7.0], "y": [2.0, 2.0]})), [[1, 0], [0, 0]])


def test_constant_in_a_fold_is_dropped_with_its_reason():
    table = load("loans").drop("default")
    rows = np.flatnonzero(table.column("home").values == "rent")
    assert TableCoder().fit(table.take(rows)).dropped_ == {"home": "constant in the training rows"}


@each("size", [1e300, 1e-300, 1e150, 1.9e307])
def test_extreme_numbers_are_standardised(size):
    x = np.array([1.0, 2.0, 4.0, 9.0])
    plain = TableCoder().fit_transform(pd.DataFrame({"x": x}))
    np.testing.assert_allclose(TableCoder().fit_transform(pd.DataFrame({"x": x * size})), plain, rtol=1e-12, atol=1e-15)


def test_large_offset():
    coded = TableCoder().fit_transform(pd.DataFrame({"x": 1e15 + np.array([0.0, 1.0, 2.0, 3.0])}))
    np.testing.assert_allclose(coded[:, 0], (np.arange(4) - 1.5) / np.sqrt(1.25), rtol=1e-12)


def test_categories_that_come_back_as_numbers(tmp_path):
    (tmp_path / "train.csv").write_text("zip,x\n007,1\n123,2\n123,3\n")
    (tmp_path / "new.csv").write_text("zip,x\n123,1\n456,2\n")
    coder = TableCoder().fit(read_table(tmp_path / "train.csv"))
    new = read_table(tmp_path / "new.csv")
    assert new.column("zip").kind == Kind.NUMBER
    np.testing.assert_array_equal(coder.transform(new)[:, :2], [[0, 1], [0, 0]])
    again = read_table(tmp_path / "new.csv", kinds=coder.kinds_, ordered=coder.ordered_)
    np.testing.assert_array_equal(coder.transform(again), coder.transform(new))


def test_faults():
    coder = TableCoder().fit(frame())
    with pytest.raises(ValueError, match=r"no column 'colour' in the data frame; did you mean 'color'\?"):
        coder.transform(frame().rename(columns={"colour": "color"}))
    with pytest.raises(ValueError, match=r"column 'age' was a number in training, but row 1 holds 'old'"):
        coder.transform(frame().assign(age=["20", "old", "30", "40", "50"]))
    with pytest.raises(ValueError, match=r"row 0: column 'age': inf is not a finite"):
        coder.transform(frame().assign(age=np.inf))
    with pytest.raises(ValueError, match=r"no column to learn from.*'same': 'constant'"):
        TableCoder().fit(frame()[["same"]])
    with pytest.raises(ValueError, match=r"TableCoder\(max_levels=0\)"):
        TableCoder(max_levels=0).fit(frame())
    with pytest.raises(ValueError, match=r"did you mean 'default'"):
        coder_for(load("loans"), "defualt")


def test_hostile_and_colliding_names():
    train = pd.DataFrame({"c": ["<b>", "x", "x"], "c=x": [1.0, 2.0, 3.0], "c missing": [2.0, 1.0, 0.0]})
    train.loc[0, "c"] = None
    names = TableCoder().fit(train).get_feature_names_out().tolist()
    assert len(set(names)) == len(names)
    hostile = pd.DataFrame({"<script>": ["</td>", "&", "&"]})
    assert TableCoder().fit(hostile).get_feature_names_out().tolist() == ["<script>=&", "<script>=</td>"]


def test_nothing_given_is_modified():
    table = load("loans")
    before = [column.values.copy() for column in table.columns]
    coder_for(table, "default").transform(table)
    for column, values in zip(table.columns, before):
        np.testing.assert_array_equal(column.values, values)


def test_saved_and_loaded():
    table = load("loans")
    coder = coder_for(table, "default")
    expected = coder.transform(table)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(coder)).transform(table), expected)
    data = skops.io.dumps(coder)
    # Nothing but the class itself needs trust: every attribute is plain.
    assert skops.io.get_untrusted_types(data=data) == ["learnable.features.table_coder.TableCoder"]
    loaded = skops.io.loads(data, trusted=["learnable.features.table_coder.TableCoder"])
    np.testing.assert_array_equal(loaded.transform(table), expected)
    assert not hasattr(clone(coder), "kinds_")


def test_in_a_pipeline_with_cross_validation():
    table = load("loans")
    y = table.column("default").values.astype(str)
    scores = cross_val_score(
        make_pipeline(TableCoder(), LogisticRegression()), table.drop("default").to_arrow(), y, cv=3
    )
    assert scores.mean() > 0.68
    out = TableCoder().set_output(transform="pandas").fit_transform(frame())
    assert out.columns[0] == "age"


def test_many_rows_from_file_to_matrix(tmp_path):
    rng = np.random.default_rng(0)
    n = 20_000
    data = {f"n{j}": rng.normal(size=n) for j in range(40)} | {
        f"c{j}": rng.choice(list("abcdefgh"), n) for j in range(10)
    }
    pl.DataFrame(data).write_csv(tmp_path / "big.csv")
    table = read_table(tmp_path / "big.csv")
    coded = TableCoder().fit_transform(table)
    assert coded.shape == (n, 120)
    numbers = np.column_stack([data[f"n{j}"] for j in range(40)])
    np.testing.assert_allclose(coded[:, :40], (numbers - numbers.mean(axis=0)) / numbers.std(axis=0), atol=1e-10)
    for j in range(10):
        words = np.unique(data[f"c{j}"], return_inverse=True)[1]
        np.testing.assert_array_equal(coded[:, 40 + 8 * j : 48 + 8 * j], np.eye(8)[words])

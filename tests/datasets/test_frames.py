"""Data frames and columnar files: types are kept, order is kept, the same table from every library."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet
from tests.cases import each

from learnable.datasets import Kind, Table, load, read_table


def make(library):
    sizes, levels = ["S", None, "L", "S"], ["S", "M", "L"]
    data = {
        "x": [1.5, None, 3.0, -1.0],
        "k": [1, 2, 3, 2],
        "flag": [True, False, True, None],
        "word": ["a", "b", None, "a"],
    }
    if library == "pandas":
        return pd.DataFrame(data).assign(size=pd.Categorical(sizes, levels, ordered=True))
    if library == "polars":
        return pl.DataFrame(data).with_columns(pl.Series("size", sizes, dtype=pl.Enum(levels)))
    if library == "polars lazy":
        return make("polars").lazy()
    codes = pa.array([0, None, 2, 0], pa.int32())
    return pa.table(data).append_column("size", pa.DictionaryArray.from_arrays(codes, levels, ordered=True))


@each("library", ["pandas", "polars", "polars lazy", "pyarrow"])
def test_every_library_gives_the_same_table(library):
    table = read_table(make(library))
    assert [str(column.kind) for column in table.columns] == ["number", "number", "boolean", "category", "ordered"]
    np.testing.assert_array_equal(table.column("x").values, [1.5, np.nan, 3.0, -1.0])
    assert [str(value).lower() for value in table.column("flag").values] == ["true", "false", "true", "none"]
    assert table.column("word").values.tolist() == ["a", "b", None, "a"]
    assert table.column("size").levels == ("S", "M", "L")
    assert table.column("size").values.tolist() == ["S", None, "L", "S"]


def test_pandas_unordered_categories_and_nullable_integers():
    frame = pd.DataFrame({"c": pd.Categorical(["b", "a", "b"], ["b", "a", "z"]), "k": pd.array([1, None, 3], "Int64")})
    table = read_table(frame)
    assert table.column("c").levels == ("b", "a")
    np.testing.assert_array_equal(table.column("k").values, [1, np.nan, 3])


def test_the_frame_is_left_alone():
    frame = pd.DataFrame({0: [1.0, 2.0], "b": ["x", "y"]})
    before = frame.copy(deep=True)
    table = read_table(frame)
    table.columns[0].values[0] = 99
    pd.testing.assert_frame_equal(frame, before)
    assert table.names == ("0", "b")


def test_strings_in_a_frame_are_words_not_numbers():
    table = read_table(pd.DataFrame({"zip": ["1", "2", "NA"], "d": ["2024-01-01"] * 2 + ["2024-01-02"]}))
    assert table.column("zip").levels == ("1", "2", "NA")
    assert table.column("d").kind == Kind.DATE


def test_other_types():
    table = read_table(
        pa.table(
            {
                "money": [decimal.Decimal("1.50"), decimal.Decimal("2.25")],
                "day": [datetime.date(2024, 1, 1), None],
                "nothing": pa.nulls(2),
                "big": [2**60, 2**60 + 1],
            }
        )
    )
    assert table.column("money").values.tolist() == [1.5, 2.25]
    assert table.column("day").kind == Kind.DATE
    assert table.column("nothing").kind == Kind.CONSTANT
    assert table.column("big").kind == Kind.IDENTIFIER
    assert table.column("big").values.tolist() == [str(2**60), str(2**60 + 1)]


def test_frame_faults():
    with pytest.raises(ValueError, match=r"the data frame, row 1: column 'x': inf is not a finite"):
        read_table(pd.DataFrame({"x": [1.0, np.inf]}))
    with pytest.raises(ValueError, match=r"columns 1 and 2 are both named 'a'"):
        read_table(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ValueError, match=r"columns 1 and 2 are both named 'a'"):
        read_table(pa.table([[1], [2]], names=["a", "a"]))
    with pytest.raises(ValueError, match=r"2 levels of column names"):
        read_table(pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])))
    with pytest.raises(TypeError, match=r"column 'm' mixes types"):
        read_table(pd.DataFrame({"m": [1, "a"]}, dtype=object))
    with pytest.raises(TypeError, match=r"column 'n' has type list"):
        read_table(pa.table({"n": [[1], [2]]}))
    with pytest.raises(TypeError, match=r"not ndarray"):
        read_table(np.ones((2, 2)))
    with pytest.raises(ValueError, match="has no rows"):
        read_table(pd.DataFrame({"a": []}))
    with pytest.raises(ValueError, match="has no columns"):
        read_table(pd.DataFrame())


@pytest.mark.parametrize("suffix", ["parquet", "feather", "arrow"])
def test_columnar_files(tmp_path, suffix):
    path = tmp_path / f"data.{suffix}"
    frame = make("pyarrow")
    if suffix == "parquet":
        parquet.write_table(frame, path)
    elif suffix == "feather":
        feather.write_feather(frame, path)
    else:
        with ipc.new_stream(path, frame.schema) as stream:
            stream.write_table(frame)
    table = read_table(path)
    assert table.source == path.name
    assert table.column("size").levels == ("S", "M", "L")
    assert table.column("size").kind == Kind.ORDERED


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_damaged_columnar_files(tmp_path, suffix):
    path = tmp_path / f"data.{suffix}"
    path.write_bytes(b"a,b\n1,2\n" * 10)
    with pytest.raises(ValueError, match=rf"data\.{suffix} is not a readable"):
        read_table(path)


@each("name", ["loans", "houses", "iris", "digits"])
def test_to_arrow_and_back(name):
    table = load(name)
    back = read_table(table.to_arrow())
    assert isinstance(back, Table)
    for before, after in zip(table.columns, back.columns):
        assert (before.name, before.kind, before.levels) == (after.name, after.kind, after.levels)
        np.testing.assert_array_equal(before.values, after.values)

"""Tables: lookup, rows, descriptions."""

import json

import numpy as np
import pytest
from tests.cases import each

from learnable.datasets import Column, Kind, Table, load


@pytest.fixture
def table():
    columns = (
        Column("price", Kind.NUMBER, np.array([1.0, np.nan, 3.0])),
        Column("size", Kind.ORDERED, np.array(["S", "L", None], dtype=object), ("S", "M", "L")),
        Column("day", Kind.DATE, np.array(["2024-01-01", "NaT", "2024-03-01"], dtype="M8[us]")),
    )
    return Table(columns, 3, "data.csv")


def test_unknown_name_suggests_the_nearest(table):
    with pytest.raises(
        ValueError, match=r"no column 'prcie' in data\.csv; did you mean 'price'\? Columns: 'price', 'si"
    ):
        table.column("prcie")
    with pytest.raises(ValueError, match=r"no column 'qqq' in data\.csv\. Columns:"):
        table.column("qqq")
    with pytest.raises(ValueError, match="did you mean 'size'"):
        table.drop(["sise"])
    with pytest.raises(ValueError, match="did you mean 'size'"):  # no letter is the same
        table.column(" SIZE")


def test_take_by_index_and_by_mask_agree(table):
    by_mask, by_index = table.take(np.array([True, False, True])), table.take([0, 2])
    assert by_mask.n_rows == len(by_index) == 2
    for a, b in zip(by_mask.columns, by_index.columns):
        np.testing.assert_array_equal(a.values, b.values)
        assert (a.kind, a.levels) == (b.kind, b.levels)
    assert table.take([]).n_rows == 0
    with pytest.raises(ValueError, match="mask has 2 entries"):
        table.take(np.array([True, False]))


def test_drop(table):
    assert table.drop("price").names == ("size", "day")
    assert table.drop(["size", "day"]).names == ("price",)
    assert table.names == ("price", "size", "day")


def test_columns_must_fit():
    with pytest.raises(ValueError, match="column 'a' has 2 values, the table 3 rows"):
        Table((Column("a", Kind.NUMBER, np.zeros(2)),), 3)
    with pytest.raises(ValueError, match="both named 'a'"):
        Table((Column("a", Kind.NUMBER, np.zeros(2)),) * 2, 2)


def test_descriptions_are_plain(table):
    facts = table.describe()
    assert json.loads(json.dumps(facts)) == facts
    assert facts[0]["median"] == 2.0
    assert facts[0]["n_missing"] == facts[1]["n_missing"] == facts[2]["n_missing"] == 1
    assert facts[1]["counts"] == {"S": 1, "M": 0, "L": 1}
    assert facts[2]["summary"] == "date, 2024-01-01 to 2024-03-01, 1 missing"


@each("name", ["loans", "houses", "digits"])
def test_descriptions_of_embedded_tables(name):
    for facts in load(name).describe():
        assert json.loads(json.dumps(facts)) == facts

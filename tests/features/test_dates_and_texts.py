"""Dates as elapsed days and parts, texts as weighted words: by hand, and the same on rows not seen."""

import numpy as np
import pytest

from learnable.datasets import Column, Kind, Table
from learnable.features import TableCoder


def table(**columns):
    made = tuple(Column(name, kind, values) for name, (kind, values) in columns.items())
    return Table(made, len(made[0].values))


def days(*texts):
    return np.array(texts, dtype="M8[us]")


def test_dates_by_hand():
    when = days("2024-01-01", "2024-01-03", "NaT", "2024-03-02")
    coder = TableCoder().fit(table(when=(Kind.DATE, when)))
    assert coder.get_feature_names_out().tolist() == [
        "when (days)",
        "when in January",
        "when in March",
        "when in Monday",
        "when in Wednesday",
        "when in Saturday",
        "when missing",
    ]
    coded = coder.transform(table(when=(Kind.DATE, when)))
    elapsed = np.array([0.0, 2.0, 61.0])
    np.testing.assert_allclose(coded[[0, 1, 3], 0], (elapsed - elapsed.mean()) / elapsed.std(), rtol=1e-9)
    np.testing.assert_array_equal(
        coded[:, 1:], [[1, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0], [0] * 5 + [1], [0, 1, 0, 0, 1, 0]]
    )
    np.testing.assert_allclose(coder.scale_of()[0], elapsed.std())
    later = coder.transform(table(when=(Kind.DATE, days("2025-06-01 12:00"))))
    assert later[0, 0] > 3
    assert not later[0, 1:].any()


def test_hours_only_where_there_are_hours():
    with_hours = TableCoder().fit(table(when=(Kind.DATE, days("2024-01-01 08:30", "2024-01-01 17:00"))))
    assert with_hours.get_feature_names_out().tolist() == ["when (days)", "when in 08 h", "when in 17 h"]


def test_texts_by_hand():
    words = np.array(
        ["good wine", "good good wine", "bad wine", "bad wine", "bad wine", "good wine", None], dtype=object
    )
    coder = TableCoder().fit(table(note=(Kind.TEXT, words)))
    assert coder.get_feature_names_out().tolist() == ["note says bad", "note says good", "note missing"]
    coded = coder.transform(table(note=(Kind.TEXT, words)))
    np.testing.assert_allclose(np.linalg.norm(coded[:6, :2], axis=1), 1)
    np.testing.assert_array_equal(coded[:6, 0] > 0, [False, False, True, True, True, False])
    assert coded[6].tolist() == [0, 0, 1]
    assert not coder.transform(table(note=(Kind.TEXT, np.array(["unseen words"], dtype=object)))).any()


def test_texts_that_share_nothing_are_dropped_and_so_are_all_without_words():
    lone = np.array([f"word{i} other{i}" for i in range(9)], dtype=object)
    number = np.arange(9.0)
    coder = TableCoder().fit(table(note=(Kind.TEXT, lone), x=(Kind.NUMBER, number)))
    assert "without words that repeat" in coder.dropped_["note"]
    same = np.array(["red wine", "white wine", "red wine"] * 3, dtype=object)
    assert "note" in TableCoder(max_words=0).fit(table(note=(Kind.TEXT, same), x=(Kind.NUMBER, number))).dropped_
    with pytest.raises(ValueError, match="max_words"):
        TableCoder(max_words=-1).fit(table(x=(Kind.NUMBER, number)))

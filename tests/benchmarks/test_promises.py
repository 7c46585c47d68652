"""The promises of cost can be measured; whether they are kept depends on the machine and is no matter for tests."""

from benchmarks.promises import Kept, promises_kept, promises_table


def test_every_promise_is_measured():
    rows = list(promises_kept(scale=0.001, turns=1))
    assert len(rows) == len({row.what for row in rows}) >= 6
    assert all(row.cpu >= 0.0 and row.bar is None for row in rows)
    assert promises_table(rows).row_count == len(rows)


def test_a_broken_promise_is_marked():
    table = promises_table([Kept("quick", "1", 1.0, 2.0), Kept("slow", "1", 3.0, 2.0)])
    assert list(table.columns[3].cells) == ["2", "2  BROKEN"]

"""The cost of judging: every bar is measured, and a missed one says so."""

from benchmarks.judging import Judged, judging, judging_table
from rich.console import Console


def test_every_bar_is_measured():
    rows = list(judging(scale=0.01))
    kinds = {row.what.split(":")[0].split(" of ")[0] for row in rows}
    assert {"bootstrap", "exact coverage", "labellings"} <= kinds
    assert any("R²" in row.what for row in rows)
    assert any("10 learners" in row.what for row in rows)
    assert all(row.figure > 0 and row.bar > 0 for row in rows)


def test_a_missed_bar_is_said():
    rows = [Judged("quick", "s", 1.0, 1.0, 2.0), Judged("slow", "%", 3.0, 3.0, 2.0)]
    assert [row.kept for row in rows] == [True, False]
    console = Console(width=100, record=True, file=None, quiet=False)
    with console.capture() as printed:
        console.print(judging_table(rows))
    assert "2 s kept" in printed.get()
    assert "2 % MISSED" in printed.get()

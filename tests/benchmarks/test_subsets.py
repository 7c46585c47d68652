"""The race of subsets runs, its optima are proved, and splicing is never far behind."""

from benchmarks.subsets import subsets, subsets_table


def test_small_cases():
    rows = list(subsets(scale=0.02, turns=2))
    proved = [row for row in rows if row.who == "BestSubset"]
    assert len(proved) == 4
    assert all(row.note.startswith("2 of 2 proved") for row in proved)
    assert all(row.rss <= 1.0 + 1e-9 for row in rows if row.who == "SplicingSubset")
    assert subsets_table(rows).row_count == len(rows)

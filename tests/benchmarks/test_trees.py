"""The race of trees runs, and nobody is far behind in test loss."""

from benchmarks.trees import tree_figures, tree_table


def test_the_race_runs_and_losses_agree():
    rows = list(tree_figures(scale=0.01, turns=1))
    assert tree_table(rows).row_count == len(rows)
    for case in {row.case for row in rows}:
        losses = [row.loss for row in rows if row.case == case]
        assert max(losses) <= 1.5 * min(losses) + 0.1

"""Double and single precision side by side: a small run."""

import json

import pytest
from benchmarks.__main__ import main
from benchmarks.single import FITS, Precisions, precisions, precisions_table


def test_every_fit_is_timed_in_both_precisions():
    found = list(precisions(0.005, 1))
    assert [each.model for each in found] == [name for name, _, _ in FITS]
    assert all(min(each[1:]) > 0.0 for each in found)


def test_only_some_may_be_asked_for():
    assert [each.model for each in precisions(0.005, 1, "poisson")] == ["PoissonRegressor"]


def test_the_table_tells_the_gains():
    table = precisions_table([Precisions("Ridge", 2.0, 1.0, 3.0, 2.0)])
    assert [list(column.cells) for column in table.columns] == [
        ["Ridge"], ["2.000"], ["1.000"], ["2.00"], ["3.000"], ["2.000"], ["1.50"], ["2.00"],
    ]  # fmt: skip


@pytest.mark.parametrize("only", ["Ridge"])
def test_it_is_a_command(only, tmp_path, capsys):
    assert main(["single", "--quick", "--turns", "1", "--only", only, "--json", str(tmp_path / "found.json")]) == 0
    assert only in capsys.readouterr().out
    assert json.loads((tmp_path / "found.json").read_text())["single"][0]["model"] == only

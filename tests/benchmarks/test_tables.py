"""What the tables and the command say."""

import io
import json

import pytest
from benchmarks.__main__ import main
from benchmarks.field import contenders
from benchmarks.overhead import Bar, FitParts, fit_parts
from benchmarks.race import Result
from rich.console import Console

from benchmarks import race as race_module
from benchmarks import tables

RESULTS = [
    Result("A", "learnable", 1e-8, 1e-9, (1.5, 2.0, 2.9), 5.0, 6.0),
    Result("A", "quick", 1e-8, 1e-9, (3.0, 3.0, 3.0), 7.0),
    Result("A", "slow", 1e-8, 1e-9, (8.0,), 8.0),
    Result("A", "loose", accuracy=1e-3, note="not reached"),
    Result("B", "learnable", note="ValueError: no"),
    Result("B", "quick", 1e-8, 1e-9, (3.0,), 7.0),
]


def text(table):
    out = io.StringIO()
    Console(file=out, width=200).print(table)
    return out.getvalue()


def row(table, name):
    return next(line for line in text(table).splitlines() if name in line)


def test_the_ratio_is_of_medians_and_only_for_those_who_reached_the_target():
    table = tables.race_table(RESULTS)
    assert " 1.50 " in row(table, "quick")
    assert " 4.00 " in row(table, "slow")
    assert "not reached" in row(table, "loose")
    assert "1.0e-03" in row(table, "loose")
    assert "1.5 – 2.9" in row(table, "learnable")


def test_the_standing_is_against_the_quickest_rival():
    assert tables.standings(RESULTS) == ["A: 1.50 x the quickest rival (quick)", "B: no comparison"]


def test_a_ratio_of_unsteady_figures_is_marked():
    unsteady = [RESULTS[0], Result("A", "moody", 1e-8, 1e-9, (1.0, 3.0, 9.0), 7.0)]
    assert " ?1.50 " in row(tables.race_table(unsteady), "moody")
    assert tables.standings(unsteady)[0].endswith("unsteady: measure again on a quiet machine")
    swapped = [Result("A", "learnable", 1e-8, 1e-9, (1.0, 2.0, 9.0)), RESULTS[1]]
    assert " ?1.50 " in row(tables.race_table(swapped), "quick")


def test_a_missed_bar_is_told():
    table = tables.start_up_table([Bar("one", 0.2, 0.1, 0.15), Bar("two", 0.3, 0.2, 0.15)])
    assert "kept" in row(table, "one")
    assert "MISSED" in row(table, "two")


def test_shares_of_a_fit():
    parts = FitParts("M", "1x1", pose=1.0, bare=10.0, driven=10.2, certificate=0.5, fit=12.1)
    assert parts.driver_cost == pytest.approx(0.02)
    assert parts.fit_cost == pytest.approx(0.1)
    assert "+2.0%" in text(tables.parts_table([parts]))


def test_parts_of_a_fit_are_measured():
    lasso, logistic = fit_parts(scale=0.01, repeats=1)
    assert (lasso.model, logistic.model) == ("Lasso", "LogisticRegression")
    assert min(lasso[2:] + logistic[2:]) > 0.0


def test_json_holds_every_figure(tmp_path):
    tables.write_json(tmp_path / "out.json", {"machine": tables.machine(2), "race": RESULTS})
    content = json.loads((tmp_path / "out.json").read_text())
    assert content["race"][0]["warm"] == [1.5, 2.0, 2.9]
    assert (content["race"][3]["warm"], content["race"][3]["note"]) == ([], "not reached")
    assert content["machine"]["threads"] == 2


def test_the_command_prints_one_table_and_writes_json(tmp_path, capsys, monkeypatch, forked):
    file = tmp_path / "race.json"
    monkeypatch.setattr(race_module, "contenders", lambda problem: contenders(problem)[::2])
    monkeypatch.setattr(race_module, "Runner", forked)
    monkeypatch.setattr("benchmarks.__main__.QUICK_LIMIT", 120.0)  # whatever else the machine does
    assert main(["race", "--quick", "--only", "ridge 200", "--turns", "1", "--threads", "1", "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "ridge 200000x100" in printed
    assert "x the quickest rival" in printed
    race = json.loads(file.read_text())["race"]
    assert [each["contender"] for each in race] == ["learnable", "LAPACK syrk+posv"]
    assert all(each["accuracy"] <= 1e-10 and len(each["warm"]) == 1 for each in race)
    # A quick one times no first fits.
    assert all(each["cold"] is each["cold_compiling"] is None for each in race)


def test_a_pattern_that_fits_no_case_lists_the_cases():
    with pytest.raises(SystemExit, match=r"no case has that in its name(.|\n)*logistic fair"):
        main(["race", "--only", "no such case"])

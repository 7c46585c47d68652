"""Threads over folds: what is compared is the same problem, and a small run."""

import json

import numpy as np
from benchmarks.__main__ import main
from benchmarks.field import OURS
from benchmarks.folds import FOLDS, RIVAL, Gain, diabetes, fits, gains, gains_table, toeplitz
from tests.cases import each

from benchmarks import folds


@each("build", [diabetes, toeplitz])
def test_the_largest_penalty_is_the_smallest_that_leaves_nothing(build):
    design = build(0.02)
    fit = fits(design)[OURS]
    assert not fit(2, 1, design.alphas[:1] * 1.001).coef_.any()
    assert fit(2, 1, design.alphas[:1] * 0.99).coef_.any()


def test_both_see_the_same_folds_and_penalties_whatever_the_threads():
    design = toeplitz(0.02)
    models = [fit(3, k, design.alphas[:20]) for fit in fits(design).values() for k in (1, 2)]
    assert [model.n_jobs for model in models] == [1, 2, 1, 2]
    assert models[0].mse_path_.shape == (20, 3)
    for model in models[1:]:
        np.testing.assert_array_equal(model.alphas_, models[0].alphas_)
        np.testing.assert_allclose(model.mse_path_, models[0].mse_path_, rtol=1e-2)
    np.testing.assert_array_equal(models[1].mse_path_, models[0].mse_path_)


def test_gain_and_ratios():
    ours = Gain("A", OURS, 4, 2, wall=6.0, cpu=6.0, threaded_wall=4.0, threaded_cpu=7.0, difference=0.0)
    theirs = Gain("A", RIVAL, 4, 2, wall=9.0, cpu=12.0, threaded_wall=6.0, threaded_cpu=9.0, difference=1e-3)
    assert ours.gain == 1.5
    cells = [list(column.cells)[1] for column in gains_table([ours, theirs]).columns]
    assert cells[8:] == ["1.50", "0.75", "2.00", "1.50", "1e-03", ""]


def test_a_small_run_has_every_number_of_folds():
    rows = list(gains(0.02, turns=1, threads=2, limit=60.0, only="toeplitz"))
    assert [(row.contender, row.folds) for row in rows] == [(who, k) for k in FOLDS for who in (OURS, RIVAL)]
    for row in rows:
        assert min(row.wall, row.cpu, row.threaded_wall, row.threaded_cpu) > 0.0
        assert row.difference <= (0.0 if row.contender == OURS else 1e-2)
        assert row.note == ""
    assert gains_table(rows).row_count == 6


def test_a_rival_that_would_be_too_slow_is_left_out():
    rows = list(gains(0.02, turns=2, threads=2, limit=1e-9, only="toeplitz"))
    assert [row.note for row in rows if row.contender == RIVAL] == ["", "over 1e-09 s", "over 1e-09 s"]
    assert not any(row.note for row in rows if row.contender == OURS)
    assert gains_table(rows).row_count == 6


def test_no_more_threads_than_four_and_one_is_enough():
    assert {row.threads for row in gains(0.02, 1, 99, 60.0, "diabetes")} == {folds.MOST_THREADS}
    assert {row.threads for row in gains(0.02, 1, 1, 60.0, "diabetes")} == {1}


def test_the_command_prints_the_chosen_design_and_writes_json(tmp_path, capsys):
    file = tmp_path / "folds.json"
    assert main(["folds", "--quick", "--only", "toeplitz", "--turns", "1", "--threads", "2", "--json", str(file)]) == 0
    assert "Toeplitz" in capsys.readouterr().out
    assert {row["folds"] for row in json.loads(file.read_text())["folds"]} == set(FOLDS)

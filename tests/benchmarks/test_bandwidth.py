"""A pass against the memory: its data, its yardsticks, and a small run."""

import json

import numpy as np
from benchmarks.__main__ import main
from benchmarks.bandwidth import (
    MARGIN,
    Pass,
    bytes_moved,
    passes,
    passes_table,
    separable,
    total,
    total_of_rows,
    total_of_rows_asked_for,
)
from tests.cases import each

from learnable._jit.core.vectors import rows_of
from learnable.linear import Perceptron


def test_a_few_mistakes_are_enough_and_then_a_pass_only_reads():
    X, y = separable(2000, 20)
    states = Perceptron(shuffle=False)._pose(X, y).iterates
    made = [next(states).mistakes for _ in range(5)]
    longest = np.linalg.norm(X, axis=1).max()
    assert 0 < sum(made) <= (longest**2 + 1.0) / MARGIN**2  # Novikoff, with the column of ones
    assert made[-1] == 0


@each("p", [1, 20, 100])
def test_the_yardsticks_read_every_entry_once(p):
    generator = np.random.default_rng(0)
    X = generator.integers(-1000, 1000, (300, p)).astype(float)  # whole numbers: sums are exact in every order
    order = generator.permutation(300)
    rows = rows_of(X)
    assert total(X.reshape(-1)) == total_of_rows(rows, order) == total_of_rows_asked_for(rows, order) == X.sum()
    some = order[:100]
    assert total_of_rows(rows, some) == total_of_rows_asked_for(rows, some) == X[some].sum()


def test_the_share_is_of_what_the_memory_gives_in_that_order():
    row = Pass("rows", True, 8 * 10**9, 12 * 10**9, seconds=5.0, drawing=1.0, read=0.5, memory=2.0, rival=10.0)
    assert row.share == 0.4
    assert row.share_of_visits == 0.5
    assert row.share_of_lines == 3.0 / 16.0
    cells = [next(iter(column.cells)) for column in passes_table([row]).columns]
    assert cells == [
        "rows", "5000.00", "1000.00", "1.60", "4.00", "0.40", "0.50", "16.00", "0.19", "10000.00", "2.00"
    ]  # fmt: skip


def test_a_row_moves_every_line_it_lies_in():
    memory = np.zeros(64 * 10)
    begin = -memory.ctypes.data % 64 // 8  # the first entry at the beginning of a line
    assert bytes_moved(memory[begin : begin + 8 * 16].reshape(16, 8)) == 16 * 64
    assert bytes_moved(memory[begin + 1 : begin + 1 + 8 * 16].reshape(16, 8)) == 16 * 128
    # A row of 160 bytes, two lines and a half, lies in three of them or four.
    assert bytes_moved(memory[begin : begin + 20 * 16].reshape(16, 20)) == 16 * 3 * 64
    assert bytes_moved(memory[begin + 2 : begin + 2 + 20 * 16].reshape(16, 20)) == 8 * (3 + 4) * 64


def test_a_small_run_has_both_orders_of_both_sizes():
    rows = list(passes(0.01, turns=2))
    assert [(row.case.split(",")[0], row.shuffle) for row in rows] == [
        ("10000 x 20", False),
        ("10000 x 20", True),
        ("2000 x 100", False),
        ("2000 x 100", True),
    ]
    for row in rows:
        assert row.bytes == 1_600_000
        assert min(row.seconds, row.read, row.memory) > 0.0
        assert np.isfinite(row.rival)  # a difference of two fits, in a small run it may be lost in the noise
        assert (row.drawing > 0.0) == row.shuffle
        assert row.shuffle or row.memory == row.read
        assert row.moved > row.bytes if row.shuffle else row.moved == row.bytes
    assert passes_table(rows).row_count == 4


def test_the_command_prints_the_chosen_size_and_writes_json(tmp_path, capsys):
    file = tmp_path / "passes.json"
    assert main(["bandwidth", "--quick", "--only", "x 100", "--turns", "1", "--threads", "1", "--json", str(file)]) == 0
    assert "4000 x 100, shuffled" in capsys.readouterr().out
    assert [row["shuffle"] for row in json.loads(file.read_text())["bandwidth"]] == [False, True]

"""Files larger than memory: a sample to try things on, every row for the last fit, and an honest account of both."""

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from tests.cases import each

from learnable.app import learn as job
from learnable.app.commands.certify import certify_file
from learnable.app.errors import UserError
from learnable.app.model_files.card import unpack
from learnable.app.progress import Silent
from learnable.app.table.reading import HowToRead
from learnable.app.trials import candidates, large
from learnable.datasets import blocks, read_table
from learnable.datasets.blocks import blocks_of, bytes_to_read

ROWS, SAMPLED, MEMORY = 6_000, 1_000, 1e-4


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(ROWS, 3))
    colour = np.array(["red", "blue", "green"])[rng.integers(3, size=ROWS)]
    score = X @ [1.5, -1.0, 0.0] + (colour == "red")
    columns = {f"x{j}": np.round(X[:, j], 3) for j in range(3)}
    sold = np.where(rng.random(ROWS) < 1 / (1 + np.exp(-score)), "yes", "no")
    missing = rng.random(ROWS) < 0.01
    columns["x1"] = np.where(missing, np.nan, columns["x1"])
    price = np.round(score + rng.normal(size=ROWS), 3)
    return pa.table(
        {"row": np.arange(ROWS) + 1, **columns, "colour": colour, "price": price, "sold": pa.array(sold, mask=missing)}
    )


@pytest.fixture
def small(monkeypatch, whole_panel):
    """A small sample, and a panel of two learners: one that learns in blocks and one that does not."""
    found = dict(candidates.members())
    monkeypatch.setattr(job, "candidates", whole_panel)
    monkeypatch.setattr(large, "SAMPLE_CELLS", 7 * SAMPLED)
    monkeypatch.setattr(large, "FEWEST_SAMPLED", SAMPLED)

    def panel(*names):
        monkeypatch.setattr(candidates, "members", lambda: [(name, found[name]) for name in names])

    return panel


def written(frame, folder, suffix):
    path = folder / f"sales{suffix}"
    if suffix == ".parquet":
        parquet.write_table(frame, path, row_group_size=700)
    else:
        csv.write_csv(frame, folder / "sales.csv")
        if suffix == ".csv.gz":
            path.write_bytes(gzip.compress((folder / "sales.csv").read_bytes()))
    return path


@each("suffix", [".csv", ".csv.gz", ".parquet"])
def test_a_sample_is_rows_of_the_file_and_the_blocks_are_all_of_them(frame, tmp_path_factory, suffix):
    path = written(frame, tmp_path_factory.mktemp("blocks"), suffix)
    parts_of = blocks_of(path)
    sample = parts_of.sample(SAMPLED, np.random.default_rng(0))
    assert sample.n_rows == ROWS
    assert len(np.unique(sample.rows)) == SAMPLED
    np.testing.assert_array_equal(sample.table.column("price").values, frame["price"].to_numpy()[sample.rows])
    assert sample.table.column("row").kind == "identifier"
    whole = read_table(path)
    kinds = {"x1": "number", "colour": "category", "sold": "category"}
    parts = [table for _, table in parts_of.tables(kinds)]
    for name in kinds:
        joined = np.concatenate([part.column(name).values for part in parts])
        np.testing.assert_array_equal(joined, whole.column(name).values)
    assert bytes_to_read(path) > MEMORY * 2**30


def test_every_row_of_a_sample_is_as_likely_as_any_other(frame, tmp_path):
    file = blocks_of(written(frame, tmp_path, ".csv"))
    drawn = np.concatenate([file.sample(600, np.random.default_rng(seed)).rows for seed in range(40)])
    shares = np.bincount(drawn * 10 // ROWS, minlength=10) / len(drawn)
    assert np.abs(shares - 0.1).max() < 5 * np.sqrt(0.1 * 0.9 / len(drawn))


@each("target, drop, learner", [("sold", "price", "LogisticRegression"), ("price", "sold", "Ridge")])
def test_the_chosen_learner_sees_every_row_and_certify_finds_them_again(
    frame, small, tmp_path_factory, target, drop, learner
):
    folder = tmp_path_factory.mktemp("whole")
    path = written(frame, folder, ".csv")
    small(learner)
    found = job.learn(job.Options(data=str(path), target=target, drop=(drop,), memory=MEMORY), Silent())
    known = ROWS - (frame[target].null_count)
    assert found.result.file_rows == ROWS
    assert found.result.fitted_rows == known - found.result.test_rows
    assert f"fitted on all {found.result.fitted_rows} other rows" in found.result.warnings[0]
    assert f"{SAMPLED} random rows" in found.result.warnings[0]
    assert found.result.winner.certified
    # The same fit in memory: all rows that the card says, coded by the same coder.
    model = found.pipeline["learn"]
    table = read_table(path)
    rows = unpack(found.card["training"]["mask"], ROWS) & ~table.column(target).missing
    X, y = found.pipeline["code"].transform(table.take(rows)), table.column(target).values[rows]
    again = type(model)(**model.get_params()).fit(X, y if target == "price" else y.astype(str))
    np.testing.assert_allclose(model.coef_, again.coef_, rtol=1e-5, atol=1e-7)
    files = found.write(folder)
    verdict = certify_file(files["model"], str(path))
    assert verdict.holds
    assert verdict.training_data
    assert verdict.rows == found.result.fitted_rows
    assert verdict.scores_checked


def test_a_fit_that_stays_on_the_sample_says_so(frame, small, tmp_path):
    path = written(frame, tmp_path, ".parquet")
    small("DecisionTreeClassifier")
    given = job.Options(data=str(path), target="sold", drop=("price",), memory=MEMORY)
    found = job.learn(given, Silent())
    assert found.result.fitted_rows == found.result.train_rows
    assert found.result.warnings[0].endswith("since tree cannot learn in blocks")
    model = found.write(tmp_path)["model"]
    for how in (HowToRead(), HowToRead(memory=MEMORY)):
        verdict = certify_file(model, str(path), how=how)
        assert (verdict.holds, verdict.training_data, verdict.rows) == (True, True, found.result.train_rows)


@each("options", [{"weight": "x4", "class_weight": "balanced"}, {"group": "shop"}, {"time": "day"}])
def test_weights_groups_and_times_hold_for_every_row_of_the_file(frame, small, tmp_path_factory, options):
    folder = tmp_path_factory.mktemp("roles")
    rng = np.random.default_rng(2)
    given = {"x4": np.linspace(0.5, 1.5, ROWS), "shop": rng.integers(60, size=ROWS), "day": rng.permutation(ROWS) / 7}
    for name in given:
        if name in options.values():
            frame = frame.append_column(name, pa.array(given[name]))
    path = written(frame, folder, ".csv")
    small("LogisticRegression")
    asked = job.Options(data=str(path), target="sold", drop=("price",), memory=MEMORY, **options)
    found = job.learn(asked, Silent())
    trained, held = (unpack(found.card["training"][part], ROWS) for part in ("mask", "held_out"))
    assert found.result.fitted_rows == trained.sum() > 2 * found.result.train_rows
    if "group" in options:
        assert not set(given["shop"][trained]) & set(given["shop"][held])
    if "time" in options:
        assert given["day"][trained].max() < given["day"][held].min()
    model = found.write(folder)["model"]
    whole, in_blocks = (certify_file(model, str(path), how=how) for how in (HowToRead(), HowToRead(memory=MEMORY)))
    for verdict in (whole, in_blocks):
        assert verdict.holds, verdict.text()
        assert verdict.training_data
        assert verdict.scores_checked
    assert [claim.statement for claim in in_blocks.claims] == [claim.statement for claim in whole.claims]
    assert in_blocks.held_out == whole.held_out == held.sum()


def test_predictions_in_blocks_are_those_of_the_whole(frame, small, tmp_path, monkeypatch, run):
    path = written(frame, tmp_path, ".csv")
    small("LogisticRegression")
    model = job.learn(job.Options(data=str(path), target="sold", drop=("price",)), Silent()).write(tmp_path)["model"]
    odd = pa.array(np.where(np.arange(ROWS) % 1000 == 7, "pink", frame["colour"].to_numpy(zero_copy_only=False)))
    odd = frame.set_column(frame.column_names.index("colour"), "colour", odd).drop_columns(["sold", "row"])
    csv.write_csv(odd, path)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 2**15)
    whole = run("predict", model, path)
    in_blocks = run("predict", model, path, "--memory", MEMORY)
    assert in_blocks.stdout == whole.stdout
    assert whole.stdout.count("\n") == ROWS + 1
    assert in_blocks.stderr == whole.stderr
    assert "6 rows have levels that training did not have, such as 'pink'" in whole.stderr
    run("predict", model, path, "--memory", MEMORY, "--out", tmp_path / "said.csv")
    assert (tmp_path / "said.csv").read_text() == whole.stdout
    both = [json.loads(run("predict", model, path, "--json", *more).stdout) for more in ((), ("--memory", MEMORY))]
    assert both[0] == both[1]
    csv.write_csv(odd.drop_columns(["x0"]), path)
    assert "the model needs a column that is missing" in run("predict", model, path, "--memory", MEMORY).stderr


def test_a_cell_that_contradicts_the_sample_is_named(frame, small, tmp_path):
    path = written(frame, tmp_path, ".csv")
    lines = path.read_text().splitlines()
    small("Ridge")
    plan = job.plan(job.Options(data=str(path), target="price", drop=("sold",), memory=MEMORY))
    assert "more than fit into memory" in plan.warnings[0]
    # A row that the sample of this seed does not hold.
    sample = large.sampled(blocks_of(path), job.Options(), {}, {}).rows
    outside = next(row for row in range(ROWS) if row not in set(sample.tolist()))
    lines[outside + 1] = lines[outside + 1].replace(",", ",oops", 1)
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(UserError, match=rf"sales.csv, row {outside + 1}: column 'x0': 'oops.*' is not a number"):
        job.learn(job.Options(data=str(path), target="price", drop=("sold",), memory=MEMORY), Silent())


def test_a_file_that_fits_is_read_whole(frame, tmp_path):
    path = written(frame, tmp_path, ".csv")
    assert large.too_large(str(path), job.Options()) is None
    assert large.too_large(str(path), job.Options(memory=MEMORY)) is not None
    assert large.too_large(Path("no-such-file.csv"), job.Options(memory=MEMORY)) is None


def test_a_file_of_few_rows_is_a_sample_of_all_of_them(run, few_learners, tmp_path):
    """With a limit below its size it was "120 random rows", and "all 120 other rows" where none is held out."""
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "".join(f"{i * i % 17},{'ab'[i % 2]}\n" for i in range(120)))
    outcome = run("learn", path, "--target", "y", "--memory", "1e-7", "--jobs", 1, "--out", tmp_path, "--json")
    (said,) = [one for one in json.loads(outcome.stdout)["warnings"] if "more than fit into memory" in one]
    assert "tuned, compared and tested, on all of them" in said
    assert "random" not in said
    assert "fitted on all 120 rows, read in blocks" in said or "stays" in said or "cannot" in said

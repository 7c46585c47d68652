"""Files larger than memory: a sample to try things on, every row for the last fit, and an honest account of both."""

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from tests.cases import each

from learnable.app import candidates, large
from learnable.app import learn as job
from learnable.app.card import unpack
from learnable.app.certify import certify_file
from learnable.app.errors import UserError
from learnable.app.progress import Silent
from learnable.datasets import read_table
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
    blocks = blocks_of(path)
    sample = blocks.sample(SAMPLED, np.random.default_rng(0))
    assert sample.n_rows == ROWS
    assert len(np.unique(sample.rows)) == SAMPLED
    np.testing.assert_array_equal(sample.table.column("price").values, frame["price"].to_numpy()[sample.rows])
    assert sample.table.column("row").kind == "identifier"
    whole = read_table(path)
    kinds = {"x1": "number", "colour": "category", "sold": "category"}
    parts = [table for _, table in blocks.tables(kinds)]
    for name in kinds:
        joined = np.concatenate([part.column(name).values for part in parts])
        np.testing.assert_array_equal(joined, whole.column(name).values)
    assert bytes_to_read(path) > MEMORY * 2**30


def test_every_row_of_a_sample_is_as_likely_as_any_other(frame, tmp_path):
    blocks = blocks_of(written(frame, tmp_path, ".csv"))
    drawn = np.concatenate([blocks.sample(600, np.random.default_rng(seed)).rows for seed in range(40)])
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


@each(
    "learner, options, cause",
    [
        ("DecisionTreeClassifier", {}, "tree cannot learn in blocks"),
        ("LogisticRegression", {"weight": "x4"}, "--weight need all rows in memory"),
    ],
)
def test_a_fit_that_stays_on_the_sample_says_so(frame, small, tmp_path_factory, learner, options, cause):
    folder = tmp_path_factory.mktemp("sample")
    weighted = frame.append_column("x4", pa.array(np.linspace(0.5, 1.5, ROWS)))
    path = written(weighted, folder, ".parquet")
    small(learner)
    given = job.Options(data=str(path), target="sold", drop=("price",), memory=MEMORY, **options)
    found = job.learn(given, Silent())
    assert found.result.fitted_rows == found.result.train_rows
    assert found.result.warnings[0].endswith(f"since {cause}")
    if not options:
        verdict = certify_file(found.write(folder)["model"], str(path))
        assert (verdict.holds, verdict.training_data, verdict.rows) == (True, True, found.result.train_rows)


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

"""`learnable watch`: a film from the command line."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from tests.films.runs import clouds
from tests.films.test_films import data_of

from learnable.app.cli import cli


@pytest.fixture
def flowers(tmp_path):
    X, y = clouds(n=40)
    colours = np.where(X[:, 0] > 1, "red", "blue")
    rows = [f"{a:.3f},{b:.3f},{c},{['rose', 'iris'][k]}" for (a, b), c, k in zip(X, colours, y)]
    path = tmp_path / "flowers.csv"
    path.write_text("\n".join(["length,width,colour,kind", *rows]) + "\n")
    return path


def ran(*arguments):
    return CliRunner().invoke(cli, ["watch", *map(str, arguments)])


def test_films_of_learners_of_every_kind(flowers, tmp_path):
    out = tmp_path / "film.html"
    for arguments, kind in (
        (("perceptron", flowers, "--target", "kind"), "Perceptron"),
        (("decision-tree-classifier", flowers, "--target", "kind", "--columns", "length,width", "--as-is"), None),
        (("k_means", flowers, "--set", "n_clusters=3", "--columns", "length,width"), "KMeans"),
        (("Lasso", flowers, "--target", "length", "--set", "alpha=0.01"), "Lasso"),
        (("lasso",), "Lasso"),
        (("find-s", flowers, "--target", "kind", "--columns", "colour"), "FindS"),
        (("policy-iteration",), "PolicyIteration"),
    ):
        result = ran(*arguments, "-o", out, "--json", "--frames", 20)
        said = json.loads(result.stdout)
        assert result.exit_code == (1 if said["verdict"] == "refuted" else 0), (arguments, result.output)
        assert said["schema"] == "learnable.watch/1"
        assert kind in (None, said["model"])
        film = data_of(out.read_text(encoding="utf-8"))
        assert film["title"] == said["model"]
        assert len(film["deltas"]) == said["frames"] <= 20
    assert "kind" in ran("perceptron", "--help").output


def test_rows_in_a_row_with_equal_cells_are_one_sequence(tmp_path):
    """With the column, no transition is counted from the end of one sequence to the start of the next."""
    path, out = tmp_path / "days.csv", tmp_path / "film.html"
    path.write_text("day,sign\n" + "\n".join(f"{day},{sign}" for day in ["mon", "tue", "mon"] for sign in (0, 1, 1, 0)))
    counted = []
    for more in ((), ("--sequence", "day")):
        result = ran("markov-chain", path, "--columns", "sign", "--as-is", *more, "-o", out)
        assert result.exit_code == 0, result.output
        panels = data_of(out.read_text(encoding="utf-8"))["deltas"][0][1]["panels"]
        counted.append(next(panel for panel in panels if panel["title"] == "Transitions counted")["values"])
    assert counted == [[[2, 3], [3, 3]], [[0, 3], [3, 3]]]


def test_the_words_of_the_table_are_in_the_film(flowers, tmp_path):
    out = tmp_path / "film.html"
    result = ran("perceptron", flowers, "--target", "kind", "--columns", "length,width", "-o", out)
    assert result.exit_code == 0, result.output
    assert f"written to {out}" in result.output
    panel = data_of(out.read_text(encoding="utf-8"))["deltas"][0][1]["panels"][0]
    assert (panel["x"], panel["y"]) == ("length", "width")


def test_faults_are_one_line_with_a_remedy(flowers, tmp_path):
    out = tmp_path / "film.html"
    for arguments, said in (
        (("lassso", flowers), "did you mean Lasso"),
        (("lasso", flowers, "--target", "kind"), "Lasso is for regression"),
        (("gaussian-nb", flowers, "--target", "length"), "remove them; GaussianNB is for classification: choose"),
        (("lasso", flowers, "--target", "length", "--set", "alfa=1"), "has no parameter 'alfa'"),
        (("lasso", flowers, "--target", "length", "--set", "alpha"), "write NAME=VALUE"),
        (("lasso", flowers, "--target", "length", "--set", "alpha=-1"), "alpha"),
        (("k-means", flowers, "--target", "kind"), "learns without a target"),
        (("perceptron", flowers), "say which column to predict with --target"),
        (("perceptron", flowers, "--target", "kind", "--columns", "lenght"), "--columns"),
        (("perceptron", flowers, "--target", "kind", "--as-is"), "'colour' is no column of numbers"),
        (("value-iteration", flowers), "leave out DATA"),
        (("k-means", flowers, "--sequence", "colour"), "no model of sequences"),
        (("markov-chain", flowers, "--sequence", "color"), "--sequence"),
        (("perceptron", tmp_path / "nothing.csv", "--target", "kind"), "there is no file"),
    ):
        result = ran(*arguments, "-o", out)
        assert result.exit_code == 2, (arguments, result.output)
        assert said in result.output
        assert result.output.count("\n") == 1
        assert not out.exists()
    assert "is the table itself" in ran("perceptron", flowers, "--target", "kind", "-o", flowers).output

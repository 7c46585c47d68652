"""`learnable cluster`: the number of clusters, one offline report, bad tables."""

import json

import numpy as np
from click.testing import CliRunner

from learnable.app.cli import cli
from learnable.app.commands.cluster import Clusters
from learnable.certificates import Certificate
from learnable.unsupervised import GapStatistic, Stability


def table(path, n=60, extra=""):
    random = np.random.default_rng(0)
    X = random.standard_normal((n, 2)) + np.repeat([[0.0, 0.0], [12.0, 0.0], [0.0, 12.0]], n // 3, axis=0)
    rows = [f"{a:.6f},{b:.6f},w{i % 4},7" for i, (a, b) in enumerate(X)]
    path.write_text("\n".join([f"x,<img src=x>,word,same{extra}", *rows]) + "\n")
    return path


def test_three_clouds_in_one_offline_report(tmp_path):
    data = table(tmp_path / "data.csv")
    run = CliRunner().invoke(cli, ["cluster", str(data), "--out", str(tmp_path), "--max-clusters", "4", "--json"])
    assert run.exit_code == 0, run.output
    found = json.loads(run.output)
    assert found["n_clusters"] == 3
    assert sorted(found["sizes"]) == [20, 20, 20]
    assert found["agreement"] > 0.95
    assert "are stable" in found["verdict"]
    assert found["left_out"] == {"word": "is a category", "same": "is constant"}
    assert found["certificate"]["holds"] is True
    page = (tmp_path / "clusters.html").read_text()
    assert "<img" not in page
    assert "&lt;img" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "<script" not in page
    assert "<h1>3 clusters</h1>" in page
    # What is only stated is not ticked as if it were proved.
    stated = [claim for claim in found["certificate"]["claims"] if claim["bound"] is None]
    assert page.count(">stated<") == len(stated) >= 1
    assert page.count(">✓<") == len(found["certificate"]["claims"]) - len(stated)


def test_no_clusters_are_called_none(tmp_path):
    data = tmp_path / "noise.csv"
    rows = np.random.default_rng(2).standard_normal((120, 3))
    data.write_text("id,a,b,c\n" + "\n".join(f"{i},{a:.4f},{b:.4f},{c:.4f}" for i, (a, b, c) in enumerate(rows)) + "\n")
    run = CliRunner().invoke(cli, ["cluster", str(data), "--out", str(tmp_path), "--max-clusters", "3"])
    assert run.exit_code == 0, run.output
    assert "120 rows, 3 columns" in run.output
    assert "cannot be told from data without clusters" in run.output
    assert "id is an identifier" in run.output
    assert "<h1>No clusters</h1>" in (tmp_path / "clusters.html").read_text()


def test_bad_tables_are_one_line(tmp_path):
    words = tmp_path / "words.csv"
    words.write_text("a,b\n" + "x,y\nz,w\n" * 10)
    for arguments, message in (
        ([str(words)], "no column of numbers"),
        ([str(tmp_path / "none.csv")], "there is no file"),
        ([str(table(tmp_path / "t.csv")), "--drop", "nothing"], "no column 'nothing'"),
    ):
        run = CliRunner().invoke(cli, ["cluster", *arguments, "--out", str(tmp_path)])
        assert run.exit_code == 2
        assert message in run.output
    holes = tmp_path / "holes.csv"
    holes.write_text("a,b\n" + "\n".join(f"{i * i % 7},{'' if i % 5 else i % 3 + 0.5}" for i in range(30)) + "\n")
    run = CliRunner().invoke(cli, ["cluster", str(holes), "--out", str(tmp_path)])
    assert run.exit_code == 2
    assert "6 rows without missing cells" in run.output
    assert "--drop (missing: b 80%)" in " ".join(run.output.split())
    assert not (tmp_path / "clusters.html").exists()


def test_what_is_not_stable_is_told_beside_what_is():
    found = Clusters(
        "t", ("x",), {}, 9, 0, GapStatistic(np.arange(1, 5), np.ones(4), np.array([0.0, 0.5, 0.6, 0.9]), np.ones(4), 4),
        Stability(np.arange(2, 5), np.array([[0.9, 1.0], [0.5, 0.6], [0.6, 0.6]])), {}, 4, 0.6, None, np.zeros(9),
        np.zeros((4, 1)), np.zeros(4), Certificate("KMeans", []), np.zeros((9, 1)), 1.0,
    )  # fmt: skip
    assert found.verdict == (
        "The data tell 4 clusters apart, but they are not stable (agreement 0.60 between resamples); 2 clusters are "
        "(agreement 0.95)."
    )

"""`learnable cluster`: the number of clusters, one offline report, bad tables."""

import json

import numpy as np
from click.testing import CliRunner

from learnable.app.cli import cli


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
    assert set(found["left_out"]) == {"word", "same"}
    assert found["certificate"]["holds"] is True
    page = (tmp_path / "clusters.html").read_text()
    assert "<img" not in page
    assert "&lt;img" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "<script" not in page


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
    assert not (tmp_path / "clusters.html").exists()

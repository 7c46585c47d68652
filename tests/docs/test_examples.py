"""The examples of the gallery run, quietly and without touching the screen."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("plot_*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_draws(example, monkeypatch, capsys):
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    drawn = []
    monkeypatch.setattr(plt, "show", lambda: drawn.extend(plt.get_fignums()))
    runpy.run_path(str(example))
    plt.close("all")
    assert drawn, f"{example.name} shows no picture"
    assert capsys.readouterr().err == ""

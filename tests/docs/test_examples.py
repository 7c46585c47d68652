"""The examples of the gallery run, quietly and without touching the screen."""

import ast
import re
from pathlib import Path

import pytest
from tests.cases import each

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("plot_*.py"))
# The gallery is built with what is written there; that an example runs and draws shows with less of it.
LESS = {
    "plot_4_corrected_t": {"100, 10, 5, 400": "100, 10, 5, 60"},
    "plot_5_bias_variance": {"repeats=50": "repeats=8"},
    "plot_9_three_colouring": {"[5, 10, 20, 40, 80, 160]": "[5, 10, 20, 40]", "range(25)": "range(10)"},
    "plot_13_lasso_scaling": {"[1000, 2000, 4000, 8000]": "[300, 600, 1200]", "(1000, p)": "(300, p)"},
    "plot_16_boosting_margins": {"n_estimators=300": "n_estimators=60"},
    "plot_19_bagging_variance": {"range(20)": "range(5)"},
    "plot_20_boosting_race": {"n_samples=9_000": "n_samples=5_000", "rounds = 100": "rounds = 20"},
    "plot_36_million_rows": {"(1_000_000, 2)": "(50_000, 2)"},
    "plot_37_svm_growth": {"(250, 500, 1000, 2000, 4000)": "(100, 200, 400, 800)"},
    "plot_38_c_path": {"path.C[-1], 400": "path.C[-1], 40", "C_max=200.0": "C_max=20.0"},
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_draws(example, monkeypatch, capsys):
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    drawn = []
    monkeypatch.setattr(plt, "show", lambda: drawn.extend(plt.get_fignums()))
    text = example.read_text(encoding="utf-8")
    for written, less in LESS.get(example.stem, {}).items():
        assert text.count(written) == 1, f"{example.name} has no longer {written}"
        text = text.replace(written, less)
    exec(compile(text, str(example), "exec"), {"__name__": example.stem, "__file__": str(example)})
    plt.close("all")
    assert drawn, f"{example.name} shows no picture"
    assert capsys.readouterr().err == ""


@each("example", EXAMPLES, ids=lambda path: path.stem)
def test_a_picture_is_drawn_within_one_part_of_the_page(example):
    """The gallery shows the pictures of a part (up to `# %%`) and closes them: what is drawn later is not seen."""
    drawn: set[str] = set()
    for part in re.split(r"(?m)^# ?%%.*$", example.read_text()):
        nodes = list(ast.walk(ast.parse(part)))
        names = [node for node in nodes if isinstance(node, ast.Name)]
        late = drawn & {name.id for name in names if isinstance(name.ctx, ast.Load)}
        late -= {name.id for name in names if isinstance(name.ctx, ast.Store)}
        assert not late, f"{late} are of a picture that is closed"
        for node in nodes:
            if isinstance(node, ast.Assign) and re.match(r"plt\.(subplot|figure|gca)", ast.unparse(node.value)):
                drawn |= {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}

"""The examples of the gallery run, quietly and without touching the screen."""

import ast
import re
import runpy
from pathlib import Path

import pytest
from tests.cases import each

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

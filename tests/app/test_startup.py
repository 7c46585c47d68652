"""What a command does not wait for, and a prediction from the steps of a model alone."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import learnable
from learnable.app import startup
from learnable.app.cli import cli
from learnable.app.model_files.model_file import load
from learnable.app.startup import Later, Spared

SEEN = """
import json, sys
from learnable.app.startup import Later, spare_imports
spare_imports()
from learnable.app.cli import cli
cli.main(["learn", sys.argv[1], "--target", "sales", "--dry-run"], standalone_mode=False)
print(json.dumps([name for name, module in sys.modules.items() if not isinstance(module, Later)]))
"""


def test_a_module_that_stands_for_another_becomes_it_when_used(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    monkeypatch.setattr(startup, "LATER", ("colorsys", "no_such_module"))
    monkeypatch.setattr(sys, "meta_path", [Spared(), *sys.meta_path])
    import colorsys

    assert type(colorsys) is Later
    assert not hasattr(colorsys, "__file__")  # as those ask that look through all modules
    assert type(sys.modules["colorsys"]) is Later
    assert colorsys.rgb_to_hsv(0, 0, 1)[2] == 1
    assert type(sys.modules["colorsys"]) is not Later
    with pytest.raises(ModuleNotFoundError):
        import no_such_module  # noqa: F401
    with pytest.raises(ModuleNotFoundError):
        Spared().find_spec("pandas")
    assert Spared().find_spec("numpy") is None


def test_what_no_fit_has_called_for_is_not_imported_before_the_first(tmp_path):
    rng = np.random.default_rng(0)
    days, size = rng.integers(1, 29, 300), rng.normal(size=300)
    lines = [f"2021-03-{d:02d},{s},{'ab'[d % 2]},{d + s}" for d, s in zip(days, size)]
    (tmp_path / "t.csv").write_text("day,size,kind,sales\n" + "\n".join(lines))
    done = subprocess.run(
        [sys.executable, "-c", SEEN, str(tmp_path / "t.csv")], capture_output=True, text=True, check=True
    )
    found = set(json.loads(done.stdout.splitlines()[-1]))
    assert "learnable.app.trials.candidates" in found
    spared = {"scipy.stats", "scipy.optimize", "scipy.spatial", "scipy.ndimage", "scipy.interpolate", "scipy.integrate"}
    spared |= {"pandas", "numpy.f2py", "matplotlib", "torch", "dask", "coverage", "sklearn.metrics"}
    spared |= {"sklearn.model_selection", "learnable.app.judging.concluding", "learnable.app.report.page"}
    assert not spared & found


def test_a_lone_date_is_read_as_those_of_training_were_and_steps_alone_say_what_the_pipeline_says(tmp_path):
    from click.testing import CliRunner

    rng = np.random.default_rng(0)
    days = rng.integers(1, 29, 60)
    months = rng.integers(1, 13, 60)
    table = pa.table({"when": [f"{m}/{d}/21" for m, d in zip(months, days)], "sales": months + 0.1 * days})
    (tmp_path / "t.csv").write_text("when,sales\n" + "\n".join(f"{w},{s}" for w, s in zip(*table.to_pydict().values())))
    found = learnable.learn(tmp_path / "t.csv", target="sales", learner="least squares", test_size=0.3)
    found.model.save(tmp_path / "model.skops")
    for lone, month in (("3/4/21", 3), ("4/3/21", 4)):
        (tmp_path / "new.csv").write_text(f"when\n{lone}\n")
        told = CliRunner().invoke(cli, ["predict", str(tmp_path / "model.skops"), str(tmp_path / "new.csv")])
        assert told.exit_code == 0, told.stderr
        assert abs(float(told.stdout.splitlines()[1]) - month) < 1.5
        assert found.model.predict(tmp_path / "new.csv")[0] == pytest.approx(float(told.stdout.splitlines()[1]))
    alone, whole = load(tmp_path / "model.skops", steps_alone=True), load(tmp_path / "model.skops")
    assert list(alone.pipeline.named_steps) == list(whole.pipeline.named_steps)
    assert np.array_equal(alone.pipeline["learn"].coef_, whole.pipeline["learn"].coef_)

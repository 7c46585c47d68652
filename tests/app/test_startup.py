"""What a command does not wait for, and a prediction from the steps of a model alone."""

import sys

import numpy as np
import pyarrow as pa
import pytest

import learnable
from learnable.app.cli import cli
from learnable.app.model_file import load
from learnable.app.startup import Later, Refusal


def test_a_module_that_stands_for_another_becomes_it_when_used(monkeypatch):
    monkeypatch.setitem(sys.modules, "colorsys", stand_in := Later("colorsys"))
    import colorsys

    assert colorsys is stand_in
    assert colorsys.rgb_to_hsv(0, 0, 1)[2] == 1
    assert sys.modules["colorsys"] is not stand_in
    with pytest.raises(ModuleNotFoundError):
        Refusal().find_spec("pandas")
    assert Refusal().find_spec("numpy") is None


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

"""`--refit`: scores of the fit that the held-out rows judged, a model and a certificate of all rows."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from tests.cases import each

import learnable
from learnable.app.cli import cli
from learnable.app.commands.certify import certify_file
from learnable.app.learn import Options, learn
from learnable.app.progress import Silent
from learnable.app.trials import refitting
from learnable.datasets import load, read_table


def table_of(path, classes, rows=260):
    rng = np.random.default_rng(4)
    size, age = rng.normal(size=(2, rows)).round(3)
    place = rng.choice(["north", "south", "west"], rows)
    score = 2 * size - age + (place == "south") + rng.normal(size=rows)
    target = np.where(score > 0, "yes", "no") if classes else score.round(3).astype(str)
    target = np.where(np.arange(rows) % 37 == 5, "", target)  # now and then it is not known
    lines = [",".join(map(str, row)) for row in zip(size, age, place, target)]
    path.write_text("\n".join(["size,age,place,answer", *lines]))
    return path


@each(
    "classes, learner",
    [(True, "logistic regression"), (False, "ridge"), (True, "linear discriminant"), (False, "least squares"),
     (True, ""), (False, "")],
)  # fmt: skip
def test_scores_stay_those_of_the_fit_that_was_judged_and_the_rest_is_of_all_rows(classes, learner, tmp_path):
    path = table_of(tmp_path / "t.csv", classes)
    options = {"data": str(path), "target": "answer", "times": False, "learner": (learner,) if learner else ()}
    judged, anew = (learn(Options(**options, refit=refit), Silent()) for refit in (False, True))
    before, after = judged.result.to_dict(), anew.result.to_dict()
    assert judged.result.fitted_rows is None
    known = read_table(path).take(~read_table(path).column("answer").missing)
    assert anew.result.fitted_rows == known.n_rows == anew.card["training"]["rows"]
    of_the_fit = {"certificate", "solver", "columns", "uncertified"}
    for one, other in zip(before["learners"], after["learners"]):
        assert all(other[key] == value for key, value in one.items() if key not in of_the_fit)
    of_all = {"learners", "coefficients", "fitted_rows", "warnings", "code"}
    assert {key for key, value in before.items() if after[key] != value} <= of_all
    assert [w for w in after["warnings"] if "fitted anew on all" in w]
    # The code in the report builds the very model that is handed over.
    scope: dict = {}
    exec(anew.result.code, scope)
    features = known.drop(["answer"])
    said = scope["model"].predict_proba(features) if classes else scope["model"].predict(features)
    own = anew.pipeline.predict_proba(features) if classes else anew.pipeline.predict(features)
    assert said == pytest.approx(own, rel=1e-6, abs=1e-9)
    theirs = judged.pipeline.predict_proba(features) if classes else judged.pipeline.predict(features)
    assert np.abs(own - theirs).max() > 1e-6
    if not learner:
        return
    weights = np.ravel(anew.pipeline["learn"].coef_)
    assert {one.weight for one in anew.result.coefficients} <= set(weights.tolist())


def test_certify_shows_a_refitted_model_on_all_rows_in_any_order(tmp_path):
    path = table_of(tmp_path / "t.csv", True)
    asked = ["learn", str(path), "--target", "answer", "--learner", "logistic regression", "--refit", "--json"]
    done = CliRunner().invoke(cli, [*asked, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.stderr
    rows = json.loads(done.stdout)["fitted_rows"]
    head, *lines = path.read_text().splitlines()
    (tmp_path / "turned.csv").write_text("\n".join([head, *lines[::-1]]))
    for name in ("t.csv", "turned.csv"):
        found = certify_file(tmp_path / "model.skops", str(tmp_path / name))
        assert (found.verdict, found.training_data, found.rows) == ("proved", True, rows)
        assert (found.refitted, found.scores_checked, found.held_out) == (True, False, 0)
        assert "fitted anew on all rows" in found.text()
    shown = CliRunner().invoke(cli, ["show", str(tmp_path / "model.skops")]).stdout
    assert "of a fit without them" in shown
    assert "theirs too" in (tmp_path / "report.html").read_text()
    # One row fewer is not what it was fitted to.
    (tmp_path / "fewer.csv").write_text("\n".join([head, *lines[1:]]))
    assert not certify_file(tmp_path / "model.skops", str(tmp_path / "fewer.csv")).training_data


def test_a_fit_on_all_rows_that_cannot_be_had_leaves_the_one_that_was_judged(monkeypatch):
    options = Options("loans", learner=("linear discriminant",), refit=True)

    def fails(*given):
        raise ValueError("no such fit")

    plain = learn(Options("loans", learner=("linear discriminant",)), Silent())
    monkeypatch.setattr(refitting, "fit", fails)
    found = learn(options, Silent())
    assert [w for w in found.result.warnings if "not fitted anew" in w and "no such fit" in w]
    assert found.result.fitted_rows is None
    assert not found.card["refitted"]
    assert np.array_equal(found.pipeline["learn"].coef_, plain.pipeline["learn"].coef_)


def test_few_rows_are_all_fitted_anyway():
    known = np.arange(load("iris").n_rows) % 3 > 0
    found = learnable.learn(load("iris").take(known), target="target", learner="linear discriminant", refit=True)
    assert found.result.nested
    assert found.result.fitted_rows is None
    assert not [w for w in found.warnings if "anew" in w]

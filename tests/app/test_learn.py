"""`learnable learn` from end to end, in this process."""

import json
import re

import numpy as np
import pytest

from learnable.app.learn import Options, learn
from learnable.app.progress import Silent


def finished(document):
    return [one for one in document["learners"] if one["status"] == "finished"]


@pytest.mark.parametrize(("target", "task"), [("sold", "classification"), ("price", "regression")])
def test_the_main_job(run, table_file, tmp_path, target, task):
    other = {"sold": "price", "price": "sold"}[target]
    outcome = run("learn", table_file, "--target", target, "--drop", other, "--out", tmp_path / "out", "--json")
    assert outcome.exit_code == 0
    document = json.loads(outcome.stdout)
    assert outcome.stderr == ""
    assert document["schema"] == "learnable.learn/1"
    assert document["task"] == task
    assert len(finished(document)) == len(document["learners"]) >= 3
    for learner in finished(document):
        assert learner["test"]["low"] <= learner["test"]["estimate"] <= learner["test"]["high"]
        assert len(learner["cv_scores"]) == document["folds"]
        for found in learner["extra"].values():
            assert found["low"] <= found["estimate"] <= found["high"]
            assert found["low"] < found["high"] or learner["reference"]
        for tried in learner["tuning"]:
            assert (
                tried["interval"]["low"] <= tried["mean"] == tried["interval"]["estimate"] <= tried["interval"]["high"]
            )
        assert learner["cv"]["estimate"] == pytest.approx(np.mean(learner["cv_scores"]))
        if not learner["reference"]:
            assert learner["certificate"]
            assert all(claim["holds"] for claim in learner["certificate"])
    baseline = next(one for one in document["learners"] if one["reference"])
    chosen = next(one for one in document["learners"] if one["label"] == document["chosen"])
    assert chosen["test"]["estimate"] < baseline["test"]["estimate"]
    roles = {one["name"]: one["role"] for one in document["table"]["columns"]}
    assert roles == {"size": "feature", "weight": "feature", "colour": "feature", "grade": "feature",
                     "same": "dropped", target: "target", other: "dropped"}  # fmt: skip
    assert (tmp_path / "out" / "report.html").read_text().startswith("<!")
    assert (tmp_path / "out" / "model.skops").stat().st_size > 1000


def test_text_for_people(run, table_file, tmp_path):
    outcome = run("learn", table_file, "--target", "sold", "--drop", "price", "--out", tmp_path)
    assert outcome.exit_code == 0
    assert "cannot be told apart" in outcome.stdout
    assert re.search(r"on the test rows: balanced error rate \d\S* \[\d\S*, \d\S*\]; log loss", outcome.stdout)
    assert "model.skops" in outcome.stdout
    assert "tuning" in outcome.stderr
    assert "left)" in outcome.stderr


def scores(document):
    return [
        (one["label"], one["cv_scores"], one["test"], one["params"], one["certificate"]) for one in document["learners"]
    ]


def test_the_seed_decides_and_the_threads_do_not(run, table_file, tmp_path):
    def document(*options):
        outcome = run("learn", table_file, "--target", "price", "--out", tmp_path, "--json", *options)
        return json.loads(outcome.stdout)

    first, again, other = document("--jobs", 1), document("--jobs", 3), document("--seed", 1)
    assert scores(first) == scores(again)
    assert first["choice"] == again["choice"]
    assert scores(first) != scores(other)


def test_dry_run_fits_and_writes_nothing(run, table_file, tmp_path):
    outcome = run("learn", table_file, "--target", "sold", "--out", tmp_path / "out", "--dry-run")
    assert outcome.exit_code == 0
    assert "settings to try" in outcome.stdout
    assert not (tmp_path / "out").exists()
    plan = json.loads(run("learn", table_file, "--target", "sold", "--dry-run", "--json").stdout)
    assert plan["schema"] == "learnable.plan/1"
    assert plan["train_rows"] + plan["test_rows"] == 80


def test_the_time_limit_leaves_learners_out_and_says_so(run, table_file, tmp_path):
    outcome = run("learn", table_file, "--target", "sold", "--out", tmp_path, "--time-limit", 0.000001, "--json")
    assert outcome.exit_code == 0
    document = json.loads(outcome.stdout)
    states = {one["reference"]: one["status"] for one in document["learners"]}
    assert states == {True: "finished", False: "not run"}
    assert all("time limit" in one["reason"] for one in document["learners"] if one["status"] == "not run")
    assert any("time limit" in warning for warning in document["warnings"])
    assert any("baseline" in warning for warning in document["warnings"])
    assert document["learning_curve"] is None
    assert "not run" in (tmp_path / "report.html").read_text()


def test_without_data_an_embedded_table_is_used(run):
    plan = json.loads(run("learn", "--dry-run", "--json").stdout)
    assert plan["table"]["source"] == "loans"
    assert plan["target"] == "default"
    assert json.loads(run("learn", "houses", "--dry-run", "--json").stdout)["task"] == "regression"


def test_ordered_levels_become_thermometer_bits(run, table_file, tmp_path):
    arguments = (
        "learn",
        table_file,
        "--target",
        "price",
        "--out",
        tmp_path,
        "--json",
        "--ordered",
        "grade=low<middle<high",
    )
    document = json.loads(run(*arguments).stdout)
    assert {one["kind"] for one in document["table"]["columns"] if one["name"] == "grade"} == {"ordered"}
    assert {one["feature"] for one in document["coefficients"]} >= {"grade>=middle", "grade>=high"}


def test_a_task_can_be_forced(run, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("x,y\n" + "".join(f"{i * i % 13},{i % 4}\n" for i in range(60)))
    for options, task in [([], "classification"), (["--task", "regression"], "regression")]:
        plan = json.loads(run("learn", path, "--target", "y", "--dry-run", "--json", *options).stdout)
        assert plan["task"] == task


def test_coding_learns_nothing_from_validation_or_test_rows(table_file, monkeypatch):
    from learnable.app import preparing

    seen = []
    original = preparing.fit_coder

    def spy(features):
        seen.append(features.column("weight").values.copy())
        return original(features)

    monkeypatch.setattr(preparing, "fit_coder", spy)
    prepared = preparing.prepare(Options(str(table_file), "price", drop=("sold",)))
    weights = prepared.features.column("weight").values
    assert np.array_equal(seen[0], weights[prepared.train])
    assert not set(prepared.train) & set(prepared.test)
    preparing.coded_folds(prepared, np.random.default_rng(0))
    for fold, values in enumerate(seen[1:]):
        expected = weights[prepared.train[prepared.tuning][prepared.dealt != fold]]
        assert np.array_equal(np.sort(values), np.sort(expected))


def test_the_test_score_is_that_of_the_saved_pipeline(table_file, columns):
    outcome = learn(Options(str(table_file), "price", drop=("sold",)), Silent())
    from learnable.app.preparing import prepare
    from learnable.app.reading import open_table

    prepared = prepare(Options(str(table_file), "price", drop=("sold",)))
    table = open_table(str(table_file)).take(prepared.test)
    errors = (prepared.y_test - outcome.pipeline.predict(table)) ** 2
    assert errors.mean() == pytest.approx(outcome.result.winner.test.estimate, rel=1e-12)


def test_a_large_table_is_tuned_on_a_subsample_and_says_so(tmp_path, monkeypatch, run):
    from learnable.app import preparing

    monkeypatch.setattr(preparing, "TUNING_CELLS", 60)
    monkeypatch.setattr(preparing, "FEWEST_TUNING_ROWS", 10)
    rng = np.random.default_rng(0)
    path = tmp_path / "big.csv"
    path.write_text("x,y\n" + "".join(f"{x},{x + e}\n" for x, e in rng.normal(size=(500, 2))))
    document = json.loads(run("learn", path, "--target", "y", "--out", tmp_path, "--json").stdout)
    assert document["tuning_rows"] == 60
    assert document["train_rows"] == 400
    assert any("60 random rows of the 400" in warning for warning in document["warnings"])


def test_a_learner_that_fails_does_not_stop_the_others(table_file, monkeypatch):
    from sklearn.linear_model import Lasso

    from learnable.app import learn as job
    from learnable.app.candidates import Candidate

    broken = Candidate("Lasso", "broken", Lasso(), [{"alpha": -1.0}], False)
    original = job.candidates
    monkeypatch.setattr(job, "candidates", lambda *given: [*original(*given), broken])
    result = learn(Options(str(table_file), "price"), Silent()).result
    assert result.learner("broken").status == "failed"
    assert "alpha" in result.learner("broken").reason
    assert result.winner.status == "finished"

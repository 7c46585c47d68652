"""`learnable learn` from end to end, in this process."""

import json
import re
import threading

import numba
import numpy as np
import pytest
import scipy
import sklearn
from sklearn.dummy import DummyClassifier
from tests.cases import each

from learnable.app import learn as job
from learnable.app.learn import Options, learn, versions
from learnable.app.progress import Silent
from learnable.app.trials.candidates import Candidate
from learnable.app.trials.workers import Deadline
from learnable.datasets import read_table


def finished(document):
    return [one for one in document["learners"] if one["status"] == "finished"]


@pytest.mark.parametrize(("target", "task"), [("sold", "classification"), ("price", "regression")])
def test_the_main_job(run, table_file, tmp_path, target, task, drawn):
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
        assert len(learner["cv_scores"]) == document["folds"] * document["repeats"]
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
            assert 0 < learner["columns"] <= 4
            assert all(claim["holds"] or claim["open"] for claim in learner["certificate"])
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
    assert "beats guessing: " in outcome.stdout
    assert re.search(r"on the test rows: error rate \d\S* \[\d\S*, \d\S*\]; balanced error rate", outcome.stdout)
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
    assert plan["train_rows"] + plan["test_rows"] == 240


def test_the_time_limit_leaves_learners_out_but_never_a_model_for_the_mean(run, table_file, tmp_path):
    outcome = run("learn", table_file, "--target", "sold", "--out", tmp_path, "--time-limit", 0.000001, "--json")
    assert outcome.exit_code == 0
    document = json.loads(outcome.stdout)
    late = [one for one in document["learners"] if one["status"] == "not run"]
    assert late
    assert all("time limit" in one["reason"] for one in late)
    assert any("time limit" in warning for warning in document["warnings"])
    (kept,) = [one for one in finished(document) if not one["reference"]]
    assert document["chosen"] == kept["label"]
    assert "after the time limit" in kept["reason"]
    assert document["learning_curve"] is None
    assert "not run" in (tmp_path / "report.html").read_text()


class Sleeper(DummyClassifier):
    """Guesses at once where `naps` is 0, and never ends otherwise."""

    def __init__(self, naps=0):
        super().__init__(strategy="prior")
        self.naps = naps

    def fit(self, X, y, sample_weight=None):
        if self.naps:
            threading.Event().wait()
        return super().fit(X, y, sample_weight)


@each("settings, status", [([{"naps": 1}, {"naps": 0}, {"naps": 1}], "finished"), ([{"naps": 1}], "not run")])
def test_a_slow_learner_is_stopped_by_its_share_and_the_others_go_on(monkeypatch, table_file, settings, status):
    listed = job.candidates("classification", 0)
    quick = [one for one in listed if one.reference or one.name in ("LogisticRegression", "GaussianNB")]
    slow = Candidate("Sleeper", "sleeper", Sleeper(), settings, False)
    monkeypatch.setattr(job, "candidates", lambda *given: [quick[0], slow, *quick[1:]])
    monkeypatch.setattr(Deadline, "for_one_of", lambda self, learners: Deadline(1.0 if learners in (1, 3) else None))
    notes = []
    progress = Silent()
    monkeypatch.setattr(progress, "note", notes.append, raising=False)
    given = job.Options(data=str(table_file), target="sold", drop=("price",), time_limit=3600)
    result = job.learn(given, progress).result
    found = result.learner("sleeper")
    assert found.status == status
    assert "its share of the time" in found.reason
    assert any(note.startswith("sleeper") and "its share of the time" in note for note in notes)
    assert any("time limit" in warning and "sleeper" in warning for warning in result.warnings)
    assert all(one.status == "finished" and not one.reason for one in result.learners if one.label != "sleeper")
    assert result.chosen != "sleeper"


class Dozer(DummyClassifier):
    """Never ends on few rows."""

    def __init__(self, strategy="prior", few=0):
        super().__init__(strategy=strategy)
        self.few = few

    def fit(self, X, y, sample_weight=None):
        if len(y) < self.few:
            threading.Event().wait()
        return super().fit(X, y, sample_weight)


def test_nested_folds_have_an_end_too(monkeypatch, table_file):
    """A learner whose inner fits do not end is not among the judged, and the run ends."""
    small = read_table(table_file).take(np.arange(120))  # 108 rows in a fold, 72 in a fold within it
    listed = job.candidates("classification", 0)
    quick = [one for one in listed if one.reference or one.name == "GaussianNB"]
    slow = Candidate("Dozer", "dozer", Dozer(few=100), [{"strategy": "prior"}, {"strategy": "uniform"}], False)
    monkeypatch.setattr(job, "candidates", lambda *given: [*quick, slow])
    monkeypatch.setattr(Deadline, "for_one_of", lambda self, learners: Deadline(1.0 if learners == 1 else None))
    result = job.learn(job.Options(data=small, target="sold", drop=("price",), time_limit=3600), Silent()).result
    assert result.validation == "nested cross-validation"
    found = result.learner("dozer")
    assert (found.status, found.certificate) == ("not run", None)
    assert "nested" in found.reason
    assert any("dozer" in warning for warning in result.warnings)
    assert [one.status for one in result.learners if one.label != "dozer"] == ["finished", "finished"]


@each("left, learners, share", [(100.0, 10, 20.0), (100.0, 1, 100.0), (None, 3, None)])
def test_a_share_of_the_time(left, learners, share):
    found = Deadline(left).for_one_of(learners).left
    assert found == share if share is None else found == pytest.approx(share, abs=1.0)


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
    found = coded(str(table_file), "price", ordered=("grade=low<middle<high",))
    assert {"grade>=middle", "grade>=high"} <= set(found.coder.get_feature_names_out())


def test_a_task_can_be_forced(run, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("x,y\n" + "".join(f"{i * i % 13},{i % 4}\n" for i in range(60)))
    for options, task in [([], "classification"), (["--task", "regression"], "regression")]:
        plan = json.loads(run("learn", path, "--target", "y", "--dry-run", "--json", *options).stdout)
        assert plan["task"] == task


def coded(*given, **options):
    from learnable.app.table.coding import code
    from learnable.app.table.dividing import divide
    from learnable.app.table.posing import pose
    from learnable.app.table.reading import read

    asked = Options(*given, **options)
    question = pose(read(asked), asked)
    return code(question, divide(question, asked))


def test_coding_learns_nothing_from_validation_or_test_rows(table_file, monkeypatch):
    from learnable.app.table import coding

    seen = []
    original = coding.fit_coder

    def spy(features):
        seen.append(features.column("weight").values.copy())
        return original(features)

    monkeypatch.setattr(coding, "fit_coder", spy)
    found = coded(str(table_file), "price", drop=("sold",))
    division = found.division
    weights = found.question.features.column("weight").values
    assert np.array_equal(seen[0], weights[division.train])
    assert not set(division.train) & set(division.test)
    found.folds(0)
    for (training, _), values in zip(division.deal(0), seen[1:], strict=True):
        assert np.array_equal(values, weights[division.train[division.tuning][training]])


def test_the_test_score_is_that_of_the_saved_pipeline(table_file):
    from learnable.app.table.reading import open_table

    outcome = learn(Options(str(table_file), "price", drop=("sold",)), Silent())
    division = coded(str(table_file), "price", drop=("sold",)).division
    table = open_table(str(table_file)).take(division.test)
    errors = (division.y_test - outcome.pipeline.predict(table)) ** 2
    assert errors.mean() == pytest.approx(outcome.result.winner.test.estimate, rel=1e-12)


def test_a_large_table_is_tuned_on_a_subsample_and_says_so(tmp_path, monkeypatch, run):
    from learnable.app.table import dividing

    monkeypatch.setattr(dividing, "TUNING_CELLS", 60)
    monkeypatch.setattr(dividing, "FEWEST_TUNING_ROWS", 10)
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
    from learnable.app.trials.candidates import Candidate

    broken = Candidate("Lasso", "broken", Lasso(), [{"alpha": -1.0}], False)
    original = job.candidates
    monkeypatch.setattr(job, "candidates", lambda *given: [*original(*given), broken])
    result = learn(Options(str(table_file), "price"), Silent()).result
    assert result.learner("broken").status == "failed"
    assert "alpha" in result.learner("broken").reason
    assert result.winner.status == "finished"


def test_versions_are_those_of_the_libraries():
    libraries = {"numpy": np, "scipy": scipy, "scikit-learn": sklearn, "numba": numba}
    for found in (versions(), versions()):
        assert {name: found[name] for name in libraries} == {name: one.__version__ for name, one in libraries.items()}
        found.clear()  # what one is told is its own

"""Questions of every kind: counts, costs, rare classes, time, groups, weights, few rows, Python and stdin."""

import json

import numpy as np
import pytest

import learnable
from learnable.app import learn as job
from learnable.app.errors import UserError
from learnable.app.learn import Options, learn
from learnable.app.progress import Silent
from learnable.app.report.words import number

QUICK = {"Ridge", "Lasso", "LogisticRegression", "GaussianNB", "PoissonRegressor", "DummyClassifier", "DummyRegressor"}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """A panel of a few quick learners."""
    original = job.candidates

    def few(*given):
        return [one._replace(settings=one.settings[:3]) for one in original(*given) if one.name in QUICK]

    monkeypatch.setattr(job, "candidates", few)


RNG = np.random.default_rng(0)
N = 300
X = RNG.normal(size=(N, 3)).round(4)
NOISE = RNG.normal(size=N)


def frame(**more):
    import pyarrow as pa

    return pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], **more})


def run(data, target="y", **options):
    return learn(Options(data, target, **options), Silent())


CLASSES = np.where(X[:, 0] + NOISE > 0, "yes", "no")
QUANTITY = (3 * X[:, 0] - X[:, 1] + NOISE).round(4)


def test_classes_are_ranked_by_log_loss_and_quantities_by_squared_error_shown_as_its_root():
    found = run(frame(y=CLASSES)).result
    assert found.metric == "log loss"
    assert found.verdict.split(" beats guessing: ")[1].count("points [") == 1
    best = min(found.learners, key=lambda one: np.mean(one.cv_scores))
    assert found.winner.cv.estimate <= best.cv.estimate + 0.01 * (0.69 - best.cv.estimate)
    assert "error rate" in found.winner.extra
    found = run(frame(y=QUANTITY)).result
    assert (found.metric, found.measure) == ("mean squared error", "root mean squared error")
    assert found.winner.plain.estimate == pytest.approx(np.sqrt(np.mean(found.winner.plain_scores)))
    assert "of the variance explained" in found.verdict


def test_every_metric_can_be_asked_for_and_a_wrong_one_is_refused():
    for metric in ("brier", "error", "balanced_error", "auc", "average_precision"):
        found = run(frame(y=CLASSES), metric=metric, learner=("GaussianNB",)).result
        assert len(found.winner.cv_scores) == found.folds * found.repeats
        assert 0 <= found.winner.test.low <= found.winner.test.estimate <= found.winner.test.high <= 2
    assert run(frame(y=QUANTITY), metric="mae", learner=("Ridge",)).result.metric == "mean absolute error"
    with pytest.raises(UserError, match="does not fit a regression"):
        run(frame(y=QUANTITY), metric="auc")


def test_counts_get_poisson():
    counts = RNG.poisson(np.exp(0.2 + 0.7 * X[:, 0]))
    found = run(frame(y=counts)).result
    assert found.counts
    assert found.metric == "Poisson deviance"
    assert found.winner.name == "PoissonRegressor"
    assert not run(frame(y=counts), task="regression").result.counts


def test_costs_move_the_decision_and_are_kept_in_the_model():
    outcome = run(frame(y=CLASSES), cost=("yes:no=10",))
    found = outcome.result
    assert found.metric == "mean cost"
    assert found.operating.chosen == pytest.approx(1 / 11)
    dear = np.array(found.confusion.counts)
    plain = np.array(run(frame(y=CLASSES)).result.confusion.counts)
    assert dear[1, 0] < plain[1, 0]  # fewer of those that are dear to miss
    assert outcome.card["costs"] == [[0.0, 1.0], [10.0, 0.0]]
    wrong_calls = 1 - np.trace(dear) / dear.sum()
    assert found.winner.extra["error rate"].estimate == pytest.approx(wrong_calls)  # of the classes that are called
    assert found.winner.plain.estimate > run(frame(y=CLASSES)).result.winner.plain.estimate
    base = next(one for one in found.learners if one.reference)
    assert f"mean cost {number(found.winner.cv.estimate)} against {number(base.cv.estimate)}, " in found.verdict
    for wrong in ("yes=3", "yes:maybe=3", "yes:no=x", "yes:no=0"):
        with pytest.raises(UserError, match="--cost"):
            run(frame(y=CLASSES), cost=(wrong,))


def test_a_rare_class_leads_with_finding_it():
    n = 3000
    x = RNG.normal(size=n)
    y = np.where(RNG.random(n) < 1 / (1 + np.exp(6 - 2.5 * x)), "fraud", "fine")
    import pyarrow as pa

    found = run(pa.table({"x": x, "z": RNG.normal(size=n), "y": y})).result
    assert "average precision" in found.verdict
    assert "recall at 50% precision" in found.verdict
    assert found.operating.positive == "fraud"


def test_class_weights():
    plain, weighted = (run(frame(y=CLASSES), class_weight=given) for given in (None, "yes=20"))
    counts = [np.array(one.result.confusion.counts) for one in (plain, weighted)]
    assert counts[1][:, 1].sum() > counts[0][:, 1].sum()
    for wrong in ("yes", "maybe=2", "yes=-1"):
        with pytest.raises(UserError, match="--class-weight"):
            run(frame(y=CLASSES), class_weight=wrong)


def test_weights_reach_the_fits_and_the_scores():
    """Rows of weight 2 count like rows that are there twice."""
    weight = np.where(np.arange(N) % 2, 3.0, 1.0)
    outcome = run(frame(y=QUANTITY, w=weight), weight="w")
    assert {one.name: one.reason for one in outcome.result.table.columns}["w"] == "used as --weight"
    for wrong in (np.zeros(N), np.array(["x"] * (N - 1) + ["y"])):
        with pytest.raises(UserError, match="--weight w"):
            run(frame(y=QUANTITY, w=wrong), weight="w")


def test_time_goes_forward_and_groups_stay_together():
    from learnable.app.table.dividing import divide
    from learnable.app.table.posing import pose
    from learnable.app.table.reading import read

    when = np.datetime64("2024-01-01") + RNG.permutation(N)
    who = [f"p{i % 40}" for i in range(N)]
    given = frame(y=QUANTITY, when=when, who=who)
    asked = Options(given, "y", time="when")
    question = pose(read(asked), asked)
    division = divide(question, asked)
    assert when[division.train].max() < when[division.test].min()
    for training, validation in division.deal(0):
        rows = division.train[division.tuning]
        assert when[rows[training]].max() < when[rows[validation]].min()
    assert "when" in question.features.names  # its parts may be used
    asked = Options(given, "y", group="who")
    question = pose(read(asked), asked)
    division = divide(question, asked)
    assert "who" not in question.features.names
    names = np.array(who)
    assert not set(names[division.train]) & set(names[division.test])
    for training, validation in division.deal(1):
        rows = division.train[division.tuning]
        assert not set(names[rows[training]]) & set(names[rows[validation]])
    assert run(given, time="when").result.splitting == "forward in time"
    with pytest.raises(UserError, match="too few"):
        run(frame(y=QUANTITY, who=["a", "b", "c"] * 100), group="who")


def test_few_rows_are_judged_by_nested_cross_validation():
    small = frame(y=CLASSES).slice(0, 80)
    outcome = run(small)
    found = outcome.result
    assert found.nested
    assert found.validation == "nested cross-validation"
    assert (found.train_rows, found.test_rows) == (80, 0)
    assert all(one.test is None and one.cv is not None for one in found.learners)
    assert np.sum(found.confusion.counts) == 80
    from learnable.app.report.page import render

    assert "too few to hold some out" in render(found)
    assert not run(small, test_size=0.2).result.nested


def test_no_signal_is_said_with_an_interval_and_a_signal_is_never_called_nothing():
    silent = run(frame(y=RNG.permutation(CLASSES))).result
    assert "beats guessing" not in silent.verdict
    assert "[" in silent.verdict
    for document in (silent, run(frame(y=CLASSES)).result):
        assert "may say nothing" not in json.dumps(document.to_dict())


def test_the_blend_is_a_convex_combination_with_a_checked_weight():
    # Naive Bayes sees the bend and takes the copies for news; logistic regression does neither.
    copies = {f"a{i}": X[:, 0] + 0.3 * RNG.normal(size=N) for i in range(3)}
    y = np.where(X[:, 0] + X[:, 1] ** 2 - 1 + NOISE / 2 > 0, "yes", "no")
    found = run(frame(y=y, **copies)).result
    blend = next(one for one in found.learners if one.label == "blend")
    assert sum(blend.weights.values()) == pytest.approx(1)
    assert blend.certified
    best = min(np.mean(one.cv_scores) for one in found.learners if one.label != "blend")
    assert np.mean(blend.cv_scores) <= best + 0.02


def test_same_seed_same_bytes(drawn):
    from learnable.app.report.page import render

    first, again = (run(frame(y=CLASSES), jobs=jobs, times=False) for jobs in (1, 3))
    assert json.dumps(first.result.to_dict()) == json.dumps(again.result.to_dict())
    assert render(first.result) == render(again.result)
    assert first.card == again.card


def test_from_python(tmp_path):
    found = learnable.learn(frame(y=CLASSES), target="y", drop="c", jobs=1)
    assert found.verdict.count("beats guessing") == 1
    assert found.leaderboard[0]["learner"] in repr(found)
    assert len(found.leaderboard.to_pandas()) == len(found.leaderboard)
    assert found.report._repr_html_().startswith("<iframe")
    model = learnable.load_model(found.model.save(tmp_path / "model.skops"))
    few = frame().select(model.columns)
    assert np.mean(model.predict(few) == CLASSES) > 0.6
    np.testing.assert_allclose(model.predict_proba(few).sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(few), found.model.predict(frame(unused=CLASSES)))


def test_the_leaderboard_has_differences_in_the_units_shown():
    from learnable.app.api import Leaderboard

    board = Leaderboard(run(frame(y=QUANTITY)).result)
    shown = [row["root mean squared error"] for row in board]
    assert shown == sorted(shown)
    np.testing.assert_allclose([row["difference"] for row in board], np.array(shown) - shown[0], atol=1e-12)


def test_prediction_needs_only_the_columns_that_the_model_uses(tmp_path):
    found = learnable.learn(frame(y=QUANTITY), target="y", prefer="simple", jobs=1)
    used = found.model.columns
    every = found.model.predict(frame())
    np.testing.assert_allclose(found.model.predict(frame().select(used)), every)
    with pytest.raises(UserError, match="needs a column that is missing"):
        found.model.predict(frame().drop_columns(used[:1]))

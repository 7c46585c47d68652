"""The order in which the time is spent: one setting of every learner, those put off, then the others, best first."""

import numpy as np

from learnable.app.learn import Options, _panel, _ready, learn
from learnable.app.progress import Silent
from learnable.app.trials import trying
from learnable.app.trials.rounds import Entrant, run_rounds
from learnable.app.trials.tuning import Slow, tune
from learnable.app.trials.workers import Deadline
from learnable.datasets import load

LEARNERS = ("logistic regression", "sparse logistic regression", "Gaussian naive Bayes", "linear discriminant")


def ready(**options):
    run = _ready(Options("loans", learner=LEARNERS, **options), None)
    return run._replace(deadline=Deadline(options.get("time_limit"))), _panel(run)


def test_one_setting_of_each_comes_first_then_those_put_off_then_the_others_best_first(monkeypatch):
    run, panel = ready(time_limit=3600.0)
    calls, needs = [], {"logistic regression": 20.0, "linear discriminant": 10.0}

    def watched(candidate, *given):
        begun, most = given[-2:]
        calls.append((candidate.label, most, begun is not None))
        needed = needs.pop(candidate.label, None) if len(calls) <= len(panel) else None
        if needed is not None:
            raise Slow(needed)
        return tune(candidate, *given)

    monkeypatch.setattr(trying, "tune", watched)
    fitted = trying.tune_all(panel, run)
    labels = [one.label for one in panel]
    assert calls[: len(panel)] == [(label, 1, False) for label in labels]
    put_off = ("linear discriminant", "logistic regression")
    assert calls[len(panel) : len(panel) + 2] == [(label, 1, False) for label in put_off]
    losses = {one.result.label: one.result.tuning for one in fitted}
    middle = {one.label: losses[one.label][len(one.settings) // 2]["mean"] for one in panel if len(one.settings) > 1}
    assert calls[len(panel) + 2 :] == [(label, None, True) for label in sorted(middle, key=middle.get)]
    assert all(one.result.status == "finished" and not one.result.reason for one in fitted)


def test_a_time_that_suffices_changes_nothing():
    limited, unlimited = (trying.tune_all(*reversed(ready(time_limit=limit))) for limit in (3600.0, None))
    for one, other in zip(limited, unlimited, strict=True):
        assert one.result.params == other.result.params
        assert one.result.tuning == other.result.tuning
        said = zip(one.entrant.tuned.outputs, other.entrant.tuned.outputs, strict=True)
        assert all(np.array_equal(mine.probability, theirs.probability) for mine, theirs in said)


def test_a_learner_that_stays_too_slow_is_not_run_and_the_reason_says_so(monkeypatch):
    def slow(candidate, *given):
        if candidate.label == "logistic regression":
            raise Slow(1234.0)
        return tune(candidate, *given)

    monkeypatch.setattr(trying, "tune", slow)
    result = learn(Options("loans", learner=LEARNERS, time_limit=3600.0), Silent()).result
    found = result.learner("logistic regression")
    assert found.status == "not run"
    assert "one setting takes about 20 min 34 s" in found.reason
    assert result.chosen != "logistic regression"


def test_nested_folds_choose_among_the_settings_that_tuning_had_time_for():
    few = _ready(Options(load("loans").take(np.arange(150)), target="default", learner=LEARNERS), None)
    assert few.coded.division.nested
    logistic = next(one for one in _panel(few) if one.label == "logistic regression")
    whole = tune(logistic, few.folds, few.metric, 1, Deadline(None))
    assert Entrant(logistic, whole).as_tuned == logistic
    one = tune(logistic, few.folds, few.metric, 1, Deadline(None), most=1)
    assert Entrant(logistic, one).as_tuned.settings == [one.params]
    found = run_rounds([Entrant(logistic, one)], few.coded, few.folds, few.metric, 1, Deadline(0))
    outputs = zip(one.outputs, np.split(found.pooled[logistic.label].probability, len(few.folds)), strict=True)
    assert all(np.array_equal(mine.probability, said) for mine, said in outputs)

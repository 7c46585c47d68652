"""The order in which the time is spent: one setting of every learner, those put off, then the others, best first."""

import numpy as np

from learnable.app import trying
from learnable.app.learn import Options, _panel, _ready, learn
from learnable.app.progress import Silent
from learnable.app.tuning import Slow, tune
from learnable.app.workers import Deadline
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


class Left(Deadline):
    """So much time, whatever happens."""

    left = property(lambda self: self.seconds)


def test_nested_folds_try_as_many_settings_as_there_is_time_for():
    run = _ready(Options(load("loans").take(np.arange(150)), target="default", learner=LEARNERS), None)
    panel = _panel(run)
    paced = []
    for one in trying.tune_all(panel, run):
        pace = {"logistic regression": 2.0, "sparse logistic regression": 1.0}.get(one.result.label, 0.1)
        paced.append(one._replace(entrant=one.entrant._replace(tuned=one.entrant.tuned._replace(pace=pace))))
    whole = {one.label: len(one.settings) for one in panel}

    def kept(seconds):
        return {one.result.label: one for one in trying.within_nested_time(paced, run, Left(seconds))}

    for ample in (None, 1000.0):
        assert all(one is before for one, before in zip(kept(ample).values(), paced, strict=True))
    few = kept(24.5)
    counts = {label: len(one.entrant.candidate.settings) for label, one in few.items()}
    cut = {"logistic regression", "sparse logistic regression"}
    assert {label for label in whole if counts[label] < whole[label]} == cut
    # In turn: the discriminant needs 0.1 s; of 24.4 two thirds are for 3 settings, 2 (1 + 2·3) = 14 s; 0.9 s; the rest.
    assert counts["logistic regression"] == 3
    assert counts["sparse logistic regression"] == 4
    assert counts["linear discriminant"] == 1
    for label in cut:
        one = few[label]
        found = {tuple(tried.params.items()): np.mean(tried.scores) for tried in one.entrant.tuned.tried}
        best = dict(min(found, key=found.get))
        assert one.entrant.tuned.params == best
        assert best.items() <= one.result.params.items()
        assert best.items() <= one.model.get_params().items()
        assert "settings, as many as nested folds have time for" in one.result.reason
        assert len(one.result.tuning) == counts[label]

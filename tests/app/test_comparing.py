"""The choice: certified, distinguishable, simple, reproducible."""

from dataclasses import replace

import numpy as np
import pytest
from tests.cases import each

from learnable.app.comparing import METRICS, choose, compare
from learnable.app.result import ClaimResult, Interval, LearnerResult

N_TRAIN, N_VALID = np.full(10, 90), np.full(10, 10)
HOLDS = ClaimResult("L3", "gap", 0.0, 1.0, True, "exact")
FAILS = ClaimResult("L3", "gap", 2.0, 1.0, False, "exact")


def learner(label, mean, noise=0.0, claim=HOLDS, reference=False):
    scores = mean + noise * np.random.default_rng(len(label)).normal(size=10)
    return LearnerResult(
        "Class", label, "finished", cv_scores=scores.tolist(), certificate=[claim], reference=reference
    )


def chosen(learners, columns=None):
    comparison = compare(learners, "loss", N_TRAIN, N_VALID)
    return choose(learners, comparison, columns or {})


def test_the_clearly_best_is_chosen():
    choice = chosen([learner("good", 0.1, 0.01), learner("bad one", 0.5, 0.01)], {"good": 9, "bad one": 1})
    assert choice.label == "good"
    assert choice.warnings == []


def test_among_equals_the_one_with_the_fewest_columns():
    learners = [learner("dense", 0.10, 0.05), learner("sparse one", 0.11, 0.05)]
    choice = chosen(learners, {"dense": 9, "sparse one": 3})
    assert choice.label == "sparse one"
    assert "fewest columns (3)" in choice.reason
    assert "dense" in choice.reason


def test_without_columns_to_count_the_smaller_loss_decides():
    learners = [learner("second", 0.11, 0.05), learner("a first one", 0.10, 0.05)]
    best = min(learners, key=lambda one: np.mean(one.cv_scores)).label
    assert chosen(learners).label == best


def test_a_failing_certificate_loses_to_one_that_holds():
    choice = chosen([learner("broken", 0.1, 0.01, FAILS), learner("sound", 0.2, 0.01)])
    assert choice.label == "sound"


def test_a_failing_certificate_alone_is_kept_with_a_warning():
    choice = chosen([learner("broken", 0.1, 0.01, FAILS), learner("base", 0.5, 0.01, reference=True)])
    assert choice.label == "broken"
    assert any("certificate of broken fails" in warning for warning in choice.warnings)


def test_no_better_than_the_baseline_is_said():
    choice = chosen([learner("model", 0.50, 0.1), learner("baseline", 0.50, 0.1, reference=True)])
    assert choice.label == "model"
    assert any("cannot be told apart from the baseline" in warning for warning in choice.warnings)


def test_labels_that_differ_only_in_blanks_do_not_confuse_the_comparison():
    comparison = compare([learner("a", 0.1, 0.01), learner("a ", 0.2, 0.01)], "loss", N_TRAIN, N_VALID)
    assert comparison.labels == ["a", "a "]


def test_pairs_are_signed_better_minus_worse():
    (pair,) = compare([learner("worse", 0.5, 0.01), learner("better", 0.1, 0.01)], "loss", N_TRAIN, N_VALID).pairs
    assert (pair.first, pair.second) == ("better", "worse")
    assert pair.difference.high < 0
    assert pair.different


@each("task", ["classification", "regression"])
def test_a_perfect_test_score_has_an_honest_interval(task):
    interval = METRICS[task].interval(np.zeros(20))
    assert interval.estimate == interval.low == 0
    if task == "classification":
        assert interval.high > 0.1


def probable(one):
    return replace(one, extra={"log loss": Interval(0.3, 0.2, 0.4)})


def test_the_reason_does_not_claim_fewer_columns_than_an_equal():
    learners = [learner("silent", 0.10, 0.05), probable(learner("telling", 0.14, 0.05))]
    choice = chosen(learners, {"silent": 2, "telling": 2})
    assert choice.label == "telling"
    assert "fewest columns (2, as many as silent)" in choice.reason
    assert "those that give probabilities come first" in choice.reason


def test_the_reason_without_columns_to_count_is_the_probabilities():
    choice = chosen([learner("silent", 0.10, 0.05), probable(learner("telling", 0.14, 0.05))])
    assert choice.label == "telling"
    assert "it gives probabilities" in choice.reason
    assert "None" not in choice.reason


def test_an_error_is_not_called_the_smallest_when_the_baseline_has_a_smaller_one():
    choice = chosen([learner("model", 0.6, 0.01), learner("base", 0.5, 0.01, reference=True)])
    assert choice.label == "model"
    assert "(the baseline base aside)" in choice.reason
    choice = chosen([learner("broken", 0.1, 0.01, FAILS), learner("sound", 0.2, 0.01)])
    assert "(broken (its certificate fails) aside)" in choice.reason


def test_no_mistake_in_any_fold_is_no_proof_that_there_are_none():
    found = METRICS["classification"].over_folds([0.0] * 10, N_TRAIN, N_VALID)
    assert (found.estimate, found.low) == (0, 0)
    assert found.high == pytest.approx(1.959964**2 / (100 + 1.959964**2))
    assert METRICS["classification"].over_folds([0.1, 0.2] * 5, N_TRAIN, N_VALID).method != "wilson"

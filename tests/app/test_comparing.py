"""The choice: certified, distinguishable, simple, reproducible."""

from dataclasses import replace

import numpy as np
import pytest
from tests.cases import each

from learnable.app.judging.choosing import Traits, choose, picking
from learnable.app.judging.comparing import compare
from learnable.app.judging.metrics import METRICS
from learnable.app.result import ClaimResult, LearnerResult

N_TRAIN, N_VALID = np.full(10, 90), np.full(10, 10)
HOLDS = ClaimResult("L3", "gap", 0.0, 1.0, True, "exact")
FAILS = ClaimResult("L3", "gap", 2.0, 1.0, False, "exact")


def learner(label, mean, noise=0.0, claim=HOLDS, reference=False):
    scores = mean + noise * np.random.default_rng(len(label)).normal(size=10)
    return LearnerResult(
        "Class", label, "finished", cv_scores=scores.tolist(), certificate=[claim], reference=reference
    )


def traits(columns):
    return {label: Traits(count, 10 * count, True) for label, count in columns.items()}


def chosen(learners, columns=None, prefer="accuracy"):
    comparison = compare(learners, "loss", N_TRAIN, N_VALID)
    given = columns or {one.label: 5 for one in learners}
    return choose(learners, comparison, traits(given), METRICS["classification"], prefer)


BASE = 1.0  # loss of guessing: tolerances are shares of the gain over it, and of the best loss


def field(*learners):
    return [*learners, learner("guess", BASE, 0.01, reference=True)]


def test_the_clearly_best_is_chosen():
    choice = chosen([learner("good", 0.1, 0.01), learner("bad one", 0.5, 0.01)], {"good": 9, "bad one": 1})
    assert choice.label == "good"
    assert choice.warnings == []


def shifted(one, label, by, noise):
    """The same folds with a loss that differs by about `by`."""
    rng = np.random.default_rng(7)
    wiggle = rng.normal(size=len(one.cv_scores))
    scores = np.array(one.cv_scores) + by + noise * (wiggle - wiggle.mean())
    return replace(one, label=label, cv_scores=scores.tolist())


def test_a_simpler_one_within_tolerance_is_kept_and_its_price_is_printed():
    dense = learner("dense", 0.5, 0.05)
    choice = chosen(field(dense, shifted(dense, "sparse1", 0.001, 0.05)), {"dense": 9, "sparse1": 3, "guess": 0})
    assert choice.label == "sparse1"
    assert choice.reason.startswith("sparse1 is chosen instead of dense, whose cross-validated ")
    for told in ("is the smallest: it needs 6 columns fewer (3 instead of 9), which costs ", "["):
        assert told in choice.reason


def test_the_two_conditions_of_simplicity():
    """Within one standard error of the difference and ¼% of the best loss and of the gain, 5% for --prefer simple."""
    best = learner("best", 0.50, 0.02)
    few = {"best": 9, "few": 1, "guess": 0}
    cases = [
        (0.001, 0.05, "accuracy", "few"),  # cheap and not shown to be worse
        (0.001, 0.00001, "accuracy", "best"),  # cheap, but more than one standard error worse
        (0.020, 0.20, "accuracy", "best"),  # within the error of the difference, but too dear
        (0.020, 0.20, "simple", "few"),  # unless simplicity is asked for
    ]
    for by, noise, prefer, expected in cases:
        found = chosen(field(best, shifted(best, "few", by, noise)), few, prefer)
        assert found.label == expected, (by, noise, prefer)
    good = learner("best", 0.01, 0.002)  # little is left to lose: half a hundredth of the gain is half of the loss
    assert chosen(field(good, shifted(good, "few", 0.004, 0.05)), few, "simple").label == "best"
    poor = learner("best", 0.95, 0.002)  # little is gained: half a hundredth of the loss is a tenth of the gain
    assert chosen(field(poor, shifted(poor, "few", 0.004, 0.05)), few, "simple").label == "best"


def test_a_model_that_uses_more_columns_is_never_simpler():
    best = learner("best", 0.10, 0.02)
    assert chosen(field(best, shifted(best, "more", 0.001, 0.05)), {"best": 3, "more": 4, "guess": 0}).label == "best"


def test_fast_and_interpretable():
    best = learner("best", 0.50, 0.02)
    other = shifted(best, "other", 0.004, 0.05)
    comparison = compare(field(best, other), "loss", N_TRAIN, N_VALID)
    given = {"best": Traits(3, 1000, False), "other": Traits(5, 10, True), "guess": Traits(0, 1, True)}
    for prefer, expected, why in (
        ("accuracy", "best", "is the smallest"),
        ("fast", "other", "it holds 10 numbers instead of 1000"),
        ("interpretable", "other", "its weights can be read"),
    ):
        found = choose(field(best, other), comparison, given, METRICS["classification"], prefer)
        assert found.label == expected
        assert why in found.reason


def scored(label, scores, reference=False):
    scores = np.asarray(scores, dtype=float).tolist()
    return LearnerResult("Class", label, "finished", cv_scores=scores, certificate=[HOLDS], reference=reference)


def test_the_loss_of_picking_is_that_of_fresh_rows():
    """Of many learners of equal worth the least loss is too small by luck, and that of picking is right."""
    rng = np.random.default_rng(0)
    least, picked = [], []
    for _ in range(300):
        scores = 0.5 + 0.1 * rng.normal(size=(20, 12))  # two rounds of ten folds
        least.append(scores.mean(axis=0).min())
        picked.append(picking(scores, 10))
    assert np.mean(least) < 0.5 - 0.03
    assert np.mean(picked) == pytest.approx(0.5, abs=4 * np.std(picked) / np.sqrt(300))
    certain = np.tile([0.2, 0.3, 0.4], (10, 1)) + 0.01 * rng.normal(size=(10, 1))  # the best one on every fold
    assert picking(certain, 10) == pytest.approx(certain[:, 0].mean())


def test_beside_a_blend_a_single_learner_counts_with_the_luck_of_picking_it():
    rng = np.random.default_rng(4)
    alike = 0.5 + 0.03 * rng.normal(size=(10, 8))
    singles = [scored(f"learner {j}", column) for j, column in enumerate(alike.T)]
    lucky = min(singles, key=lambda one: np.mean(one.cv_scores))
    near = np.mean(lucky.cv_scores) + 0.004 + 0.03 * (wiggle := rng.normal(size=10)) - 0.03 * wiggle.mean()
    guess = scored("guess", np.full(10, 1.0) + 0.01 * rng.normal(size=10), reference=True)
    found = chosen([*singles, scored("blend", near), guess])
    assert found.label == "blend"
    assert f"of {lucky.label} is the smallest" in found.reason
    assert "the smallest of 8 is partly luck" in found.reason
    # More than one standard error behind, the blend does not count as the best.
    far = np.array(lucky.cv_scores) + 0.004 + 1e-5 * wiggle
    assert chosen([*singles, scored("blend", far), guess]).label == lucky.label
    # A learner that is the best on every fold owes nothing to luck.
    sure = scored("sure", near - 0.004 - 0.02)
    assert chosen([*singles, sure, scored("blend", near - 0.02 + 0.001), guess]).label == "sure"
    # Nor does a blend of the least loss give way to a single one that is nearly as good by luck.
    best = np.mean(lucky.cv_scores) - 1e-4 + near - near.mean()
    assert chosen([*singles, scored("blend", best), guess]).label == "blend"
    # Nor is a blend chosen for the luck of the others that does not beat guessing itself.
    low = scored("guess", near - 0.001, reference=True)
    assert chosen([*singles, scored("blend", near), low]).label == lucky.label
    # Where luck leaves them equal the single one is kept. Having the least loss itself, it costs nothing.
    by_luck = picking(np.column_stack([one.cv_scores for one in singles]), 10)
    equal = by_luck - 1e-5 + 5 * (near - near.mean())
    kept = chosen([*singles, scored("blend", equal), guess])
    assert kept.label == lucky.label
    assert kept.reason.startswith(f"{lucky.label} is chosen: its cross-validated error rate is the smallest.")


def test_a_failing_certificate_loses_to_one_that_holds():
    choice = chosen([learner("broken", 0.1, 0.01, FAILS), learner("sound", 0.2, 0.01)])
    assert choice.label == "sound"


def test_a_failing_certificate_alone_is_kept_with_a_warning():
    choice = chosen([learner("broken", 0.1, 0.01, FAILS), learner("base", 0.5, 0.01, reference=True)])
    assert choice.label == "broken"
    assert any("certificate of broken fails" in warning for warning in choice.warnings)


def test_no_better_than_the_baseline_is_said_with_the_interval_and_only_then():
    close = chosen([learner("model", 0.50, 0.1), learner("baseline", 0.50, 0.1, reference=True)])
    assert close.label == "model"
    (warning,) = close.warnings
    assert "not shown to beat the baseline" in warning
    assert "points [" in warning
    assert "nothing" not in warning
    assert chosen([learner("model", 0.40, 0.01), learner("baseline", 0.50, 0.01, reference=True)]).warnings == []


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


def test_an_error_is_not_called_the_smallest_when_the_baseline_has_a_smaller_one():
    choice = chosen([learner("model", 0.6, 0.01), learner("base", 0.5, 0.01, reference=True)])
    assert choice.label == "model"
    assert "(the baseline base aside)" in choice.reason
    choice = chosen([learner("broken", 0.1, 0.01, FAILS), learner("sound", 0.2, 0.01)])
    assert "(broken (its certificate fails) aside)" in choice.reason


def test_three_families_with_corrections_of_their_own():
    """Against the baseline and against the best fewer hypotheses are tested than over all pairs: never less power."""
    rng = np.random.default_rng(0)
    base = 0.5 + 0.02 * rng.normal(size=10)
    made = [
        replace(learner(f"l{i}", 0.5), cv_scores=(base - 0.012 * i + 0.02 * rng.normal(size=10)).tolist())
        for i in range(5)
    ]
    guess = replace(learner("guess", 0.5, reference=True), cv_scores=base.tolist())
    comparison = compare([*made, guess], "loss", N_TRAIN, N_VALID)
    pairs = {frozenset((p.first, p.second)): p for p in comparison.pairs}
    for one in comparison.baseline:
        pair = pairs[frozenset((one.label, "guess"))]
        assert one.p == pytest.approx(pair.p)
        assert one.p_adjusted <= pair.p_adjusted + 1e-12
    best = comparison.labels[0]
    assert not comparison.with_best(best).different
    assert all(one.other == best for one in comparison.best)


def test_no_mistake_in_any_fold_is_no_proof_that_there_are_none():
    found = METRICS["classification"].over_folds([0.0] * 10, N_TRAIN, N_VALID)
    assert (found.estimate, found.low) == (0, 0)
    assert found.high == pytest.approx(1.959964**2 / (100 + 1.959964**2))
    assert METRICS["classification"].over_folds([0.1, 0.2] * 5, N_TRAIN, N_VALID).method != "wilson"

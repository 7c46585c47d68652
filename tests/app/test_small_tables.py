"""Tables of a few rows, or with little to learn: no false "useless", and an answer that leans on guessing."""

from dataclasses import replace

import numpy as np
import pytest
from tests.app.conftest import example_result

from learnable.app.judging.association import association
from learnable.app.judging.explaining import importances, unseen_models
from learnable.app.judging.metrics import BY_KEY
from learnable.app.judging.verdict import verdict
from learnable.app.learn import Options
from learnable.app.result import AgainstResult, Interval
from learnable.app.table.coding import code
from learnable.app.table.dividing import divide
from learnable.app.table.posing import pose
from learnable.app.table.reading import read
from learnable.app.trials.fitting import Output
from learnable.app.trials.rounds import LEAST_WEIGHT, ROUNDS_FOR_NO, Tally
from learnable.app.trials.tuning import Fold
from learnable.linear import Ridge


def test_shuffling_finds_ties_of_one_column_and_of_all_together_and_none_where_there_is_none():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 8))
    one = np.where(X[:, 2] + 0.5 * rng.normal(size=40) > 0, "yes", "no")
    many = X.sum(axis=1) + 2 * rng.normal(size=40)
    assert association(X, one, 0) <= 0.005
    assert association(X, many, 0) <= 0.005
    assert association(np.column_stack([X, np.ones((40, 2))]), 1e9 * many, 0) == association(X, many, 0)
    wide = np.hstack([X, rng.normal(size=(40, 300))])
    assert association(wide, X[:, 2], 0) <= 0.005
    many_rows = rng.normal(size=(60_000, 5))
    assert association(many_rows, many_rows[:, 1] + 9 * rng.normal(size=60_000), 0) <= 0.005
    assert association(np.ones((40, 2)), many, 0) == 1.0
    silent = [association(rng.normal(size=(30, 4)), rng.choice(["a", "b"], 30), seed) for seed in range(40)]
    assert 0.35 < np.mean(silent) < 0.65
    assert np.mean(np.array(silent) <= 0.05) <= 0.15


def test_rows_of_a_group_change_places_among_themselves():
    """A column that is one number a group, as is most of the target, is tied to it by nothing within groups."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(8), 15)
    own = rng.normal(size=120)
    X = np.column_stack([own, np.repeat(rng.normal(size=8), 15)])
    level = 3 * X[:, 1] + rng.normal(size=120)
    assert association(X, level, 0) <= 0.005  # as if rows were drawn one by one
    assert association(X, level, 0, group) > 0.05
    assert association(X, level + own, 0, group) <= 0.005
    assert association(X, np.where(level + own > 0, "yes", "no"), 0, rng.permutation(50)[group]) <= 0.005
    assert association(X[:, 1:], level, 0, group) == 1.0
    noise = [association(X, level + rng.normal(size=120), seed, group) for seed in range(40)]
    assert np.mean(np.array(noise) <= 0.05) <= 0.2


@pytest.mark.parametrize(("share", "words"), [(0.006, "seems to beat"), (0.3, "is not shown to beat")])
def test_an_interval_that_reaches_zero_is_no_verdict_of_uselessness_where_the_columns_tell(share, words):
    found = example_result()
    against = AgainstResult("best learner", "baseline", Interval(-0.1, -0.3, 0.1), 0.2, 0.2, False, None, None)
    found = replace(found, comparison=replace(found.comparison, baseline=[against]), association=share)
    assert words in verdict(found)
    assert "beats guessing" not in verdict(found)


@pytest.mark.parametrize(("estimate", "words"), [(-0.1, "better by 10 points"), (0.1, "worse by 10 points")])
def test_what_is_worse_is_not_called_better_by_less_than_nothing(estimate, words):
    found = example_result()
    against = AgainstResult("best learner", "baseline", Interval(estimate, -0.3, 0.3), 0.2, 0.2, False, None, None)
    found = replace(found, comparison=replace(found.comparison, baseline=[against]))
    assert words in verdict(found)


def test_a_learner_that_says_what_guessing_says_is_the_same():
    found = example_result()
    against = AgainstResult("best learner", "baseline", Interval(0.0, 0.0, 0.0), 1.0, 1.0, False, None, None)
    found = replace(found, comparison=replace(found.comparison, baseline=[against]))
    assert verdict(found).startswith("best learner is not shown to beat guessing: its error rate is the same. ")


def test_the_best_of_many_learners_must_not_be_ahead_by_chance_alone():
    found = example_result()
    judged = [replace(one, plain=Interval(0.2, 0.1, 0.3), cv=Interval(0.2, 0.1, 0.3)) for one in found.learners]
    found = replace(found, learners=judged)
    for adjusted, share, words in (
        (0.01, None, "beats guessing"),
        (0.3, 0.02, "beats guessing"),
        (0.3, 0.2, "ahead of guessing, but not shown to beat it"),
    ):
        against = AgainstResult("best learner", "baseline", Interval(-0.2, -0.3, -0.1), 0.03, adjusted, adjusted < 0.05)
        said = verdict(replace(found, comparison=replace(found.comparison, baseline=[against]), association=share))
        assert words in said
        assert ("beats guessing" in said) == (words == "beats guessing")


def folds_of(y: np.ndarray) -> list[Fold]:
    parts = np.arange(len(y)) % 4
    X = np.zeros((len(y), 1))
    return [
        Fold(X[parts != k], y[parts != k], X[parts == k], y[parts == k], rows=np.flatnonzero(parts == k))
        for k in range(4)
    ]


def test_a_learner_that_seems_better_is_not_given_up_after_one_round_and_the_blend_leans_on_guessing():
    rng = np.random.default_rng(3)
    y = rng.normal(size=24)
    tally, silent = Tally(BY_KEY["rmse"], "mean"), Tally(BY_KEY["rmse"], "mean")
    settled = []
    for _ in range(ROUNDS_FOR_NO):
        folds = folds_of(y)
        noise = {name: [rng.normal(size=len(f.y_valid)) for f in folds] for name in ("first", "second")}
        said = {name: [Output(one) for one in found] for name, found in noise.items()}
        said["mean"] = [Output(np.full(len(f.y_valid), f.y.mean())) for f in folds]
        silent.add(folds, said)
        # A little better than guessing in most folds, by far not surely.
        said["slight"] = [Output(f.y_valid * 0.2 + 0.4 * rng.normal(size=len(f.y_valid))) for f in folds]
        tally.add(folds, said)
        settled.append(tally.settled())
    assert not any(settled[:-1])
    assert silent.scores(False).weights["mean"] > 0.5
    assert np.mean(silent.ranked["blend"]) < min(np.mean(silent.ranked[name]) for name in ("first", "second"))


def test_the_baseline_stays_out_of_a_blend_that_must_be_fitted_in_blocks():
    tally = Tally(BY_KEY["rmse"], "mean", unblended="mean")
    y = np.arange(12.0)
    folds = folds_of(y)
    said = {
        name: [Output(f.y_valid + shift) for f in folds] for name, shift in (("a", 1.0), ("b", -1.0), ("mean", 9.0))
    }
    tally.add(folds, said)
    assert set(tally.scores(False).weights) == {"a", "b"}


def test_the_weights_kept_are_the_best_ones_of_the_learners_kept():
    from learnable.selection import blend_weights

    rng = np.random.default_rng(5)
    y = rng.normal(size=400)
    folds, tally = folds_of(y), Tally(BY_KEY["rmse"], "mean")
    # Twenty learners of much the same worth: many of them weigh a little.
    said = {
        f"learner {j}": [Output(f.y_valid + (1 + j / 8) * rng.normal(size=len(f.y_valid))) for f in folds]
        for j in range(20)
    }
    tally.add(folds, said)
    scores = tally.scores(False)
    kept = list(scores.weights)
    assert 2 <= len(kept) < 20
    assert min(scores.weights.values()) >= LEAST_WEIGHT
    P = np.column_stack([np.concatenate([one.predicted for one in said[name]]) for name in kept])
    truth = np.concatenate([f.y_valid for f in folds])
    best = blend_weights(P, truth)
    weights = np.array(list(scores.weights.values()))
    np.testing.assert_allclose(weights, best.weights, atol=1e-9)
    assert np.mean((truth - P @ weights) ** 2) <= best.loss + scores.gap + 1e-12


def test_the_column_that_matters_is_found_where_each_fold_codes_the_table_otherwise(tmp_path):
    """Rare categories before it stand in the rows of some folds alone, and move its place among the coded columns."""
    rng = np.random.default_rng(0)
    rare, x = np.array(["a"] * 54 + list("bcdefg")), rng.normal(size=60)
    rng.shuffle(rare)
    cells = zip(rare, np.round(x, 6), np.round(5 * x + 0.1 * rng.normal(size=60), 6))
    file = tmp_path / "rare.csv"
    file.write_text("rare,x,y\n" + "".join(f"{a},{b},{c}\n" for a, b, c in cells))
    asked = Options(str(file), target="y")
    question = pose(read(asked), asked)
    coded = code(question, divide(question, asked))
    folds = coded.folds(0)
    assert len({fold.X.shape[1] for fold in folds}) > 1
    assert all(fold.X.shape[1] == fold.X_valid.shape[1] == len(fold.owners) for fold in folds)
    models = unseen_models(coded, Ridge(), folds)
    found = {one.column: one.rise.estimate for one in importances(models, ["rare", "x"], BY_KEY["rmse"], rng)}
    assert abs(found["rare"]) < 0.1 * found["x"]

"""Scores of a classifier: scikit-learn's numbers, identities, and intervals that cover."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as outside
from tests.cases import each

from learnable.evaluation import (
    accuracy,
    balanced_accuracy,
    classification_scores,
    f_score,
    precision,
    proportion_interval,
    recall,
    specificity,
    wilson_interval,
)

SEED = 20264
rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)


@settings(deadline=None, max_examples=60)
@given(rows, st.sampled_from(["macro", "micro", "weighted", None]), st.sampled_from([0.0, 1.0, np.nan]))
def test_numbers_are_those_of_scikit_learn(pairs, average, zero_division):
    y, guess = map(np.array, zip(*pairs))
    for beta in (0.5, 1.0, 2.0):
        *expected, _ = outside.precision_recall_fscore_support(
            y, guess, beta=beta, average=average, zero_division=zero_division
        )
        keywords = {"average": average, "zero_division": zero_division}
        found = [
            precision(y, guess, **keywords),
            recall(y, guess, **keywords),
            f_score(y, guess, beta=beta, **keywords),
        ]
        for ours, theirs in zip(found, expected):
            numbers = [s.estimate for s in ours.values()] if average is None else ours.estimate
            np.testing.assert_allclose(numbers, theirs, atol=1e-12)


@settings(deadline=None)
@given(rows)
def test_accuracies_are_those_of_scikit_learn(pairs):
    y, guess = map(np.array, zip(*pairs))
    assert accuracy(y, guess).estimate == pytest.approx(outside.accuracy_score(y, guess))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of classes that are only predicted
        assert balanced_accuracy(y, guess).estimate == pytest.approx(outside.balanced_accuracy_score(y, guess))


@settings(deadline=None)
@given(rows)
def test_identities(pairs):
    y, guess = map(np.array, zip(*pairs))
    scores = classification_scores(y, guess)
    for name, row in scores.rows.items():
        assert list(row) == ["precision", "recall", "f1"]
        for score in row.values():
            assert 0 <= score.low <= score.estimate + 1e-12
            assert score.estimate - 1e-12 <= score.high <= 1
        p, r, f = (score.estimate for score in row.values())
        if name not in ("macro", "weighted"):
            assert f * (p + r) == pytest.approx(2 * p * r)
    micro = scores.rows["micro"]
    assert micro["precision"][:3] == micro["recall"][:3] == pytest.approx(micro["f1"][:3])
    assert micro["f1"][:3] == pytest.approx(scores.accuracy[:3])
    assert scores.rows["weighted"]["recall"].estimate == pytest.approx(scores.accuracy.estimate)
    # Swapping truth and prediction swaps precision and recall, with their intervals.
    swapped = classification_scores(guess, y)
    for label in scores.confusion.labels.tolist():
        assert scores.rows[label]["precision"][:3] == pytest.approx(swapped.rows[label]["recall"][:3])


def test_intervals_are_wilson_of_the_right_counts():
    y = np.repeat([1, 0, 1, 0], [30, 20, 10, 40])
    guess = np.repeat([1, 1, 0, 0], [30, 20, 10, 40])
    tp, fp, fn, tn = 30, 20, 10, 40
    assert precision(y, guess)[:3] == pytest.approx(proportion_interval(tp, tp + fp)[:3])
    assert recall(y, guess)[:3] == pytest.approx(proportion_interval(tp, tp + fn)[:3])
    assert specificity(y, guess)[:3] == pytest.approx(proportion_interval(tn, tn + fp)[:3])
    assert accuracy(y, guess)[:3] == pytest.approx(proportion_interval(tp + tn, 100)[:3])
    jaccard = proportion_interval(tp, tp + fp + fn)
    assert f_score(y, guess)[:3] == pytest.approx(tuple(2 * v / (1 + v) for v in jaccard[:3]))
    assert specificity(y, guess)[:3] == pytest.approx(recall(y, guess, pos_label=0)[:3])
    assert (precision(y, guess).n, recall(y, guess).n, f_score(y, guess).n) == (50, 40, 60)


def test_f_beta_runs_between_precision_and_recall():
    y = np.repeat([1, 0, 1, 0], [30, 20, 10, 40])
    guess = np.repeat([1, 1, 0, 0], [30, 20, 10, 40])
    assert f_score(y, guess, beta=1e-6)[:3] == pytest.approx(precision(y, guess)[:3], abs=1e-4)
    assert f_score(y, guess, beta=1e6)[:3] == pytest.approx(recall(y, guess)[:3], abs=1e-4)


def test_weights_change_numbers_as_in_scikit_learn_and_scale_does_not():
    rng = np.random.default_rng(SEED)
    y, guess, weight = rng.integers(0, 3, 80), rng.integers(0, 3, 80), rng.random(80)
    for average in ("macro", "micro", "weighted"):
        ours = f_score(y, guess, average=average, sample_weight=weight)
        assert ours.estimate == pytest.approx(outside.f1_score(y, guess, average=average, sample_weight=weight))
        assert f_score(y, guess, average=average, sample_weight=weight * 50)[:3] == pytest.approx(ours[:3])
        plain = f_score(y, guess, average=average)
        assert f_score(y, guess, average=average, sample_weight=np.full(80, 3.0))[:3] == pytest.approx(plain[:3])


def test_labels_choose_what_is_averaged():
    rng = np.random.default_rng(SEED)
    y, guess = rng.integers(0, 4, 80), rng.integers(0, 4, 80)
    for average in ("macro", "micro", "weighted"):
        for ours, theirs in ((precision, outside.precision_score), (f_score, outside.f1_score)):
            expected = theirs(y, guess, labels=[1, 3], average=average)
            assert ours(y, guess, labels=[1, 3], average=average).estimate == pytest.approx(expected)


@each("name", ["f1 macro", "f2", "balanced", "precision macro", "f1 micro", "f1 weighted"])
def test_intervals_cover_the_truth(name):
    """2000 test sets of 80 rows from a known law of (true, predicted); the truth is the score of that law."""
    score = {
        "f1 macro": lambda y, g, **k: f_score(y, g, average="macro", **k),
        "f1 weighted": lambda y, g, **k: f_score(y, g, average="weighted", **k),
        "f1 micro": lambda y, g, **k: f_score(y, g, average="micro", **k),
        "f2": lambda y, g, **k: f_score(y, g, beta=2, average=None, **k)[2],
        "balanced": balanced_accuracy,
        "precision macro": lambda y, g, **k: precision(y, g, average="macro", **k),
    }[name]
    law = np.array([[0.30, 0.03, 0.02], [0.05, 0.30, 0.05], [0.03, 0.02, 0.20]])
    cells = np.arange(9)
    truth = score(cells // 3, cells % 3, sample_weight=law.ravel()).estimate
    rng, covered = np.random.default_rng(SEED), 0
    for counts in rng.multinomial(80, law.ravel(), size=600):
        drawn = np.repeat(cells, counts)
        covered += truth in score(drawn // 3, drawn % 3)
    assert 0.92 < covered / 600 < 0.99


def test_a_perfect_classifier_is_not_certain():
    y = np.repeat([0, 1, 2], 20)
    scores = classification_scores(y, y)
    for row in scores.rows.values():
        for score in row.values():
            assert score.estimate == score.high == pytest.approx(1)
            assert score.low < 0.97
    # Without an error seen, the F-score allows for the dearest kind.
    assert f_score(y, y, beta=2, average=None)[0].low < f_score(y, y, average=None)[0].low


def test_zero_denominators_say_nothing():
    y, guess = np.array([0, 0, 1]), np.array([0, 0, 0])
    undefined = precision(y, guess)
    assert undefined[:3] == (0.0, 0.0, 1.0)
    assert undefined.method == "undefined"
    assert undefined.n == 0
    assert np.isnan(precision(y, guess, zero_division=np.nan).estimate)
    assert recall(y, guess, pos_label=1).estimate == 0
    assert specificity([1, 1], [1, 1], zero_division=1.0)[:3] == (1.0, 0.0, 1.0)


def test_prints_every_score_with_its_interval_and_escapes_names():
    scores = classification_scores(["<i>", "b", "b"], ["b", "b", "b"])
    text = str(scores)
    assert text.count("[") == 5 * 3 + 2
    html = scores._repr_html_()
    assert "<i>" not in html
    assert html.count('class="interval"') == 5 * 3 + 2
    assert scores.to_dict()["rows"]["macro"]["f1"]["method"] == "wilson_average"
    # The numbers that are printed are the scores, each between the ends of its interval.
    rows = scores.to_dict()["rows"]
    for score, estimates in (("precision", (0, 2 / 3)), ("recall", (0, 1)), ("f1", (0, 0.8))):
        assert [rows[name][score]["estimate"] for name in ("<i>", "b")] == pytest.approx(estimates)
        assert rows["macro"][score]["estimate"] == pytest.approx(np.mean(estimates))
        assert all(row[score]["low"] <= row[score]["estimate"] <= row[score]["high"] for row in rows.values())
    low, high = map(float, wilson_interval(2, 3))
    assert scores.accuracy[:3] == pytest.approx((2 / 3, low, high))
    assert f"accuracy {2 / 3:.2f} [{low:.2f}, {high:.2f}]" in text


@each(
    ("call", "message"),
    [
        (lambda y: precision(y, y), "there are 3 classes"),
        (lambda y: precision(y[:2], y[:2], pos_label=7), r"class 7 is not among the classes \[0, 1\]"),
        (lambda y: recall(y, y, average="samples"), "choose one of 'binary'"),
        (lambda y: f_score(y, y, beta=0, average="macro"), "beta must be a positive number"),
        (lambda y: f_score(y, y, beta=np.inf, average="macro"), "beta must be a positive number"),
        (lambda y: recall(y, y, average="macro", zero_division=2), "zero_division=2"),
        (lambda y: accuracy(y, y, level=1.5), "level must be in"),
        (lambda y: classification_scores([], []), "no rows"),
        (lambda y: balanced_accuracy(y, y[:2]), "y_true has 3 rows, y_pred has 2"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.array([0, 1, 2]))

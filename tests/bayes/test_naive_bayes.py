"""Naive Bayes of mixed columns: by hand, piece by piece, with holes, against scikit-learn, and when tampered with."""

import copy

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.preprocessing import OrdinalEncoder
from tests.cases import each

from learnable import certify
from learnable.bayes import NaiveBayes
from learnable.checks.tamper import tampered
from learnable.datasets import Column, Kind, Table
from learnable.features import WordCounts

WORDS = ["alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa"]
TEXT = {"kinds": {"note": "text"}}


def mixed(n=60, seed=0, holes=0.15):
    """A frame with a category, a truth value, two numbers and a text; a share of the cells is missing."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "perhaps", "yes"], n, p=[0.3, 0.2, 0.5])
    k = np.searchsorted(["no", "perhaps", "yes"], y)
    frame = pd.DataFrame(
        {
            "colour": [["red", "green", "blue"][(c + rng.integers(0, 2)) % 3] for c in k],
            "old": rng.random(n) < 0.2 + 0.3 * k,
            "size": rng.normal(k, 1.0),
            "count": rng.poisson(2 + k).astype(float),
            "note": [" ".join(rng.choice(WORDS[c : c + 4], rng.integers(1, 6))) for c in k],
        }
    )
    frame = frame.astype({"old": object})
    for column in frame.columns:
        gone = rng.random(n) < holes
        frame[column] = [None if g else cell for g, cell in zip(gone, frame[column])]
    return frame.astype({"size": float, "count": float}), y


def by_hand(frame, y, row, m=None, representation="bag"):
    """log P(class, row), written out with loops."""
    classes = sorted(set(y))
    found = []
    for c in classes:
        total = np.log(np.mean(y == c))
        for name in frame.columns:
            cell = row[name]
            known = [(v, label) for v, label in zip(frame[name], y) if v is not None and v == v]
            mine = [v for v, label in known if label == c]
            if cell is None or cell != cell:
                continue
            if name in ("size", "count"):
                mean = np.mean(mine)
                variance = np.mean((np.array(mine) - mean) ** 2) + 1e-9 * np.var([v for v, _ in known])
                total += -0.5 * np.log(2 * np.pi * variance) - (cell - mean) ** 2 / (2 * variance)
            elif name == "note":
                vocabulary = sorted({w for v, _ in known for w in v.split()})
                V = len(vocabulary)
                if representation == "bag":
                    words = [w for v in mine for w in v.split()]
                    virtual = V if m is None else m
                    for w in cell.split():
                        if w in vocabulary:
                            total += np.log((words.count(w) + virtual / V) / (len(words) + virtual))
                else:
                    virtual = 2 if m is None else m
                    for w in vocabulary:
                        p = (sum(w in v.split() for v in mine) + virtual / 2) / (len(mine) + virtual)
                        total += np.log(p if w in cell.split() else 1 - p)
            else:
                levels = {v for v, _ in known}
                virtual = len(levels) if m is None else m
                if cell in levels:
                    total += np.log((mine.count(cell) + virtual / len(levels)) / (len(mine) + virtual))
        found.append(total)
    return np.array(found)


@each("m", [None, 0.5, 4.0])
@each("representation", ["bag", "set"])
def test_everything_by_hand(m, representation):
    frame, y = mixed()
    model = NaiveBayes(m=m, representation=representation, **TEXT).fit(frame, y)
    rows = frame.iloc[:8].to_dict("records")
    expected = np.array([by_hand(frame, y, row, m, representation) for row in rows])
    np.testing.assert_allclose(model.predict_joint_log_proba(frame.iloc[:8]), expected, rtol=1e-9)
    assert model.certificate_.holds, model.certificate_
    np.testing.assert_allclose(model.predict_proba(frame).sum(axis=1), 1.0, rtol=1e-12)


def test_each_kind_of_column_is_scikit_learns_classifier():
    frame, y = mixed(holes=0.0)
    numbers = frame[["size", "count"]]
    ours = NaiveBayes().fit(numbers, y)
    np.testing.assert_allclose(
        ours.predict_log_proba(numbers),
        GaussianNB().fit(numbers.values, y).predict_log_proba(numbers.values),
        rtol=1e-5,
    )
    np.testing.assert_array_equal(NaiveBayes().fit(numbers.values, y).predict(numbers.values), ours.predict(numbers))
    colours = frame[["colour"]]
    codes = OrdinalEncoder().fit_transform(colours)
    theirs = CategoricalNB(alpha=1.0).fit(codes, y).predict_log_proba(codes)
    np.testing.assert_allclose(NaiveBayes().fit(colours, y).predict_log_proba(colours), theirs, rtol=1e-9)
    notes = frame[["note"]]
    for representation, other in (("bag", MultinomialNB()), ("set", BernoulliNB())):
        counts = CountVectorizer().fit_transform(notes["note"])
        ours = NaiveBayes(representation=representation, **TEXT).fit(notes, y)
        theirs = other.fit(counts, y).predict_log_proba(counts)
        np.testing.assert_allclose(ours.predict_log_proba(notes), theirs, rtol=1e-8)


def test_pieces_give_what_the_whole_gives():
    frame, y = mixed(90)
    weight = np.random.default_rng(1).random(90)
    whole = NaiveBayes(min_count=2, drop_frequent=1, **TEXT).fit(frame, y, weight)
    pieces = NaiveBayes(min_count=2, drop_frequent=1, **TEXT)
    for rows in np.array_split(np.arange(90), 5):
        pieces.partial_fit(frame.iloc[rows], y[rows], classes=["no", "perhaps", "yes"], sample_weight=weight[rows])
    for one, other in zip(whole.columns_, pieces.columns_):
        for a, b in zip(one, other):
            assert a == b if isinstance(a, tuple) else np.allclose(a, b, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(pieces.predict_log_proba(frame), whole.predict_log_proba(frame), rtol=1e-9)
    assert "certificate_" not in vars(pieces)
    assert "certificate_" not in vars(copy.deepcopy(whole).partial_fit(frame, y))
    assert certify(pieces, frame, y, weight).holds
    assert not certify(pieces, frame, y).holds


def test_weights_count_rows():
    frame, y = mixed(50)
    weight = np.random.default_rng(2).integers(0, 3, 50)
    weight[7] = 0
    frame.loc[7, ["colour", "note"]] = "mauve", "zebra"  # what only a row of weight 0 has does not exist
    weighted = NaiveBayes(**TEXT).fit(frame, y, weight)
    rows = np.repeat(np.arange(50), weight)
    repeated = NaiveBayes(**TEXT).fit(frame.iloc[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(frame), repeated.predict_proba(frame), rtol=1e-9)


def test_a_missing_cell_is_as_if_its_column_were_not_there():
    frame, y = mixed(80, holes=0.1)
    model = NaiveBayes(**TEXT).fit(frame, y)
    for name in frame.columns:
        holed = frame.copy()
        holed[name] = pd.Series([None] * len(frame), dtype=object)
        rest = frame.drop(columns=name)
        kinds = TEXT["kinds"] if name != "note" else None
        without = NaiveBayes(kinds=kinds).fit(rest, y)
        np.testing.assert_allclose(model.predict_proba(holed), without.predict_proba(rest), rtol=1e-9)


def test_levels_and_words_never_seen_say_nothing():
    frame, y = mixed()
    model = NaiveBayes(**TEXT).fit(frame, y)
    row = pd.DataFrame({"colour": ["mauve"], "old": [None], "size": [np.nan], "count": [np.nan], "note": ["zebra"]})
    np.testing.assert_allclose(model.predict_log_proba(row)[0], model.class_log_prior_)


def test_frames_of_any_library_and_order_free_tables_agree():
    frame, y = mixed()
    model = NaiveBayes(**TEXT).fit(frame, y)
    other = pl.from_pandas(frame.astype({"old": "boolean"}))
    from_polars = NaiveBayes(**TEXT).fit(other, y)
    from_arrow = NaiveBayes(**TEXT).fit(other.to_arrow(), y)
    lazy = NaiveBayes(**TEXT).fit(other.lazy(), y)
    expected = model.predict_log_proba(frame)
    for fitted in (from_polars, from_arrow, lazy):
        np.testing.assert_array_equal(fitted.predict_log_proba(other), expected)
        assert certify(fitted, other, y) == fitted.certificate_
        assert fitted.certificate_.holds
    np.testing.assert_array_equal(model.predict_log_proba(other), expected)
    assert certify(model, frame, y) == model.certificate_


def test_tables_of_the_house_too():
    words = np.array(["a", None, "b", "b"], dtype=object)
    table = Table(
        (
            Column("word", Kind.CATEGORY, words, ("a", "b")),
            Column("x", Kind.NUMBER, np.array([0.0, 1.0, np.nan, 3.0])),
        ),
        4,
    )
    model = NaiveBayes().fit(table, [0, 0, 1, 1])
    assert model.kinds_ == {"word": "category", "x": "number"}
    assert model.predict(table).tolist() == [0, 0, 1, 1]
    assert model.certificate_.holds


def test_contributions_add_up_and_are_explained():
    frame, y = mixed()
    model = NaiveBayes(**TEXT).fit(frame, y)
    parts = model.contributions(frame)
    assert parts.shape == (60, 5, 3)
    np.testing.assert_allclose(parts.sum(axis=1) + model.class_log_prior_, model.predict_joint_log_proba(frame))
    logs = np.sort(model.predict_log_proba(frame), axis=1)
    for i, explanation in enumerate(model.explain(frame)):
        assert explanation.label == model.predict(frame)[i]
        assert explanation.log_odds == pytest.approx(logs[i, -1] - logs[i, -2])
        gone = [name for name in frame.columns if frame[name][i] is None or frame[name][i] != frame[name][i]]
        assert all(explanation.columns[name] == 0.0 for name in gone)


def test_columns_without_use_are_named():
    frame, y = mixed(30)
    frame["when"] = pd.date_range("2024-01-01", periods=30)
    frame["code"] = [f"id-{i}" for i in range(30)]
    frame["empty"] = None
    frame["same"] = 1.0
    model = NaiveBayes(**TEXT).fit(frame, y)
    assert model.dropped_ == {"when": "date", "code": "identifier"}
    plain, _ = mixed(30)
    np.testing.assert_allclose(
        model.predict_log_proba(frame), NaiveBayes(**TEXT).fit(plain, y).predict_log_proba(plain), atol=1e-12
    )
    assert model.certificate_.holds
    with pytest.raises(ValueError, match="no column to learn from"):
        NaiveBayes().fit(frame[["when", "code"]], y)


def test_the_vocabulary_is_that_of_the_word_counter():
    frame, y = mixed(80, holes=0.0)
    coder = WordCounts(drop_frequent=2, min_count=30)
    counts = coder.fit_transform(frame["note"])
    assert (len(coder.frequent_), len(coder.rare_) > 0, len(coder.vocabulary_) > 1) == (2, True, True)
    ours = NaiveBayes(drop_frequent=2, min_count=30, **TEXT).fit(frame[["note"]], y)
    theirs = MultinomialNB().fit(counts, y)
    np.testing.assert_allclose(ours.predict_log_proba(frame[["note"]]), theirs.predict_log_proba(counts), rtol=1e-9)


def test_arrays_and_frames_by_position():
    frame, y = mixed(40, holes=0.1)
    numbers = frame[["size", "count"]]
    by_name, by_place = NaiveBayes().fit(numbers, y), NaiveBayes().fit(numbers.values, y)
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(by_name.predict_proba(numbers.values), by_place.predict_proba(numbers.values))
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(by_place.predict_proba(numbers), by_name.predict_proba(numbers))
    numbered = numbers.set_axis([0, 1], axis=1)
    labelled = NaiveBayes().fit(numbered, y)
    np.testing.assert_array_equal(labelled.predict_proba(numbered), by_name.predict_proba(numbers))


def test_long_documents_do_not_underflow():
    rng = np.random.default_rng(3)
    documents = [" ".join(rng.choice(WORDS[k : k + 5], 5_000)) for k in (0, 2)]
    frame = pd.DataFrame({"note": documents})
    model = NaiveBayes(**TEXT).fit(frame, [0, 1])
    logs = model.predict_log_proba(frame)
    assert model.predict_joint_log_proba(frame).max() < -5_000
    assert np.all(np.isfinite(logs))
    assert model.predict(frame).tolist() == [0, 1]


@each("representation", ["bag", "set"])
def test_the_certificate_notices_every_changed_count(representation):
    frame, y = mixed()
    model = NaiveBayes(representation=representation, **TEXT).fit(frame, y)
    changes = list(tampered(model))
    assert {what.split(" of column")[0] for what, _ in changes} >= {
        "a change of counts", "a change of mean", "a change of scatter", "a change of observed",
        "a change of occurrences", "a change of documents", "a change of known", "a change of class_count_",
    }  # fmt: skip
    for what, altered in changes:
        assert not certify(altered, frame, y).holds, what
    for j, column in enumerate(model.columns_):
        if "levels" in column._fields:
            altered = copy.deepcopy(model)
            altered.columns_[j] = column._replace(levels=column.levels[::-1])
            assert not certify(altered, frame, y).holds
            altered.columns_[j] = column._replace(levels=column.levels[1:], counts=column.counts[:, 1:])
            assert not certify(altered, frame, y).holds
    other = frame.copy()
    for name, cell in {"colour": "mauve", "size": 40.0, "note": "zebra"}.items():
        other = frame.copy()
        other.loc[0, name] = cell
        assert not certify(model, other, y).holds


def test_a_given_prior_is_used_and_certified():
    frame, y = mixed()
    model = NaiveBayes(class_prior=[0.2, 0.3, 0.5], **TEXT).fit(frame, y)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.2, 0.3, 0.5])
    assert model.certificate_.holds
    never = NaiveBayes(class_prior=[0.0, 0.5, 0.5], **TEXT).fit(frame, y)
    assert "no" not in never.predict(frame)


def test_a_class_in_which_a_number_is_never_known_takes_the_column_as_a_whole():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan, np.nan], "c": list("aabbb")})
    model = NaiveBayes().fit(frame, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(model.contributions(pd.DataFrame({"x": [2.0], "c": ["a"]}))[0, 0, 0],
                               model.contributions(pd.DataFrame({"x": [2.0], "c": ["a"]}))[0, 0, 1])  # fmt: skip
    assert model.certificate_.holds


FRAME, LABELS = mixed(20)


@each(
    ("call", "message"),
    [
        (lambda: NaiveBayes(m=-1).fit(FRAME, LABELS), "'m' parameter"),
        (lambda: NaiveBayes(kinds={"nothing": "text"}).fit(FRAME, LABELS), "no column 'nothing'"),
        (lambda: NaiveBayes(kinds={"note": "poem"}).fit(FRAME, LABELS), "a kind is one of"),
        (
            lambda: NaiveBayes(class_prior=[0.5, 0.5, 0.5]).fit(FRAME, LABELS),
            "sum of the priors should be 1. It is 1.5",
        ),
        (lambda: NaiveBayes().fit(FRAME, LABELS[:5]), "inconsistent numbers of samples"),
        (lambda: NaiveBayes().fit(FRAME, None), "y"),
        (lambda: NaiveBayes().fit(FRAME, LABELS, np.zeros(20)), "at least one non-zero"),
        (lambda: NaiveBayes().partial_fit(FRAME, LABELS), "classes must be passed"),
        (lambda: NaiveBayes().partial_fit(FRAME, LABELS, classes=["no"]), "do not exist in the classes"),
        (lambda: NaiveBayes().fit(FRAME, LABELS).predict(FRAME.drop(columns="size")), "size"),
        (
            lambda: NaiveBayes().fit(FRAME, LABELS).predict(FRAME.assign(size="big")),
            "column 'size' was a number in training, but now holds words",
        ),
        (lambda: NaiveBayes().fit(FRAME.assign(size=np.inf), LABELS), "'size'.*not a finite"),
        (
            lambda: NaiveBayes(m=0).fit(pd.DataFrame({"c": ["a", "b", None]}), [0, 0, 1]),
            "in class 1 the column 'c' has no known cell.*set m > 0",
        ),
        (
            lambda: NaiveBayes(m=0, kinds={"t": "text"}).fit(pd.DataFrame({"t": ["one two", "three", ""]}), [0, 0, 1]),
            "in class 1 the column 't' has no known cell",
        ),
        (lambda: NaiveBayes(var_smoothing=0).fit([[1.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]), "set var_smoothing > 0"),
        (lambda: NaiveBayes().fit([[1e300], [-1e300]], [0, 1]), "'x0' has entries of size 1.0e.300.*rescale"),
        (lambda: NaiveBayes().fit([[1e-300], [-1e-300]], [0, 1]), "'x0' has entries of size 1.0e-300.*rescale"),
        (lambda: NaiveBayes().fit([[1.0], [2.0]], [0, 1]).predict([[1e200]]), "rescale"),
        (lambda: NaiveBayes().predict_joint_log_proba([[1.0]]), "not fitted"),
        (lambda: NaiveBayes().fit([[1.0], [2.0]], [0, 0]).explain([[1.0]]), "only one class"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_without_virtual_examples_the_impossible_is_refused():
    frame = pd.DataFrame({"c": ["a", "b", "b", "a"], "d": ["u", "u", "v", "v"]})
    model = NaiveBayes(m=0).fit(frame, [0, 1, 1, 0])
    assert model.predict(frame).tolist() == [0, 1, 1, 0]
    strange = NaiveBayes(m=0).fit(pd.DataFrame({"c": list("aabb"), "d": list("uuvv")}), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="likelihood zero in every class"):
        strange.predict(pd.DataFrame({"c": ["a"], "d": ["v"]}))


def test_a_failed_partial_fit_leaves_the_model_as_it_was():
    frame, y = mixed()
    model = NaiveBayes(**TEXT).fit(frame, y)
    before = model.predict_proba(frame)
    with pytest.raises(ValueError, match="inf"):
        model.partial_fit(frame.assign(size=np.inf), y)
    np.testing.assert_array_equal(model.predict_proba(frame), before)
    assert model.certificate_.holds


def test_a_class_announced_but_not_yet_seen_is_not_predicted():
    for m in (0, None):
        frame = pd.DataFrame(
            {"c": list("aabb"), "x": [0.0, 1.0, 2.0, 4.0], "note": ["one", "two one", "two", "three two"]}
        )
        model = NaiveBayes(m=m, **TEXT).partial_fit(frame, [0, 0, 1, 1], classes=[0, 1, 2])
        assert model.predict_proba(frame)[:, 2].tolist() == [0.0] * 4
        assert model.predict(frame).tolist() == [0, 0, 1, 1]

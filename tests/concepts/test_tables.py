"""Tables of every kind give the same concept; what a user gets wrong is named."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from learnable import certify, watch
from learnable.checks import well_posed
from learnable.concepts import (
    ANY,
    CandidateElimination,
    Conjunction,
    DisjunctionLearner,
    FindS,
    HalfSpaceLearner,
    KCNFLearner,
    KDNFLearner,
    KTermDNFLearner,
    MonomialLearner,
    RectangleLearner,
    consistency,
    decide_consistency,
)

OF_TABLES = (
    FindS,
    CandidateElimination,
    MonomialLearner,
    DisjunctionLearner,
    KCNFLearner,
    KDNFLearner,
    KTermDNFLearner,
)


def _days() -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(1)
    sky, wind = random.choice(["clear", "grey", "rain"], 60), random.integers(0, 3, 60)
    days = pd.DataFrame({"sky": sky, "wind": wind, "warm": random.random(60) < 0.5})
    return days, np.where((days["sky"] == "clear") & days["warm"], "yes", "no")


DAYS, LABELS = _days()
FORMS = {
    "categories": DAYS.astype("category"),
    "nullable": DAYS.astype({"sky": "string", "wind": "Int64", "warm": "boolean"}),
    "arrow columns": DAYS.convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.from_pandas(DAYS),
    "polars categories": pl.from_pandas(DAYS).with_columns(pl.col("sky").cast(pl.Categorical)),
    "arrow": pl.from_pandas(DAYS).to_arrow(),
    "cells": DAYS.to_numpy(dtype=object),
    "lists": DAYS.to_numpy(dtype=object).tolist(),
}


@pytest.mark.parametrize("kind", OF_TABLES)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_gives_the_same_concept(kind, form):
    plain = kind().fit(DAYS, LABELS)
    model = kind().fit(FORMS[form], LABELS)
    assert np.array_equal(model.predict(FORMS[form]), plain.predict(DAYS))
    assert model.certificate_.holds == plain.certificate_.holds
    assert certify(model, FORMS[form], LABELS).holds == plain.certificate_.holds


@pytest.mark.parametrize("kind", [*OF_TABLES, RectangleLearner, HalfSpaceLearner])
def test_watched_copied_and_cross_validated(kind):
    X, y = well_posed(kind(), 0)
    model = kind().fit(X, y)
    assert len(list(watch(kind(), X, y))) >= 1
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert np.all(cross_val_score(clone(model), X, y, cv=3) > 0.8)


def test_a_list_of_words_and_numbers_keeps_its_numbers():
    rows, labels = [["a", 0], ["b", 1], ["a", 2]], ["yes", "no", "yes"]
    model = FindS(domains=[("a", "b"), (0, 1, 2)]).fit(rows, labels)
    assert str(model.hypothesis_) == "<a, ?>"
    assert certify(model, rows, labels).holds


def test_steps_of_find_s_read_as_hypotheses():
    steps = [str(step.state) for step in watch(FindS(), DAYS.iloc[:4], ["no", "yes", "no", "no"])]
    assert steps[0] == "before the first example: <∅, ∅, ∅>"
    assert steps[2] == f"row 1: <{DAYS.sky[1]}, {DAYS.wind[1]}, {DAYS.warm[1]}>"


@pytest.mark.parametrize("frame", [DAYS, pl.from_pandas(DAYS), FORMS["arrow"]])
def test_consistency_reads_the_rows_of_a_frame(frame):
    assert consistency(Conjunction(("clear", ANY, True)), frame, LABELS, inside="yes").holds
    wrong = consistency(Conjunction(("clear", ANY, ANY)), frame, LABELS, inside="yes")
    assert wrong.admitted == tuple(np.flatnonzero((DAYS.sky == "clear") & ~DAYS.warm))


@pytest.mark.parametrize("frame", [DAYS, pl.from_pandas(DAYS), DAYS.to_numpy(dtype=object).tolist()])
def test_the_decider_takes_domains_and_labels_from_the_examples(frame):
    assert decide_consistency(FindS(), frame, LABELS, random_state=0).consistent
    lone = np.where(np.arange(60) == 7, "yes", "no")  # draws without a member happen
    assert decide_consistency(MonomialLearner(), frame, lone, delta=0.4, random_state=0).sample_size > 0


def test_a_majority_of_one_in_a_large_version_space_counts():
    model = CandidateElimination(classes=(0, 1)).fit(np.zeros((2, 60), dtype=int), [1, 1])
    model.__class__ = type("Rigged", (CandidateElimination,), {"_ballot": lambda self, X: (2**60, [2**59 + 1, 2**59])})
    assert model.predict(np.zeros((2, 60), dtype=int)).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: FindS().fit(pl.from_pandas(DAYS).lazy(), LABELS), TypeError, "collect"),
        (lambda: FindS().fit(DAYS, ["no"] * 60), ValueError, "only one class, 'no'"),
        (lambda: FindS(domains={"sky": "clear"}).fit(DAYS, LABELS), ValueError, "'clear' is a single value"),
        (lambda: CandidateElimination().fit(DAYS, LABELS).classify(DAYS, "all"), ValueError, "agreement='all'"),
        (lambda: decide_consistency(object(), DAYS, LABELS), TypeError, "sample_size"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()

"""Laws of the comparison on given fold scores."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.cases import each

from learnable.evaluation.comparison import Comparison
from learnable.evaluation.corrected_t import corrected_t
from learnable.evaluation.multiple import holm

RNG = np.random.default_rng(0)
NOISE = RNG.normal(0, 0.02, 20)
TABLE = {name: mean + NOISE + RNG.normal(0, 0.01, 20) for name, mean in zip("abcde", (0.70, 0.90, 0.895, 0.80, 0.885))}
SIZES = {"n_train": 90, "n_test": 10}


def test_every_pair_is_the_corrected_test_with_holm_over_all_pairs():
    result = Comparison.from_scores(TABLE, **SIZES)
    assert len(result.pairs) == 10
    alone = [corrected_t(TABLE[pair.first], TABLE[pair.second], **SIZES).p_value for pair in result.pairs]
    assert [pair.tests.corrected.p_value for pair in result.pairs] == alone
    assert [pair.p_adjusted for pair in result.pairs] == pytest.approx(holm(alone).tolist())
    assert [pair.different for pair in result.pairs] == [pair.p_adjusted <= 0.05 for pair in result.pairs]
    assert all(pair.difference.estimate >= 0 for pair in result.pairs)


def test_ranking_means_and_groups_belong_together():
    result = Comparison.from_scores(TABLE, **SIZES)
    means = [interval.estimate for interval in result.means.values()]
    assert means == sorted(means, reverse=True)
    assert tuple(result.means) == result.ranking
    assert result.groups[-1] == ("a",)
    assert {name for group in result.groups for name in group} == set("abcde")
    for group in result.groups:
        for first in group:
            assert not any(result.pair(first, second).different for second in group if second != first)


def test_losses_are_ranked_the_other_way_with_the_same_groups():
    scores = Comparison.from_scores(TABLE, **SIZES)
    losses = Comparison.from_scores({name: -column for name, column in TABLE.items()}, **SIZES, greater_is_better=False)
    assert losses.ranking == scores.ranking
    assert losses.groups == scores.groups
    assert all(pair.difference.estimate <= 0 for pair in losses.pairs)


def test_any_table_will_do():
    matrix = np.column_stack(list(TABLE.values()))
    for table, names in ((pd.DataFrame(TABLE), None), (pl.DataFrame(TABLE), None), (matrix, list("abcde"))):
        assert (
            Comparison.from_scores(table, **SIZES, names=names).to_json()
            == Comparison.from_scores(TABLE, **SIZES).to_json()
        )
    assert Comparison.from_scores(matrix, **SIZES).names[0] == "learner 1"


def test_one_learner_has_a_mean_and_no_pairs():
    result = Comparison.from_scores({"only": [0.8, 0.9, 0.7]}, **SIZES)
    assert result.pairs == ()
    assert result.groups == (("only",),)
    assert "only" in result.to_text()
    json.loads(result.to_json())


def test_all_equal_scores_are_one_group_and_equal_gaps_are_flagged():
    equal = Comparison.from_scores({"x": [0.8] * 4, "y": [0.8] * 4}, **SIZES)
    assert equal.groups == (("x", "y"),)
    assert equal.pairs[0].p_adjusted == 1.0
    apart = Comparison.from_scores({"x": [0.9, 0.8, 0.7], "y": [0.8, 0.7, 0.6]}, **SIZES)
    assert apart.pairs[0].tests.corrected.degenerate
    assert "no variance to test with: x and y" in apart.caveat
    assert json.loads(apart.to_json())["pairs"][0]["t"] is None


def test_outputs_escape_names_and_carry_every_number():
    result = Comparison.from_scores({"<img src=x onerror=alert(1)>": [0.9, 0.8], "b": [0.7, 0.75]}, **SIZES)
    assert "<img" not in result.to_html()
    assert "&lt;img" in result.to_html()
    assert result._repr_html_() == result.to_html()
    assert repr(result) == result.to_text()
    loaded = json.loads(result.to_json())
    assert loaded["means"]["b"]["estimate"] == pytest.approx(0.725)
    assert set(loaded["pairs"][0]) >= {"p_naive", "p_corrected", "p_adjusted", "difference"}


@each(
    ("table", "error", "message"),
    [
        ({"a": [0.9]}, ValueError, "at least 2 folds"),
        ({"a": [0.9, 0.8], "b": [0.9, 0.8, 0.7]}, ValueError, "'a' has 2 scores and 'b' 3"),
        ({"a": [0.9, np.nan], "b": [0.9, 0.8]}, ValueError, "score of 'a' on fold 1 is nan"),
        ({"a": [0.9, 0.8], "b": [np.inf, 0.8]}, ValueError, "score of 'b' on fold 0 is inf"),
        ({"a": [0.9, 0.8], " a ": [0.9, 0.8]}, ValueError, "two learners are called 'a'"),
        ({"": [0.9, 0.8]}, ValueError, "empty name"),
        ({1: [0.9, 0.8], "1": [0.9, 0.8]}, TypeError, "1 is not a text"),
        ({}, ValueError, "no learners"),
        ({"a": ["x", "y"]}, TypeError, "must be numbers"),
        (pd.DataFrame([[1.0, 2.0], [1.0, 2.0]], columns=["a", "a"]), ValueError, "two learners"),
        ([0.1, 0.2], ValueError, "rows × learners"),
    ],
)
def test_bad_tables_are_named(table, error, message):
    with pytest.raises(error, match=message):
        Comparison.from_scores(table, **SIZES)


def test_bad_options():
    with pytest.raises(ValueError, match=r"alpha=1\.5"):
        Comparison.from_scores(TABLE, **SIZES, alpha=1.5)
    with pytest.raises(ValueError, match="n_train"):
        Comparison.from_scores(TABLE, n_train=0, n_test=10)
    with pytest.raises(ValueError, match="no such pair"):
        Comparison.from_scores(TABLE, **SIZES).pair("a", "z")

"""Laws of the comparison over many data sets."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from tests.cases import each

from learnable.evaluation.compare_datasets import compare_datasets
from learnable.evaluation.multiple import holm

RNG = np.random.default_rng(0)
TABLE = {name: RNG.normal(mean, 0.02, 16).round(2) for name, mean in zip("abcd", (0.80, 0.86, 0.85, 0.79))}


def test_parts_agree_with_each_other():
    result = compare_datasets(TABLE, control="a")
    ranks = stats.rankdata(-np.column_stack(list(TABLE.values())), axis=1).mean(axis=0)
    assert result.average_ranks == {name: pytest.approx(ranks["abcd".index(name)]) for name in "abcd"}
    assert list(result.average_ranks.values()) == sorted(result.average_ranks.values())
    assert result.friedman.chi2 == pytest.approx(stats.friedmanchisquare(*TABLE.values()).statistic)
    assert result.against_control.others == (1, 2, 3)
    adjusted = holm([pair.wilcoxon.p_value for pair in result.pairs])
    assert [pair.p_wilcoxon_holm for pair in result.pairs] == pytest.approx(adjusted.tolist())


def test_groups_are_runs_within_the_critical_difference():
    result = compare_datasets(TABLE)
    for group in result.groups:
        ranks = [result.average_ranks[name] for name in group]
        assert max(ranks) - min(ranks) <= result.nemenyi.critical_difference
    for pair in result.pairs:
        together = any({pair.first, pair.second} <= set(group) for group in result.groups)
        assert together == (pair.p_nemenyi > 0.05)


def test_losses_mirror_scores():
    scores = compare_datasets(TABLE)
    losses = compare_datasets({name: -column for name, column in TABLE.items()}, greater_is_better=False)
    assert losses.average_ranks == scores.average_ranks
    assert [pair.sign for pair in losses.pairs] == [pair.sign for pair in scores.pairs]
    assert [pair.wilcoxon for pair in losses.pairs] == [pair.wilcoxon for pair in scores.pairs]


def test_frames_with_a_text_column_name_the_data_sets():
    names = [f"set {i}" for i in range(16)]
    for frame in (pd.DataFrame({"data": names, **TABLE}), pl.DataFrame({"data": names, **TABLE})):
        result = compare_datasets(frame)
        assert result.datasets[3] == "set 3"
        assert result.names == ("a", "b", "c", "d")
    assert compare_datasets(TABLE, datasets=names).datasets == tuple(names)


def test_outputs():
    result = compare_datasets({**TABLE, "<script>": TABLE["a"]}, control="<script>")
    assert "<script>" not in result.to_html()
    loaded = json.loads(result.to_json())
    assert loaded["against_control"]["control"] == "<script>"
    assert loaded["critical_difference"] == pytest.approx(result.nemenyi.critical_difference)
    assert "p Hochberg" in result.to_text()
    assert "p Hochberg" not in compare_datasets(TABLE).to_text()


def test_all_equal_scores_are_one_group():
    result = compare_datasets(np.ones((5, 3)))
    assert result.friedman.p_f == 1.0
    assert result.groups == (("learner 1", "learner 2", "learner 3"),)
    assert "cannot be told apart" in result.verdict


@each(
    ("table", "options", "message"),
    [
        ({"a": [1.0, np.nan], "b": [1.0, 2.0]}, {}, "score of 'a' on 'data set 2' is nan"),
        ({"a": [1.0, np.inf], "b": [1.0, 2.0]}, {}, "is inf"),
        ({"a": [1.0, 2.0]}, {}, "1 learner"),
        ({"a": [1.0], "b": [2.0]}, {}, "1 data set"),
        (TABLE, {"control": "z"}, "control='z'"),
        (TABLE, {"alpha": 1}, "alpha=1"),
        (TABLE, {"datasets": ["x"]}, "1 data set names for 16 rows"),
    ],
)
def test_bad_input(table, options, message):
    with pytest.raises(ValueError, match=message):
        compare_datasets(table, **options)


def test_text_columns_in_the_middle_are_refused():
    with pytest.raises(TypeError, match="column 'note'"):
        compare_datasets(pd.DataFrame({"a": [1.0, 2.0], "note": ["x", "y"], "b": [1.0, 2.0]}))

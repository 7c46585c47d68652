"""Compare learners over many data sets by ranks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.evaluation.dataset_comparison import DatasetComparison
from learnable.evaluation.friedman import score_table
from learnable.evaluation.score_table import read_scores


def compare_datasets(
    table: Any,
    *,
    names: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    control: str | None = None,
    alpha: float = 0.05,
    greater_is_better: bool = True,
) -> DatasetComparison:
    """Friedman's family of tests on a table of scores: one row per data set, one column per learner.

    The rows must be independent of each other (different data sets), unlike folds of one data set, for which there is
    `compare`. Syllabus: E7.

    Parameters
    ----------
    table : data frame (a first column of text names the data sets), mapping learner -> scores, or matrix.
    names : of the columns of a matrix.
    datasets : names of the rows; they override a text column.
    control : name of the learner to compare all others with; None for no such comparison. Choose it beforehand.
    alpha : family-wise level.
    greater_is_better : False for losses.

    Returns
    -------
    DatasetComparison

    >>> table = {"tree": [0.7, 0.8, 0.6, 0.9], "forest": [0.8, 0.9, 0.7, 0.95], "stump": [0.6, 0.5, 0.4, 0.7]}
    >>> result = compare_datasets(table)
    >>> result.ranking, round(result.nemenyi.critical_difference, 2), result.groups
    (('forest', 'tree', 'stump'), 1.66, (('forest', 'tree'), ('tree', 'stump')))
    """
    if not 0 < alpha < 1:
        raise ValueError(f"compare_datasets(alpha={alpha}): alpha must lie strictly between 0 and 1")
    found, scores, rows = read_scores("compare_datasets", table, names)
    if datasets is not None:
        rows = tuple(str(name) for name in datasets)
        if len(rows) != len(scores):
            raise ValueError(f"compare_datasets: {len(rows)} data set names for {len(scores)} rows; give one per row")
    rows = tuple(f"data set {i + 1}" for i in range(len(scores))) if rows is None else rows
    if len(found) < 2 or len(scores) < 2:
        raise ValueError(
            f"compare_datasets: {len(found)} learner(s) on {len(scores)} data set(s); both must be at least 2"
        )
    if not np.isfinite(scores).all():
        i, j = np.argwhere(~np.isfinite(scores))[0]
        raise ValueError(
            f"compare_datasets: the score of {found[j]!r} on {rows[i]!r} is {scores[i, j]}; "
            "leave out the data set or the learner, or run it again"
        )
    if control is not None and control not in found:
        raise ValueError(f"compare_datasets(control={control!r}): control must be one of {found}")
    return DatasetComparison(found, rows, score_table("compare_datasets", scores), control, alpha, greater_is_better)

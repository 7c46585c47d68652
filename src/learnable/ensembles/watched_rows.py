"""Rows that say when histogram boosting stops, where users give them, or a score of their own."""

from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight, _check_y, check_consistent_length

from learnable.base import Data
from learnable.base.validation import refuse_extreme_weights
from learnable.rows import is_streamed
from learnable.solvers.ensembles.binning import BinCells, Coder
from learnable.solvers.ensembles.histogram_boosting import BinnedRows, Watched

# Training rows that a score is found of, where none are set aside.
MOST_SCORED = 10_000


def refuse_half_given(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """ValueError unless validation rows are given with targets, to a fit that may stop by them."""
    owner = type(model).__name__
    if X is None and y is None:
        if sample_weight is not None:
            raise ValueError(f"{owner}: sample_weight_val is provided, but X_val and y_val were not provided")
        return
    if y is None:
        raise ValueError(f"{owner}: X_val is provided, but y_val was not provided")
    if X is None:
        raise ValueError(f"{owner}: y_val is provided, but X_val was not provided")
    if model.early_stopping is False:
        raise ValueError(
            f"{owner}(early_stopping=False): X_val and y_val are passed to fit while at the same time it may not stop "
            "early; set early_stopping to 'auto' or True"
        )
    if is_streamed(X):
        raise TypeError(f"{owner}: X_val must be a table in memory, got {type(X).__name__}; X may come in blocks")


def given_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> BinnedRows | None:
    """Validation rows that users gave, as the model reads rows; None for none."""
    if X is None:
        return None
    cells = model._cells(X)
    y = _check_y(y, y_numeric=not hasattr(model, "classes_"), estimator=model)
    check_consistent_length(cells, y)
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, cells, dtype=np.float64, ensure_non_negative=True)
        refuse_extreme_weights(sample_weight)
    return BinnedRows(cells, *model._targets_of_more(Data(cells, y, sample_weight)))


def sample(whole: BinnedRows, codes: np.ndarray, coder: Coder, seed: int) -> BinnedRows:
    """The training rows, or some of them where they are many: scores are found of all anew after every round."""
    n = len(codes)
    some: Any = slice(None)
    if n > MOST_SCORED:
        some = np.sort(np.random.default_rng(seed).choice(n, MOST_SCORED, replace=False))
    y, alike = whole.y[some], whole.weight.strides == (0,)
    # Of rows that all weigh the same no score is told weights, which not every one takes.
    return BinnedRows(BinCells(codes[some], coder), y, np.broadcast_to(1.0, len(y)) if alike else whole.weight[some])


def asks_for_score(model: Any) -> bool:
    """Whether rounds are judged by a score, not by the loss; ValueError where there is no score of that name."""
    if not isinstance(model.scoring, str):
        return True
    if model.scoring != "loss":
        from sklearn.metrics import get_scorer

        get_scorer(model.scoring)
    return model.scoring != "loss"


def by_score(model: Any, rows: BinnedRows) -> Watched:
    """Rows whose raw scores are as bad as minus what `scoring` says of a model that gives them.

    A score that looks at cells sees them at the upper ends of their bins.
    """
    from sklearn.metrics import check_scoring

    told, X = copy(model), rows.X[:]
    scorer = check_scoring(told, model.scoring)

    def judge(rows: BinnedRows, raw: np.ndarray) -> float:
        told._raw_predict = lambda X: raw
        y = told.classes_[rows.y] if hasattr(told, "classes_") else rows.y
        weight = {} if rows.weight.strides == (0,) else {"sample_weight": rows.weight}
        return -float(scorer(told, X, y, **weight))

    return Watched(rows, judge)

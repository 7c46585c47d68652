"""The range of well-known scores, so that an interval never leaves it."""

from typing import Any

ZERO_TO_ONE = frozenset(
    {
        "accuracy",
        "average_precision",
        "balanced_accuracy",
        "f1",
        "f1_macro",
        "f1_micro",
        "f1_weighted",
        "jaccard",
        "precision",
        "precision_macro",
        "recall",
        "recall_macro",
        "roc_auc",
        "roc_auc_ovr",
        "top_k_accuracy",
    }
)


def score_bounds(scoring: Any, estimator: Any) -> tuple[float, float] | None:
    """Range of scikit-learn's named score, or of the estimator's own score when `scoring` is None; None if unknown.

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> score_bounds("roc_auc", None), score_bounds(None, DecisionTreeRegressor())
    ((0.0, 1.0), None)
    """
    from sklearn.base import is_classifier

    if (scoring is None and is_classifier(estimator)) or (isinstance(scoring, str) and scoring in ZERO_TO_ONE):
        return 0.0, 1.0
    return None

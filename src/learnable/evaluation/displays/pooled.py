"""Out-of-fold predictions from scikit-learn's `cross_validate` results."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def pooled_predictions(
    cv_results: Mapping[str, Any], X: Any, y: Any, method: str
) -> tuple[np.ndarray, np.ndarray, Any]:
    """True values and predictions of every test fold by the estimator that did not see it, and one estimator.

    `cv_results` must come from `cross_validate(..., return_estimator=True, return_indices=True)`.
    """
    from sklearn.utils import _safe_indexing

    if "estimator" not in cv_results or "indices" not in cv_results:
        raise ValueError(
            "from_cv_results: estimator or indices missing; use cross_validate(..., return_estimator=True, "
            "return_indices=True)"
        )
    truth, predicted = [], []
    for estimator, test in zip(cv_results["estimator"], cv_results["indices"]["test"]):
        truth.append(np.asarray(_safe_indexing(y, test)))
        predicted.append(np.asarray(getattr(estimator, method)(_safe_indexing(X, test))))
    return np.concatenate(truth), np.concatenate(predicted), cv_results["estimator"][0]

"""Classifiers: a class for every row."""

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from learnable.checks.kinds.kind import CheckData
from learnable.checks.kinds.table import SLOPE, Table, scored_rows


class Classifier(Table):
    """Two classes on both sides of a plane, with a margin of 0.3, so that learners of separable classes end as well."""

    rank = 20

    def covers(self, estimator: Any) -> bool:
        return is_classifier(estimator)

    def data(self, estimator: Any, seed: int) -> CheckData:
        X, score, _ = scored_rows(seed)
        X = X + 0.3 * np.sign(score)[:, None] * SLOPE / np.linalg.norm(SLOPE)
        return CheckData(X, np.where(score > 0.0, "up", "down"))

    def outputs(self, model: Any, data: CheckData) -> dict[str, Any]:
        found = {"predict": model.predict(data.X), "score": model.score(data.X, data.y)}
        if hasattr(model, "predict_proba"):
            found["predict_proba"] = model.predict_proba(data.X)
        return found

"""Regressors: a number, or several, for every row."""

from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import get_tags

from learnable.checks.kinds.kind import CheckData
from learnable.checks.kinds.table import Table, scored_rows


class Regressor(Table):
    """A linear target with noise; its exponential where targets must be positive."""

    rank = 20

    def covers(self, estimator: Any) -> bool:
        return is_regressor(estimator)

    def data(self, estimator: Any, seed: int) -> CheckData:
        X, score, random = scored_rows(seed)
        y = score + 0.5 * random.standard_normal(len(score))
        return CheckData(X, np.exp(0.3 * y) if get_tags(estimator).target_tags.positive_only else y)

    def outputs(self, model: Any, data: CheckData) -> dict[str, Any]:
        return {"predict": model.predict(data.X), "score": model.score(data.X, data.y)}

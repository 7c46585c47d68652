"""Detectors of rows that do not belong."""

from typing import Any

from sklearn.base import is_outlier_detector

from learnable.checks.kinds.kind import CheckData
from learnable.checks.kinds.table import Table, grouped_rows


class OutlierDetector(Table):
    """Rows around three centres."""

    rank = 20

    def covers(self, estimator: Any) -> bool:
        return is_outlier_detector(estimator)

    def data(self, estimator: Any, seed: int) -> CheckData:
        return CheckData(grouped_rows(seed))

    def outputs(self, model: Any, data: CheckData) -> dict[str, Any]:
        return {"predict": model.predict(data.X), "score_samples": model.score_samples(data.X)}

"""Clusterers: a group for every row, without a target."""

from typing import Any

from sklearn.base import is_clusterer

from learnable.checks.kinds.kind import CheckData
from learnable.checks.kinds.table import Table, grouped_rows


class Clusterer(Table):
    """Rows around three centres."""

    rank = 20

    def covers(self, estimator: Any) -> bool:
        return is_clusterer(estimator)

    def data(self, estimator: Any, seed: int) -> CheckData:
        return CheckData(grouped_rows(seed))

    def outputs(self, model: Any, data: CheckData) -> dict[str, Any]:
        return {"labels": model.predict(data.X) if hasattr(model, "predict") else model.labels_}

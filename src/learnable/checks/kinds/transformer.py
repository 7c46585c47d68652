"""Transformers: other columns for every row."""

from typing import Any

from learnable.checks.kinds.kind import CheckData
from learnable.checks.kinds.table import Table, grouped_rows


class Transformer(Table):
    """Rows around three centres."""

    rank = 30

    def covers(self, estimator: Any) -> bool:
        return hasattr(estimator, "transform")

    def data(self, estimator: Any, seed: int) -> CheckData:
        return CheckData(grouped_rows(seed))

    def outputs(self, model: Any, data: CheckData) -> dict[str, Any]:
        return {"transform": model.transform(data.X)}

"""Densities: how probable a row is."""

from typing import Any

from sklearn.utils import get_tags

from learnable.checks.kinds.kind import CheckData
from learnable.checks.kinds.table import Table, grouped_rows


class Density(Table):
    """Rows around three centres."""

    rank = 20

    def covers(self, estimator: Any) -> bool:
        return get_tags(estimator).estimator_type == "density_estimator"

    def data(self, estimator: Any, seed: int) -> CheckData:
        return CheckData(grouped_rows(seed))

    def outputs(self, model: Any, data: CheckData) -> dict[str, Any]:
        return {"score_samples": model.score_samples(data.X)}

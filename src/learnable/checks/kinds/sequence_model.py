"""Models of sequences: the order of the rows is part of the data."""

from typing import Any

from learnable.checks.kinds.kind import CheckData
from learnable.checks.kinds.table import Table


class SequenceModel(Table):
    """Each brings its own sequences: there is no table that suits symbols, counts and vectors."""

    rank = 10

    def covers(self, estimator: Any) -> bool:
        return hasattr(type(estimator), "score_sequences")

    def data(self, estimator: Any, seed: int) -> CheckData:
        raise TypeError(
            f"{type(estimator).__name__}: register its sequences with learnable.checks.register(..., data=)"
        )

    def outputs(self, model: Any, data: CheckData) -> dict[str, Any]:
        return {"predict": model.predict(data.X), "score": model.score(data.X)}

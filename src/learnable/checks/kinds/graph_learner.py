"""Learners of graphs: which columns touch each other."""

from typing import Any

import numpy as np

from learnable.checks.kinds.kind import CheckData
from learnable.checks.kinds.table import Table


class GraphLearner(Table):
    """Fitted on a table, neither predicting nor transforming; six columns, each leaning on the one before."""

    rank = 40

    def covers(self, estimator: Any) -> bool:
        return not hasattr(estimator, "predict") and not hasattr(estimator, "transform")

    def data(self, estimator: Any, seed: int) -> CheckData:
        noise = np.random.default_rng(seed).standard_normal((200, 6))
        X = noise.copy()
        for j in range(1, 6):
            X[:, j] += 0.7 * X[:, j - 1]
        return CheckData(X)

    def outputs(self, model: Any, data: CheckData) -> dict[str, Any]:
        names = ("precision_", "covariance_", "adjacency_", "graph_")
        return {name: np.asarray(vars(model)[name]) for name in names if name in vars(model)}

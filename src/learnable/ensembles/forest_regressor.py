"""Forests of regression trees."""

from typing import Any, ClassVar

from sklearn.utils._param_validation import Hidden, StrOptions

from learnable.ensembles.forest import Forest
from learnable.trees.targets import NumberTargets


class ForestRegressor(NumberTargets, Forest):
    """A mean of trees."""

    _parameter_constraints: ClassVar[dict[str, Any]] = Forest._parameter_constraints | {
        "criterion": [StrOptions({"squared_error", "absolute_error", "poisson"}), Hidden(StrOptions({"friedman_mse"}))],
    }

"""Neural networks by back-propagation."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.neural.linear_unit import LinearUnit
    from learnable.neural.mlp_classifier import MLPClassifier
    from learnable.neural.mlp_regressor import MLPRegressor
    from learnable.neural.sigmoid_unit import SigmoidUnit

__all__ = ["LinearUnit", "MLPClassifier", "MLPRegressor", "SigmoidUnit"]

import_when_used(__name__)

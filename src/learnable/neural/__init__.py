"""Neural networks by back-propagation."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.neural.mlp_classifier import MLPClassifier
    from learnable.neural.mlp_regressor import MLPRegressor

__all__ = ["MLPClassifier", "MLPRegressor"]

import_when_used(__name__)

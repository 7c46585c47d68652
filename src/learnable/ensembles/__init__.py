"""Ensembles of learners: bagging, forests, boosting."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.ensembles.hist_gradient_boosting_classifier import HistGradientBoostingClassifier
    from learnable.ensembles.hist_gradient_boosting_regressor import HistGradientBoostingRegressor

__all__ = ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]

import_when_used(__name__)

"""Ensembles of learners: bagging, forests, boosting."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.ensembles.ada_boost_classifier import AdaBoostClassifier
    from learnable.ensembles.bagging_classifier import BaggingClassifier
    from learnable.ensembles.bagging_regressor import BaggingRegressor
    from learnable.ensembles.decision_stump import DecisionStump
    from learnable.ensembles.extra_trees_classifier import ExtraTreesClassifier
    from learnable.ensembles.extra_trees_regressor import ExtraTreesRegressor
    from learnable.ensembles.forward_stagewise import StagewiseFit, forward_stagewise, stump_pool
    from learnable.ensembles.gradient_boosting_classifier import GradientBoostingClassifier
    from learnable.ensembles.gradient_boosting_regressor import GradientBoostingRegressor
    from learnable.ensembles.hist_gradient_boosting_classifier import HistGradientBoostingClassifier
    from learnable.ensembles.hist_gradient_boosting_regressor import HistGradientBoostingRegressor
    from learnable.ensembles.l1_ada_boost import L1AdaBoost
    from learnable.ensembles.random_forest_classifier import RandomForestClassifier
    from learnable.ensembles.random_forest_regressor import RandomForestRegressor

__all__ = [
    "AdaBoostClassifier", "BaggingClassifier", "BaggingRegressor", "DecisionStump", "ExtraTreesClassifier",
    "ExtraTreesRegressor", "GradientBoostingClassifier", "GradientBoostingRegressor",
    "HistGradientBoostingClassifier", "HistGradientBoostingRegressor", "L1AdaBoost", "RandomForestClassifier",
    "RandomForestRegressor", "StagewiseFit", "forward_stagewise", "stump_pool",
]  # fmt: skip

import_when_used(__name__)

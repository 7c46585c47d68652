"""Decision trees: CART, ID3, SLIQ, optimal trees, pruning."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.problems.trees.axioms import AxiomReport, impurity_axioms
    from learnable.problems.trees.impurities import (
        conditional_entropy,
        entropy,
        gini,
        gini_gain,
        information_content,
        information_gain,
    )
    from learnable.trees.decision_tree_classifier import DecisionTreeClassifier
    from learnable.trees.decision_tree_regressor import DecisionTreeRegressor
    from learnable.trees.id3_classifier import ID3Classifier
    from learnable.trees.optimal_tree_classifier import OptimalTreeClassifier
    from learnable.trees.reduced_error import ReducedErrorPruning, reduced_error_pruning
    from learnable.trees.sliq_classifier import SLIQClassifier

__all__ = [
    "AxiomReport", "DecisionTreeClassifier", "DecisionTreeRegressor", "ID3Classifier", "OptimalTreeClassifier",
    "ReducedErrorPruning", "SLIQClassifier", "conditional_entropy", "entropy", "gini", "gini_gain",
    "impurity_axioms", "information_content", "information_gain", "reduced_error_pruning",
]  # fmt: skip

import_when_used(__name__)

"""Forests of classification trees."""

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from learnable.ensembles.forest import Forest
from learnable.trees.targets import ClassTargets


class ForestClassifier(ClassTargets, Forest):
    """A vote of trees, by the mean of their class shares."""

    _parameter_constraints: ClassVar[dict[str, Any]] = Forest._parameter_constraints | {
        "criterion": [StrOptions({"gini", "entropy", "log_loss", "misclassification"})],
        "class_weight": [StrOptions({"balanced", "balanced_subsample"}), dict, list, None],
    }

    @property
    def _class_weight(self) -> Any:
        if self.class_weight != "balanced_subsample":
            return self.class_weight
        return None if self.bootstrap else "balanced"

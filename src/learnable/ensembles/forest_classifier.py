"""Forests of classification trees."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.class_weight import compute_sample_weight

from learnable.base import Data, refuse_continuous
from learnable.ensembles.forest import Forest


class ForestClassifier(ClassifierMixin, Forest):
    """A vote of trees, by the mean of their class shares."""

    _parameter_constraints: ClassVar[dict[str, Any]] = Forest._parameter_constraints | {
        "criterion": [StrOptions({"gini", "entropy", "log_loss", "misclassification"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def _targets(self, data: Data) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        refuse_continuous(data.y)
        self.classes_, index = np.unique(data.y, return_inverse=True)
        weight = np.ones(len(index)) if data.sample_weight is None else data.sample_weight.astype(float)
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, data.y)
        return index, weight, {"n_classes_": len(self.classes_)}

    @property
    def _n_classes(self) -> int:
        return len(self.classes_)

    def predict_proba(self, X) -> np.ndarray:
        """Mean class shares of the leaves."""
        return self._mean_value(X)

    def predict_log_proba(self, X) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X) -> np.ndarray:
        """The class of the largest mean share."""
        index = self.predict_proba(X).argmax(axis=1)
        return self.classes_[index]

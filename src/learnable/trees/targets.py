"""What classification and regression have in common for single trees and for forests: targets in, predictions out."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.class_weight import compute_sample_weight

from learnable.base import Data, refuse_continuous
from learnable.base.classes import distinct
from learnable.trees.former_names import present_criterion


class ClassTargets(ClassifierMixin):
    """Mixin of trees whose targets are classes; of several outputs, a list of classes for each."""

    classes_: Any
    n_outputs_: int
    _values: Callable[[Any], np.ndarray]  # (n, outputs, K) shares of the classes

    @property
    @abstractmethod
    def _class_weight(self) -> Any:
        """The weights of classes that hold for all rows at once."""

    def _targets(self, data: Data) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        refuse_continuous(data.y)
        weight = np.ones(len(data.y)) if data.sample_weight is None else data.sample_weight.astype(float)
        if self._class_weight is not None:
            weight = weight * compute_sample_weight(self._class_weight, data.y)
        if data.y.ndim == 1:
            self.classes_, index = distinct(data.y)
            return index, weight, {"n_classes_": len(self.classes_)}
        self.classes_, places = zip(*(np.unique(column, return_inverse=True) for column in data.y.T))
        self.classes_ = list(self.classes_)
        return np.column_stack(places), weight, {"n_classes_": np.array(self._n_classes)}

    @property
    def _n_classes(self) -> list[int]:
        return [len(classes) for classes in (self.classes_ if isinstance(self.classes_, list) else [self.classes_])]

    def predict_proba(self, X) -> Any:
        """Shares of the classes, (n, K); of several outputs, a list of such arrays."""
        values = self._values(X)
        if self.n_outputs_ == 1:
            return values[:, 0]
        return [values[:, output, :K] for output, K in enumerate(self._n_classes)]

    def predict_log_proba(self, X) -> Any:
        """Logarithms of `predict_proba`."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(shares) if self.n_outputs_ == 1 else [np.log(one) for one in shares]

    def predict(self, X) -> np.ndarray:
        """The class of the largest share, the first among equals; of several outputs, (n, outputs)."""
        return self._labels(self._largest(X))

    def _largest(self, X) -> np.ndarray:
        """(n, outputs) the number of the class of the largest share."""
        return self._values(X).argmax(axis=2)

    def _labels(self, index: np.ndarray) -> np.ndarray:
        """The classes of indices (n, outputs)."""
        if self.n_outputs_ == 1:
            return self.classes_[index[:, 0]]
        return np.column_stack([classes[column] for classes, column in zip(self.classes_, index.T)])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class NumberTargets(RegressorMixin):
    """Mixin of trees whose targets are numbers."""

    criterion: str
    n_outputs_: int
    _values: Callable[[Any], np.ndarray]  # (n, outputs, 1) the predicted numbers

    def set_params(self, **params):
        """Set parameters by name; a criterion by the name that stays, so that copies have nothing to warn of."""
        if "criterion" in params:
            params["criterion"] = present_criterion(self, params["criterion"])
        return super().set_params(**params)

    def _read(self, X, y, sample_weight) -> tuple[Data, np.ndarray, np.ndarray]:
        numbers = np.asarray(y)
        # What is no number, or none at all, is refused with the data.
        if self.criterion == "poisson" and numbers.size and numbers.dtype.kind in "biuf":
            self._refuse_no_counts(numbers, 1.0)
        return super()._read(X, y, sample_weight)  # type: ignore[misc]

    def _targets(self, data: Data) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        y = np.asarray(data.y, dtype=float)
        weight = np.ones(len(y)) if data.sample_weight is None else data.sample_weight.astype(float)
        if self.criterion == "poisson":
            self._refuse_no_counts(y, weight)
        return y, weight, {}

    def _refuse_no_counts(self, y: np.ndarray, weight: np.ndarray | float) -> None:
        owner = f"{type(self).__name__}(criterion='poisson')"
        if np.any(y < 0.0):
            raise ValueError(
                f"{owner}: Some value(s) of y are negative which is not allowed for Poisson regression: the least is "
                f"{y.min():g}, y must be >= 0"
            )
        if np.sum(y.T * weight) <= 0.0:
            raise ValueError(
                f"{owner}: Sum of y is not strictly positive which is necessary for Poisson regression; where y is "
                "not positive anywhere, a Poisson tree has nothing to split: use 'squared_error'"
            )

    @property
    def _n_classes(self) -> list[int]:
        return []

    def predict(self, X) -> np.ndarray:
        """The predicted numbers, (n,) or (n, outputs)."""
        return self._labels(self._values(X)[:, :, 0])

    def _labels(self, numbers: np.ndarray) -> np.ndarray:
        """Numbers (n, outputs), of one output as a vector."""
        return numbers[:, 0] if self.n_outputs_ == 1 else numbers

"""The blend: a convex combination of fitted learners as one model (a super learner)."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


class ClassBlend(ClassifierMixin, BaseEstimator):
    """The weighted mean of the probabilities that fitted classifiers give.

    Attributes
    ----------
    members : fitted classifiers; labels : their names; weights : not negative, with sum 1.
    """

    def __init__(self, members: Any = (), labels: Any = (), weights: Any = ()):
        self.members = members
        self.labels = labels
        self.weights = weights

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> "ClassBlend":
        self.members = _fitted(self.members, X, y, sample_weight)
        self.classes_ = np.asarray(self.members[0].classes_)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        found = np.sum([w * member.predict_proba(X) for w, member in zip(self.weights, self.members)], axis=0)
        return found / found.sum(axis=1, keepdims=True)  # weights add up to 1 but for rounding

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class QuantityBlend(RegressorMixin, BaseEstimator):
    """The weighted mean of what fitted learners predict.

    Attributes
    ----------
    members : fitted learners; labels : their names; weights : not negative, with sum 1.
    """

    def __init__(self, members: Any = (), labels: Any = (), weights: Any = ()):
        self.members = members
        self.labels = labels
        self.weights = weights

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> "QuantityBlend":
        self.members = _fitted(self.members, X, y, sample_weight)
        self.n_members_ = len(self.members)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.sum([w * member.predict(X) for w, member in zip(self.weights, self.members)], axis=0)


def blend_of(members: list[Any], labels: list[str], weights: list[float]) -> Any:
    """The blend of fitted learners, as it is."""
    if hasattr(members[0], "predict_proba"):
        made = ClassBlend(members, labels, weights)
        made.classes_ = np.asarray(members[0].classes_)
        return made
    quantity = QuantityBlend(members, labels, weights)
    quantity.n_members_ = len(members)
    return quantity


def is_blend(model: Any) -> bool:
    return isinstance(model, ClassBlend | QuantityBlend)


def _fitted(members: Any, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> list[Any]:
    from learnable.app.trials.fitting import fit

    return [fit(member, {}, X, y, weight) for member in members]

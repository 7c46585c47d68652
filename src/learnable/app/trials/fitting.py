"""One fit, and what a model says about rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

import learnable


class Output(NamedTuple):
    """What a model says about rows: classes or quantities, and probabilities where it has them."""

    predicted: np.ndarray
    probability: np.ndarray | None = None
    classes: np.ndarray | None = None

    def take(self, rows: Any) -> "Output":
        return Output(self.predicted[rows], None if self.probability is None else self.probability[rows], self.classes)

    def over(self, levels: np.ndarray | None) -> "Output":
        """With a probability for every class, 0 for those that the training rows did not have."""
        if levels is None or self.probability is None or self.classes is None or len(self.classes) == len(levels):
            return self
        full = np.zeros((len(self.probability), len(levels)))
        full[:, np.searchsorted(levels, self.classes)] = self.probability
        return Output(self.predicted, full, levels)


def fit(estimator: Any, params: dict[str, Any], X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> Any:
    """A clone with these parameters, fitted; weights go to the learners that know them."""
    from sklearn.base import clone

    model = clone(estimator).set_params(**params)
    return model.fit(X, y) if weight is None or not takes_weights(model) else model.fit(X, y, sample_weight=weight)


def takes_weights(model: Any) -> bool:
    """Whether `fit` knows weights of the rows."""
    from sklearn.utils.validation import has_fit_parameter

    inner = getattr(model, "estimator", None)
    return has_fit_parameter(model if inner is None else inner, "sample_weight")


def output_of(model: Any, X: np.ndarray) -> Output:
    """Predictions, with probabilities where the model gives them."""
    if hasattr(model, "predict_proba"):
        probability = np.asarray(model.predict_proba(X))
        return Output(model.predict(X), probability, np.asarray(model.classes_))
    return Output(np.asarray(model.predict(X)))


@contextmanager
def uncertified() -> Iterator[None]:
    """Within it fits compute no certificate: those of cross-validation are thrown away."""
    with learnable.config_context(certificates=False):
        yield

"""The decision stump."""

from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner, class_indices, validate_data
from learnable.solvers.ensembles import ada_boost
from learnable.trace import Status, to_the_end


class _State(NamedTuple):
    stump: ada_boost.Stump
    objective: float


class DecisionStump(ClassifierMixin, Learner):
    """One column against one threshold, of least weighted error among all: sign(s (x_k − θ)).

    All columns, thresholds and signs are tried, constants too; ties go to the first column, the lowest threshold and
    s = +1. Syllabus: B1.

    Attributes
    ----------
    classes_ : array (2,)
    feature_ : int; threshold_ : float, −∞ for a constant; sign_ : int, +1 if rows above are of the second class
    error_ : float, weighted share of mistakes
    certificate_ : `certificates.Certificate`, which claims B1 : no other stump errs less; the error is as stated.

    Examples
    --------
    >>> from learnable.ensembles import DecisionStump
    >>> model = DecisionStump().fit([[1.0, 7.0], [2.0, 3.0], [3.0, 5.0]], ["a", "b", "b"])
    >>> model.feature_, model.threshold_, model.error_, model.certificate_.holds
    (0, 1.5, 0.0, True)
    """

    _parameter_constraints: ClassVar[dict] = {}

    def fit(self, X, y, sample_weight=None):
        """Find the stump.

        Parameters
        ----------
        X : array (n, p)
        y : array (n,), two classes
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(X, y, sample_weight, blocks=False, dtype=np.float64)
        self.classes_, index = class_indices(data.y, type(self).__name__)
        if len(self.classes_) > 2:
            raise ValueError(f"Only binary classification is supported. DecisionStump got {len(self.classes_)} classes")
        weight = np.ones(len(index)) if data.sample_weight is None else data.sample_weight
        sign = 2.0 * index - 1.0

        def states():
            rows = ada_boost.counted(weight)
            found = ada_boost.stump(ada_boost.presort(data.X[rows]), sign[rows], weight[rows] / weight.sum())
            yield _State(found, found.error)

        def attributes(state):
            stump = state.stump
            return {
                "feature_": stump.feature,
                "threshold_": stump.threshold,
                "sign_": stump.sign,
                "error_": stump.error,
            }

        return Fitting(states(), to_the_end, attributes, data, ended=Status.OPTIMAL)

    def predict(self, X) -> np.ndarray:
        """The class on the row's side of the threshold."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        above = X[:, self.feature_] > self.threshold_
        return self.classes_[np.where(above == (self.sign_ > 0), 1, 0)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

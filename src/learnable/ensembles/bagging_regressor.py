"""Bagging for numbers."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from learnable.base import Data
from learnable.ensembles.bagging import Bagging


class BaggingRegressor(RegressorMixin, Bagging):
    """Bagging: the mean of copies of a regressor, each fitted on a bootstrap draw of the rows.

    Of the parameters of `sklearn.ensemble.BaggingRegressor` those below. Syllabus: DT13.

    Parameters
    ----------
    estimator : regressor, default=None, a `DecisionTreeRegressor`
    n_estimators : int, default=10
    max_samples : int, float or None, rows drawn
    random_state : int or None

    Attributes
    ----------
    members_ : list, what each fitted regressor holds; estimators_ : the regressors; seeds_ : array (T,), of their draws
    certificate_ : `certificates.Certificate`; claims as in `BaggingClassifier`, with the mean for the vote.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.ensembles import BaggingRegressor
    >>> X = np.random.default_rng(0).standard_normal((60, 2))
    >>> BaggingRegressor(random_state=0).fit(X, X[:, 0]).certificate_.holds
    True
    """

    def _default(self) -> Any:
        from learnable.trees import DecisionTreeRegressor

        return DecisionTreeRegressor()

    def _described(self, data: Data) -> None:
        pass

    def predict(self, X) -> np.ndarray:
        """The mean of the members."""
        return self._said(X).mean(axis=0)

"""Bagging for numbers."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from learnable.base import Data
from learnable.ensembles.bagging import Bagging
from learnable.ensembles.out_of_bag import explained, warn_of_unjudged


class BaggingRegressor(RegressorMixin, Bagging):
    """Bagging: the mean of copies of a regressor, each fitted on a bootstrap draw of the rows.

    Drop-in for `sklearn.ensemble.BaggingRegressor`, for one target. Syllabus: DT13.

    Parameters
    ----------
    estimator : regressor, default=None, a `DecisionTreeRegressor`
    n_estimators : int, default=10
    max_samples, max_features, bootstrap, bootstrap_features, oob_score, warm_start, n_jobs, random_state, verbose :
        as in `BaggingClassifier`

    Attributes
    ----------
    members_ : list, what each fitted regressor holds; estimators_ : the regressors; seeds_ : array (T,), of their draws
    n_rows_, n_drawn_ : int, rows given and rows drawn for each member
    row_shares_ : array (n,), the chances of the rows where weights were given
    oob_score_, oob_interval_, oob_prediction_ :
        R² on rows out of the bag, its 95% interval, and what was predicted there
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

    def _say(self, member: Any, X: Any) -> np.ndarray:
        return np.asarray(member.predict(X), dtype=float)[:, None]

    def _out_of_bag(self, said: list[np.ndarray], rows: list[np.ndarray], y: np.ndarray) -> dict[str, Any]:
        total, count = np.zeros(len(y)), np.zeros(len(y))
        for value, out in zip(said, rows):
            total[out] += value[:, 0]
            count[out] += 1.0
        warn_of_unjudged(self, said, count == 0.0, "estimators")
        mean = total / np.maximum(count, 1.0)
        score, interval = explained(y[:, None], mean[:, None], np.ones(len(y)))
        return {"oob_prediction_": mean, "oob_score_": score, "oob_interval_": interval}

    def predict(self, X) -> np.ndarray:
        """The mean of the members."""
        return self._mean_said(X)[:, 0]

"""Bagging for numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import get_tags

from learnable.base import Data
from learnable.ensembles.bagging import NOTHING, Bagging
from learnable.ensembles.out_of_bag import explained, warn_of_unjudged


class BaggingRegressor(RegressorMixin, Bagging):
    """Bagging: the mean of copies of a regressor, each fitted on a bootstrap draw of the rows.

    Drop-in for `sklearn.ensemble.BaggingRegressor`; several targets where the members take them. Syllabus: DT13.

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

    def _say(self, member: Any, X: Any, routed: Mapping[str, Any] = NOTHING) -> np.ndarray:
        said = np.asarray(member.predict(X, **routed.get("predict", NOTHING)), dtype=float)
        return said if said.ndim == 2 else said[:, None]

    def _asked(self) -> dict[str, str]:
        return {"predict": "predict"}

    def _out_of_bag(self, said: list[np.ndarray], rows: list[np.ndarray], y: np.ndarray) -> dict[str, Any]:
        total, count = np.zeros((len(y), said[0].shape[1])), np.zeros(len(y))
        for value, out in zip(said, rows):
            total[out] += value
            count[out] += 1.0
        warn_of_unjudged(self, said, count == 0.0, "estimators")
        mean = total / np.maximum(count, 1.0)[:, None]
        score, interval = explained(y.reshape(mean.shape), mean, np.ones(len(y)))
        return {"oob_prediction_": _flat(mean), "oob_score_": score, "oob_interval_": interval}

    def predict(self, X, **metadata) -> np.ndarray:
        """The mean of the members, (n,), or (n, outputs) of several; metadata are routed to those that ask for them."""
        return _flat(self._mean_said(X, self._routed("predict", metadata)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        base = self._default() if self.estimator is None else self.estimator
        tags.target_tags.multi_output = get_tags(base).target_tags.multi_output
        return tags


def _flat(said: np.ndarray) -> np.ndarray:
    """One output as a vector."""
    return said[:, 0] if said.shape[1] == 1 else said

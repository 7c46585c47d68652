"""Bagging for classes."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from learnable.base import Data, refuse_continuous
from learnable.ensembles.bagging import Bagging


class BaggingClassifier(ClassifierMixin, Bagging):
    """Bagging: the vote of copies of a classifier, each fitted on a bootstrap draw of the rows.

    h(x) = argmax_k #{b : h_b(x) = k}, the first class among equals. Of the parameters of
    `sklearn.ensemble.BaggingClassifier` those below; votes are counted, not averaged as probabilities. Syllabus: DT13.

    Parameters
    ----------
    estimator : classifier, default=None, a `DecisionTreeClassifier`
    n_estimators : int, default=10
    max_samples : int, float or None, rows drawn
    random_state : int or None

    Attributes
    ----------
    classes_ : array (K,)
    members_ : list, what each fitted classifier holds; estimators_ : the classifiers
    seeds_ : array (T,), of their draws
    certificate_ : `certificates.Certificate`, which claims
        DT13 : the vote is that of the members; each member, fitted again on the draw of its seed, says the same, and
        where it can be certified, its certificate holds on that draw.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.ensembles import BaggingClassifier
    >>> X = np.random.default_rng(0).standard_normal((60, 2))
    >>> model = BaggingClassifier(random_state=0).fit(X, X[:, 0] > 0)
    >>> model.vote_table(X[:1]).sum(), model.certificate_.holds
    (np.int64(10), True)
    """

    def _default(self) -> Any:
        from learnable.trees import DecisionTreeClassifier

        return DecisionTreeClassifier()

    def _described(self, data: Data) -> None:
        refuse_continuous(data.y)
        self.classes_ = np.unique(data.y)

    def vote_table(self, X) -> np.ndarray:
        """(n, K) the number of members for each class."""
        said = self._said(X)
        return np.stack([np.count_nonzero(said == label, axis=0) for label in self.classes_], axis=1)

    def predict_proba(self, X) -> np.ndarray:
        """Shares of the votes."""
        votes = self.vote_table(X)
        return votes / votes.sum(axis=1, keepdims=True)

    def predict(self, X) -> np.ndarray:
        """The class with the most votes."""
        index = self.vote_table(X).argmax(axis=1)
        return self.classes_[index]

"""Bagging for classes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from learnable.base import Data, refuse_continuous
from learnable.ensembles.bagging import NOTHING, Bagging
from learnable.ensembles.out_of_bag import accuracy, warn_of_unjudged


class BaggingClassifier(ClassifierMixin, Bagging):
    """Bagging: the vote of copies of a classifier, each fitted on a bootstrap draw of the rows.

    h(x) = argmax_k of the mean of the members' class probabilities; with members that give none, and with trees grown
    to the end, that is #{b : h_b(x) = k}, the count of votes. The first class among equals. Drop-in for
    `sklearn.ensemble.BaggingClassifier`. Syllabus: DT13.

    Parameters
    ----------
    estimator : classifier, default=None, a `DecisionTreeClassifier`
    n_estimators : int, default=10
    max_samples, max_features : int, float or None, rows and columns drawn for each member
        Of rows that have weights a float is a share of their sum.
    bootstrap, bootstrap_features : bool, whether they are drawn with replacement
    oob_score : bool, default=False, whether rows are judged by the members that did not see them
    warm_start : bool, default=False, whether a further fit keeps the members and adds to them
    n_jobs : int or None, threads; the members are the same for any number
    random_state : int or None
    verbose : kept for compatibility

    Attributes
    ----------
    classes_, n_classes_ : the classes
    members_ : list, what each fitted classifier holds; estimators_ : the classifiers
    seeds_ : array (T,), of their draws; estimators_samples_, estimators_features_ : the rows and columns drawn
    n_rows_, n_drawn_ : int, rows given and rows drawn for each member
    row_shares_ : array (n,), the chances of the rows where weights were given
    oob_score_, oob_interval_, oob_decision_function_ :
        accuracy on rows out of the bag, its 95% interval, and what was said of them
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
        self.n_classes_ = len(self.classes_)

    def _say(self, member: Any, X: Any, routed: Mapping[str, Any] = NOTHING) -> np.ndarray:
        shares = np.zeros((X.shape[0], len(self.classes_)))
        known = np.searchsorted(self.classes_, member.classes_) if hasattr(member, "classes_") else None
        if known is not None and "predict_log_proba" in routed:
            shares[:, known] = np.exp(member.predict_log_proba(X, **routed["predict_log_proba"]))
        elif known is not None and hasattr(member, "predict_proba"):
            shares[:, known] = member.predict_proba(X, **routed.get("predict_proba", NOTHING))
        else:
            said = member.predict(X, **routed.get("predict", NOTHING))
            shares[np.arange(len(shares)), np.searchsorted(self.classes_, said)] = 1.0
        return shares

    def _asked(self) -> dict[str, str]:
        base = self._default() if self.estimator is None else self.estimator
        best = "predict_proba" if hasattr(base, "predict_proba") else "predict"
        of_logs = "predict_log_proba" if hasattr(base, "predict_log_proba") else best
        return {
            "predict": best, "predict_proba": best, "predict_log_proba": of_logs,
            "decision_function": "decision_function",
        }  # fmt: skip

    def _out_of_bag(self, said: list[np.ndarray], rows: list[np.ndarray], y: np.ndarray) -> dict[str, Any]:
        total = np.zeros((len(y), len(self.classes_)))
        for shares, out in zip(said, rows):
            total[out] += shares
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = total / total.sum(axis=1, keepdims=True)
        warn_of_unjudged(self, said, total.sum(axis=1) == 0.0, "estimators")
        voted = self.classes_[total.argmax(axis=1)]
        score, interval = accuracy(y[:, None], voted[:, None], np.ones(len(y)))
        return {"oob_decision_function_": shares, "oob_score_": score, "oob_interval_": interval}

    def vote_table(self, X) -> np.ndarray:
        """(n, K) the number of members for each class."""
        cells = self._cells(X)
        said = [member.predict(cells[:, c]) for member, c in zip(self.estimators_, self.estimators_features_)]
        return np.stack([np.count_nonzero(np.array(said) == label, axis=0) for label in self.classes_], axis=1)

    def predict_proba(self, X, **metadata) -> np.ndarray:
        """Mean class probabilities of the members; metadata are routed to those that ask for them."""
        return self._mean_said(X, self._routed("predict_proba", metadata))

    def predict_log_proba(self, X, **metadata) -> np.ndarray:
        """Logarithms of the mean class probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self._mean_said(X, self._routed("predict_log_proba", metadata)))

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))
    def decision_function(self, X, **metadata) -> np.ndarray:
        """The mean of the members' scores, where they have any."""
        given = self._routed("decision_function", metadata).get("decision_function", NOTHING)
        cells = self._cells(X)
        parts = zip(self.estimators_, self.estimators_features_)
        return np.mean([member.decision_function(cells[:, columns], **given) for member, columns in parts], axis=0)

    def predict(self, X, **metadata) -> np.ndarray:
        """The class with the largest mean."""
        index = self._mean_said(X, self._routed("predict", metadata)).argmax(axis=1)
        return self.classes_[index]

"""Classification by least squares on indicators of the classes."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin

from learnable.base import Fitting, LinearPredictor
from learnable.base.fit_context import fit_context
from learnable.linear.class_inputs import numbered
from learnable.linear.reports.masking_report import MaskingReport, masking_report
from learnable.panel import Entry
from learnable.rows import Block, Rows
from learnable.rows.mapped import with_indicators
from learnable.solvers.linear import least_squares
from learnable.solvers.linear.least_squares import LeastSquaresState
from learnable.trace import Status, to_the_end


class IndicatorRegression(ClassifierMixin, LinearPredictor):
    """Regress an indicator of each class on x and predict the class of the largest fitted value.

    f̂(x) = Bᵀx + b with min Σ wᵢ ‖eᵢ − Bᵀxᵢ − b‖², eᵢ the row of the identity matrix for the class of row i. With an
    intercept the fitted values sum to 1 at every x, though single ones may leave [0, 1]. With three classes or more
    one can be masked by the others: never the largest, even where the classes are far apart; `masking_report` says
    which. Linear discriminants of the fitted values are those of x itself (C4). Syllabus: C3.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether b is free; otherwise it is 0.
    n_jobs : int, default=None
        Threads over blocks of rows; the answer is the same for any number.

    Attributes
    ----------
    classes_ : array (K,)
    coef_ : array (K, p), one row a class, for two classes as well
    intercept_ : array (K,)
    class_means_ : array (K, p)
    class_weight_sums_, predicted_weight_sums_ : array (K,), rows of each class and rows predicted to be in it
    rank_, condition_ : of the centred design
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        C3 : the residual of every indicator is orthogonal to every column; fitted values sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import IndicatorRegression
    >>> X = np.array([[-3.0], [-2.0], [-0.5], [0.5], [2.0], [3.0]])
    >>> model = IndicatorRegression().fit(X, ["left", "left", "middle", "middle", "right", "right"])
    >>> model.masking_report().masked
    array(['middle'], dtype='<U6')
    >>> model.fitted_values(X).sum(axis=1).round(12)
    array([1., 1., 1., 1., 1., 1.])
    """

    _parameter_constraints: ClassVar = {"fit_intercept": ["boolean"], "n_jobs": [None, int]}
    panel = (Entry("classification", "indicator regression"),)

    def __init__(self, *, fit_intercept=True, n_jobs=None):
        self.fit_intercept = fit_intercept
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,) of class labels; None when the rows carry them
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def fitted_values(self, X) -> np.ndarray:
        """f̂(x), one column a class.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        return self._scores(X)

    def decision_function(self, X) -> np.ndarray:
        """f̂(x), one column a class; between two classes the difference, second minus first.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        values = self._scores(X)
        return values[:, 1] - values[:, 0] if values.shape[1] == 2 else values

    def predict(self, X) -> np.ndarray:
        """Predicted classes.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]

    def masking_report(self) -> MaskingReport:
        """Classes that are never predicted on the training rows, and the fitted values on the line of class means."""
        return masking_report(
            self.classes_,
            self.class_weight_sums_,
            self.predicted_weight_sums_,
            *(np.asarray(part, dtype=float) for part in (self.class_means_, self.coef_, self.intercept_)),
        )

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(X, y, sample_weight, accept_sparse="csr", dtype=[np.float64, np.float32])
        given = numbered(type(self).__name__, data)
        self.classes_ = given.classes
        K = len(given.classes)
        dtype = np.float32 if given.rows.dtype == np.float32 else np.float64

        def attributes(state: LeastSquaresState) -> dict[str, Any]:
            coef = state.coef.T.astype(dtype)
            intercept = state.intercept.astype(dtype) if self.fit_intercept else np.zeros(K, dtype=dtype)
            weight, total, predicted = _tally(given.rows, K, coef, intercept, self.n_jobs)
            return {
                "coef_": coef,
                "intercept_": intercept,
                "class_means_": (total / weight[:, np.newaxis]).astype(dtype),
                "class_weight_sums_": weight,
                "predicted_weight_sums_": predicted,
                "rank_": state.rank,
                "condition_": state.condition,
            }

        iterates = least_squares.iterates(with_indicators(given.rows, K), np.zeros(1), self.fit_intercept, self.n_jobs)
        return Fitting(iterates, to_the_end, attributes, data, max_steps=1, ended=Status.OPTIMAL)


def _tally(rows: Rows, n_classes: int, coef: np.ndarray, intercept: np.ndarray, n_jobs: int | None):
    """(weight of each class, Σ w x of each class, weight of the rows predicted to be in it)."""

    def sums(block: Block):
        weight = np.ones(block.stop - block.start) if block.weight is None else np.asarray(block.weight, dtype=float)
        members = (block.y == np.arange(n_classes)[:, np.newaxis]) * weight
        best = np.asarray(block.X @ coef.T + intercept).argmax(axis=1)
        total = block.X.T @ members.T
        return members.sum(axis=1), np.asarray(total).T, np.bincount(best, weight, n_classes)

    return rows.reduce(sums, n_jobs=n_jobs)

"""A good subset of the columns by splicing, for tables too wide for a proof."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.solvers.sparse import splicing
from learnable.sparse.subset_regressor import SubsetRegressor
from learnable.trace import Status, budget, first_of, to_the_end


class SplicingSubset(SubsetRegressor):
    """Least squares on k columns that no splicing improves; see `BestSubset` for the proved best.

    From the k columns of largest correlation with y, and again from those of forward selection: the s columns that
    matter least inside are exchanged for the s that promise most outside, s = `max_exchange`, …, 1, as long as the
    residual sum falls; then the best exchange of one column for another is made until there is none that lowers it. A
    few passes over the columns suffice, so that tens of thousands of them are no burden. Syllabus: L1.

    Parameters
    ----------
    k : int, default=1
        Columns.
    max_exchange : int, default=None
        Columns exchanged at once at most; None for k.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Exchanges at most.

    Attributes
    ----------
    coef_, intercept_ : the least squares solution on the subset.
    support_ : array, the columns chosen.
    rss_ : float, residual sum of squares.
    n_iter_ : int, exchanges made, plus one.
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        R1 : the coefficients solve the normal equations of the subset. L1 : no exchange of one column for another
        lowers the residual sum; nothing is claimed about other subsets.

    Examples
    --------
    >>> from learnable.datasets import toeplitz_regression
    >>> from learnable.sparse import SplicingSubset
    >>> X, y, beta, _ = toeplitz_regression(200, 500, support=4, noise=0.5, random_state=0)
    >>> SplicingSubset(k=4).fit(X, y).support_.tolist() == beta.nonzero()[0].tolist()
    True
    """

    _parameter_constraints: ClassVar = SubsetRegressor._parameter_constraints | {
        "max_exchange": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, k=1, *, max_exchange=None, fit_intercept=True, max_iter=1000):
        self.k = k
        self.max_exchange = max_exchange
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data, units = self._read(X, y, sample_weight)
        k = min(self.k, int(np.count_nonzero(units.length)))
        columns = splicing.CorrelationsOfTable(units.X, units.y_of_length_one, units.length)
        iterates = splicing.iterates(columns, k, self.max_exchange or self.k)

        def attributes(state):
            return self._answer(units, state.support, state.coef, state.objective) | {"n_iter_": state.exchanges + 1}

        return Fitting(
            iterates,
            first_of(to_the_end, budget(self.max_iter)),
            attributes,
            data,
            max_steps=self.max_iter,
            ended=Status.STATIONARY,
        )

"""Stepwise selection of columns: forward, backward, both ways."""

from functools import partial
from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Data, Fitting
from learnable.base.folds import folds_of
from learnable.problems.sparse.subset import aim, information
from learnable.rows.span import number_of_folds
from learnable.solvers.sparse import stepwise
from learnable.sparse.subset_regressor import SubsetRegressor
from learnable.sparse.unit_columns import UnitColumns, unit_columns
from learnable.trace import Status, to_the_end


class Stepwise(SubsetRegressor):
    """Stepwise regression: the column enters or leaves that makes a criterion smallest, as long as it falls.

    AIC = n log(RSS/n) + 2d and BIC = n log(RSS/n) + d log n with d free parameters; "rss" goes on to `k` columns; "cv"
    goes on to the size whose cross-validated squared error is least. Every move is logged. Syllabus: L2, MS12.

    Parameters
    ----------
    direction : {"forward", "backward", "both"}, default="forward"
        "forward" and "both" start with no column, "backward" with all, which needs more rows than columns.
    criterion : {"aic", "bic", "rss", "cv"}, default="aic"
    k : int, default=None
        Columns at most; with criterion "rss" the number of columns. None for no limit.
    cv : int, splitter or iterable, default=5
        Folds for criterion "cv".
    fit_intercept : bool, default=True

    Attributes
    ----------
    coef_, intercept_ : the least squares solution on the columns chosen.
    support_ : array, the columns chosen.
    rss_ : float, residual sum of squares.
    log_ : list of dict: column, move ("start", "enter", "leave"), rss, criterion, size.
    cv_errors_ : array, mean squared error of each size from 0 on, with criterion "cv"; else absent.
    n_iter_ : int, moves made, plus one.
    certificate_ : `certificates.Certificate`, which claims
        L2 : every move of the log was the best one at its time and made the criterion fall, and none is left that
        does.
        R1 : the coefficients solve the normal equations.

    Examples
    --------
    >>> from learnable.datasets import toeplitz_regression
    >>> from learnable.sparse import Stepwise
    >>> X, y, beta, _ = toeplitz_regression(200, 30, support=3, noise=0.5, random_state=0)
    >>> model = Stepwise(criterion="bic").fit(X, y)
    >>> set(beta.nonzero()[0]) <= set(model.support_), [line["move"] for line in model.log_[:3]]
    (True, ['start', 'enter', 'enter'])
    """

    _parameter_constraints: ClassVar = {
        "direction": [StrOptions({"forward", "backward", "both"})],
        "criterion": [StrOptions({"aic", "bic", "rss", "cv"})],
        "k": [Interval(Integral, 1, None, closed="left"), None],
        "cv": ["cv_object"],
        "fit_intercept": ["boolean"],
    }

    _counts_rows: ClassVar[bool] = True

    def __init__(self, direction="forward", *, criterion="aic", k=None, cv=5, fit_intercept=True):
        self.direction = direction
        self.criterion = criterion
        self.k = k
        self.cv = cv
        self.fit_intercept = fit_intercept

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data, units = self._read(X, y, sample_weight)
        n, p = data.X.shape
        if "_long" in vars(self):  # the short table has the cross-products of the rows in blocks, not their number
            n = self._long.rows.n_rows
        if self.criterion == "rss" and self.k is None:
            raise ValueError("Stepwise(criterion='rss', k=None): say how many columns, k=...")
        if self.direction == "backward" and n <= p:
            raise ValueError(
                f"Stepwise(direction='backward'): {n} rows and {p} columns; backward steps need more rows than columns"
            )
        errors = self._errors(data) if self.criterion == "cv" else None
        size = self.k if errors is None else int(np.argmin(errors))
        found = {} if errors is None else {"cv_errors_": errors}

        def attributes(state):
            log = [
                {
                    "column": move.column,
                    "move": "start" if move.column < 0 else "enter" if move.entered else "leave",
                    "rss": move.rss * units.y_length**2,
                    "criterion": move.criterion,
                    "size": move.size,
                }
                for move in state.log
            ]
            answer = self._answer(units, state.support, state.coef, state.rss)
            return answer | found | {"log_": log, "n_iter_": len(log)}

        return Fitting(self._moves(units, size, n), to_the_end, attributes, data, ended=Status.STATIONARY)

    def _n_folds(self) -> int:
        return number_of_folds(self.cv, "Stepwise") if self.criterion == "cv" else 1

    def _moves(self, units: UnitColumns, size: int | None, n: int):
        p = units.X.shape[1]
        largest = min(p if size is None else size, n - self.fit_intercept - 1)
        if self.criterion in ("rss", "cv"):
            criterion = partial(aim, target=largest)
        else:
            criterion = partial(information, n=n, price=self._price(n), free=int(self.fit_intercept))
        start = np.arange(p) if self.direction == "backward" else np.arange(0)
        return stepwise.iterates(
            units.gram,
            units.cross,
            start,
            criterion,
            enter=self.direction != "backward",
            leave=self.direction != "forward",
            largest=max(largest, 0),
            varies=units.y_length > 0.0,
        )

    def _price(self, n: int) -> float:
        return 2.0 if self.criterion == "aic" else float(np.log(n))

    def _errors(self, data: Data) -> np.ndarray:
        """Mean squared error of every size, each fold's columns chosen without its own rows."""
        folds = folds_of("Stepwise", self.cv, data.X, data.y)
        largest = min([data.X.shape[1], *([self.k] if self.k else []), *(len(train) - 2 for train, _ in folds)])
        if largest < 0:
            raise ValueError(f"Stepwise(criterion='cv'): folds of {len(folds[0][0])} training rows are too small")
        total, weight_sum = np.zeros(largest + 1), 0.0
        for train, test in folds:
            part, rest = data.take(train), data.take(test)
            units = unit_columns(part, self.fit_intercept)
            weight = np.ones(len(test)) if rest.sample_weight is None else rest.sample_weight
            weight_sum += float(weight.sum())
            # A model may stop short of a size when no column is left that adds anything: its last state stands for it.
            states = list(self._moves(units, largest if self.direction != "backward" else 0, len(train)))
            by_size = {len(state.support): state for state in states}
            for size in range(largest + 1):
                state = by_size.get(size, states[-1])
                answer = self._answer(units, state.support, state.coef, state.rss)
                miss = rest.y - rest.X @ answer["coef_"] - answer["intercept_"]
                total[size] += float(weight @ miss**2)
        return total / weight_sum

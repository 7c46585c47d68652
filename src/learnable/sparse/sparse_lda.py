"""Sparse linear discriminant analysis by least squares with an L1 penalty."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.problems.core.conventions import gap_target
from learnable.solvers.linear import least_squares
from learnable.solvers.sparse import coordinate_descent
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.sparse.sparse_discriminant import SparseDiscriminant
from learnable.trace import Status, budget, first_of, reached, to_the_end


class SparseLDA(SparseDiscriminant):
    """Linear discriminant analysis with few columns: the lasso on labels −n/n₁ and n/n₂.

    min over (β, b) of Σ (ỹᵢ − xᵢ·β − b)²/(2n) + α‖β‖₁, with ỹᵢ = −n/n₁ in the first class and n/n₂ in the second. At
    α = 0 the direction β is a multiple of Σ̂⁻¹(μ̂₂ − μ̂₁), that of linear discriminant analysis. The threshold is the
    best one along β for normal classes with a common covariance. Syllabus: L19.

    Parameters
    ----------
    alpha : float, default=0.1
        Penalty; 0 is linear discriminant analysis.
    max_iter : int, default=1000
        Rounds over growing working sets at most.
    tol : float, default=1e-8
        The fit ends once the duality gap is at most tol times what is explained of the mean square of the labels,
        n²/(n₁n₂).

    Attributes
    ----------
    classes_ : the two classes
    coef_ : array (1, p), the direction β
    intercept_ : array (1,)
    n_iter_ : int, rounds made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L19 : the duality gap of the lasso; with alpha=0, that Σ̂β is a multiple of μ̂₂ − μ̂₁. The threshold is the one
        stated.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import SparseLDA
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((100, 30)), np.repeat(["no", "yes"], 50)
    >>> X[50:, :2] += 2.0
    >>> model = SparseLDA(alpha=0.4).fit(X, y)
    >>> model.coef_[0].nonzero()[0], model.score(X, y) > 0.85, model.certificate_.holds
    (array([0, 1]), True, True)
    """

    _parameter_constraints: ClassVar = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, alpha=0.1, *, max_iter=1000, tol=1e-8):
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol

    def _pose(self, X, y) -> Fitting:
        data, two = self._read(X, y)
        n, n2 = len(two.second), int(two.second.sum())
        labels = np.where(two.second, n / n2, -n / (n - n2))
        if self.alpha == 0.0:
            iterates = least_squares.iterates(data._replace(y=labels).rows, np.zeros(1), True)
            return Fitting(
                iterates,
                to_the_end,
                lambda state: self._answer(two, state.coef[:, 0]) | {"n_iter_": 1},
                data,
                max_steps=1,
                ended=Status.OPTIMAL,
            )
        posed = penalized_problem(data.X, labels, None, True, None)
        penalty = posed.penalty(self.alpha, 1.0)

        def attributes(state):
            coef, _ = posed.answer(state.coef[0], data.X.shape[1])
            return self._answer(two, coef) | {"n_iter_": int(state.rounds[0])}

        return Fitting(
            coordinate_descent.iterates([posed.design], penalty, [None], gap_target(self.tol)),
            first_of(reached("relative_gap", gap_target(self.tol)), budget(self.max_iter + 1)),
            attributes,
            data,
            max_steps=self.max_iter + 1,
            ended=Status.OPTIMAL,
        )

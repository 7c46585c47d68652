"""The group lasso."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.problems.core.conventions import gap_target
from learnable.problems.sparse.group_penalties import GroupPenalty
from learnable.solvers.sparse import group_descent
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.sparse.groups import ordered_groups
from learnable.trace import Status, budget, first_of, reached


class GroupLasso(LinearRegressor):
    """The group lasso: columns enter a regression by groups.

    min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + α Σ_g v_g ‖β_g‖₂, v_g = √p_g unless said otherwise. Groups may
    have any size, and their columns need not be orthonormal: each update solves its group's problem exactly through the
    eigenvectors of X_gᵀX_g and one equation in one unknown. Syllabus: L15.

    Parameters
    ----------
    groups : list of lists, int or None, default=None
        The columns of each group; every column in exactly one. A number stands for so many neighbouring columns each,
        None for each column on its own, which is the lasso.
    alpha : float > 0, default=1.0
    group_weight : array (m,) > 0, default=None
        v_g; None for √p_g.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Rounds over growing working sets at most.
    tol : float, default=1e-6
        The fit ends once the duality gap is at most tol times what the answer explains of Σ wᵢ(yᵢ − ȳ)²/Σ wᵢ.

    Attributes
    ----------
    coef_, intercept_ : array (p,) and float
    dual_gap_ : float, duality gap of the answer
    n_iter_ : int, rounds made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L15 : the duality gap, recomputed from the data, within the tolerance asked for; how far the worst group is
        from its optimality condition ‖X_gᵀr/n‖ ≤ αv_g.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import GroupLasso
    >>> X = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    >>> model = GroupLasso([[0, 1], [2]], alpha=0.5, group_weight=[1.0, 1.0]).fit(X, X @ [3.0, 4.0, 0.4])
    >>> model.coef_.round(6)                        # (3, 4) is shortened by 0.5, 0.4 is below it
    array([2.7, 3.6, 0. ])
    >>> model.certificate_.holds
    True
    """

    _by_moments: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "groups": ["array-like", Integral, None],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "group_weight": ["array-like", None],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, groups=None, alpha=1.0, *, group_weight=None, fit_intercept=True, max_iter=1000, tol=1e-6):
        self.groups = groups
        self.alpha = alpha
        self.group_weight = group_weight
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,)
        sample_weight : float or array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    @property
    def _l1_ratio(self) -> float:
        """ρ of α Σ_g (ρ ‖β_g‖₁ + (1 − ρ) v_g ‖β_g‖₂)."""
        return 0.0

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, accept_sparse=["csc", "csr"], y_numeric=True, dtype=np.float64,
            extremes=False, blocks=False)  # fmt: skip
        groups = ordered_groups(self.groups, self.group_weight, data.X.shape[1], type(self).__name__)
        posed = penalized_problem(data.X[:, groups.order], data.y, data.sample_weight, self.fit_intercept)
        penalty = GroupPenalty(float(self.alpha), float(self._l1_ratio), groups.weight, groups.starts)
        rounds, enough = -1, gap_target(self.tol)

        def counted():
            nonlocal rounds
            for state in group_descent.iterates(posed.design, penalty, enough):
                rounds += 1
                yield state

        def attributes(state):
            coef, intercept = posed.answer(state.coef, data.X.shape[1])
            return {
                "coef_": groups.restored(coef),
                "intercept_": intercept,
                "dual_gap_": float(state.gap),
                "n_iter_": max(rounds, 1),
            }

        return Fitting(
            counted(),
            first_of(reached("relative_gap", enough), budget(self.max_iter + 1)),
            attributes,
            data,
            max_steps=self.max_iter + 1,
            ended=Status.OPTIMAL,
        )

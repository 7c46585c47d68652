"""The sparse group lasso."""

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from learnable.sparse.group_lasso import GroupLasso


class SparseGroupLasso(GroupLasso):
    """The sparse group lasso: columns enter by groups, and not every column of a group need enter.

    min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + α Σ_g (ρ ‖β_g‖₁ + (1 − ρ) v_g ‖β_g‖₂). ρ = 0 is the group
    lasso, ρ = 1 the lasso. Syllabus: L15.

    Parameters
    ----------
    groups : list of lists, int or None, default=None
        As in `GroupLasso`.
    alpha : float > 0, default=1.0
    l1_ratio : float, default=0.5
        ρ in [0, 1].
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
        from its optimality condition ‖S(X_gᵀr/n, αρ)‖ ≤ α(1 − ρ)v_g, S the soft threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import SparseGroupLasso
    >>> X = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    >>> model = SparseGroupLasso([[0, 1], [2]], alpha=1.0, tol=1e-12).fit(X, X @ [3.5, 0.2, 0.4])
    >>> model.coef_.round(6)                        # 3.5 less 0.5, less 0.5 √2
    array([2.292893, 0.      , 0.      ])
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **GroupLasso._parameter_constraints,
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self, groups=None, alpha=1.0, *, l1_ratio=0.5, group_weight=None, fit_intercept=True, max_iter=1000, tol=1e-6
    ):
        super().__init__(
            groups,
            alpha,
            group_weight=group_weight,
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            tol=tol,
        )
        self.l1_ratio = l1_ratio

    @property
    def _l1_ratio(self) -> float:
        return self.l1_ratio

"""The lasso."""

from typing import Any, ClassVar

from learnable.panel import Entry
from learnable.sparse.elastic_net import ElasticNet
from learnable.sparse.paths import lasso_path


class Lasso(ElasticNet):
    """The lasso: min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + α Σ fⱼ |βⱼ|.

    Drop-in for `sklearn.linear_model.Lasso`; the factors fⱼ are an extra. It is the elastic net with l1_ratio = 1.
    Syllabus: L3, L6.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty; 0 is least squares, which is solved directly.
    fit_intercept : bool, default=True
    precompute : as in `ElasticNet`.
    copy_X, random_state, selection : kept for compatibility; X is never modified.
    max_iter : int, default=1000
        Rounds over growing working sets at most.
    tol : float, default=1e-4
        The fit ends once the duality gap is at most tol times what the answer explains of Σ wᵢ(yᵢ − ȳ)²/Σ wᵢ.
    warm_start : bool, default=False
        Start from the last solution.
    positive : bool, default=False
        Whether the coefficients must be ≥ 0.
    penalty_factor : array (p,), default=None
        fⱼ ≥ 0: 0 leaves a column free of any penalty, infinity leaves it out. None stands for ones.

    Attributes
    ----------
    coef_ : array (p,), or (q, p) for q ≥ 2 targets
    sparse_coef_ : the same as a sparse matrix
    intercept_ : float or array (q,)
    dual_gap_ : float or array (q,), duality gap of the answer; 0 for least squares
    n_iter_ : int or list, rounds made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L3 : the duality gap, recomputed from the data, within the tolerance asked for. L4 : optimality conditions.
        How many columns at their threshold depend on the others: 0 proves that the solution is unique.
        With alpha=0, R1 : the residual is orthogonal to every column.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import Lasso
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 0.1, -3.0, -0.1])
    >>> model = Lasso(alpha=0.5).fit(X, y)
    >>> model.coef_.round(6)
    array([2., 0.])
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        name: constraint for name, constraint in ElasticNet._parameter_constraints.items() if name != "l1_ratio"
    }
    panel = (
        Entry(
            "regression", "lasso", {"alpha": [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3]}, in_target_units=("alpha",)
        ),
    )
    path = staticmethod(lasso_path)

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        precompute=False,
        copy_X=True,
        max_iter=1000,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
        penalty_factor=None,
    ):
        super().__init__(
            alpha=alpha,
            l1_ratio=1.0,
            fit_intercept=fit_intercept,
            precompute=precompute,
            copy_X=copy_X,
            max_iter=max_iter,
            tol=tol,
            warm_start=warm_start,
            positive=positive,
            random_state=random_state,
            selection=selection,
            penalty_factor=penalty_factor,
        )

"""The lasso by the alternating direction method of multipliers."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.solvers.sparse import admm
from learnable.sparse.dense_regressor import DenseRegressor
from learnable.trace import Status, budget, first_of, reached


class ADMMLasso(DenseRegressor):
    """The lasso, min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + α‖β‖₁, by splitting β = z.

    A ridge step on β, a soft threshold on z, and a dual update u ← u + β − z, in turns; the ridge step is factored
    once. Once the signs of z stay, their support is solved exactly. Syllabus: L8, L3.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty, > 0.
    rho : float, default=None
        ρ > 0, the weight of ‖β − z‖². None: the geometric mean of the extreme eigenvalues of XᵀX/n.
    fit_intercept : bool, default=True
    max_iter : int, default=10000
        Rounds at most.
    tol : float, default=1e-12
        The fit ends when its support is solved, or once the duality gap is at most tol times what the answer explains
        of Σ wᵢ(yᵢ − ȳ)²/Σ wᵢ.

    Attributes
    ----------
    coef_ : array (p,), z
    intercept_ : float
    dual_ : array (p,), u; ρu are the correlations Xᵀr/n
    rho_ : float, ρ
    dual_gap_ : float
    primal_residual_, dual_residual_ : float, ‖β − z‖ and ρ‖z − z of the round before‖; 0 where the support is solved
    n_iter_ : int, rounds made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L3 : the duality gap. L4 : the residuals average to zero. L8 : one more round, computed by the certificate's
        own means from `coef_` and `dual_`, moves neither β from z nor z.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import ADMMLasso
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 0.1, -3.0, -0.1])
    >>> model = ADMMLasso(alpha=0.5).fit(X, y)
    >>> model.coef_.round(12)
    array([2., 0.])
    >>> model.certificate_.holds
    True
    """

    _by_moments: ClassVar[bool] = True
    _parameter_constraints: ClassVar = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "rho": [Interval(Real, 0, None, closed="neither"), None],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, alpha=1.0, *, rho=None, fit_intercept=True, max_iter=10_000, tol=1e-12):
        self.alpha = alpha
        self.rho = rho
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        data, units = self._centred(X, y, sample_weight)
        total = np.sqrt(len(data.y) if data.sample_weight is None else data.sample_weight.sum())
        Z, t = units.varying / total, units.y / total
        ridge = admm.RidgeStep(Z, self.rho)

        def attributes(state):
            return {
                "coef_": state.coef.copy(),
                "intercept_": units.intercept(state.coef),
                "dual_": state.dual.copy(),
                "rho_": ridge.rho,
                "dual_gap_": state.gap,
                "primal_residual_": state.primal_residual,
                "dual_residual_": state.dual_residual,
                "n_iter_": state.rounds,
            }

        stop = first_of(reached("relative_gap", self.tol), budget(self.max_iter))
        iterates = admm.iterates(Z, t, float(self.alpha), ridge)
        return Fitting(iterates, stop, attributes, data, max_steps=self.max_iter, ended=Status.OPTIMAL)

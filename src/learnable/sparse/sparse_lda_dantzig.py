"""Sparse linear discriminant analysis of Dantzig type."""

from numbers import Real
from typing import ClassVar

from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.solvers.sparse import dantzig
from learnable.sparse.sparse_discriminant import SparseDiscriminant
from learnable.trace import Status, to_the_end


class SparseLDADantzig(SparseDiscriminant):
    """Linear discriminant analysis with few columns: min ‖β‖₁ subject to ‖Σ̂β − (μ̂₂ − μ̂₁)‖∞ ≤ α.

    A linear programme; Σ̂ is the covariance within the classes, divided by n. Where Σ̂ has full rank every α ≥ 0 can be
    met, and α = 0 gives Σ̂⁻¹(μ̂₂ − μ̂₁). With more columns than rows small levels may be out of reach: the error then
    names the smallest one that is not. Syllabus: L20.

    Parameters
    ----------
    alpha : float, default=0.1
        Level, ≥ 0; from max_j |μ̂₂ⱼ − μ̂₁ⱼ| on the direction is zero.

    Attributes
    ----------
    classes_ : the two classes
    coef_ : array (1, p), the direction β
    intercept_ : array (1,), the best threshold along β for normal classes with a common covariance
    dual_ : array (p,), u of the dual programme max (μ̂₂ − μ̂₁)·u − α‖u‖₁ subject to ‖Σ̂u‖∞ ≤ 1
    n_iter_ : int, 1: one programme
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L20 : the answer is feasible, the dual answer is feasible, and the values differ by rounding, which proves
        both optimal. The threshold is the one stated.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import SparseLDADantzig
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((100, 30)), np.repeat(["no", "yes"], 50)
    >>> X[50:, :2] += 2.0
    >>> model = SparseLDADantzig(alpha=0.9).fit(X, y)
    >>> model.coef_[0].nonzero()[0], model.score(X, y) > 0.85, model.certificate_.holds
    (array([0, 1]), True, True)
    """

    _parameter_constraints: ClassVar = {"alpha": [Interval(Real, 0, None, closed="left")]}

    def __init__(self, alpha=0.1):
        self.alpha = alpha

    def _pose(self, X, y) -> Fitting:
        data, two = self._read(X, y)
        covariance = two.within.T @ two.within / len(two.within)
        least = dantzig.least_level(covariance, two.difference)
        if self.alpha < least * (1.0 - 1e-9):
            # Just above, so that the level named can be met within the tolerance of the programme.
            raise ValueError(
                f"SparseLDADantzig(alpha={self.alpha}): no direction comes that near to the difference of the means; "
                f"alpha must be >= {least * (1.0 + 1e-6):.6g} for these data"
            )

        def attributes(state):
            return self._answer(two, state.coef) | {"dual_": state.dual.copy(), "n_iter_": 1}

        iterates = dantzig.iterates(covariance, two.difference, float(self.alpha))
        return Fitting(iterates, to_the_end, attributes, data, max_steps=1, ended=Status.OPTIMAL)

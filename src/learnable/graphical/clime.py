"""CLIME: sparse precision by linear programmes. Syllabus: G4."""

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Fitting, Learner
from learnable.base.fit_context import fit_context
from learnable.graphical.gaussian_fit import checked_moments, second_moments
from learnable.problems.graphical.clime import symmetrised
from learnable.rows.memory import check_square_fits
from learnable.solvers.graphical import clime
from learnable.trace import Status, to_the_end


class CLIME(Learner):
    """Constrained ℓ1 minimisation for the precision: column i is min ‖θ‖₁ subject to ‖Sθ − eᵢ‖∞ ≤ alpha.

    S may be singular. The answer is made symmetric by taking the smaller of θᵢⱼ and θⱼᵢ. Each column is solved by the
    parametric simplex method, down from alpha = 1. Cai, Liu and Luo (2011). Syllabus: G4.

    Parameters
    ----------
    alpha : float, default=0.1
        λ, how far Sθ may be from the column of the identity.
    covariance : "precomputed" or None, default=None
        "precomputed" says that `fit` is given S instead of rows.
    assume_centered : bool, default=False
    n_jobs : int or None, default=None
        Threads over the columns.

    Attributes
    ----------
    precision_ : array (p, p), symmetric.
    columns_ : array (p, p), column i the answer of programme i. dual_ : array (p, p), the dual answers.
    location_ : array (p,).
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        G4 : every programme and its dual meet their constraints and have the same value; the precision is the smaller
        half of the columns; the location is that of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.graphical import CLIME
    >>> model = CLIME(alpha=0.1, covariance="precomputed").fit(np.array([[2.0, 0.5], [0.5, 1.0]]))
    >>> model.precision_.round(4)
    array([[ 0.4857, -0.1429],
           [-0.1429,  1.    ]])
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "covariance": [StrOptions({"precomputed"}), None],
        "assume_centered": ["boolean"],
        "n_jobs": [Integral, None],
    }
    _remedy = "raise alpha"

    def __init__(self, alpha=0.1, *, covariance=None, assume_centered=False, n_jobs=None):
        self.alpha = alpha
        self.covariance = covariance
        self.assume_centered = assume_centered
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Fit the precision.

        Parameters
        ----------
        X : array (n, p), rows read in blocks, or S (p, p) with covariance="precomputed". y : not used.
        """
        return self._learn(X, y)

    def _pose(self, X, y=None) -> Fitting:
        given = self.covariance == "precomputed"
        data = self._validated(X, blocks=not given, extremes=False, dtype=float, ensure_min_samples=2)
        p = self.n_features_in_
        check_square_fits(p, "CLIME: the covariances")
        location, S = (np.zeros(p), data.X) if given else second_moments(data.X, self.assume_centered)
        S = checked_moments(S, "CLIME", getattr(self, "feature_names_in_", None), given)

        def attributes(state: clime.ClimeState) -> dict[str, Any]:
            return {
                "precision_": symmetrised(state.columns[-1]), "columns_": state.columns[-1], "dual_": state.dual[-1],
                "location_": location,
            }  # fmt: skip

        return Fitting(
            iterates=clime.iterates(S, [float(self.alpha)], self.n_jobs), stop=to_the_end, attributes=attributes,
            data=data, ended=Status.OPTIMAL,
        )  # fmt: skip


class ClimePath(NamedTuple):
    """Precisions along a path.

    Attributes
    ----------
    alphas : (m,) falling. precisions : (m, p, p), symmetric. columns, dual : (m, p, p), the programmes' answers.
    """

    alphas: np.ndarray
    precisions: np.ndarray
    columns: np.ndarray
    dual: np.ndarray


def clime_path(S, alphas, n_jobs: int | None = None) -> ClimePath:
    """CLIME for many levels at the price of the smallest: one run of the parametric simplex method a column.

    Syllabus: G4.

    Parameters
    ----------
    S : array (p, p), a covariance. alphas : levels. n_jobs : threads over the columns.

    Examples
    --------
    >>> path = clime_path([[2.0, 0.5], [0.5, 1.0]], [0.5, 0.1])
    >>> path.precisions[:, 0, 1].round(4)
    array([ 0.    , -0.1429])
    """
    S = checked_moments(np.array(S, dtype=float), "clime_path", precomputed=True)
    levels = np.ascontiguousarray(np.sort(np.asarray(alphas, dtype=float))[::-1])
    if not len(levels) or not np.all(levels >= 0.0):
        raise ValueError(f"clime_path(alphas={alphas!r}): give levels >= 0")
    *_, state = clime.iterates(S, levels, n_jobs)
    precisions = np.stack([symmetrised(columns) for columns in state.columns])
    return ClimePath(levels, precisions, state.columns, state.dual)

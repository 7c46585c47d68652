"""Neighbourhood selection: a lasso for every column on all others. Syllabus: G2."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Fitting, Learner
from learnable.base.fit_context import fit_context
from learnable.graphical.gaussian_fit import checked_moments, second_moments
from learnable.rows.memory import check_square_fits
from learnable.solvers.graphical import nodewise
from learnable.trace import Status, to_the_end

# Duality gap of each regression, relative to the variance of its column.
ENOUGH = 1e-10


class NodewiseRegression(Learner):
    """Neighbours by regression: column i on all others, min mean (xᵢ − Σ βᵢⱼ xⱼ)² / 2 + alpha Σ |βᵢⱼ|.

    In a Gaussian law βᵢⱼ = −θᵢⱼ / θᵢᵢ and the variance of the residual is 1 / θᵢᵢ, so that j is a neighbour of i just
    when βᵢⱼ ≠ 0. Meinshausen and Bühlmann (2006). Syllabus: G2.

    Parameters
    ----------
    alpha : float, default=0.1
        Penalty of every regression, on columns of variance one where standardize is true.
    rule : {"and", "or"}, default="and"
        Whether an edge needs both regressions to choose each other's column, or one of them.
    standardize : bool, default=True
        Whether columns are brought to variance one first; the coefficients are given back in their own units.
    assume_centered : bool, default=False
    n_jobs : int or None, default=None
        Threads over the columns.

    Attributes
    ----------
    coef_ : array (p, p), row i the coefficients of column i on the others; the diagonal is zero.
    residual_variances_ : array (p,).
    adjacency_ : bool array (p, p), the edges by the rule.
    precision_ : array (p, p): θᵢᵢ = 1 / variance of residual i; θᵢⱼ the mean of −βᵢⱼ θᵢᵢ and −βⱼᵢ θⱼⱼ on edges, else 0.
        It need not be positive definite.
    location_ : array (p,).
    certificate_ : `certificates.Certificate`, which claims
        G2 : the duality gap of each lasso; variances, edges, precision and location follow from the data and coef_.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.graphical import NodewiseRegression
    >>> X = np.random.default_rng(0).standard_normal((500, 4))
    >>> X[:, 1] += X[:, 0]
    >>> X[:, 2] += X[:, 1]
    >>> model = NodewiseRegression(alpha=0.1).fit(X)
    >>> model.adjacency_.astype(int)
    array([[0, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 1, 0, 0],
           [0, 0, 0, 0]])
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "rule": [StrOptions({"and", "or"})],
        "standardize": ["boolean"],
        "assume_centered": ["boolean"],
        "n_jobs": [Integral, None],
    }
    _remedy = "raise alpha"

    def __init__(self, alpha=0.1, *, rule="and", standardize=True, assume_centered=False, n_jobs=None):
        self.alpha = alpha
        self.rule = rule
        self.standardize = standardize
        self.assume_centered = assume_centered
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Fit all regressions.

        Parameters
        ----------
        X : array (n, p), or rows read in blocks. y : not used.
        """
        return self._learn(X, y)

    def _pose(self, X, y=None) -> Fitting:
        data = self._validated(X, extremes=False, dtype=float, ensure_min_samples=2)
        check_square_fits(self.n_features_in_, "NodewiseRegression: the cross-products")
        location, S = second_moments(data.X, self.assume_centered)
        S = checked_moments(S, "NodewiseRegression", getattr(self, "feature_names_in_", None))
        unit = np.sqrt(np.diag(S)) if self.standardize else np.ones(len(S))
        scaled = S / unit[:, None] / unit

        def attributes(state: nodewise.NodewiseState) -> dict[str, Any]:
            # In the units of the columns: xᵢ / sᵢ = Σ β xⱼ / sⱼ.
            coef = state.coef * (unit[:, None] / unit)
            variance = nodewise.residual_variances(scaled, state.coef) * unit**2
            both, one = (coef != 0.0) & (coef.T != 0.0), (coef != 0.0) | (coef.T != 0.0)
            adjacency = both if self.rule == "and" else one
            return {
                "coef_": coef, "residual_variances_": variance, "adjacency_": adjacency,
                "precision_": _precision(coef, variance, adjacency), "location_": location,
            }  # fmt: skip

        states = nodewise.iterates(scaled, float(self.alpha), ENOUGH, self.n_jobs)
        return Fitting(iterates=states, stop=to_the_end, attributes=attributes, data=data, ended=Status.OPTIMAL)


def _precision(coef: np.ndarray, variance: np.ndarray, adjacency: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        diagonal = np.where(variance > 0.0, 1.0 / variance, np.finfo(float).max)
    half = -coef * diagonal[:, None]
    theta = np.where(adjacency, 0.5 * (half + half.T), 0.0)
    np.fill_diagonal(theta, diagonal)
    return theta

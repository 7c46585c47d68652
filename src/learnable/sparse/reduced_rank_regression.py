"""Regression of several targets with a coefficient matrix of bounded rank."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.solvers.sparse import reduced_rank
from learnable.trace import Status, to_the_end

WEIGHTS = ("identity", "inverse_covariance")


class ReducedRankRegression(MultiOutputMixin, LinearRegressor):
    """min over (B, b), rank B ≤ r, of Σ wᵢ (yᵢ − Bᵀxᵢ − b)ᵀ Γ (yᵢ − Bᵀxᵢ − b), solved exactly.

    B = B̂ Γ^½ V_r V_rᵀ Γ^−½, with B̂ least squares and V_r the leading right singular vectors of the centred XB̂ Γ^½: the
    problem is not convex, yet this is its global minimum (Eckart and Young). With Γ the inverse covariance of the
    residuals of B̂ it is the maximum likelihood estimate under Gaussian noise. Syllabus: L17.

    Parameters
    ----------
    rank : int, default=1
        r, at most min(p, q).
    weight : "identity", "inverse_covariance" or array (q, q), default="identity"
        Γ, symmetric and positive definite.
    fit_intercept : bool, default=True

    Attributes
    ----------
    coef_ : array (q, p), of rank r at most; B is its transpose
    intercept_ : array (q,)
    singular_values_ : array (q,), of the centred XB̂ Γ^½, rows scaled by √w: the squares after the r-th are what the
        bound on the rank costs
    weight_ : array (q, q), Γ
    rank_ : int, the number of singular values kept that are not zero
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L17 : the rank is at most r; the weighted sum of squares equals that of least squares plus Σ_{j>r} σ_j²,
        recomputed from the data, which no matrix of rank r can undercut.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import ReducedRankRegression
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> Y = X @ np.diag([3.0, 1.0])
    >>> model = ReducedRankRegression(rank=1).fit(X, Y)
    >>> np.abs(model.coef_.round(6))
    array([[3., 0.],
           [0., 0.]])
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar = {
        "rank": [Interval(Integral, 1, None, closed="left")],
        "weight": [StrOptions(set(WEIGHTS)), "array-like"],
        "fit_intercept": ["boolean"],
    }
    _by_moments: ClassVar[bool] = True
    _of_sums: ClassVar[bool] = True

    def __init__(self, rank=1, *, weight="identity", fit_intercept=True):
        self.rank = rank
        self.weight = weight
        self.fit_intercept = fit_intercept

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n, q); None when the rows carry it
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, accept_sparse="csr", y_numeric=True, multi_output=True,
            dtype=[np.float64, np.float32], extremes=False, blocks=False)  # fmt: skip
        one = data.y.ndim == 1
        p, q = data.X.shape[1], 1 if one else data.y.shape[1]
        if self.rank > min(p, q):
            raise ValueError(
                f"ReducedRankRegression(rank={self.rank}): a {p} x {q} coefficient matrix has rank {min(p, q)} at "
                f"most; give rank <= {min(p, q)} (rank={min(p, q)} is least squares)"
            )
        weight = self._checked_weight(q)
        iterates = reduced_rank.iterates(data.rows, self.rank, weight, self.fit_intercept)

        def attributes(state):
            dtype = self._precision(data)
            coef, sigma, intercept = state.coef.T.astype(dtype), state.singular_values, state.intercept.astype(dtype)
            eps, W = np.finfo(float).eps, len(data.y) if data.sample_weight is None else data.sample_weight.sum()
            # What rounding makes of targets about their mean; of constant ones, nothing else is left.
            noise = 64.0 * eps * np.abs(data.y).max() * np.sqrt(W * np.linalg.norm(state.weight))
            nothing = max(np.sqrt(max(data.X.shape) * eps) * sigma[0], noise)
            return {
                "coef_": coef[0] if one else coef,
                "intercept_": (intercept[0] if one else intercept) if self.fit_intercept else 0.0,
                "singular_values_": sigma,
                "weight_": state.weight,
                "rank_": int(np.count_nonzero(sigma[: self.rank] > nothing)),
            }

        return Fitting(iterates, to_the_end, attributes, data, max_steps=1, ended=Status.OPTIMAL)

    def _checked_weight(self, q: int) -> np.ndarray | None:
        if isinstance(self.weight, str):
            return np.eye(q) if self.weight == "identity" else None
        weight = np.asarray(self.weight, dtype=float)
        if weight.shape != (q, q):
            raise ValueError(f"ReducedRankRegression: weight has shape {weight.shape}; y has {q} targets: ({q}, {q})")
        if not np.allclose(weight, weight.T, rtol=1e-10, atol=0.0):
            raise ValueError("ReducedRankRegression: weight is not symmetric; give (weight + weight.T) / 2")
        least = float(np.linalg.eigvalsh(weight)[0])
        if not least > 0.0:
            raise ValueError(
                f"ReducedRankRegression: weight must be positive definite, but its least eigenvalue is {least:.3g}; "
                "add a multiple of the identity"
            )
        return weight

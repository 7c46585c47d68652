"""Linear regression with a normal prior: the whole posterior, not a point."""

from numbers import Real
from typing import ClassVar

import numpy as np
from scipy import linalg, sparse
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting, LinearPredictor
from learnable.base.fit_context import fit_context
from learnable.base.validation import validate_data
from learnable.rows import as_rows, is_streamed
from learnable.solvers.linear import bayesian_linear
from learnable.solvers.linear.bayesian_linear import Posterior
from learnable.trace import Status, to_the_end

# A scale or mean beyond it has no square.
LARGEST = 1e150


class BayesianLinearRegression(RegressorMixin, LinearPredictor):
    """y = Xβ + b + ε with ε ~ N(0, σ²) and prior β ~ N(m, P): posterior, predictive distribution and evidence.

    With P = τ²I the posterior mean minimises ‖y − Xβ − b‖² + (σ²/τ²) ‖β − m‖²: ridge regression with λ = σ²/τ²,
    shrunken towards the prior mean m instead of 0. The intercept has no prior. Syllabus: R10, D5.

    Parameters
    ----------
    prior_mean : float or array (p,), default=0.0
        m, the coefficients believed in before the data.
    prior_scale : float or array (p,), default=1.0
        τ, standard deviation of the prior of every coefficient, or of each; not used with `prior_covariance`.
    prior_covariance : array (p, p), default=None
        P.
    noise_scale : float, default=None
        σ; None chooses the σ of the largest evidence p(y | σ).
    fit_intercept : bool, default=True

    Attributes
    ----------
    coef_ : array (p,), posterior mean of β
    intercept_ : float, posterior mean of b
    coef_covariance_ : array (p, p), posterior covariance of β
    noise_scale_ : float, σ
    log_evidence_ : float, log p(y | σ)
    effective_df_ : float, Σ d²/(d² + σ²) over the singular values d of the design in units of the prior
    centre_ : array (p,), where the mean response is known best
    centre_variance_ : float, posterior variance of the mean response there
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        R10 : the posterior mean and covariance solve their equations; `log_evidence_` is the log evidence; σ, where
        it was estimated, is a stationary point of the evidence (it need not be its only one).

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import BayesianLinearRegression
    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([-2.0, 0.0, 2.0])
    >>> model = BayesianLinearRegression(prior_scale=1.0, noise_scale=2.0**0.5).fit(X, y)
    >>> model.coef_.round(6), model.coef_covariance_.round(6)
    (array([1.]), array([[0.5]]))
    >>> mean, std = model.predict([[0.0]], return_std=True)
    >>> std.round(4)
    array([1.633])
    >>> BayesianLinearRegression(prior_mean=2.0, noise_scale=1.0).fit(X, y).coef_.round(6)
    array([2.])
    """

    _parameter_constraints: ClassVar = {
        "prior_mean": [Real, "array-like"],
        "prior_scale": [Interval(Real, 0, None, closed="neither"), "array-like"],
        "prior_covariance": ["array-like", None],
        "noise_scale": [Interval(Real, 0, None, closed="neither"), None],
        "fit_intercept": ["boolean"],
    }

    def __init__(self, prior_mean=0.0, prior_scale=1.0, *, prior_covariance=None, noise_scale=None, fit_intercept=True):
        self.prior_mean = prior_mean
        self.prior_scale = prior_scale
        self.prior_covariance = prior_covariance
        self.noise_scale = noise_scale
        self.fit_intercept = fit_intercept

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Find the posterior.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,); None when the rows carry their targets
        sample_weight : array (n,), default=None
            How often each row counts.
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def predict(self, X, return_std: bool = False):
        """Predictive mean, and with `return_std` the standard deviation of a new observation.

        Var y = σ² + σ²/n + (x − x̄)ᵀ Cov(β) (x − x̄): noise, mean level, slope.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        return_std : bool, default=False
        """
        mean = self._scores(X)
        if not return_std:
            return mean
        rows = as_rows(X) if is_streamed(X) else as_rows(validate_data(self, X, accept_sparse="csr", reset=False))
        variance = rows.concatenate(self._slope_variance)
        return mean, np.sqrt(variance + self.centre_variance_ + self.noise_scale_**2)

    def predictive_interval(self, X, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper) ends of the central interval that holds a new observation with probability `level`.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        level : float, default=0.95
        """
        from scipy.special import ndtri

        if not 0.0 < level < 1.0:
            raise ValueError(f"predictive_interval(level={level}): level must be strictly between 0 and 1")
        mean, std = self.predict(X, return_std=True)
        half = ndtri(0.5 + level / 2.0) * std
        return mean - half, mean + half

    def _slope_variance(self, block) -> np.ndarray:
        X = block.X.toarray() if sparse.issparse(block.X) else block.X
        X = X - self.centre_
        return np.einsum("ij,ij->i", X @ self.coef_covariance_, X)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(X, y, sample_weight, accept_sparse="csr", y_numeric=True, dtype=[np.float64, np.float32])
        rows = data.rows
        if self.noise_scale is None and rows.n_rows <= self.fit_intercept:
            raise ValueError(
                f"{type(self).__name__}: n_samples={rows.n_rows} row and an intercept say nothing about the noise; "
                "give noise_scale"
            )
        mean, root = self._prior(rows.n_columns)
        noise = None if self.noise_scale is None else float(self.noise_scale)
        if noise is not None and not 1.0 / LARGEST <= noise <= LARGEST:
            raise ValueError(
                f"BayesianLinearRegression(noise_scale={noise:g}): its square cannot be represented; rescale X and y"
            )
        iterates = bayesian_linear.iterates(rows, mean, root, noise, self.fit_intercept)
        dtype = np.float32 if rows.dtype == np.float32 else np.float64

        def attributes(state: Posterior):
            return {
                "coef_": state.coef.astype(dtype),
                "intercept_": dtype(state.intercept) if self.fit_intercept else 0.0,
                "coef_covariance_": state.covariance,
                "noise_scale_": state.noise,
                "log_evidence_": state.log_evidence,
                "effective_df_": state.df,
                "centre_": state.centre,
                "centre_variance_": state.centre_variance,
            }

        return Fitting(iterates, to_the_end, attributes, data, max_steps=1, ended=Status.OPTIMAL)

    def _prior(self, p: int) -> tuple[np.ndarray, np.ndarray]:
        """(m, L) with P = LLᵀ."""
        name = type(self).__name__
        mean = _vector(self.prior_mean, p, f"{name}: prior_mean")
        if self.prior_covariance is None:
            scale = _vector(self.prior_scale, p, f"{name}: prior_scale")
            if np.any(scale <= 0.0):
                raise ValueError(f"{name}(prior_scale={self.prior_scale}): prior_scale must be > 0")
            return mean, np.diag(scale)
        covariance = np.asarray(self.prior_covariance, dtype=float)
        if covariance.shape != (p, p) or not np.allclose(covariance, covariance.T):
            raise ValueError(
                f"{name}: prior_covariance has shape {covariance.shape}; a symmetric ({p}, {p}) matrix is needed, "
                "one row for each column of X"
            )
        try:
            return mean, linalg.cholesky(covariance, lower=True)
        except linalg.LinAlgError as error:
            raise ValueError(
                f"{name}: prior_covariance is not positive definite (smallest eigenvalue "
                f"{linalg.eigvalsh(covariance)[0]:.3g}); add a little to its diagonal"
            ) from error


def _vector(value, p: int, name: str) -> np.ndarray:
    """A number or p numbers as p finite numbers."""
    vector = np.asarray(value, dtype=float)
    if vector.shape not in ((), (p,)):
        raise ValueError(f"{name} has shape {vector.shape}; give one number, or one for each of the {p} columns of X")
    if not np.all(np.abs(vector) <= LARGEST):
        raise ValueError(f"{name} holds {np.max(np.abs(vector)):.3g}, whose square cannot be represented; rescale")
    return np.array(np.broadcast_to(vector, (p,)))

"""The penalty of a lasso or elastic net by an information criterion: AIC, BIC or extended BIC along the path."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.special import gammaln
from sklearn.utils.validation import check_X_y

from learnable._jit.core.interrupt import interrupts_pass
from learnable.base import refuse_unreadable
from learnable.problems.core.information import aic, bic
from learnable.rows import one_blas_thread
from learnable.selection import gaussian_log_likelihood
from learnable.solvers.sparse import penalty_path
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.sparse.validation import alpha_grid


@dataclass(frozen=True, eq=False)
class InformationPath:
    """Criteria along a path; the smaller the better.

    Attributes
    ----------
    alphas : (m,), falling.
    coefs : (p, m); intercepts : (m,).
    degrees_of_freedom : (m,) of the fitted mean, the intercept not counted.
    log_likelihood : (m,) Gaussian, at variance `noise_variance`, or at RSS/n where that is None.
    aic, bic, ebic : (m,); they count the intercept and an estimated variance too.
    noise_variance : as given.
    """

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    degrees_of_freedom: np.ndarray
    log_likelihood: np.ndarray
    aic: np.ndarray
    bic: np.ndarray
    ebic: np.ndarray
    noise_variance: float | None

    def best(self, criterion: str = "bic") -> int:
        """Place of the least "aic", "bic" or "ebic"."""
        if criterion not in ("aic", "bic", "ebic"):
            raise ValueError(f"best(criterion={criterion!r}): the criteria are 'aic', 'bic', 'ebic'")
        return int(np.argmin(getattr(self, criterion)))


def information_path(
    X,
    y,
    *,
    l1_ratio: float = 1.0,
    alphas: Any = 100,
    eps: float = 1e-3,
    fit_intercept: bool = True,
    noise_variance: float | None = None,
    gamma: float = 1.0,
    tol: float = 1e-8,
) -> InformationPath:
    """AIC = −2ℓ + 2d, BIC = −2ℓ + d log n, EBIC = BIC + 2γ log C(p, |S|) for every penalty of a path.

    d = rank X_S for the lasso, which is |S| where the solution is unique (Zou, Hastie and Tibshirani; Tibshirani and
    Taylor); tr X_S(X_SᵀX_S + nα(1 − ρ)I)⁻¹X_Sᵀ for the elastic net. Syllabus: L3, MS10, MS12.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    y : array (n,)
    l1_ratio : float, default=1.0
        ρ in (0, 1].
    alphas : int or array, default=100
    eps : float, default=1e-3
        Smallest penalty of the grid over the largest.
    fit_intercept : bool, default=True
    noise_variance : float, default=None
        σ² of the likelihood; None takes RSS/n at each penalty, which needs a residual there.
    gamma : float, default=1.0
        γ of EBIC.
    tol : float, default=1e-8
        Relative duality gap of the solutions.

    Examples
    --------
    >>> from learnable.datasets import toeplitz_regression
    >>> from learnable.sparse import information_path
    >>> X, y, beta, _ = toeplitz_regression(200, 20, support=3, noise=0.5, random_state=0)
    >>> path = information_path(X, y)
    >>> k = path.best("ebic")
    >>> set(beta.nonzero()[0]) <= set(path.coefs[:, k].nonzero()[0]), path.alphas[k] >= path.alphas[path.best("aic")]
    (True, np.True_)
    """
    if not 0.0 < l1_ratio <= 1.0:
        raise ValueError(f"information_path(l1_ratio={l1_ratio}): l1_ratio must be in (0, 1]")
    if noise_variance is not None and not (np.isfinite(noise_variance) and noise_variance > 0.0):
        raise ValueError(f"information_path(noise_variance={noise_variance}): must be a finite number > 0, or None")
    refuse_unreadable(X)
    X, y = check_X_y(X, y, accept_sparse=["csc", "csr"], dtype=np.float64, y_numeric=True)
    n, p = X.shape
    with interrupts_pass(), one_blas_thread():
        posed = penalized_problem(X, y, None, fit_intercept)
        if np.ndim(alphas) == 0:
            grid = alpha_grid(posed, l1_ratio, False, eps, int(alphas))
        else:
            grid = np.sort(np.asarray(alphas, dtype=float))[::-1]
        states = list(penalty_path.iterates(posed, grid, l1_ratio, False, tol, 1000))
        answers = [posed.answer(state.coef, p) for state in states]
        df = np.array(
            [
                degrees_of_freedom(X, coef, n * alpha * (1.0 - l1_ratio), fit_intercept)
                for alpha, (coef, _) in zip(grid, answers)
            ]
        )
    likelihood = np.array(
        [gaussian_log_likelihood(y, X @ coef + offset, noise_variance).sum() for coef, offset in answers]
    )
    size = np.array([np.count_nonzero(coef) for coef, _ in answers])
    choices = gammaln(p + 1.0) - gammaln(size + 1.0) - gammaln(p - size + 1.0)
    parameters = df + fit_intercept + (noise_variance is None)
    by_bic = bic(likelihood, parameters, n)
    return InformationPath(
        grid,
        np.array([coef for coef, _ in answers]).T,
        np.array([offset for _, offset in answers]),
        df,
        likelihood,
        aic(likelihood, parameters),
        by_bic,
        by_bic + 2.0 * gamma * choices,
        noise_variance,
    )


def degrees_of_freedom(X, coef: np.ndarray, ridge: float, fit_intercept: bool = True) -> float:
    """tr X_S(X_SᵀX_S + ridge·I)⁻¹X_Sᵀ of the support S of `coef`; the rank of X_S where ridge = 0.

    >>> X = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, -1.0, -1.0]])
    >>> degrees_of_freedom(X, np.array([1.0, 2.0, 0.0]), 0.0)              # two equal columns count once
    1.0
    """
    A = X[:, np.flatnonzero(coef)]
    if not A.shape[1]:
        return 0.0
    A = A.toarray() if sparse.issparse(A) else A
    singular = linalg.svdvals(A - A.mean(axis=0) if fit_intercept else A)
    squares = singular[singular > max(A.shape) * np.finfo(float).eps * singular.max(initial=0.0)] ** 2
    return float(np.sum(squares / (squares + ridge)))

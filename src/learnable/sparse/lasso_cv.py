"""The lasso with its penalty chosen by cross-validation."""

import numpy as np

from learnable.sparse.cross_validated_path import CrossValidatedPath
from learnable.sparse.paths import lasso_path


class LassoCV(CrossValidatedPath):
    """The lasso, Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + α Σ fⱼ |βⱼ|, with α of the least cross-validated error.

    Drop-in for `sklearn.linear_model.LassoCV`; the one-standard-error rule and the factors fⱼ are extras.
    Syllabus: L3, MS7.

    Parameters
    ----------
    eps : float, default=1e-3
        Smallest penalty of the grid over the largest.
    alphas : int or array, default=100
        How many penalties, or which.
    fit_intercept : bool, default=True
    precompute, copy_X, verbose, random_state, selection : kept for compatibility.
    max_iter, tol, positive, penalty_factor : as in `Lasso`, on the folds and on all rows.
    cv : int, splitter or splits, default=None
        None stands for 5 folds.
    n_jobs : int, default=None
        Threads over the folds, None for every core; the answer does not depend on it.

    Attributes
    ----------
    alpha_ : float, the penalty of the least mean error
    alpha_1se_ : float, the largest penalty whose mean error is within one standard error of the least
    coef_ : array (p,)
    intercept_ : float
    alphas_ : array (m,), falling
    mse_path_ : array (m, k), mean squared error of each penalty on each fold
    mse_error_ : array (m,), standard error over the folds
    fold_gap_ : float, largest relative duality gap of a solution on the folds
    fold_coefs_ : dict of `data`, `indices`, `indptr`: those solutions as the rows of a sparse matrix (k m, p),
        penalty by penalty, fold by fold
    dual_gap_ : float, duality gap of the answer
    n_iter_ : int, rounds of the fit on all rows
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L3 : the duality gap of the answer at `alpha_`, recomputed. MS7 : `alpha_` has the least mean error in
        `mse_path_`, `alpha_1se_` is what the one-standard-error rule says. `certify` also makes the folds again from
        `cv`, proves `fold_coefs_` by their duality gaps and computes the errors anew; folds that cannot be had again
        (an unseeded splitter, a spent generator) leave the choice open, and nothing is proved.

    Examples
    --------
    >>> from learnable.datasets import toeplitz_regression
    >>> from learnable.sparse import LassoCV
    >>> X, y, beta, _ = toeplitz_regression(100, 20, support=3, noise=0.5, random_state=0)
    >>> model = LassoCV(cv=5).fit(X, y)
    >>> bool(model.alpha_ <= model.alpha_1se_), model.certificate_.holds
    (True, True)
    """

    path = staticmethod(lasso_path)

    def _l1_ratios(self) -> np.ndarray:
        return np.ones(1)

    def _named_ratio(self, l1_ratio: float) -> dict[str, float]:
        return {}

"""The elastic net with its penalty chosen by cross-validation."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.sparse.cross_validated_path import CrossValidatedPath
from learnable.sparse.paths import enet_path


class ElasticNetCV(CrossValidatedPath):
    """The elastic net, ½ mean squares + α Σ fⱼ (ρ|βⱼ| + ½(1 − ρ)βⱼ²), with (α, ρ) of the least cross-validated error.

    Drop-in for `sklearn.linear_model.ElasticNetCV`; the one-standard-error rule and the factors fⱼ are extras.
    Syllabus: L13, MS7.

    Parameters
    ----------
    l1_ratio : float or array (r,), default=0.5
        ρ in (0, 1], or several to choose from.
    eps : float, default=1e-3
        Smallest penalty of the grid over the largest.
    alphas : int or array, default=100
        How many penalties, or which.
    fit_intercept : bool, default=True
    precompute, copy_X, verbose, random_state, selection : kept for compatibility.
    max_iter, tol, positive, penalty_factor : as in `ElasticNet`, on the folds and on all rows.
    cv : int, splitter or splits, default=None
        None stands for 5 folds.
    n_jobs : int, default=None
        Threads over the folds and l1_ratios, None for every core; the answer does not depend on it.

    Attributes
    ----------
    alpha_ : float, the penalty of the least mean error
    l1_ratio_ : float, the ρ of the least mean error
    alpha_1se_ : float, the largest penalty at that ρ whose mean error is within one standard error of the least
    coef_ : array (p,)
    intercept_ : float
    alphas_ : array (m,) or (r, m), falling
    mse_path_ : array (m, k) or (r, m, k), mean squared error of each penalty on each fold
    mse_error_ : array (m,) or (r, m), standard error over the folds
    fold_gap_ : float, largest relative duality gap of a solution on the folds
    fold_coefs_ : dict of `data`, `indices`, `indptr`: those solutions as the rows of a sparse matrix (r k m, p),
        penalty by penalty, fold by fold, l1_ratio by l1_ratio
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
    >>> from learnable.sparse import ElasticNetCV
    >>> X, y, beta, _ = toeplitz_regression(100, 20, support=3, noise=0.5, random_state=0)
    >>> model = ElasticNetCV(l1_ratio=[0.1, 0.5, 0.9], cv=5).fit(X, y)
    >>> bool(model.alpha_ <= model.alpha_1se_), model.l1_ratio_, model.certificate_.holds
    (True, 0.9, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = CrossValidatedPath._parameter_constraints | {
        "l1_ratio": [Interval(Real, 0, 1, closed="both"), "array-like"]
    }
    path = staticmethod(enet_path)

    def __init__(
        self,
        *,
        l1_ratio=0.5,
        eps=1e-3,
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=1e-4,
        cv=None,
        copy_X=True,
        verbose=0,
        n_jobs=None,
        positive=False,
        random_state=None,
        selection="cyclic",
        penalty_factor=None,
    ):
        super().__init__(
            eps=eps, alphas=alphas, fit_intercept=fit_intercept, precompute=precompute, max_iter=max_iter, tol=tol,
            copy_X=copy_X, cv=cv, verbose=verbose, n_jobs=n_jobs, positive=positive, random_state=random_state,
            selection=selection, penalty_factor=penalty_factor,
        )  # fmt: skip
        self.l1_ratio = l1_ratio

    def _l1_ratios(self) -> np.ndarray:
        ratios = np.ravel(np.asarray(self.l1_ratio, dtype=float))
        if (wrong := ratios[~((ratios >= 0.0) & (ratios <= 1.0))]).size:
            raise ValueError(f"ElasticNetCV: l1_ratio holds {wrong[0]}; a ratio must be between 0 and 1")
        return ratios

    def _named_ratio(self, l1_ratio: float) -> dict[str, float]:
        return {"l1_ratio_": l1_ratio}

"""What an unpenalised logistic fit says about its coefficients: Fisher information, Wald tests, likelihood."""

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, stats
from scipy.special import log_softmax
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_X_y

from learnable.base import refuse_unreadable
from learnable.linear.reports.fisher_inference import LARGEST_DECREMENT, GLMSummary
from learnable.problems.core.information import aic, bic
from learnable.rows import one_blas_thread

# A scaled information matrix with a smaller eigenvalue leaves a direction of the coefficients open.
LEAST_INFORMATION = 1e-11


def logistic_summary(model: Any, X: Any, y: Any, sample_weight: Any = None, level: float = 0.95) -> GLMSummary:
    """Standard errors, z tests, Wald intervals, deviance, AIC and BIC of a logistic regression without penalty.

    The information of (B, b) is Σ w (diag p − ppᵀ) ⊗ (x, 1)(x, 1)ᵀ; its inverse is the covariance. With more than two
    classes the coefficients are log odds against the first class, which takes those of the first away from the others:
    the likelihood knows no more. Weights count rows. Syllabus: C5, R3.

    Refused, since the theory does not hold there: penalised coefficients, class weights, coefficients that the data do
    not determine, separated classes, a fit that stopped short of the maximum of the likelihood.

    Parameters
    ----------
    model : fitted `LogisticRegression` with C=inf or penalty=None, of this library or of scikit-learn.
    X, y, sample_weight : the data it was fitted on.
    level : float, default=0.95
        Of the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import LogisticRegression
    >>> X, y = np.repeat([[0.0], [1.0]], [4, 8], axis=0), np.array([1, 0, 0, 0] + [1] * 4 + [0] * 4)
    >>> model = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    >>> [round(row["standard_error"], 4) for row in model.tidy(X, y)]  # √(1/1 + 1/3), and that with 1/4 + 1/4 more
    [1.1547, 1.354]
    """
    _refuse(model, level)
    refuse_unreadable(X)
    names = getattr(model, "feature_names_in_", None)
    X, y = check_X_y(X, y, dtype=np.float64)
    weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    classes = np.asarray(model.classes_)
    index = np.searchsorted(classes, y).clip(0, len(classes) - 1)
    if X.shape[1] != np.shape(model.coef_)[1] or np.any(classes[index] != y):
        raise ValueError("summary: columns or classes of the data are not those of the fit; give the data of the fit")
    names = [f"x{j}" for j in range(X.shape[1])] if names is None else [str(name) for name in names]
    with one_blas_thread():
        return _summary(model, X, index, weight, names, level)


class _Posed(NamedTuple):
    """Columns about their means in units of their spread, the first one of ones; T maps coefficients back."""

    Z: np.ndarray
    T: np.ndarray


def _summary(model: Any, X: np.ndarray, index: np.ndarray, weight: np.ndarray, names: list[str], level: float):
    classes = np.asarray(model.classes_)
    coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_, dtype=float)
    table = np.column_stack([np.atleast_1d(model.intercept_), coef]) if model.fit_intercept else coef
    # Against the first class: row k belongs to class k + 1.
    table = table.astype(float) if len(classes) == 2 else table[1:] - table[0]
    A = np.column_stack([np.ones(len(X)), X]) if model.fit_intercept else X
    log_p = log_softmax(np.column_stack([np.zeros(len(A)), A @ table.T]), axis=1)
    P = np.exp(log_p[:, 1:])
    posed = _posed(X, weight, model.fit_intercept)
    covariance, step = _covariance(posed, P, index, weight)
    error = np.sqrt(np.diag(covariance))
    far = float(np.max(np.abs(step) / error))
    if not far <= LARGEST_DECREMENT:
        raise ValueError(
            f"summary: the fit is {far:.2g} standard errors from the maximum of the likelihood; fit with a smaller "
            f"tol than {model.tol}, and give the data of the fit"
        )
    counted = weight > 0.0
    n, k, likelihood = int(counted.sum()), table.size, float(weight @ log_p[np.arange(len(index)), index])
    shares = np.bincount(index, weight, minlength=len(classes)) / weight.sum()
    levels = np.log(shares[index]) if model.fit_intercept else np.full(len(index), -np.log(len(classes)))
    null = float(weight @ levels)
    terms = [*(("intercept",) if model.fit_intercept else ()), *names]
    if len(classes) > 2:
        terms = [f"{label}: {term}" for label in classes[1:] for term in terms]
    estimate = table.ravel()
    half = stats.norm.ppf(0.5 + 0.5 * level) * error
    fit = {
        "deviance": -2.0 * likelihood,
        "null_deviance": -2.0 * null,
        "log_likelihood": likelihood,
        "pseudo_r_squared": 1.0 - likelihood / null,
        "df_residual": n - k,
        "aic": float(aic(likelihood, k)),
        "bic": float(bic(likelihood, k, n)),
        "n": n,
    }
    z = estimate / error
    return GLMSummary(
        tuple(terms), estimate, error, z, 2.0 * stats.norm.sf(np.abs(z)), estimate - half, estimate + half,
        covariance, float(level), "z", fit,
    )  # fmt: skip


def _posed(X: np.ndarray, weight: np.ndarray, fit_intercept: bool) -> _Posed:
    mean = weight @ X / weight.sum() if fit_intercept else np.zeros(X.shape[1])
    spread = np.sqrt(weight @ (X - mean) ** 2 / weight.sum())
    spread = np.where(spread > 0.0, spread, 1.0)
    Z, T = (X - mean) / spread, np.diag(1.0 / spread)
    if fit_intercept:
        Z = np.column_stack([np.ones(len(X)), Z])
        T = np.block([[np.ones((1, 1)), -(mean / spread)[None, :]], [np.zeros((len(mean), 1)), T]])
    return _Posed(Z, T)


def _covariance(posed: _Posed, P: np.ndarray, index: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(covariance of all coefficients, class after class; the Newton step that is left to the maximum)."""
    Z, K, p = posed.Z, P.shape[1], posed.Z.shape[1]
    information = np.empty((K * p, K * p))
    for a in range(K):
        for b in range(K):
            pull = weight * P[:, a] * ((a == b) - P[:, b])
            information[a * p : (a + 1) * p, b * p : (b + 1) * p] = Z.T @ (pull[:, None] * Z)
    unit = np.sqrt(np.diag(information))
    if not np.all(unit > 0.0) or linalg.eigvalsh(information / np.outer(unit, unit))[0] < LEAST_INFORMATION:
        raise ValueError(
            "summary: the data leave a direction of the coefficients open, so they have no standard errors: columns "
            "depend on each other (see well_posedness), or the classes are separated (see separability)"
        )
    inverse = linalg.inv(information / np.outer(unit, unit)) / np.outer(unit, unit)
    gradient = ((weight[:, None] * ((index[:, None] == np.arange(1, K + 1)) - P)).T @ Z).ravel()
    back = linalg.block_diag(*[posed.T] * K)
    return back @ inverse @ back.T, back @ (inverse @ gradient)


def _refuse(model: Any, level: float) -> None:
    if not 0.0 < level < 1.0:
        raise ValueError(f"summary(level={level}): level must be strictly between 0 and 1")
    check_is_fitted(model)
    if model.penalty is not None and not np.isinf(model.C):
        raise ValueError(
            f"summary: the fit was penalised (C={model.C}), so its coefficients are biased and the Fisher information "
            "gives no honest standard errors; fit with C=inf"
        )
    if model.class_weight is not None:
        raise ValueError(
            f"summary: class_weight={model.class_weight!r} makes rows count that are not there; fit without it"
        )

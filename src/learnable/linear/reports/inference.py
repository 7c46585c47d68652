"""What a least-squares fit says about its coefficients: standard errors, tests, intervals, fit statistics."""

import json
from html import escape
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_X_y

from learnable.base import refuse_unreadable
from learnable.certificates.linear.least_squares import orthogonality
from learnable.linear.deviance_regressor import DevianceRegressor
from learnable.linear.linear_regression import LinearRegression
from learnable.linear.reports.fisher_inference import GLMSummary, glm_summary
from learnable.linear.reports.logistic_inference import logistic_summary
from learnable.problems.core.information import aic, bic
from learnable.rows import Rows, as_rows, is_streamed, one_blas_thread
from learnable.tables import aligned
from learnable.theory.algebra.well_posedness import WellPosedness, posedness, scaled_triangle


class NotIdentifiedError(ValueError):
    """The data do not determine every coefficient; `report` holds the null space and the columns concerned."""

    def __init__(self, report: WellPosedness):
        self.report = report
        free = report.n_columns - report.rank
        super().__init__(
            f"summary: the design has rank {report.rank} and {report.n_columns} columns; {free} direction(s) of the "
            f"coefficients of {', '.join(report.not_identified)} are not identified by the data, so they have no "
            "standard errors. Drop columns until the rest are linearly independent; the directions are the columns "
            f"of `error.report.null_space`:\n{np.array2string(report.null_space, precision=3, suppress_small=True)}"
        )


class LinearSummary(NamedTuple):
    """Sampling theory of a least-squares fit, under y = Xβ + b + ε with independent ε ~ N(0, σ²/wᵢ).

    Attributes
    ----------
    names : of the coefficients, "intercept" first where there is one.
    estimate, standard_error, t, p_value, lower, upper, vif : (p,) arrays; the VIF of the intercept is NaN.
    covariance : (p, p) σ̂²(XᵀWX)⁻¹.
    level : of the intervals.
    fit : the numbers of `glance`.
    """

    names: tuple[str, ...]
    estimate: np.ndarray
    standard_error: np.ndarray
    t: np.ndarray
    p_value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    vif: np.ndarray
    covariance: np.ndarray
    level: float
    fit: dict[str, float]

    def tidy(self) -> list[dict[str, Any]]:
        """One dictionary a coefficient."""
        columns = {
            "estimate": self.estimate,
            "standard_error": self.standard_error,
            "t": self.t,
            "p_value": self.p_value,
            "lower": self.lower,
            "upper": self.upper,
            "vif": self.vif,
        }
        return [
            {"term": name} | {key: float(values[j]) for key, values in columns.items()}
            for j, name in enumerate(self.names)
        ]

    def glance(self) -> dict[str, float]:
        """One dictionary for the fit as a whole."""
        return dict(self.fit)

    def __str__(self) -> str:
        head = ["term", "estimate", "std. error", "t", "p", f"{self.level:.0%} interval", "VIF"]
        body = [_cells(row) for row in self.tidy()]
        fit = (f"{key}: {value:.6g}" for key, value in self.fit.items())
        return "\n".join([*aligned([head, *body]), "", *fit])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("term", "estimate", "std. error", "t", "p", "interval", "VIF"))
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row)) + "</tr>" for row in self.tidy()
        )
        fit = "".join(f"<tr><th>{escape(key)}</th><td>{value:.6g}</td></tr>" for key, value in self.fit.items())
        return f"<table><tr>{head}</tr>{body}</table><table>{fit}</table>"

    def to_json(self) -> str:
        """The same as JSON; what is not a finite number is null."""

        def plain(row):
            return {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in row.items()}

        return json.dumps(
            {"level": self.level, "coefficients": [plain(row) for row in self.tidy()], "fit": plain(self.fit)},
            ensure_ascii=False,
        )


def summary(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, level: float = 0.95
) -> LinearSummary | GLMSummary:
    """Standard errors, tests, intervals and fit statistics of a fitted linear, logistic or generalised linear model.

    σ̂² = RSS/(n − p) with p counting the intercept, Var β̂ = σ̂²(XᵀWX)⁻¹, computed from a triangular factor of the data
    and never from XᵀX. Weights are those of R's `lm`: ε has variance σ²/wᵢ, and rows of weight 0 are not counted.
    AIC and BIC count σ as a parameter, as R does. Of a logistic regression without penalty (C=inf or penalty=None) and
    of a generalised linear model the covariance is the inverse of the Fisher information, and the tests are Wald's:
    see `logistic_summary` and `glm_summary`. Also a method: `model.summary(X, y)`, `model.tidy(X, y)`,
    `model.glance(X, y)`. Syllabus: R2, R3.

    Refused, since the t distribution does not hold there: coefficients that were penalised, selected or constrained on
    the same data; a design that does not identify every coefficient; a fit that leaves no residual degrees of freedom.

    Parameters
    ----------
    model : fitted `LinearRegression` with one target, or `LogisticRegression` without penalty, of this library or of
        scikit-learn; a `GeneralizedLinearRegressor`, `PoissonRegressor` or `GammaRegressor` with alpha=0.
    X, y, sample_weight : the data it was fitted on.
    level : float, default=0.95
        Of the intervals.

    Returns
    -------
    LinearSummary or GLMSummary

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import LinearRegression, summary
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([1.0, 3.0, 2.0, 4.0])
    >>> result = summary(LinearRegression().fit(X, y), X, y)
    >>> round(result.tidy()[1]["estimate"], 6), round(result.tidy()[1]["standard_error"], 6)
    (0.8, 0.424264)
    >>> round(result.glance()["r_squared"], 6), result.glance()["df_residual"]
    (0.64, 2)
    """
    if type(model).__name__ == "LogisticRegression" and _home(model) in ("learnable", "sklearn"):
        return logistic_summary(model, X, y, sample_weight, level)
    if isinstance(model, DevianceRegressor):
        return glm_summary(model, X, y, sample_weight, level)
    _refuse(model, level)
    names = getattr(model, "feature_names_in_", None)
    if not is_streamed(X):
        refuse_unreadable(X)
        X, y = check_X_y(X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=True, multi_output=True)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    rows = as_rows(X, y, sample_weight)
    coef, intercept = np.asarray(model.coef_), np.atleast_1d(model.intercept_)
    if coef.size != rows.n_columns:
        raise ValueError(
            f"summary: coef_ has shape {coef.shape} but X has {rows.n_columns} columns; give one target at a time "
            "(the equations of several targets separate) and the data of the fit"
        )
    found = orthogonality(rows, coef.reshape(-1, 1), intercept, 0.0, model.fit_intercept)
    if found.worst > 1e3 * found.bound:
        raise ValueError(
            "summary: the residuals are not orthogonal to the columns "
            f"(normalised {found.worst:.3g}); the model was not fitted on these data"
        )
    names = [f"x{j}" for j in range(rows.n_columns)] if names is None else [str(name) for name in names]
    with one_blas_thread():
        return _summary(rows, coef.ravel().astype(float), float(intercept[0]), model.fit_intercept, names, level)


def _summary(rows: Rows, coef, intercept, free_intercept: bool, names, level: float) -> LinearSummary:
    from scipy import stats

    p = rows.n_columns
    R, scale = scaled_triangle(rows, free_intercept)
    posed = posedness(R[:p, :p], scale[:p], rows.n_rows, 0.0, names)
    if posed.rank < p:
        raise NotIdentifiedError(posed)
    inverse = linalg.solve_triangular(R[:p, :p], np.eye(p)) / scale[:p, None]
    total = _totals(rows)
    n, parameters = total.n, p + free_intercept
    if n <= parameters:
        raise ValueError(
            f"summary: {n} rows and {parameters} coefficients leave no degrees of freedom to estimate σ; "
            "gather more rows or drop columns"
        )
    df = n - parameters
    explained, rss = float(np.sum((R[:p, p] * scale[p]) ** 2)), float((R[p, p] * scale[p]) ** 2)
    sigma2 = rss / df
    inverse_normal = inverse @ inverse.T
    # VIF: squared length of the column over that of what the other columns leave of it.
    vif = np.linalg.norm(R[:p, :p] * scale[:p], axis=0) ** 2 * np.diag(inverse_normal)
    if free_intercept:
        # b̂ = ȳ − x̄·β̂, with ȳ and β̂ independent.
        along = inverse_normal @ total.mean
        corner = 1.0 / total.weight + total.mean @ along
        inverse_normal = np.block([[np.array([[corner]]), -along[None, :]], [-along[:, None], inverse_normal]])
        coef, vif = np.concatenate([[intercept], coef]), np.concatenate([[np.nan], vif])
        names = ["intercept", *names]
    covariance = sigma2 * inverse_normal
    error = np.sqrt(np.diag(covariance))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = coef / error
        f = (explained / p) / sigma2
    half = stats.t.isf((1.0 - level) / 2.0, df) * error
    with np.errstate(divide="ignore"):
        log_likelihood = 0.5 * (total.log_weight - n * (np.log(2.0 * np.pi) + 1.0 + np.log(rss / n)))
    r2 = explained / (explained + rss) if explained + rss > 0.0 else np.nan
    fit = {
        "r_squared": r2,
        "adjusted_r_squared": 1.0 - (1.0 - r2) * (n - free_intercept) / df,
        "sigma": float(np.sqrt(sigma2)),
        "f": float(f),
        "f_p_value": float(stats.f.sf(f, p, df)),
        "log_likelihood": float(log_likelihood),
        "aic": float(aic(log_likelihood, parameters + 1)),
        "bic": float(bic(log_likelihood, parameters + 1, n)),
        "rss": rss,
        "df_model": p,
        "df_residual": df,
        "n": n,
        "rank": posed.rank,
        "condition": posed.condition,
    }
    p_value = 2.0 * stats.t.sf(np.abs(t), df)
    return LinearSummary(
        tuple(names), coef, error, t, p_value, coef - half, coef + half, vif, covariance, float(level), fit
    )


class _Totals(NamedTuple):
    n: int
    weight: float
    log_weight: float
    mean: np.ndarray


def _totals(rows: Rows) -> _Totals:
    """Rows that count, Σ w, Σ log w and the weighted means of the columns."""

    def sums(block):
        w = np.ones(block.X.shape[0]) if block.weight is None else np.asarray(block.weight, dtype=float)
        counted = w > 0.0
        return int(counted.sum()), float(w.sum()), float(np.log(w[counted]).sum()), np.asarray(w @ block.X).ravel()

    n, weight, log_weight, total = rows.reduce(sums)
    return _Totals(n, weight, log_weight, total / weight)


def _refuse(model: Any, level: float) -> None:
    name = type(model).__name__
    if not 0.0 < level < 1.0:
        raise ValueError(f"summary(level={level}): level must be strictly between 0 and 1")
    # By name, so that scikit-learn's linear models are imported only by those who use them.
    plain = isinstance(model, LinearRegression) or (name == "LinearRegression" and _home(model) == "sklearn")
    if not plain:
        raise ValueError(
            f"summary: {name} is not plain least squares. Coefficients that were penalised or selected on the same "
            "data are biased and have no t distribution; fit LinearRegression, or resample the whole procedure"
        )
    if model.positive:
        raise ValueError(
            f"summary: {name}(positive=True) is constrained, and its coefficients have no t distribution; "
            "fit with positive=False"
        )
    check_is_fitted(model)


def _home(model: Any) -> str:
    return type(model).__module__.partition(".")[0]


def _cells(row: dict[str, Any]) -> list[str]:
    """The cells of one line of the table."""
    vif = "" if np.isnan(row["vif"]) else f"{row['vif']:.4g}"
    return [
        row["term"],
        f"{row['estimate']:.6g}",
        f"{row['standard_error']:.4g}",
        f"{row['t']:.3f}",
        f"{row['p_value']:.3g}",
        f"[{row['lower']:.4g}, {row['upper']:.4g}]",
        vif,
    ]

"""The optimality conditions of a lasso or an elastic net, coordinate by coordinate, whoever fitted it."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from learnable.base import refuse_unreadable
from learnable.base.validation import checked_weights
from learnable.certificates.sparse.lasso import Penalised
from learnable.problems.sparse.penalties import EVERY, subdistance
from learnable.sparse.validation import penalty_factors

# Estimators, here and elsewhere, whose objective is Σ wᵢ(yᵢ − fᵢ)²/(2Σwᵢ) + α(ρ‖β‖₁ + ½(1 − ρ)‖β‖²), target by target.
LASSO_TYPE = ("Lasso", "ElasticNet", "LassoCV", "ElasticNetCV", "LassoLars", "LassoLarsCV", "LassoLarsIC")


class LassoKKT(NamedTuple):
    """How far each coordinate is from its optimality condition.

    Attributes
    ----------
    pull : array (p,), or (q, p) for q targets: Xᵀ(w∘(y − f)), the weights w summing to one.
    level : array (p,), α ρ fⱼ: a coefficient is zero only where |pull| ≤ level.
    residual : like `pull`: distance of the pull from the subdifferential of the penalty at βⱼ; 0 is optimal.
    intercept : float or array (q,): |Σ wᵢ(yᵢ − fᵢ)|, which a free intercept makes zero; 0 where there is none.
    """

    pull: np.ndarray
    level: np.ndarray
    residual: np.ndarray
    intercept: Any

    @property
    def largest(self) -> float:
        """The largest violation, the intercept's included."""
        return float(max(self.residual.max(initial=0.0), np.max(self.intercept)))

    @property
    def worst(self) -> tuple[int, ...]:
        """Where the largest violation of a coefficient is: (column,) or (target, column)."""
        return tuple(int(i) for i in np.unravel_index(np.argmax(self.residual), self.residual.shape))


def lasso_kkt(
    answer: Any, X: Any, y: Any, *, alpha: float | None = None, l1_ratio: float = 1.0, intercept: Any = None,
    positive: bool = False, penalty_factor: Any = None, sample_weight: Any = None,
) -> LassoKKT:  # fmt: skip
    """The Karush-Kuhn-Tucker residual of every coefficient of a lasso or elastic net, ours or foreign.

    At the minimum of Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + α Σ fⱼ (ρ |βⱼ| + ½ (1 − ρ) βⱼ²) the pull
    cⱼ = Σ wᵢ xᵢⱼ rᵢ / Σ wᵢ satisfies cⱼ − α fⱼ (1 − ρ) βⱼ = α ρ fⱼ sgn βⱼ where βⱼ ≠ 0, and |cⱼ| ≤ α ρ fⱼ where
    βⱼ = 0. The residual is the distance from that. A free column (fⱼ = 0) must have no pull; one that is left out
    (fⱼ = ∞) no coefficient.
    Syllabus: L4.

    Parameters
    ----------
    answer : a fitted lasso or elastic net (also with CV, LARS), which then says everything itself; or its coefficients,
        an array (p,), or (q, p) for q targets.
    X : array or sparse matrix (n, p)
    y : array (n,) or (n, q)
    alpha, l1_ratio, positive, penalty_factor : of the problem, when `answer` is an array.
    intercept : float or array (q,), when `answer` is an array; None for a model without one.
    sample_weight : array (n,), default=None
        The weights the model was fitted with.

    Returns
    -------
    LassoKKT

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Lasso
    >>> from learnable.sparse import lasso_kkt
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 0.4, -3.0, -0.4])
    >>> lasso_kkt(Lasso(alpha=0.5).fit(X, y), X, y).residual.round(12)
    array([0., 0.])
    >>> found = lasso_kkt([2.0, 0.1], X, y, alpha=0.5)
    >>> found.residual.round(6), found.worst                             # 0.2 − 0.05 instead of 0.5
    (array([0.  , 0.35]), (1,))
    """
    refuse_unreadable(X)
    X = check_array(X, accept_sparse=["csr", "csc"], dtype=np.float64)
    y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    check_consistent_length(X, y)
    if sample_weight is not None:
        sample_weight = checked_weights(sample_weight, X)
    if hasattr(answer, "fit"):
        said = {"alpha": alpha, "intercept": intercept, "penalty_factor": penalty_factor}
        if any(value is not None for value in said.values()) or l1_ratio != 1.0 or positive:
            raise TypeError("lasso_kkt: a fitted model says itself what it minimised; leave out alpha and the rest")
        answer, alpha, l1_ratio, intercept, positive, penalty_factor = _problem_of(answer)
    elif alpha is None:
        raise TypeError("lasso_kkt: coefficients alone do not say which problem they solve; give alpha as well")
    if not (np.isfinite(alpha) and alpha >= 0.0):
        raise ValueError(f"lasso_kkt(alpha={alpha}): alpha must be a finite number >= 0")
    if not 0.0 <= l1_ratio <= 1.0:
        raise ValueError(f"lasso_kkt(l1_ratio={l1_ratio}): l1_ratio must be in [0, 1]")
    coef = np.asarray(answer, dtype=float)
    targets = y if y.ndim == 2 else y[:, None]
    if coef.shape not in ((X.shape[1],), (targets.shape[1], X.shape[1])) or (coef.ndim == 1 < targets.shape[1]):
        raise ValueError(
            f"lasso_kkt: coefficients of shape {coef.shape} do not fit {X.shape[1]} columns and "
            f"{targets.shape[1]} target(s)"
        )
    factor = penalty_factors(penalty_factor, X.shape[1], "lasso_kkt", positive, alpha)
    problem = Penalised(X, sample_weight, intercept is not None, factor)
    return _residuals(problem, float(alpha), float(l1_ratio), positive, coef, intercept, targets)


def _problem_of(model: Any) -> tuple[Any, float, float, Any, bool, Any]:
    """(coefficients, alpha, l1_ratio, intercept, positive, penalty_factor) of a fitted model."""
    name = type(model).__name__
    if name not in LASSO_TYPE:
        raise TypeError(
            f"lasso_kkt({name}): not one of {', '.join(LASSO_TYPE)}; if its problem is a lasso or an elastic net, "
            "give its coefficients with alpha and intercept"
        )
    if not hasattr(model, "coef_"):
        raise ValueError(f"lasso_kkt({name}): the model is not fitted; call fit first")
    alpha = getattr(model, "alpha_", None)
    return (
        model.coef_,
        float(model.alpha if alpha is None else alpha),
        float(getattr(model, "l1_ratio_", getattr(model, "l1_ratio", 1.0))),
        model.intercept_ if model.fit_intercept else None,
        bool(getattr(model, "positive", False)),
        getattr(model, "penalty_factor", None),
    )


def _residuals(
    problem: Penalised, alpha: float, l1_ratio: float, positive: bool, coef: np.ndarray, intercept: Any, targets
) -> LassoKKT:
    penalty = problem.penalty(alpha, l1_ratio, positive)
    coefs = np.atleast_2d(coef)
    offset = np.broadcast_to(0.0 if intercept is None else np.asarray(intercept, dtype=float), len(coefs))
    offset = offset + coefs @ problem.centre
    error = problem.weight[:, None] * (targets - np.asarray(problem.X @ coefs.T) - offset)
    pull = np.asarray(problem.X.T @ error).T + np.outer(error.sum(axis=0), problem.centre)
    residual = np.abs(pull)  # of the free columns
    for k, row in enumerate(coefs):
        residual[k, problem.penalised] = subdistance(
            penalty, row[problem.penalised], -pull[k, problem.penalised], EVERY
        )
    residual[:, problem.excluded] = np.where(coefs[:, problem.excluded] == 0.0, 0.0, np.inf)
    level = alpha * l1_ratio * problem.factor if alpha * l1_ratio > 0.0 else np.zeros(len(problem.factor))
    mean_error = np.zeros(len(coefs)) if intercept is None else np.abs(error.sum(axis=0))
    if coef.ndim == 1:
        return LassoKKT(pull[0], level, residual[0], float(mean_error[0]))
    return LassoKKT(pull, level, residual, mean_error)

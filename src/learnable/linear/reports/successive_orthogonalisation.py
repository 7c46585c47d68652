"""Regression by successive orthogonalisation: Gram-Schmidt on the columns, in the order given."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from sklearn.utils.validation import _check_sample_weight, check_array, check_X_y

from learnable.base import refuse_unreadable
from learnable.plain import plain
from learnable.rows import one_blas_thread
from learnable.theory.algebra.well_posedness import column_names


class SuccessiveOrthogonalisation(NamedTuple):
    """X = ZΓ with orthogonal columns z_j and unit upper triangular Γ.

    Attributes
    ----------
    names : of the columns, "intercept" first where there is one.
    Z : (n, p), z_j = x_j less its projections on z_1 … z_{j−1}; exactly zero where nothing but rounding is left.
    Gamma : (p, p), γ_{lj} = ⟨z_l, x_j⟩/⟨z_l, z_l⟩.
    length : (p,) ‖x_j‖.
    left : (p,) ‖z_j‖/‖x_j‖, the share of a column that the earlier ones do not explain.
    coef_last : (p,) ⟨y, z_j⟩/⟨z_j, z_j⟩, the coefficient of x_j in the regression on x_1 … x_j; None without y.
    coef : (p,) the coefficients of the regression on all columns; None without y.
    variance_factor : (p,) Var β̂_j/σ² = 1/‖z_j‖² with column j put last; infinite where it is not identified.
    vif : (p,) ‖x_j‖² (centred where there is an intercept) times the variance factor; NaN for the intercept.
    """

    names: tuple[str, ...]
    Z: np.ndarray
    Gamma: np.ndarray
    length: np.ndarray
    left: np.ndarray
    coef_last: np.ndarray | None
    coef: np.ndarray | None
    variance_factor: np.ndarray
    vif: np.ndarray

    @property
    def Q(self) -> np.ndarray:
        """Z D⁻¹ with D = diag ‖z_j‖: orthonormal columns."""
        return self.Z / self._d

    @property
    def R(self) -> np.ndarray:
        """D Γ: upper triangular, X = QR."""
        return self._d[:, None] * self.Gamma

    @property
    def _d(self) -> np.ndarray:
        d = np.linalg.norm(self.Z, axis=0)
        return np.where(d > 0.0, d, 1.0)

    def report(self) -> list[dict[str, Any]]:
        """Collinearity, one dictionary a column: what is left of it, its VIF, and its strongest predictor before it."""
        d = np.linalg.norm(self.Z, axis=0)
        rows = []
        for j, name in enumerate(self.names):
            # ‖x_j‖² = Σ_l γ_lj² ‖z_l‖²: the shares explained by each earlier direction.
            shares = (self.Gamma[:j, j] * d[:j]) ** 2
            first = 1 if self.names[0] == "intercept" else 0
            strongest = self.names[first + int(shares[first:].argmax())] if shares[first:].any() else None
            rows.append(
                {
                    "column": name,
                    "left": float(self.left[j]),
                    "vif": float(self.vif[j]),
                    "variance_factor": float(self.variance_factor[j]),
                    "most_like": strongest,
                }
            )
        return rows


def successive_orthogonalisation(
    X, y=None, *, fit_intercept: bool = True, sample_weight=None, order: Sequence[int] | None = None
) -> SuccessiveOrthogonalisation:
    """Regress each column on those before it, and y on what is left of them.

    z_j = x_j − Σ_{l<j} γ_{lj} z_l, β̂_p = ⟨y, z_p⟩/⟨z_p, z_p⟩, Var β̂_p = σ²/‖z_p‖². Each column is orthogonalised twice,
    which keeps the z orthogonal to rounding however alike the columns are. When the columns of X are orthogonal
    already, z_j = x_j and every β̂_j = ⟨y, x_j⟩/⟨x_j, x_j⟩. Syllabus: R4, R5, R6.

    Parameters
    ----------
    X : array (n, p)
    y : array (n,), default=None
    fit_intercept : bool, default=True
        Whether a column of ones comes first.
    sample_weight : array (n,), default=None
        Inner products are Σ wᵢ uᵢ vᵢ; the rows of Z carry √wᵢ.
    order : the columns of X in the order to take them, default as they stand

    Returns
    -------
    SuccessiveOrthogonalisation

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([1.0, 3.0, 2.0, 4.0])
    >>> found = successive_orthogonalisation(X, y)
    >>> found.Z[:, 1]
    array([-1.5, -0.5,  0.5,  1.5])
    >>> found.coef_last.round(6), found.coef.round(6)
    (array([2.5, 0.8]), array([0.5, 0.8]))
    """
    A, target, names = _columns(X, y, fit_intercept, sample_weight, order)
    with one_blas_thread():
        return _orthogonalised(A, target, names, fit_intercept)


def _orthogonalised(A: np.ndarray, target, names: tuple[str, ...], fit_intercept: bool) -> SuccessiveOrthogonalisation:
    n, p = A.shape
    length = np.linalg.norm(A, axis=0)
    Z, Gamma, left = np.zeros((n, p)), np.eye(p), np.zeros(p)
    square = np.zeros(p)
    for j in range(p):
        z, basis = A[:, j].copy(), np.flatnonzero(square)
        for _ in range(2):
            along = (Z[:, basis].T @ z) / square[basis]
            z -= Z[:, basis] @ along
            Gamma[basis, j] += along
        remaining = np.linalg.norm(z)
        # Below this a column is a combination of the earlier ones: what is left is their rounding.
        if remaining > max(n, p) * np.finfo(float).eps * length[j]:
            Z[:, j], square[j] = z, remaining**2
            left[j] = remaining / length[j]
    variance_factor = _variance_factors(Z, Gamma, square)
    spread = np.linalg.norm(A - np.outer(A[:, 0], Gamma[0]), axis=0) if fit_intercept else length
    with np.errstate(invalid="ignore"):
        vif = np.where(np.isinf(variance_factor), np.inf, spread**2 * variance_factor)
    if fit_intercept:
        vif[0] = np.nan
    coef_last = coef = None
    if target is not None:
        coef_last = np.divide(Z.T @ target, square, out=np.full(p, np.nan), where=square > 0.0)
        # y less its projections, column by column, so that later coefficients see no rounding of earlier ones.
        residual, score = target.copy(), np.zeros(p)
        for j in np.flatnonzero(square).tolist():
            score[j] = Z[:, j] @ residual / square[j]
            residual -= score[j] * Z[:, j]
        coef = linalg.solve_triangular(Gamma, score, unit_diagonal=True) if square.all() else np.full(p, np.nan)
    return SuccessiveOrthogonalisation(names, Z, Gamma, length, left, coef_last, coef, variance_factor, vif)


def _variance_factors(Z: np.ndarray, Gamma: np.ndarray, square: np.ndarray) -> np.ndarray:
    """1/‖z_j‖² for each column put last: the squared lengths of the rows of R⁻¹, by (XᵀX)⁻¹ = R⁻¹R⁻ᵀ.

    With columns that are combinations of others, those moved by a null direction are not identified.
    """
    p, kept = len(square), np.flatnonzero(square)
    dropped = np.flatnonzero(square == 0.0)
    R = np.sqrt(square[kept])[:, None] * Gamma[np.ix_(kept, kept)]
    inverse = linalg.solve_triangular(R, np.eye(len(kept))) if len(kept) else np.zeros((0, 0))
    factors = np.full(p, np.inf)
    factors[kept] = np.sum(inverse**2, axis=1)
    if len(dropped):
        combination = linalg.solve_triangular(
            Gamma[np.ix_(kept, kept)], Gamma[np.ix_(kept, dropped)], unit_diagonal=True
        )
        lengths = np.sqrt(square[kept])[:, None]
        moved = np.abs(combination) * lengths > 1e-8 * np.abs(combination * lengths).max(initial=0.0)
        factors[kept[moved.any(axis=1)]] = np.inf
    return factors


def _columns(X, y, fit_intercept: bool, sample_weight, order):
    """(the weighted columns, the weighted target or None, the names), validated."""
    names = column_names(X)
    refuse_unreadable(X)
    if y is None:
        X = check_array(X, dtype=np.float64)
    else:
        X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True)
        y = y.astype(float)
    if order is not None:
        if sorted(order) != list(range(X.shape[1])):
            raise ValueError(
                f"successive_orthogonalisation(order={plain(list(order))}): order must name each of the {X.shape[1]} "
                "columns of X once, by position"
            )
        X, names = X[:, list(order)], [names[j] for j in order]
    if fit_intercept:
        X, names = np.column_stack([np.ones(len(X)), X]), ["intercept", *names]
    if sample_weight is not None:
        root = np.sqrt(_check_sample_weight(sample_weight, X, ensure_non_negative=True))
        X, y = X * root[:, None], None if y is None else y * root
    return X, y, tuple(names)

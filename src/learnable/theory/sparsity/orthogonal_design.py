"""Best subset, ridge and lasso on an orthogonal design: three rules, each applied to the least squares coefficients."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_X_y

from learnable.base import refuse_unreadable
from learnable.problems.sparse.penalties import EVERY, L1, L2, prox

# XᵀX counts as c·I when no entry is off by more than this share of c.
ORTHOGONAL = 1e-10


class Rule(NamedTuple):
    """What one penalty makes of the least squares coefficients of an orthogonal design.

    Attributes
    ----------
    method : "best subset", "ridge" or "lasso".
    objective : what is minimised; c is the common squared length of the columns.
    formula : the rule, z being the least squares coefficient.
    coef : array (p,), the minimiser.
    value : float, the objective there.
    estimator, parameter, setting : the estimator without intercept that minimises the same, its parameter and the value
        of it: `Lasso(alpha=…)`, `Ridge(alpha=…)`, `BestSubset(k=…)`.
    """

    method: str
    objective: str
    formula: str
    coef: np.ndarray
    value: float
    estimator: str
    parameter: str
    setting: float


class OrthogonalDesign(NamedTuple):
    """The three rules side by side.

    Attributes
    ----------
    level : λ.
    scale : c, with XᵀX = c·I.
    least_squares : array (p,), z = Xᵀy / c.
    best_subset, ridge, lasso : `Rule`
    """

    level: float
    scale: float
    least_squares: np.ndarray
    best_subset: Rule
    ridge: Rule
    lasso: Rule

    def __str__(self) -> str:
        lines = [f"orthogonal design, XᵀX = {self.scale:g} I, λ = {self.level:g}"]
        for rule in (self.best_subset, self.ridge, self.lasso):
            same = f"{rule.estimator}({rule.parameter}={rule.setting:g}, fit_intercept=False)"
            lines.append(f"  {rule.method:<11}  {rule.formula:<19}  minimises {rule.objective}; as {same}")
        return "\n".join(lines)


def hard_threshold(z: Any, level: float) -> np.ndarray:
    """z where |z| > λ, else 0: the minimiser of ½(β − z)² + ½λ² [β ≠ 0]; at |z| = λ both are, and 0 is taken.

    >>> hard_threshold([3.0, -1.0, 0.5], 1.0)
    array([3., 0., 0.])
    """
    z = np.asarray(z, dtype=float)
    return np.where(np.abs(z) > level, z, 0.0)


def orthogonal_design(X: Any, y: Any, level: float) -> OrthogonalDesign:
    """Solve best subset, ridge and lasso in closed form where XᵀX = c·I.

    With z = Xᵀy/c, the mean-square part ‖y − Xβ‖²/(2c) is ½‖β − z‖² up to a constant, so that every coefficient is
    treated alone. The same λ enters three scalings, and only these give the three rules at one λ:

    - best subset, + ½λ²‖β‖₀: z where |z| > λ, else 0 (hard threshold);
    - ridge, + ½λ‖β‖²: z / (1 + λ);
    - lasso, + λ‖β‖₁: sgn(z)(|z| − λ)₊ (soft threshold).

    There is no intercept: centre X and y first if there should be one. Syllabus: L5.

    Parameters
    ----------
    X : array (n, p) with XᵀX = c·I
    y : array (n,)
    level : float
        λ ≥ 0.

    Returns
    -------
    OrthogonalDesign

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.theory import orthogonal_design
    >>> table = orthogonal_design(np.eye(3), [3.0, -1.5, 0.5], level=1.0)
    >>> table.best_subset.coef, table.ridge.coef, table.lasso.coef
    (array([ 3. , -1.5,  0. ]), array([ 1.5 , -0.75,  0.25]), array([ 2. , -0.5,  0. ]))
    >>> print(table)
    orthogonal design, XᵀX = 1 I, λ = 1
      best subset  z if |z| > λ else 0  minimises ‖y − Xβ‖²/(2c) + ½λ²‖β‖₀; as BestSubset(k=2, fit_intercept=False)
      ridge        z / (1 + λ)          minimises ‖y − Xβ‖²/(2c) + ½λ‖β‖²; as Ridge(alpha=1, fit_intercept=False)
      lasso        sgn(z)(|z| − λ)₊     minimises ‖y − Xβ‖²/(2c) + λ‖β‖₁; as Lasso(alpha=0.333333, fit_intercept=False)
    """
    refuse_unreadable(X)
    X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True)
    if not (np.isfinite(level) and level >= 0.0):
        raise ValueError(f"orthogonal_design(level={level}): level must be a finite number >= 0")
    n, level = len(y), float(level)
    c = _common_square(X)
    z = X.T @ y / c

    def rule(method, objective, formula, coef, penalty, estimator, parameter, setting) -> Rule:
        return Rule(
            method, f"‖y − Xβ‖²/(2c) + {objective}", formula, coef,
            float(np.sum((y - X @ coef) ** 2) / (2.0 * c) + penalty), estimator, parameter, setting,
        )  # fmt: skip

    kept = hard_threshold(z, level)
    shrunk, soft = prox(L2(level), z, 1.0, EVERY), prox(L1(level), z, 1.0, EVERY)
    size = int(np.count_nonzero(kept))
    return OrthogonalDesign(
        level, c, z,
        rule("best subset", "½λ²‖β‖₀", "z if |z| > λ else 0", kept, 0.5 * level**2 * size, "BestSubset", "k", size),
        # scikit-learn's ridge is a sum of squares, its lasso a mean of halves.
        rule("ridge", "½λ‖β‖²", "z / (1 + λ)", shrunk, 0.5 * level * shrunk @ shrunk, "Ridge", "alpha", level * c),
        rule("lasso", "λ‖β‖₁", "sgn(z)(|z| − λ)₊", soft, level * np.abs(soft).sum(), "Lasso", "alpha", level * c / n),
    )  # fmt: skip


def _common_square(X: np.ndarray) -> float:
    """c with XᵀX = c·I, or an error that names the first pair of columns in the way."""
    gram = X.T @ X
    c = float(np.mean(np.diag(gram)))
    off = np.abs(gram - c * np.eye(len(gram)))
    i, j = (int(k) for k in np.unravel_index(np.argmax(off), off.shape))
    if not off[i, j] <= ORTHOGONAL * c or c == 0.0:
        what = f"column {i} has squared length {gram[i, i]:g}, the mean is {c:g}" if i == j else (
            f"columns {i} and {j} have the inner product {gram[i, j]:g}"
        )  # fmt: skip
        raise ValueError(f"orthogonal_design: XᵀX is not c·I: {what}; take Q of a QR decomposition, for instance")
    return c

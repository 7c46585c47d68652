"""Are the classes separated by a hyperplane? A proof either way. Syllabus: P2, C8.

With labels ±1 and z = y(x, 1), exactly one of these holds (Stiemke):
some direction d has zᵢ·d ≥ 0 for every row and > 0 for at least one; or some weights λ > 0 have Σ λᵢzᵢ = 0.
A direction with > 0 for every row separates the classes; weights λ ≥ 0, not all zero, with Σ λᵢzᵢ = 0 refute that:
divided by their sum over either class they are the weights of a point common to both convex hulls. A maximum
likelihood estimate of logistic regression exists exactly when the weights can all be positive.
With K classes there is one z for each row and each other class k: (e_y − e_k) ⊗ (x, 1).
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

Kind = Literal["separated", "quasi-separated", "overlapping"]
# (some row can be put strictly on its side, every row can) -> what that is called.
_KINDS: dict[tuple[bool, bool], Kind] = {
    (True, True): "separated",
    (True, False): "quasi-separated",
    (False, False): "overlapping",
}
# Rounding allowed in a sum that must be zero, against the sum of the magnitudes added.
ROUNDING = 1e-9
# Means this much larger than what varies about them are taken off before anything is solved.
FAR = 10.0
# Entries of the constraint matrix beyond which the linear program is not attempted.
LARGEST_PROGRAM = 20_000_000
# Columns in units far apart may stop the presolver or the simplex method, whose steps finer tolerances change; the
# interior point method may circle for ever where nothing else succeeds.
ATTEMPTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("highs", {}),
    ("highs-ds", {"presolve": False}),
    ("highs-ds", {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}),
    ("highs-ipm", {"maxiter": 1000}),
)


class Separability(NamedTuple):
    """What was found, with its proof.

    Attributes
    ----------
    kind : "separated" (every row strictly on its side), "quasi-separated" (none on the wrong side, some on the
        boundary) or "overlapping".
    classes : array (K,).
    theta : array (p,), or (K, p) for K ≥ 3 classes; None when the classes overlap.
    theta0 : float, or array (K,).
    margin : least distance of a row to the boundary, for two separated classes; else 0.
    weights : array (n,), or (n, K) for K ≥ 3: λ ≥ 0 that refute separation; None when separated. All positive when
        the classes overlap.
    fit_intercept : whether the hyperplane may miss the origin; the proof is about that question.
    """

    kind: Kind
    classes: np.ndarray
    theta: np.ndarray | None
    theta0: Any
    margin: float
    weights: np.ndarray | None
    fit_intercept: bool = True

    @property
    def separated(self) -> bool:
        """Whether a hyperplane has every row strictly on its side."""
        return self.kind == "separated"

    @property
    def likelihood_has_maximum(self) -> bool:
        """Whether unpenalised logistic regression has a finite solution on these rows."""
        return self.kind == "overlapping"

    def holds_for(self, X: Any, y: Any, fit_intercept: bool | None = None) -> bool:
        """Whether the proof stands on these data, computed with NumPy alone.

        Parameters
        ----------
        X, y : the rows and their classes.
        fit_intercept : whether hyperplanes may miss the origin; by default as they might when the proof was found.
        """
        fit_intercept = self.fit_intercept if fit_intercept is None else fit_intercept
        X, origin = about_means(X, fit_intercept)
        Z, scale = differences(X, np.searchsorted(self.classes, y), len(self.classes), fit_intercept)
        if self.weights is not None and not refutes(Z, self._flat_weights(y), strictly=self.kind == "overlapping"):
            return False
        if self.theta is None:
            return self.kind == "overlapping"
        ahead = Z @ (self._flat_direction(fit_intercept, origin) * scale)
        rounding = ROUNDING * float(np.abs(ahead).max(initial=0.0))
        return bool(ahead.min() > 0.0) if self.separated else bool(ahead.min() >= -rounding and ahead.max() > rounding)

    def _flat_weights(self, y: Any) -> np.ndarray:
        weights = np.asarray(self.weights)
        if weights.ndim == 1:
            return weights
        return weights[others(np.searchsorted(self.classes, y), len(self.classes))]

    def _flat_direction(self, fit_intercept: bool, origin: np.ndarray) -> np.ndarray:
        theta = np.atleast_2d(np.asarray(self.theta))
        offset = np.atleast_1d(self.theta0) + theta @ origin
        return (np.column_stack([theta, offset]) if fit_intercept else theta).ravel()


def separability(X: Any, y: Any, *, fit_intercept: bool = True) -> Separability:
    """Decide whether classes are separated, weakly separated or overlapping, with a proof that can be checked.

    Solves max Σ sᵢ over directions d with zᵢ·d ≥ sᵢ, 0 ≤ s ≤ 1. The solution has sᵢ = 1 on the rows that some
    direction can put strictly on their side and 0 on the others; its dual has the refuting weights.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    y : array (n,) of class labels
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin.

    Returns
    -------
    Separability

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> found = separability(X, [0, 0, 1, 1])
    >>> found.kind, found.holds_for(X, [0, 0, 1, 1])
    ('separated', True)
    >>> found = separability(X, [0, 1, 0, 1])
    >>> found.kind, bool(found.weights.min() > 0)
    ('overlapping', True)
    """
    if not sparse.issparse(X):
        X = np.asarray(X, dtype=float)
    y = np.asarray(y)
    classes, index = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"separability: y holds only one class, {classes.tolist()}; at least 2 are needed")
    if len(index) != X.shape[0]:
        raise ValueError(f"separability: X has {X.shape[0]} rows but y has {len(index)}")
    return decide(X, index, classes, fit_intercept)


def decide(X: Any, index: np.ndarray, classes: np.ndarray, fit_intercept: bool) -> Separability:
    """`separability` of rows whose classes are given as indices; a class may have no row."""
    K, given = len(classes), X
    X, origin = about_means(X, fit_intercept)
    Z, scale = differences(X, index, K, fit_intercept)
    direction, reached, weights = _program(Z)
    ahead = reached > 0.5
    theta: Any = None
    theta0, margin, refuting = None, 0.0, None
    if not ahead.all():
        refuting = np.zeros(len(weights))
        refuting[~ahead] = _cleaned(Z[~ahead], weights[~ahead])
        refuting = shaped_weights(refuting, index, K)
        direction = _flattened(Z, direction, ~ahead)
    if ahead.any():
        theta, theta0 = _parts(direction / scale, K, fit_intercept)
    if ahead.all() and K == 2:
        margin = float(np.min((2 * index - 1) * (np.asarray(X @ theta) + theta0)) / np.linalg.norm(theta))
    if theta is not None and fit_intercept:
        theta0 = theta0 - theta @ origin
    kind = _KINDS[bool(ahead.any()), bool(ahead.all())]
    found = Separability(kind, classes, theta, theta0, margin, refuting, fit_intercept)
    if not found.holds_for(given, classes[index]):
        raise ArithmeticError(
            "separability: the proof that the linear program found does not survive rounding; rescale the columns of X"
        )
    return found


def about_means(X: Any, fit_intercept: bool) -> tuple[Any, np.ndarray]:
    """(X about its means, those means) where a free intercept allows it and columns are far from zero."""
    if sparse.issparse(X) or not fit_intercept:
        return X, np.zeros(X.shape[1])
    X = np.asarray(X, dtype=float)
    mean = X.mean(axis=0) if len(X) else np.zeros(X.shape[1])
    far = np.abs(mean) > FAR * np.abs(X - mean).max(axis=0, initial=0.0)
    origin = np.where(far, mean, 0.0)
    return (X - origin, origin) if far.any() else (X, origin)


def differences(X: Any, index: np.ndarray, n_classes: int, fit_intercept: bool) -> tuple[Any, np.ndarray]:
    """(rows z in columns divided by their largest magnitude, those magnitudes)."""
    n = X.shape[0]
    if sparse.issparse(X):
        A = sparse.hstack([X, np.ones((n, 1))], format="csr") if fit_intercept else sparse.csr_array(X, dtype=float)
        magnitude = abs(A).max(axis=0).toarray().ravel()
    else:
        X = np.asarray(X, dtype=float)
        A = np.column_stack([X, np.ones(n)]) if fit_intercept else X
        magnitude = np.abs(A).max(axis=0, initial=0.0)
    magnitude = np.where(magnitude > 0.0, magnitude, 1.0)
    A = sparse.csr_array(A) @ sparse.diags_array(1.0 / magnitude)
    if n_classes == 2:
        return sparse.csr_array(sparse.diags_array(2.0 * index - 1.0) @ A), magnitude
    if A.nnz * 2 * (n_classes - 1) > LARGEST_PROGRAM:
        raise MemoryError(f"separability: {A.nnz} entries and {n_classes} classes make too large a linear program")
    row, other = others(index, n_classes)
    own = [A[row].multiply((index[row] == k)[:, None]) for k in range(n_classes)]
    rest = [A[row].multiply((other == k)[:, None]) for k in range(n_classes)]
    return sparse.csr_array(sparse.hstack([a - b for a, b in zip(own, rest)])), np.tile(magnitude, n_classes)


def refutes(Z: Any, weights: np.ndarray, strictly: bool) -> bool:
    """Whether weights ≥ 0, not all zero (all positive if `strictly`), make the rows of Z add up to zero."""
    sign = weights.min(initial=np.inf) > 0.0 if strictly else weights.min(initial=0.0) >= 0.0 and weights.any()
    return bool(sign and np.all(np.abs(weights @ Z) <= ROUNDING * (weights @ abs(Z))))


def _program(Z: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(direction, s, dual weights) of max Σ s, Z d ≥ s, 0 ≤ s ≤ 1."""
    from scipy.optimize import linprog

    m, d = Z.shape
    if Z.nnz > LARGEST_PROGRAM:
        raise MemoryError(f"separability: {Z.nnz} entries make too large a linear program; try a sample of the rows")
    cost = np.concatenate([np.zeros(d), -np.ones(m)])
    bounds = np.concatenate([np.tile([-np.inf, np.inf], (d, 1)), np.tile([0.0, 1.0], (m, 1))])
    rows = sparse.hstack([-Z, sparse.eye_array(m)], format="csr")
    for method, options in ATTEMPTS:
        solved = linprog(cost, rows, np.zeros(m), bounds=bounds, method=method, options=options)
        if solved.x is not None:
            break
    else:
        raise ArithmeticError(f"separability: the linear program was not solved: {solved.message}")
    return solved.x[:d], solved.x[d:], np.maximum(-solved.ineqlin.marginals, 0.0)


def _cleaned(Z: Any, weights: np.ndarray) -> np.ndarray:
    """The weights nearest to `weights` whose sum of rows vanishes to rounding: their part along the columns removed."""
    columns = Z.toarray()
    for _ in range(2):
        weights = weights - columns @ np.linalg.lstsq(columns, weights, rcond=None)[0]
    return weights


def _flattened(Z: Any, direction: np.ndarray, boundary: np.ndarray) -> np.ndarray:
    """The direction nearest to `direction` for which the boundary rows are zero to rounding."""
    rows = Z[boundary].toarray()
    for _ in range(2):
        direction = direction - np.linalg.lstsq(rows, rows @ direction, rcond=None)[0]
    return direction


def _parts(direction: np.ndarray, n_classes: int, fit_intercept: bool) -> tuple[np.ndarray, Any]:
    """(θ, θ0) of a direction: (p,) and a number for two classes, (K, p) and (K,) for more."""
    table = direction.reshape(1 if n_classes == 2 else n_classes, -1)
    theta, theta0 = (table[:, :-1], table[:, -1]) if fit_intercept else (table, np.zeros(len(table)))
    return (theta[0], float(theta0[0])) if n_classes == 2 else (theta, theta0)


def others(index: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """(row, class) for every class that is not the row's own."""
    row, other = np.nonzero(index[:, None] != np.arange(n_classes))
    return row, other


def shaped_weights(weights: np.ndarray, index: np.ndarray, n_classes: int) -> np.ndarray:
    """(n,) for two classes; (n, K) for more, zero at the row's own class."""
    if n_classes == 2:
        return weights
    full = np.zeros((len(index), n_classes))
    full[others(index, n_classes)] = weights
    return full

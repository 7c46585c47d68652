"""Novikoff's bound on the mistakes of the perceptron, step by step, with a separator of one's own as the witness."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, check_is_fitted


class MistakeBound(NamedTuple):
    """The two inequalities of the proof, for every update, and what they give together.

    With rows of length at most R and y θ*·x ≥ γ on all of them, after k updates of length one:
    θ*·θ_k ≥ kγ, ‖θ_k‖² ≤ kR², hence cos(θ*, θ_k) ≥ √k γ/(R‖θ*‖) and k ≤ (R‖θ*‖/γ)².

    Attributes
    ----------
    witness : θ*, with its offset last where the perceptron has one.
    margin : γ, the smallest y θ*·x. radius : R, the length of the longest row (with its 1 where there is an offset).
    mistakes : k. bound : (R‖θ*‖/γ)².
    products : (k,) θ*·θ_j. squared_norms : (k,) ‖θ_j‖². cosines : (k,) of the angle of θ* and θ_j.
    """

    witness: np.ndarray
    margin: float
    radius: float
    mistakes: int
    bound: float
    products: np.ndarray
    squared_norms: np.ndarray
    cosines: np.ndarray

    @property
    def holds(self) -> bool:
        """Whether every inequality holds, as the theorem says it must; rounding aside."""
        k = np.arange(1, self.mistakes + 1)
        slack = 1e-9
        length = float(np.linalg.norm(self.witness))
        return bool(
            np.all(self.products >= k * self.margin * (1.0 - slack))
            and np.all(self.squared_norms <= k * self.radius**2 * (1.0 + slack))
            and np.all(self.cosines >= np.sqrt(k) * self.margin / (self.radius * length) - slack)
            and self.mistakes <= self.bound * (1.0 + slack)
        )


def mistake_bound(model: Any, X: Any, y: Any, witness: Any = None) -> MistakeBound:
    """Novikoff's theorem on the run of a fitted perceptron. Syllabus: P8.

    Parameters
    ----------
    model : fitted `Perceptron` or `RandomMisclassifiedPerceptron` of two classes, without weights of rows or classes.
    X, y : the data it was fitted on.
    witness : array (p,), or (p + 1,) with the offset last, default=None
        θ*, any separator of the rows; by default the one the perceptron found. The best is that of the largest
        margin, as of `HardMarginSVC`.

    Returns
    -------
    MistakeBound

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import Perceptron, mistake_bound
    >>> X, y = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -1.0], [-2.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> found = mistake_bound(Perceptron(shuffle=False).fit(X, y), X, y, witness=[1.0, 0.5, 0.0])
    >>> found.mistakes, round(found.bound, 2), found.products, found.holds
    (1, 3.33, array([2.5]), True)
    """
    check_is_fitted(model)
    name = f"mistake_bound({type(model).__name__})"
    if not hasattr(model, "mistake_log_") or getattr(model, "penalty", None) is not None:
        raise ValueError(f"{name}: the fit keeps no log of its mistakes; fit a Perceptron from zero, without a penalty")
    if len(model.classes_) > 2 or getattr(model, "class_weight", None) is not None:
        raise ValueError(f"{name}: two classes without class weights are needed")
    log = np.asarray(model.mistake_log_[0] if isinstance(model.mistake_log_, list) else model.mistake_log_)
    X = check_array(X, accept_sparse="csr", dtype=np.float64)
    sign = np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0)
    if model.fit_intercept:
        one = np.ones((X.shape[0], 1))
        X = sparse.hstack([X, one], format="csr") if sparse.issparse(X) else np.column_stack([X, one])
    theta = _witness(model, witness, X.shape[1], name)
    margins = sign * np.asarray(X @ theta).ravel()
    margin = float(margins.min())
    if not margin > 0.0:
        raise ValueError(
            f"{name}: the witness does not separate the rows (row {int(margins.argmin())} has y θ*·x = {margin:.3g}); "
            "the theorem is about separated classes: see separability"
        )
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
    radius, length = float(np.sqrt(squares.max())), float(np.linalg.norm(theta))
    products = np.cumsum(margins[log])
    norms = _squared_norms(X, sign, log)
    cosines = products / (length * np.sqrt(norms))
    return MistakeBound(theta, margin, radius, len(log), (radius * length / margin) ** 2, products, norms, cosines)


def _witness(model: Any, witness: Any, width: int, name: str) -> np.ndarray:
    if witness is None:
        coef = model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_
        return np.append(coef[0], model.intercept_)[:width].astype(float)
    theta = np.array(witness, dtype=float).ravel()
    if model.fit_intercept and len(theta) == width - 1:
        theta = np.append(theta, 0.0)
    if len(theta) != width or not np.all(np.isfinite(theta)) or not theta.any():
        raise ValueError(f"{name}: the witness needs {width} finite numbers, not all zero; found {witness!r}")
    return theta


def _squared_norms(X: Any, sign: np.ndarray, log: np.ndarray, chunk: int = 1024) -> np.ndarray:
    """‖θ_k‖² after each logged update of length one."""
    theta, found = np.zeros(X.shape[1]), []
    for start in range(0, len(log), chunk):
        rows = X[log[start : start + chunk]]
        rows = rows.toarray() if sparse.issparse(rows) else rows
        points = theta + np.cumsum(sign[log[start : start + chunk], None] * rows, axis=0)
        found.append(np.einsum("ij,ij->i", points, points))
        theta = points[-1]
    return np.concatenate(found) if found else np.zeros(0)

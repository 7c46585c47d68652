"""What changes in a support vector machine as C grows. Syllabus: S16."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from learnable.problems.kernels.kernel import Kernel
from learnable.problems.kernels.named import as_kernel, width
from learnable.solvers.kernels import c_path


class CPath(NamedTuple):
    """The solution at every knot; between knots coefficients, offset and scores are linear in C.

    Attributes
    ----------
    C : (m,) knots.
    beta : (m, n) yα.
    offset : (m,).
    margin : (m,) half the width, 1/‖w‖.
    n_support : (m,) support vectors.
    train_error : (m,) share of training rows on the wrong side.
    relative_gap : (m,) of the machine at each knot.
    """

    C: np.ndarray
    beta: np.ndarray
    offset: np.ndarray
    margin: np.ndarray
    n_support: np.ndarray
    train_error: np.ndarray
    relative_gap: np.ndarray

    def at(self, C: float) -> tuple[np.ndarray, float]:
        """(β, b) at any C between the ends."""
        if not self.C[0] <= C <= self.C[-1]:
            raise ValueError(f"CPath.at({C}): the path runs from {self.C[0]:g} to {self.C[-1]:g}")
        beta = np.array([np.interp(C, self.C, column) for column in self.beta.T])
        return beta, float(np.interp(C, self.C, self.offset))

    def scores(self, K: ArrayLike) -> np.ndarray:
        """(m, q) scores at every knot of q points, from their kernel values with the training rows.

        Parameters
        ----------
        K : array (q, n)
        """
        return self.beta @ np.asarray(K, dtype=float).T + self.offset[:, None]


def svm_c_path(
    X: ArrayLike, y: ArrayLike, kernel: Any = "rbf", *, C_min: float = 1e-2, C_max: float = 1e2, gamma: Any = "scale",
    degree: float = 3, coef0: float = 0.0,
) -> CPath:  # fmt: skip
    """The exact piecewise linear path of `SVC` with two classes.

    Parameters
    ----------
    X : array or sparse matrix (n, p), or the table of kernel values
    y : array (n,) of two classes
    kernel, gamma, degree, coef0 : as in `SVC`
    C_min, C_max : the ends

    Returns
    -------
    CPath

    References
    ----------
    Hastie, Rosset, Tibshirani and Zhu (2004), "The entire regularization path for the support vector machine".

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((30, 2))
    >>> path = svm_c_path(X, X[:, 0] + 0.5 * X[:, 1] ** 2 > 0.2, C_min=0.1, C_max=10.0)
    >>> bool(np.all(np.diff(path.margin) <= 1e-9)), bool(path.relative_gap.max() < 1e-6)
    (True, True)
    """
    if not 0.0 < C_min < C_max:
        raise ValueError(f"svm_c_path(C_min={C_min}, C_max={C_max}): 0 < C_min < C_max is needed")
    X = check_array(X, accept_sparse="csr", dtype=float, input_name="X")
    classes, index = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) != 2:
        raise ValueError(f"svm_c_path: two classes are needed, y holds {len(classes)}")
    z = np.where(index == 1, 1.0, -1.0)
    found: Kernel = as_kernel(kernel, width(gamma, X, "svm_c_path"), degree, coef0)
    K = found(X)
    knots = list(c_path.iterates(K, z, float(C_min), float(C_max)))
    beta = np.array([knot.beta for knot in knots])
    norm = np.array([np.sqrt(max(float(b @ (K @ b)), 0.0)) for b in beta])
    return CPath(
        np.array([knot.C for knot in knots]), beta, np.array([knot.offset for knot in knots]),
        np.divide(1.0, norm, out=np.full(len(norm), np.inf), where=norm > 0.0),
        np.count_nonzero(beta, axis=1), np.array([float(np.mean(z * knot.scores <= 0.0)) for knot in knots]),
        np.array([knot.relative_gap for knot in knots]),
    )  # fmt: skip

"""xᵀAz. Syllabus: K3."""

from typing import Any

import numpy as np

from learnable.problems.kernels.basic import Linear
from learnable.problems.kernels.kernel import Kernel, products, squares
from learnable.problems.kernels.proof import Proof
from learnable.theory import semidefinite_test


class Bilinear(Kernel):
    """xᵀAz with A symmetric and positive semidefinite, which is checked when it is made.

    Parameters
    ----------
    A : array (p, p)

    Examples
    --------
    >>> Bilinear([[2.0, 0.0], [0.0, 1.0]])([[1.0, 1.0]])
    array([[3.]])
    >>> Bilinear([[0.0, 1.0], [1.0, 0.0]])
    Traceback (most recent call last):
    ValueError: Bilinear: A is not positive semidefinite: vᵀAv = -1 for v = [-0.707107, 0.707107]
    """

    def __init__(self, A: Any):
        self.A = np.array(A, dtype=float)
        if self.A.ndim != 2 or not np.array_equal(self.A, self.A.T):
            raise ValueError("Bilinear: A must be a symmetric matrix; (A + A.T) / 2 has the same xᵀAx")
        found = semidefinite_test(self.A)
        if found.witness is not None:
            v = np.asarray(found.witness)
            v = v / np.sqrt(v @ v) * (-1.0 if v[0] > 0.0 else 1.0)
            raise ValueError(
                f"Bilinear: A is not positive semidefinite: vᵀAv = {float(v @ self.A @ v):.3g} for "
                f"v = {np.round(v, 6).tolist()}"
            )
        self.root = np.asarray(found.factor)

    def __repr__(self) -> str:
        return f"Bilinear({self.A.tolist()})"

    def matrix(self, X, Z):
        return products(Linear().feature_map(X) @ self.A, Linear().feature_map(Z))

    def feature_map(self, X):
        return Linear().feature_map(X) @ self.root

    def diagonal(self, X):
        return squares(self.feature_map(X))

    def proof(self):
        return Proof("x^T A z", "an inner product of Bx and Bz with BᵀB = A; A was checked by its eigenvalues")

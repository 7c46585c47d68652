"""What a Newton step takes off, where cross-products cannot tell columns from one another. Syllabus: C5, C7, R1.

With the Hessian H = AᵀA and the gradient g = Aᵀs the decrement ½ gᵀH⁻¹g is ½ ‖QQᵀs‖², Q being an orthonormal basis of
the columns of A. Columns that all but repeat others have a direction of their own in a triangular factor of (A, s), and
none in AᵀA, whose condition is the square of that of A.
"""

import math

import numpy as np
from scipy import linalg

# The least eigenvalue of a Hessian of unit diagonal, relative to the largest, that leaves eight digits to the errors.
TRUSTED = 1e-8
# Operations of a triangular factor that nobody waits for.
AFFORDED = 1e10
# Of the loss of the best constant: an answer that is further from the minimum is not so by rounding.
MOST_LOST = 0.5
_EPS = float(np.finfo(float).eps)


def triangle_of(*parts: np.ndarray) -> np.ndarray:
    """The triangular factor of rows, or of other factors, one above the other.

    >>> np.abs(triangle_of(np.array([[3.0]]), np.array([[4.0]])))
    array([[5.]])
    """
    return np.asarray(np.linalg.qr(np.vstack(parts), mode="r"))


def factored_gain(factor: np.ndarray, n_rows: int) -> tuple[float, float]:
    """(½ ‖QQᵀs‖², what rounding may make of it) from the triangular factor of (A, s) and the number of its rows."""
    if not np.isfinite(factor).all():
        return np.inf, 0.0
    A, s = factor[:, :-1], factor[:, -1]
    length = linalg.norm(A, axis=0)
    U, d, _ = linalg.svd(A / np.where(length > 0.0, length, 1.0), full_matrices=False)
    kept = d > max(n_rows, len(d)) * _EPS * d.max(initial=0.0)
    along = U[:, kept].T @ s
    # Rounding turns the directions of near dependences, and with them some of what is left over.
    steps = 4.0 * (len(length) + math.sqrt(n_rows) + 10.0)
    turned = steps * _EPS * float(linalg.norm(s)) / float(np.min(d[kept], initial=1.0))
    return 0.5 * float(along @ along), 0.5 * turned**2

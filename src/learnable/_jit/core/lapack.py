"""LAPACK beside other threads: called through SciPy's Cython interface, it does without the interpreter's lock."""

import ctypes

import numpy as np

from learnable._jit.core.uncollected import uncollected

with uncollected():
    from numba.extending import get_cython_function_address

_INTEGER = ctypes.POINTER(ctypes.c_int)
# uplo, n, a, lda, info
_dpotrf = ctypes.CFUNCTYPE(None, ctypes.c_char_p, _INTEGER, ctypes.c_void_p, _INTEGER, _INTEGER)(
    get_cython_function_address("scipy.linalg.cython_lapack", "dpotrf")
)


def cholesky(square: np.ndarray, size: int) -> bool:
    """Replace the upper triangle of A, in the first rows and columns of `square`, by U with A = UᵀU.

    Returns whether A is positive definite; if not, the triangle is spoilt.

    >>> A = np.array([[4.0, 2.0], [0.0, 2.0]])
    >>> cholesky(A, 2), A
    (True, array([[2., 1.],
           [0., 1.]]))
    """
    if not (square.dtype == float and square.flags.c_contiguous and square.flags.writeable and size <= len(square)):
        raise ValueError(f"cholesky: needs {size} rows of a writeable C-ordered square of floats")
    n, stride, info = ctypes.c_int(size), ctypes.c_int(square.shape[1]), ctypes.c_int(0)
    # What is an upper triangle by rows is a lower one by columns.
    _dpotrf(b"L", n, square.__array_interface__["data"][0], stride, info)
    return info.value == 0

"""Tables of kernel values that no kernel has, or of other rows: refused, with a witness. Syllabus: K1."""

from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf

from learnable.rows.threads import one_blas_thread
from learnable.solvers.core.eigenpairs import some_eigenpairs

# A negative eigenvalue below this share of the trace is rounding, also of values in single precision.
ROUNDING = 1e-6
# The same of differences between the two values of a pair, as a share of the largest value.
SKEW = 1e-8
# Rows up to which a table is looked at: a factor takes n³/3 steps. Beyond them certificates name the assumption.
MOST_ROWS = 2000


class NotSemidefinite(ValueError):
    """A table of kernel values with a negative eigenvalue; `witness` holds c with cᵀKc < 0."""

    def __init__(self, message: str, witness: np.ndarray):
        super().__init__(message)
        self.witness = witness


def refuse_indefinite(name: str, K: np.ndarray, kernel: Any = "precomputed") -> None:
    """Refuse a table that is not symmetric; raise `NotSemidefinite` for a negative eigenvalue beyond rounding.

    `name` and `kernel` are told to the user.

    >>> try:
    ...     refuse_indefinite("SVC", np.array([[1.0, 2.0], [2.0, 1.0]]))
    ... except NotSemidefinite as error:
    ...     np.abs(error.witness).round(3)
    array([0.707, 0.707])
    """
    n, away, whose = len(K), np.abs(K - K.T), f"{name}(kernel={kernel!r})"
    if away.max(initial=0.0) > SKEW * np.abs(K).max(initial=0.0):
        i, j = np.unravel_index(np.argmax(away), away.shape)
        raise ValueError(
            f"{whose}: the table is not symmetric: k[{i}, {j}] = {K[i, j]:g} but "
            f"k[{j}, {i}] = {K[j, i]:g}; give (K + K.T) / 2 if only rounding parts them"
        )
    if n > MOST_ROWS or not n:
        return
    with one_blas_thread():
        shift = ROUNDING * float(np.abs(np.diagonal(K)).sum())
        if not dpotrf(K + shift * np.eye(n))[1]:
            return
        (least,), c = some_eigenpairs(K, 0, 0)
    if least < -shift:
        c = c[:, 0]
        largest = np.sort(np.argsort(-np.abs(c))[:3])
        shown = ", ".join(f"c[{i}] = {c[i]:.3g}" for i in largest if abs(c[i]) > 1e-3)
        raise NotSemidefinite(
            f"{whose}: the table is not positive semidefinite: it has the negative eigenvalue {least:.3g} = c'Kc of "
            f"the c in `witness`, with {shown}; add {-least:.3g} to the diagonal or take another kernel",
            c,
        )


def refuse_other_rows(name: str, X: Any, n: int) -> None:
    """Refuse a table to predict from that has not one column for each of the n training rows."""
    shape = np.shape(X)
    if len(shape) == 2 and shape[1] != n:
        raise ValueError(
            f"X has {shape[1]} features, but {name} is expecting {n} features as input: with kernel='precomputed', the "
            f"kernel values of each row with all {n} training rows, in their order"
        )

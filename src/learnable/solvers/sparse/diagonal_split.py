"""The largest diagonal D ≥ 0 with G − D positive semidefinite: maximise Σ D_j, a semidefinite program.

Newton's method on Σ D_j + μ (log det(G − D) + Σ log D_j), μ falling: with M = (G − D)⁻¹ the gradient is
1 − μ M_jj + μ/D_j and the Hessian −μ (M ∘ M + diag(1/D²)).
"""

import numpy as np
from scipy import linalg

from learnable.solvers.core.eigenpairs import one_eigenvalue

# How much larger than D the best diagonal may be in the end: Σ D is within 2pμ of its maximum.
ENOUGH = 1e-3
# So that rounding cannot make G − D indefinite.
MARGIN = 1e-9


def diagonal_split(gram: np.ndarray) -> np.ndarray | None:
    """D for a correlation matrix; None where its columns depend on each other and no positive D exists.

    >>> diagonal_split(np.eye(2)).round(3)
    array([1., 1.])
    >>> diagonal_split(np.ones((2, 2))) is None
    True
    """
    p = len(gram)
    smallest = one_eigenvalue(gram, 0)
    if smallest <= 1e-9:
        return None
    D, barrier = np.full(p, 0.5 * smallest), 1.0
    while 2.0 * barrier * p > ENOUGH * D.sum():
        inverse = linalg.inv(gram - np.diag(D))
        gradient = 1.0 - barrier * np.diag(inverse) + barrier / D
        step = linalg.solve(barrier * (inverse * inverse + np.diag(1.0 / D**2)), gradient, assume_a="pos")
        length = _feasible_length(gram, D, step)
        D = D + length * step
        if length * float(gradient @ step) < 1e-3 * D.sum():
            barrier *= 0.3
    return D * (1.0 - MARGIN)


def _feasible_length(gram: np.ndarray, D: np.ndarray, step: np.ndarray) -> float:
    """The longest of 1, ½, ¼, … that keeps D positive and G − D positive definite; 0 when none does."""
    length = 1.0
    while length > 1e-8:
        trial = D + length * step
        if trial.min() > 0.0 and linalg.lapack.dpotrf(gram - np.diag(trial))[1] == 0:
            return length
        length *= 0.5
    return 0.0

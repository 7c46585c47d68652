"""Newton steps for ½βᵀKβ + Σ Cᵢ ℓ(yᵢ, fᵢ), f = Kβ, with a smooth loss: any kernel, as many rows as K has room for.

At the minimum β = g(f) = −C ℓ′(f). With the bend W = C ℓ″(f), a step d leads to β + d = g − WKd: where the loss bends,

    d = S B⁻¹ (S⁻¹ r − S K₀ r₀),  r = g − β,  B = I + SKS,  S = √W,

and d = r on the other rows, whose r₀ and columns K₀ stand there. The eigenvalues of B are at least 1, whatever those of
K, and a step from what is left of β = g takes back the rounding of those before. One state a step:

1. r, and the duality gap ½‖Σ rᵢ Φ(xᵢ)‖² there;
2. the factor of B and the step;
3. the step, halved until the objective falls enough.

Syllabus: K11. Rasmussen and Williams (2006), section 3.4.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError, cholesky
from scipy.linalg import cho_solve

from learnable.problems.linear.losses import curvature, gradient, value
from learnable.rows.threads import interruptible

# Of the objective: a fall below it is rounding.
ROUNDING = 1e-14
# A step halved below this length goes nowhere.
SHORTEST = 1e-10


class KernelNewtonState(NamedTuple):
    """After a step.

    Attributes
    ----------
    objective : the primal value.
    violation : largest |g − β| over the largest |β|, or the same of the lengths of their functions.
    relative_gap : primal less dual value over the primal one.
    beta : (n,).
    """

    objective: float
    violation: float
    relative_gap: float
    beta: np.ndarray


def iterates(K: np.ndarray, y: np.ndarray, C: np.ndarray, loss: Any) -> Iterator[KernelNewtonState]:
    """States from β = 0; ends when no step lowers the objective."""
    beta, f, stalled = np.zeros(len(y)), np.zeros(len(y)), 0
    objective = float(C @ value(loss, y, f))
    while True:
        # 1. Where we stand.
        r = -C * gradient(loss, y, f) - beta
        gap = 0.5 * max(float(r @ (K @ r)), 0.0)
        violation = max(_share(np.abs(r).max(), np.abs(beta).max()), _share(2.0 * gap, float(beta @ f)) ** 0.5)
        yield KernelNewtonState(objective, violation, gap / objective if gap > 0.0 else 0.0, beta)
        # 2. The step.
        step = _step(K, r, C * curvature(loss, y, f))
        # 3. As far as the objective falls. Near the minimum its rounding hides what a whole step gains.
        along, length = K @ step, 1.0
        fall = -float(r @ along)
        while True:
            trial, scores = beta + length * step, f + length * along
            now = 0.5 * float(trial @ scores) + float(C @ value(loss, y, scores))
            if now <= objective + 1e-4 * length * fall + ROUNDING * abs(objective) or length < SHORTEST:
                break
            length *= 0.5
        # One step without a fall is allowed, since steps double the digits.
        stalled = stalled + 1 if now >= objective * (1.0 - ROUNDING) else 0
        if length < SHORTEST or stalled > 1:
            return
        beta, f, objective = trial, K @ trial, now


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0.0 else float(part > 0.0)


def _step(K: np.ndarray, r: np.ndarray, bend: np.ndarray) -> np.ndarray:
    """To the minimum of the parabola that touches the objective."""
    d, bent, flat = r.copy(), np.flatnonzero(bend), np.flatnonzero(bend == 0.0)
    if not len(bent):
        return d
    s = np.sqrt(bend[bent])
    B = K[np.ix_(bent, bent)] if len(flat) else K.copy()
    B *= s[:, None]
    B *= s
    B[np.diag_indices(len(bent))] += 1.0
    try:
        factor = interruptible(cholesky, B).T
    except LinAlgError:
        raise ValueError(
            "the matrix of kernel values has a negative eigenvalue: it is not positive semidefinite; "
            "learnable.kernels.verdict gives a witness"
        ) from None
    d[bent] = s * cho_solve((factor, False), r[bent] / s - s * (K[np.ix_(bent, flat)] @ r[flat]))
    return d

"""What every machine here minimises, and its dual, from scores alone. Syllabus: S3, S4, S7, K11.

    P(w, b) = ½‖w‖² + Σ Cᵢ ℓ(yᵢ, f(xᵢ)),  f = w·Φ + b,   D(β) = −Σ Cᵢ ℓ*(yᵢ, −βᵢ/Cᵢ) − ½ βᵀKβ

with w = Σ βᵢΦ(xᵢ), Σβ = 0 where b is free. The hinge has α = yβ between 0 and C.
"""

from typing import Any, NamedTuple

import numpy as np

from learnable.problems.linear.losses import conjugate, value


class MachineValues(NamedTuple):
    """Primal and dual value, and the size a gap is measured by."""

    primal: float
    dual: float

    @property
    def gap(self) -> float:
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        """(P − D) / max(|P|, |D|); 0 where both are 0."""
        size = max(abs(self.primal), abs(self.dual))
        return self.gap / size if size > 0.0 else 0.0


def values(loss: Any, y: np.ndarray, C: np.ndarray, beta: np.ndarray, product: np.ndarray, b: float) -> MachineValues:
    """P and D of w = Σ βᵢΦ(xᵢ) and the offset b.

    Parameters
    ----------
    C : (n,) weight of each row; rows with C = 0 must have β = 0.
    beta : (n,), within the domain of the conjugate.
    product : (n,) Kβ, the scores without offset.

    >>> from learnable.problems.linear.losses import Hinge
    >>> found = values(Hinge(), np.array([1.0, -1.0]), np.ones(2), np.array([0.5, -0.5]), np.array([1.0, -1.0]), 0.0)
    >>> found.primal, found.dual
    (0.5, 0.5)
    """
    counts = C > 0.0
    norm = float(beta @ product)
    losses = value(loss, y[counts], product[counts] + b)
    conjugates = conjugate(loss, y[counts], -beta[counts] / C[counts])
    return MachineValues(0.5 * norm + float(C[counts] @ losses), -float(C[counts] @ conjugates) - 0.5 * norm)


def lambda_of(C: float, n: int | None = None) -> float:
    """λ of Σ hinge + (λ/2)‖w‖²: 1/C; of the mean hinge when n is given: 1/(nC).

    >>> lambda_of(4.0), lambda_of(4.0, n=100)
    (0.25, 0.0025)
    """
    if not C > 0.0:
        raise ValueError(f"lambda_of(C={C}): C must be > 0")
    return 1.0 / C if n is None else 1.0 / (n * C)


def C_of(lam: float, n: int | None = None) -> float:
    """C of ½‖w‖² + C Σ hinge from λ of Σ hinge + (λ/2)‖w‖², or of the mean hinge when n is given.

    >>> C_of(lambda_of(4.0)), C_of(lambda_of(4.0, n=100), n=100)
    (4.0, 4.0)
    """
    if not lam > 0.0:
        raise ValueError(f"C_of(lam={lam}): λ must be > 0")
    return 1.0 / lam if n is None else 1.0 / (n * lam)


def C_without_half(C: float) -> float:
    """C of ½‖w‖² + C Σ from the C of ‖w‖² + C Σ, which has no ½: half of it.

    >>> C_without_half(4.0)
    2.0
    """
    return 0.5 * C

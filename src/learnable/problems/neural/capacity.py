"""How rich a class of networks with one hidden layer is: a bound on its Rademacher complexity by norms.

F = {x ↦ Σⱼ vⱼ (f(wⱼ·x̃) − f(0)) + c}, x̃ = (x, 1), |c| ≤ C, and
  for relu and the identity, which are positively homogeneous, Σⱼ |vⱼ| ‖wⱼ‖ ≤ B,
  for tanh and the logistic function ‖wⱼ‖ ≤ B₁ and Σⱼ |vⱼ| ≤ B₂, with B = B₁ B₂.
With L the Lipschitz constant of f, R̂(F) ≤ 2 L B √(Σᵢ ‖x̃ᵢ‖²) / n + C / √n: the supremum over v is B times that of one
unit, of either sign (the factor 2), f is taken out by contraction, and E ‖Σ σᵢ x̃ᵢ‖ ≤ √(Σ ‖x̃ᵢ‖²).
Weight decay keeps B small: |v| ‖w‖ ≤ ½ (v² + ‖w‖²). Syllabus: NN5, T12, T13.
"""

from typing import NamedTuple

import numpy as np

from learnable.problems.neural.activations import ACTIVATIONS

_HOMOGENEOUS = ("relu", "identity")
# Σ over all integers i of 1 / (1 + |i|)²
_ALL_INTEGERS = np.pi**2 / 3.0 - 1.0


class Norms(NamedTuple):
    """B and C of a network, the largest over its outputs."""

    path: float
    constant: float


def norms(activation: str, W: np.ndarray, b: np.ndarray, V: np.ndarray, c: np.ndarray) -> Norms:
    """The norms of a network with hidden weights W (p, units), biases b, outgoing weights V (units, outputs) and c.

    >>> norms("relu", np.array([[3.0]]), np.array([4.0]), np.array([[-2.0]]), np.array([0.5]))
    Norms(path=10.0, constant=0.5)
    """
    lengths = np.sqrt(np.sum(W * W, axis=0) + b * b)
    outgoing = np.abs(V)
    path = lengths @ outgoing if activation in _HOMOGENEOUS else lengths.max(initial=0.0) * outgoing.sum(axis=0)
    constant = np.abs(c + ACTIVATIONS[activation].at_zero * V.sum(axis=0))
    return Norms(float(path.max(initial=0.0)), float(constant.max(initial=0.0)))


def rademacher_bound(activation: str, found: Norms, sum_of_squares: float, n: int) -> float:
    """The bound on R̂(F); `sum_of_squares` is Σ ‖x̃ᵢ‖², the 1 of each row included."""
    lipschitz = ACTIVATIONS[activation].lipschitz
    return float(2.0 * lipschitz * found.path * np.sqrt(sum_of_squares) / n + found.constant / np.sqrt(n))


def margin_bound(
    activation: str, found: Norms, sum_of_squares: float, margins: np.ndarray, n_classes: int, delta: float
) -> float:  # fmt: skip
    """With probability 1 − δ, the error on new rows is at most this; 1 or more says nothing.

    mean Φ(margin) + factor · R̂ + 3 √(log(2/δ') / 2n), Φ(m) = min(1, max(0, 1 − m)), the factor 2 for two classes and
    4 K for K. The norms were not known beforehand: they are rounded up to powers of 2, and δ' = δ shared out over all
    pairs of powers.
    """
    n, powers, exponents = len(margins), [], []
    for norm in found:
        exponent = 0 if norm <= 0.0 else int(np.ceil(np.log2(norm)))
        exponents.append(exponent)
        powers.append(0.0 if norm <= 0.0 else 2.0**exponent)
    share = np.prod([1.0 / (_ALL_INTEGERS * (1.0 + abs(e)) ** 2) for e in exponents])
    complexity = rademacher_bound(activation, Norms(*powers), sum_of_squares, n)
    factor = 2.0 if n_classes == 2 else 4.0 * n_classes
    ramp = float(np.mean(np.clip(1.0 - margins, 0.0, 1.0)))
    return ramp + factor * complexity + 3.0 * float(np.sqrt(np.log(2.0 / (delta * share)) / (2.0 * n)))

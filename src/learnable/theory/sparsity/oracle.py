"""What the lasso is guaranteed: the penalty that outweighs the noise, and the bounds that follow from it.

The setting: y = Xβ* + ε with ε ~ N(0, σ²I), columns with ‖xⱼ‖ = √n, s coefficients of β* that are not zero, and
λ = Cσ√(log p / n) with C > 2√2. On the event A = {‖Xᵀε/n‖∞ ≤ λ/2}, which has probability at least 1 − p^{1−C²/8}, every
bound here holds for sure. Each bound takes δ instead of C: C² = 8(1 + log(1/δ)/log p), so that p^{1−C²/8} = δ.
Syllabus: L23, L24, L25.
"""

import math
from typing import Any

import numpy as np

from learnable.theory.bound import declare_bound
from learnable.theory.parameter import DELTA, Parameter

LEAST_CONSTANT = 2.0 * math.sqrt(2.0)

_N = Parameter("n", "number of rows", grows=False, low=1, integer=True)
_P = Parameter("p", "number of columns", grows=None, low=2, integer=True)
_S = Parameter("s", "number of coefficients of β* that are not zero", grows=True, low=1, not_above="p", integer=True)
_SIGMA = Parameter("sigma", "standard deviation of the noise", grows=True, open_low=True)
_KAPPA = Parameter("kappa", "restricted eigenvalue κ(s, 3), or a lower bound of it", grows=False, open_low=True)
_K = Parameter("K", "radius of the ball, at least ‖β*‖₁", grows=True, open_low=True)
_C = Parameter("C", "constant of the penalty, > 2√2", grows=False, low=LEAST_CONSTANT, open_low=True)

_NOISE = "the noise is independent N(0, σ²)"
_LENGTH = "every column has ‖xⱼ‖ ≤ √n"
_LINEAR = "y = Xβ* + noise, with X fixed"
_PENALTY = "the penalty is λ = σ√(8 log(p/δ)/n)"
_CONE = "κ ≤ κ(s, 3), the restricted eigenvalue of X"


def oracle_penalty(n: int, p: int, sigma: float, C: float = 3.0) -> float:
    """λ = Cσ√(log p / n), the penalty that outweighs the noise of p columns; C > 2√2.

    For the objective ‖y − Xβ‖²/(2n) + λ‖β‖₁ with ‖xⱼ‖ = √n. Syllabus: L23.

    Examples
    --------
    >>> round(oracle_penalty(n=100, p=1000, sigma=0.5), 4)
    0.3942
    """
    _N.check("oracle_penalty", n, {})
    _P.check("oracle_penalty", p, {})
    _SIGMA.check("oracle_penalty", sigma, {})
    _C.check("oracle_penalty", C, {})
    return C * sigma * math.sqrt(math.log(p) / n)


def penalty_constant(p: int, delta: float) -> float:
    """The C with p^{1−C²/8} = δ: λ = Cσ√(log p/n) outweighs the noise with probability at least 1 − δ. Syllabus: L23.

    >>> C = penalty_constant(p=1000, delta=0.05)
    >>> round(C, 4), round(noise_event(p=1000, C=C).value, 12)
    (3.3867, 0.05)
    """
    _P.check("penalty_constant", p, {})
    DELTA.check("penalty_constant", delta, {})
    return math.sqrt(8.0 * (1.0 + math.log(1.0 / delta) / math.log(p)))


def root_n_columns(X: Any) -> np.ndarray:
    """The columns of X, each scaled to ‖xⱼ‖ = √n, as the theory wants them.

    >>> root_n_columns([[3.0, 1.0], [4.0, 1.0]]).round(3).tolist()
    [[0.849, 1.0], [1.131, 1.0]]
    """
    X = np.asarray(X, dtype=float)
    length = np.linalg.norm(X, axis=0)
    if not (np.isfinite(length).all() and np.all(length > 0.0)):
        j = int(np.argmin(np.isfinite(length) & (length > 0.0)))
        raise ValueError(f"root_n_columns: column {j} has the length {length[j]:g}; leave it out")
    return X * (math.sqrt(len(X)) / length)


@declare_bound(
    syllabus="L23",
    value_name="delta",
    statement="P(‖Xᵀε/n‖∞ > λ/2) ≤ p^{1−C²/8} for λ = Cσ√(log p/n)",
    parameters=(_P.but(grows=False), _C),
    assumptions=(_NOISE, _LENGTH),
)
def noise_event(p: int, C: float) -> dict[str, float]:
    """How likely the noise is to outweigh the penalty in some column.

    A column's share xⱼ·ε/n is N(0, σ²/n), its tail beyond t is at most exp(−nt²/(2σ²)) on both sides together, and
    there are p columns. Syllabus: L23.

    Examples
    --------
    >>> round(noise_event(p=1000, C=4.0).value, 6)
    0.001
    """
    return {"columns × tail": p ** (1.0 - C * C / 8.0)}


def _penalty(n: int, p: int, sigma: float, delta: float) -> float:
    return sigma * math.sqrt(8.0 * math.log(p / delta) / n)


@declare_bound(
    syllabus="L24",
    value_name="prediction_error",
    statement="with probability ≥ 1 − δ, ‖X(β̂ − β*)‖²/n ≤ 16λ²s/κ²",
    parameters=(_N, _P.but(grows=True), _S, _KAPPA, _SIGMA, DELTA),
    assumptions=(_LINEAR, _NOISE, _LENGTH, _PENALTY, _CONE),
    # A fit that passes through every y has ‖ε‖²/n, σ² on average.
    trivial=lambda given: given["sigma"] * given["sigma"],
)
def oracle_prediction(n: int, p: int, s: int, kappa: float, sigma: float, delta: float) -> dict[str, float]:
    """The fast rate of the lasso's prediction: as if the s columns were known, up to log p and κ.

    It counts as vacuous when it is not below σ², the mean square that repeating y itself would have. Syllabus: L24.

    Examples
    --------
    >>> found = oracle_prediction(n=10_000, p=100, s=3, kappa=0.8, sigma=1.0, delta=0.05)
    >>> round(found.value, 4), found.vacuous
    (0.4561, False)
    >>> oracle_prediction.solve_for("n", p=100, s=3, kappa=0.8, sigma=1.0, delta=0.05, prediction_error=0.1).value
    45606
    """
    share = _penalty(n, p, sigma, delta) / kappa  # products overflow to ∞ where powers are errors
    return {"16 λ² s / κ²": 16.0 * share * share * s}


@declare_bound(
    syllabus="L24",
    value_name="distance",
    statement="with probability ≥ 1 − δ, ‖β̂ − β*‖₁ ≤ 16λs/κ²",
    parameters=(_N, _P.but(grows=True), _S, _KAPPA, _SIGMA, DELTA),
    assumptions=(_LINEAR, _NOISE, _LENGTH, _PENALTY, _CONE),
    trivial=None,
)
def oracle_distance(n: int, p: int, s: int, kappa: float, sigma: float, delta: float) -> dict[str, float]:
    """How far the lasso's coefficients are from the true ones, in ℓ1 norm. Syllabus: L24.

    Examples
    --------
    >>> round(oracle_distance(n=10_000, p=100, s=3, kappa=0.8, sigma=1.0, delta=0.05).value, 3)
    5.848
    """
    return {"16 λ s / κ²": 16.0 * (_penalty(n, p, sigma, delta) / kappa) * s / kappa}


@declare_bound(
    syllabus="L25",
    value_name="prediction_error",
    statement="with probability ≥ 1 − δ, ‖X(β̂ − β*)‖²/n ≤ Kλ for the least squares over ‖β‖₁ ≤ K",
    parameters=(_N, _P.but(grows=True), _K, _SIGMA, DELTA),
    assumptions=(_LINEAR, _NOISE, _LENGTH, "‖β*‖₁ ≤ K", "λ = σ√(8 log(p/δ)/n); nothing is asked of the design"),
    trivial=lambda given: given["sigma"] * given["sigma"],
)
def slow_rate(n: int, p: int, K: float, sigma: float, delta: float) -> dict[str, float]:
    """The slow rate: CKσ√(log p/n), for any design, also with dependent columns. Syllabus: L25.

    Examples
    --------
    >>> round(slow_rate(n=10_000, p=100, K=2.0, sigma=1.0, delta=0.05).value, 4)
    0.156
    """
    return {"K λ": K * _penalty(n, p, sigma, delta)}

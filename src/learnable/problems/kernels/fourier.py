"""Random Fourier features: the draw and the map. Syllabus: K5."""

import math
from typing import Any

import numpy as np
from scipy import sparse

# Pairs of rows on which the error is measured.
PAIRS = 200
# 2π in two parts: k times the first is exact for |k| < 2²¹, and what both leave out is below 1e-20. Phases beyond are
# left to NumPy.
_TURN, _TURN_REST, _FAR = 6.2831853069365025, 2.4308402025215864e-10, 1e6
# Of the Taylor series of the cosine in squares; after its last term (π/4)¹⁶/16! is left out, 1e-15.
_SERIES = [(-1.0) ** k / math.factorial(2 * k) for k in range(8)]


def draw(random: np.random.Generator, p: int, m: int, gamma: float) -> tuple[np.ndarray, np.ndarray]:
    """(Ω, φ): normal frequencies of variance 2γ, then uniform phases."""
    return np.sqrt(2.0 * gamma) * random.standard_normal((p, m)), random.uniform(0.0, 2.0 * np.pi, m)


def features(X: Any, weights: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """√(2/m) cos(xᵀΩ + φ)."""
    found = cosines(np.asarray(X @ weights) + offset)
    found *= np.sqrt(2.0 / len(offset))
    return found


def cosines(phases: np.ndarray) -> np.ndarray:
    """`np.cos`, which works number by number and takes three times as long, to a few 1e-15.

    >>> phases = np.linspace(-1000.0, 1000.0, 9999)
    >>> bool(np.abs(cosines(phases) - np.cos(phases)).max() < 1e-14)
    True
    """
    if not max(phases.max(initial=0.0), -phases.min(initial=0.0)) < _FAR:
        return np.cos(phases)
    turns = np.rint(phases * (0.5 / math.pi))
    # A quarter of what is left of the angle, at most π/4, squared.
    square = phases - turns * _TURN
    square -= turns * _TURN_REST
    square *= 0.25
    square *= square
    found = square * _SERIES[-1]
    for coefficient in _SERIES[-2:0:-1]:
        found += coefficient
        found *= square
    found += _SERIES[0]
    for _ in range(2):  # cos 2t = 2 cos² t − 1
        found *= found
        found *= 2.0
        found -= 1.0
    return found


def rows_in_pairs(X: Any, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows of some pairs as an array, and the places of both there."""
    if X.shape[0] > len(first):  # of fewer rows most are in a pair, and many in several
        X, first, second = X[np.concatenate([first, second])], np.arange(len(first)), len(first) + np.arange(len(first))
    return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float), first, second


def pair_errors(
    cells: np.ndarray, first: np.ndarray, second: np.ndarray, mapped: np.ndarray, gamma: float
) -> np.ndarray:
    """Φ(x)·Φ(z) − e^{−γ‖x − z‖²} for pairs of rows, given Φ of all `cells`."""
    made = np.einsum("ij,ij->i", mapped.take(first, axis=0), mapped.take(second, axis=0))
    apart = cells.take(first, axis=0) - cells.take(second, axis=0)
    return made - np.exp(-gamma * np.einsum("ij,ij->i", apart, apart))


def error_bound(m: int, pairs: int, delta: float) -> float:
    """ε that no pair exceeds with probability 1 − delta: √(8 ln(2 pairs/delta)/m), by Hoeffding over the m features.

    >>> round(error_bound(10_000, 1, 0.05), 4)
    0.0543
    """
    return float(np.sqrt(8.0 * np.log(2.0 * pairs / delta) / m))

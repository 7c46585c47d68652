"""Random Fourier features by another route than that of the sampler: a short series. Syllabus: K5."""

import math
from typing import Any

import numpy as np

# 2π in two parts: k times the first is exact for |k| < 2²¹, and what both leave out is below 1e-20. Phases beyond are
# left to NumPy.
_TURN, _TURN_REST, _FAR = 6.2831853069365025, 2.4308402025215864e-10, 1e6
# Of the Taylor series of the cosine in squares; after its last term (π/4)¹⁶/16! is left out, 1e-15.
_SERIES = [(-1.0) ** k / math.factorial(2 * k) for k in range(8)]


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

"""Platt's sigmoid: P(first side | score f) = 1/(1 + e^{A f + B}). Syllabus: C5."""

import numpy as np
from scipy.special import expit


def targets(side: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2), one number a row: shares drawn away from 0 and 1, so that A stays finite.

    >>> targets(np.array([1.0, 1.0, -1.0]), np.ones(3)).tolist()
    [0.75, 0.75, 0.3333333333333333]
    """
    above, below = float(weight[side > 0.0].sum()), float(weight[side < 0.0].sum())
    return np.where(side > 0.0, (above + 1.0) / (above + 2.0), 1.0 / (below + 2.0))


def probability(score: np.ndarray, A: np.ndarray | float, B: np.ndarray | float) -> np.ndarray:
    """1/(1 + e^{A f + B})."""
    return expit(-(A * score + B))


def slopes(score: np.ndarray, side: np.ndarray, weight: np.ndarray, A: float, B: float) -> np.ndarray:
    """(∂/∂A, ∂/∂B) of −Σ w (t log P + (1 − t) log(1 − P)): Σ w (t − P)(f, 1)."""
    left = weight * (targets(side, weight) - probability(score, A, B))
    return np.array([left @ score, left.sum()])

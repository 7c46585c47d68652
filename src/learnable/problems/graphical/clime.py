"""CLIME: the programmes, their symmetric answer, and the bounds of their error. Syllabus: G4, G5.

Column i solves min ‖θ‖₁ subject to ‖Σ̂θ − eᵢ‖∞ ≤ λ; its dual is max uᵢ − λ‖u‖₁ subject to ‖Σ̂u‖∞ ≤ 1.
"""

import numpy as np


def symmetrised(columns):
    """Of each pair (θᵢⱼ, θⱼᵢ) the one of smaller size, for both.

    >>> symmetrised(np.array([[1.0, 0.2], [-0.5, 2.0]]))
    array([[1. , 0.2],
           [0.2, 2. ]])
    """
    return np.where(np.abs(columns) <= np.abs(columns.T), columns, columns.T)


def l1_norm(theta) -> float:
    """‖Θ‖_{L1}: the largest sum of sizes in a column."""
    return float(np.abs(theta).sum(axis=0).max())


def sparsity(theta, q: float) -> float:
    """s₀ = max over rows of Σ |θᵢⱼ|^q; for q = 0 the number of entries that are not zero."""
    sizes = np.abs(theta)
    return float(np.max(np.sum(np.where(sizes > 0.0, sizes, 1.0) ** q * (sizes > 0.0), axis=1)))


def sup_bound(l1: float, level: float) -> float:
    """‖Θ̂ − Θ₀‖∞ ≤ 4 ‖Θ₀‖_{L1} λ, if λ ≥ ‖Θ₀‖_{L1} ‖Σ̂ − Σ₀‖∞."""
    return 4.0 * l1 * level


def l1_bound(l1: float, level: float, q: float, s0: float) -> float:
    """‖Θ̂ − Θ₀‖_{L1} ≤ 2 (1 + 2^{1−q} + 3^{1−q}) (4 ‖Θ₀‖_{L1} λ)^{1−q} s₀, under the same condition."""
    return 2.0 * (1.0 + 2.0 ** (1.0 - q) + 3.0 ** (1.0 - q)) * (4.0 * l1 * level) ** (1.0 - q) * s0

"""Errors of a two-class SVC on rows left out, by the span of its support vectors. Syllabus: S6."""

import numpy as np

# What rounding may take from a number that is compared with 1.
ROUNDING = 1e-6


def span_share(K: np.ndarray, alpha: np.ndarray, margins: np.ndarray, kind: np.ndarray) -> float | None:
    """Share of rows with α S² ≥ yf, S the distance of a row to the affine span of the other free rows (Vapnik and
    Chapelle, 2000): those a fit without them would get wrong, if their classes of support stayed the same."""
    free = np.flatnonzero(kind == "free")
    if not len(free):
        return None
    inverse = _bordered_inverse(K, free)
    span = np.zeros(len(alpha))
    span[free] = _squared_spans(inverse)
    for i in np.flatnonzero(kind == "bounded"):
        v = np.append(K[i, free], 1.0)
        span[i] = max(K[i, i] - v @ inverse @ v, 0.0)
    return float(np.mean((alpha > 0.0) & (alpha * span >= margins)))


def span_bound(
    K: np.ndarray, z: np.ndarray, alpha: np.ndarray, C: np.ndarray, kind: np.ndarray, diameter: float
) -> float:
    """Share of rows that a fit without them may get wrong, whatever becomes of the others.

    A row that is free and then wrong has α S max(D, 1/√C) ≥ 1, S its distance to the combinations Σ λᵢΦ(xᵢ) of the
    other free rows with Σ λ = 1 and 0 ≤ αᵢ + zᵢz α λᵢ ≤ Cᵢ, which is at most the diameter D of a ball that holds all
    rows (Vapnik and Chapelle, 2000). S is that of the affine span where its nearest point is among them, else D. Every
    bounded row counts as wrong.
    """
    free = np.flatnonzero(kind == "free")
    wrong = int(np.count_nonzero(kind == "bounded"))
    if len(free):
        inverse = _bordered_inverse(K, free)
        spans = np.sqrt(_squared_spans(inverse))
        largest = max(diameter, 1.0 / np.sqrt(float(C[C > 0.0].min())))
        for p in range(len(free)):
            others = np.delete(np.arange(len(free)), p)
            combination = -inverse[others, p] / max(float(inverse[p, p]), 1e-300)
            rows = free[others]
            moved = alpha[rows] + z[rows] * z[free[p]] * alpha[free[p]] * combination
            inside = abs(combination.sum() - 1.0) <= ROUNDING and np.all((moved >= 0.0) & (moved <= C[rows]))
            reach = float(spans[p]) if inside else diameter
            wrong += int(alpha[free[p]] * min(reach, diameter) * largest >= 1.0 - ROUNDING)
    return wrong / len(alpha)


def _bordered_inverse(K: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Of the kernel values between free rows, bordered by ones: the system of affine combinations."""
    bordered = np.ones((len(free) + 1, len(free) + 1))
    bordered[-1, -1] = 0.0
    bordered[:-1, :-1] = K[np.ix_(free, free)]
    return np.linalg.pinv(bordered)


def _squared_spans(inverse: np.ndarray) -> np.ndarray:
    """Squared distance of each free row to the affine span of the others."""
    with np.errstate(divide="ignore"):
        return 1.0 / np.maximum(np.diagonal(inverse)[:-1], 1e-300)

"""Penalties of a coefficient matrix B, one column a target: α times a norm that ties the targets together.

Squared loss + α N(B) has the dual point t (F − Y), t as large as keeps N*(Xᵀu) ≤ α, N* being the dual norm. An answer
is optimal exactly when N*(slope) ≤ α and −⟨slope, B⟩ = α N(B), for the slope Xᵀ(w∘(F − Y)). Syllabus: L16, L18.
"""

from typing import NamedTuple

import numpy as np

from learnable.problems.core.duality import Gap
from learnable.problems.core.formula import formula


class RowNorms(NamedTuple):
    """α Σ_j ‖B_j‖₂ over the rows of B: a predictor serves every target or none."""

    alpha: float


class NuclearNorm(NamedTuple):
    """α ‖B‖_*, the sum of the singular values: few combinations of the predictors serve every target."""

    alpha: float


@formula
def norm(penalty, B):
    """N(B), without α."""


@formula
def dual_norm(penalty, S):
    """N*(S) = sup of ⟨S, B⟩ over N(B) ≤ 1."""


@formula
def shrink(penalty, B, step):
    """argmin over Z of ‖Z − B‖² / (2 step) + α N(Z)."""


def row_lengths(B: np.ndarray) -> np.ndarray:
    """‖B_j‖ of the rows, of which a norm with `axis` takes its time to be sure.

    >>> row_lengths(np.array([[3.0, 4.0]]))
    array([5.])
    """
    return np.sqrt(np.add.reduce(B * B, axis=1))


@norm.of(RowNorms)
def _(penalty, B):
    return float(row_lengths(B).sum())


@dual_norm.of(RowNorms)
def _(penalty, S):
    return float(row_lengths(S).max(initial=0.0))


@shrink.of(RowNorms)
def _(penalty, B, step):
    length = row_lengths(B)[:, np.newaxis]
    return B * np.maximum(1.0 - step * penalty.alpha / np.maximum(length, 1e-300), 0.0)


@norm.of(NuclearNorm)
def _(penalty, B):
    return float(np.linalg.svd(B, compute_uv=False).sum())


@dual_norm.of(NuclearNorm)
def _(penalty, S):
    return float(np.linalg.svd(S, compute_uv=False).max(initial=0.0))


@shrink.of(NuclearNorm)
def _(penalty, B, step):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    left = s > step * penalty.alpha
    return (U[:, left] * (s[left] - step * penalty.alpha)) @ Vt[left]


def matrix_gap(penalty, B: np.ndarray, slope: np.ndarray, square: float, with_target: float) -> Gap:
    """Gap of ½ ‖R‖² + α N(B) at the residuals R = Y − F, norms being weighted means over the rows.

    Parameters
    ----------
    slope : −XᵀR, weighted mean.
    square : ‖R‖².
    with_target : ⟨R, Y⟩, Y centred when intercepts are free.

    >>> B = np.array([[0.5]])                               # y = x = ±1, α = ½: the optimum is ½
    >>> matrix_gap(RowNorms(0.5), B, np.array([[-0.5]]), 0.25, 0.5).gap
    0.0
    """
    t = min(1.0, penalty.alpha / max(dual_norm(penalty, slope), 1e-300))
    return Gap(0.5 * square + penalty.alpha * norm(penalty, B), t * with_target - 0.5 * t * t * square)


def nuclear_alpha_from_sum(lam: float, weight_sum: float) -> float:
    """α of ½ mean squares + α ‖B‖_* that equals ‖Y − XB‖² + lam ‖B‖_*.

    >>> nuclear_alpha_from_sum(10.0, 5.0)
    1.0
    """
    return lam / (2.0 * weight_sum)

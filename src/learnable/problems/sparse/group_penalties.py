"""Penalties on groups of columns: the group lasso and the sparse group lasso. Syllabus: L15.

Columns stand group by group: group g holds the columns starts[g], …, starts[g+1] − 1. Ω(β) = α Σ_g (ρ ‖β_g‖₁ +
(1 − ρ) w_g ‖β_g‖₂); its conjugate is zero on ‖S(u_g, αρ)‖₂ ≤ α (1 − ρ) w_g for every g, S the soft threshold, and
infinite elsewhere.
"""

from typing import NamedTuple

import numpy as np


class GroupPenalty(NamedTuple):
    """Ω as above; ρ = 0 is the group lasso.

    Attributes
    ----------
    alpha : α. l1_ratio : ρ in [0, 1].
    weight : (m,) w_g > 0.
    starts : (m + 1,) where each group begins, and the end.
    """

    alpha: float
    l1_ratio: float
    weight: np.ndarray
    starts: np.ndarray

    @property
    def l1(self) -> float:
        """α ρ."""
        return self.alpha * self.l1_ratio

    @property
    def l2(self) -> np.ndarray:
        """(m,) α (1 − ρ) w_g."""
        return self.alpha * (1.0 - self.l1_ratio) * self.weight

    @property
    def sizes(self) -> np.ndarray:
        """(m,) columns in each group."""
        return self.starts[1:] - self.starts[:-1]


def group_norms(penalty: GroupPenalty, x: np.ndarray) -> np.ndarray:
    """(m,) ‖x_g‖₂.

    >>> group_norms(GroupPenalty(1.0, 0.0, np.ones(2), np.array([0, 2, 3])), np.array([3.0, 4.0, -2.0]))
    array([5., 2.])
    """
    return np.sqrt(np.add.reduceat(x * x, penalty.starts[:-1]))


def group_value(penalty: GroupPenalty, x: np.ndarray) -> float:
    """Ω(x).

    >>> group_value(GroupPenalty(1.0, 0.5, np.ones(2), np.array([0, 2, 3])), np.array([3.0, 4.0, -2.0]))
    8.0
    """
    return penalty.l1 * float(np.abs(x).sum()) + float(penalty.l2 @ group_norms(penalty, x))


def soft(u: np.ndarray, level) -> np.ndarray:
    """S(u, level) = sign(u) (|u| − level)₊."""
    return np.sign(u) * np.maximum(np.abs(u) - level, 0.0)


def group_excess(penalty: GroupPenalty, u: np.ndarray) -> np.ndarray:
    """(m,) ‖S(u_g, αρ)‖₂ − α (1 − ρ) w_g: positive where u lies outside the domain of Ω*."""
    return group_norms(penalty, soft(u, penalty.l1)) - penalty.l2


def group_reach(penalty: GroupPenalty, u: np.ndarray) -> float:
    """Largest t ≤ 1 for which t·u lies in the domain of Ω*, but for rounding.

    With s = 1/t, group g asks that Σ (|u_i| − s αρ)₊² = (s α (1 − ρ) w_g)². The left side less the right falls in
    s. The entries that count are those at which it is negative where they vanish, |u_i| = s αρ; the rest is quadratic.

    >>> group_reach(GroupPenalty(1.0, 0.0, np.ones(1), np.array([0, 2])), np.array([3.0, 4.0])).__round__(12)
    0.2
    """
    if penalty.l1 == 0.0:
        return float((penalty.l2 / np.maximum(group_norms(penalty, u), 1e-300)).min(initial=1.0))
    starts = penalty.starts[:-1]
    group = np.repeat(np.arange(len(starts)), penalty.sizes)
    # In units of α, lest squares of squares overflow or vanish.
    a, l1, l2 = np.abs(u) / penalty.alpha, penalty.l1_ratio, (1.0 - penalty.l1_ratio) * penalty.weight
    a = a[np.lexsort((-a, group))]
    total, squares = np.cumsum(a), np.cumsum(a * a)
    within = np.arange(len(a)) - starts[group]
    before = penalty.starts[group] - 1
    total -= np.where(before >= 0, total[before], 0.0)
    squares -= np.where(before >= 0, squares[before], 0.0)
    vanishing = squares - 2.0 * a * total + (within + 1) * a * a - (a * l2[group] / l1) ** 2
    counted = (vanishing < 0.0) | (within == 0)
    k = np.add.reduceat(counted.astype(float), starts)
    B, A = np.add.reduceat(np.where(counted, a, 0.0), starts), np.add.reduceat(np.where(counted, a * a, 0.0), starts)
    root = np.sqrt(np.maximum(l1**2 * (B * B - k * A) + l2**2 * A, 0.0))
    reaches = np.divide(l1 * B + root, A, out=np.ones_like(A), where=A > 0.0)
    return float(np.min(reaches, initial=1.0))


def group_subdistance(penalty: GroupPenalty, x: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """(m,) distance of −slope_g to the subdifferential of Ω at x_g: zero exactly where the group is optimal."""
    norms = np.repeat(group_norms(penalty, x), penalty.sizes)
    l2 = np.repeat(penalty.l2, penalty.sizes)
    pull = slope + np.where(norms > 0.0, l2 * x / np.where(norms > 0.0, norms, 1.0), 0.0)
    on = np.where(x == 0.0, soft(pull, penalty.l1), pull + penalty.l1 * np.sign(x))
    off = np.maximum(group_excess(penalty, slope), 0.0)
    return np.where(group_norms(penalty, x) > 0.0, group_norms(penalty, on), off)

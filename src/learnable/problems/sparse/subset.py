"""Least squares on at most k columns, and a lower bound of its residual sum over a whole family of subsets.

In units in which y and every column have length one, G = XᵀX, c = Xᵀy: RSS(S) = 1 − max over β on S of 2c·β − βᵀGβ.

Split G = Q + D with D diagonal and positive, Q positive semidefinite. For any point b, βᵀQβ ≥ 2b·Qβ − bᵀQb, so that
with u = c − Qb every β supported on S has

    1 − 2c·β + βᵀGβ ≥ 1 − bᵀQb + Σ_{j∈S} (D_j β_j² − 2u_j β_j) ≥ 1 − bᵀQb − Σ_{j∈S} u_j² / D_j.

Over all S of at most k columns that contain the columns `inside` and none `outside`, the last sum is largest for the
largest u²/D. Any b gives a valid bound; the best one is the solution of the perspective relaxation. Syllabus: L1.
"""

import numpy as np

INSIDE, FREE, OUTSIDE = 1, 0, -1
# Differences of residual sums below this share of ‖y‖² are rounding.
ROUNDING = 1e-12


def subset_bound(
    gram: np.ndarray, cross: np.ndarray, split: np.ndarray, decided: np.ndarray, k: int, point: np.ndarray
) -> float:
    """Lower bound of RSS(S) over |S| ≤ k with every INSIDE column in S and no OUTSIDE column.

    Parameters
    ----------
    gram, cross : (p, p) and (p,), correlations of the columns with each other and with y.
    split : (p,) D; gram − diag(D) must be positive semidefinite.
    decided : (p,) of INSIDE, FREE, OUTSIDE.
    point : (p,) b.

    >>> gram, cross = np.eye(3), np.array([0.8, 0.5, 0.1])
    >>> round(subset_bound(gram, cross, np.ones(3), np.zeros(3, dtype=int), 2, np.zeros(3)), 12)
    0.11
    """
    Qb = gram @ point - split * point
    gain = (cross - Qb) ** 2 / split
    free = gain[decided == FREE]
    room = min(k - int(np.count_nonzero(decided == INSIDE)), len(free))
    most = np.partition(free, len(free) - room)[len(free) - room :].sum() if room > 0 else 0.0
    return float(1.0 - point @ Qb - gain[decided == INSIDE].sum() - most)


def information(rss: float, size: int, n: int, price: float, free: int) -> float:
    """n log(RSS / ‖y‖²) + price · (size + free): AIC with price 2, BIC with log n, up to a constant.

    Residual sums that are rounding count as equal: a perfect fit is not improved by another column.

    >>> information(1.0, 0, 10, 2.0, 1)
    2.0
    """
    return n * float(np.log(max(rss, ROUNDING))) + price * (size + free)


def aim(rss: float, size: int, target: int) -> float:
    """A criterion that is least at `target` columns, and among models of one size for the least RSS / ‖y‖² ≤ 1.

    >>> aim(0.5, 2, 2) < aim(0.1, 3, 2)
    True
    """
    return rss + 2.0 * abs(size - target)

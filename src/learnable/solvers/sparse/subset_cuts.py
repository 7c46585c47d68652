"""Best subset as a sequence of mixed-integer linear programs, solved by HiGHS.

For any point b the lower bound of `problems.subset` is linear in the indicators z of the columns chosen:
RSS(z) ≥ 1 − bᵀQb − Σ z_j u_j²/D_j, u = c − Qb, with equality at the subset whose coefficients are b. The program
minimises the largest of the cuts met so far over Σ z ≤ k; its answer is a lower bound of all subsets and the next
subset to try. Syllabus: L1.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from learnable.solvers.sparse.support_least_squares import on_support


class CutState(NamedTuple):
    """After a program was solved.

    Attributes
    ----------
    objective : RSS / ‖y‖² of the best subset so far.
    lower_bound : no subset of at most k columns has less.
    gap : their difference.
    support : the best subset so far.
    coef : its coefficients, in units in which columns and y have length one.
    points : (m, p), where the cuts were made.
    """

    objective: float
    lower_bound: float
    gap: float
    support: np.ndarray
    coef: np.ndarray
    points: np.ndarray


def iterates(
    gram: np.ndarray, cross: np.ndarray, split: np.ndarray | None, start: np.ndarray, k: int
) -> Iterator[CutState]:
    """States until the gap is zero. Parameters as in `solvers.branch_and_bound.iterates`.

    Without a diagonal to split off there is one state: its lower bound is that of all columns together.
    """
    p = len(cross)
    support = np.sort(start)
    coef, rss = on_support(gram, cross, support)
    best, points = (rss, support, coef), np.empty((0, p))
    if split is None:
        lower = min(on_support(gram, cross, np.arange(p))[1], rss)
        yield CutState(rss, lower, rss - lower, support, coef, points)
        return
    while True:
        b = np.zeros(p)
        b[support] = coef
        points = np.vstack([points, b])
        bound, support = lowest_cut(gram, cross, split, points, k)
        lower = min(bound, best[0])
        yield CutState(best[0], lower, best[0] - lower, best[1], best[2], points)
        coef, rss = on_support(gram, cross, support)
        if rss < best[0]:
            best = rss, support, coef


def lowest_cut(
    gram: np.ndarray, cross: np.ndarray, split: np.ndarray, points: np.ndarray, k: int
) -> tuple[float, np.ndarray]:
    """(lower bound of RSS(S) over |S| ≤ k, the S where it is least) from the cuts at some points, by HiGHS.

    At a point b: RSS(S) ≥ 1 − bᵀQb − Σ_{j∈S} u_j²/D_j. The program minimises the largest of these over S.

    >>> bound, subset = lowest_cut(np.eye(3), np.array([0.8, 0.5, 0.1]), np.ones(3), np.zeros((1, 3)), 2)
    >>> round(bound, 9), subset
    (0.11, array([0, 1]))
    """
    p = len(cross)
    Qb = points @ gram - points * split
    slopes = np.column_stack([(cross - Qb) ** 2 / split, np.ones(len(points))])
    # Variables: whether each column is chosen, then the value to be made small.
    chosen, value = np.append(np.ones(p), 0.0), np.append(np.zeros(p), 1.0)
    solved = milp(
        value,
        constraints=[
            LinearConstraint(chosen[None], -np.inf, k),
            LinearConstraint(slopes, 1.0 - np.einsum("ij,ij->i", points, Qb), np.inf),
        ],
        bounds=Bounds(np.where(chosen > 0.0, 0.0, -np.inf), np.where(chosen > 0.0, 1.0, np.inf)),
        integrality=chosen,
        options={"mip_rel_gap": 0.0},
    )
    if not solved.success:
        raise ArithmeticError(f"HiGHS gave up on the program of {len(points)} cuts: {solved.message}")
    return float(solved.mip_dual_bound), np.flatnonzero(solved.x[:p] > 0.5)

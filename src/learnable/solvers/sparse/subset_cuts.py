"""Best subset as a sequence of mixed-integer linear programs, solved by HiGHS.

For any point b the lower bound of `problems.subset` is linear in the indicators z of the columns chosen:
RSS(z) ≥ 1 − bᵀQb − Σ z_j u_j²/D_j, u = c − Qb, with equality at the subset whose coefficients are b. The program
minimises the largest of the cuts met so far over Σ z ≤ k; its answer is a lower bound of all subsets and the next
subset to try. Syllabus: L1.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable.problems.sparse.subset import lowest_cut, on_support


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

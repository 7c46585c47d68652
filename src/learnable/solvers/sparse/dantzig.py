"""min ‖β‖₁ subject to ‖c − Gβ‖∞ ≤ λ, as a linear programme, with its dual max c·u − λ‖u‖₁, ‖Gu‖∞ ≤ 1.

G is symmetric. Syllabus: L9, L20.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg, optimize

# HiGHS' tightest.
TOLERANCE = 1e-10


class DantzigState(NamedTuple):
    """The solution of the programme and of its dual.

    Attributes
    ----------
    objective : ‖β‖₁.
    coef : β.
    dual : u.
    dual_objective : c·u − λ‖u‖₁.
    """

    objective: float
    coef: np.ndarray
    dual: np.ndarray
    dual_objective: float


def iterates(gram: np.ndarray, cross: np.ndarray, level: float) -> Iterator[DantzigState]:
    """One state. `level` must be at least `least_level(gram, cross)`.

    The simplex answer names the columns in use and the constraints at their bound; the equations of the two are then
    solved to the last digits.
    """
    p = len(cross)
    # Columns of unit length: R = G/(d dᵀ), and each column brings its own cost and its own level.
    d = _lengths(gram)
    h = _size(np.abs(cross) / d)
    R, c, levels, costs = gram / np.outer(d, d), cross / (d * h), level / (d * h), d.max(initial=0.0) / d
    A = np.block([[R, -R], [-R, R]])
    found = _solve(np.concatenate([costs, costs]), A, np.concatenate([levels + c, levels - c]))
    coef, pull = found.x[:p] - found.x[p:], -found.ineqlin.marginals
    coef, dual = _polished(R, c, levels, costs, coef, pull[p:] - pull[:p])
    coef, dual = coef * (h / d), dual / (d * d.max(initial=0.0))
    yield DantzigState(float(np.abs(coef).sum()), coef, dual, float(cross @ dual - level * np.abs(dual).sum()))


def least_level(gram: np.ndarray, cross: np.ndarray) -> float:
    """The smallest λ for which some β has ‖c − Gβ‖∞ ≤ λ; zero when c is in the range of G.

    >>> least_level(np.diag([1.0, 0.0]), np.array([3.0, 0.5]))
    0.5
    """
    p = len(cross)
    d = _lengths(gram)
    h, unit = _size(np.abs(cross) / d), d.min(initial=np.inf)
    R, c, share = gram / np.outer(d, d), cross / (d * h), (unit / d)[:, None]
    A = np.block([[R, -R, -share], [-R, R, -share]])
    found = _solve(np.concatenate([np.zeros(2 * p), [1.0]]), A, np.concatenate([c, -c]))
    return float(found.fun * h * unit)


def _solve(costs, A, b):
    options = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}
    # Costs many orders apart may stop the presolver, or one of the two methods; the second of them may circle for ever.
    for method, more in (("highs", {}), ("highs-ds", {"presolve": False}), ("highs-ipm", {"maxiter": 1000})):
        found = optimize.linprog(costs, A_ub=A, b_ub=b, method=method, options=options | more)
        if found.status == 0:
            return found
    raise ArithmeticError(f"the linear programme was not solved: {found.message}; raise the level or rescale X")


def _polished(R, c, levels, costs, coef, dual) -> tuple[np.ndarray, np.ndarray]:
    """Both answers with the equations at their bounds solved, where that makes the worst violation smaller."""
    used, bound = np.flatnonzero(np.abs(coef) > TOLERANCE), np.flatnonzero(np.abs(dual) > TOLERANCE)
    if not len(used) or not len(bound):
        return coef, dual
    block = R[np.ix_(bound, used)]
    better, better_dual = np.zeros_like(coef), np.zeros_like(dual)
    better[used] = linalg.lstsq(block, c[bound] - levels[bound] * np.sign(dual[bound]))[0]
    better_dual[bound] = linalg.lstsq(block.T, costs[used] * np.sign(coef[used]))[0]
    same = np.array_equal(np.sign(better), np.sign(coef * (np.abs(coef) > TOLERANCE)))
    return (better, better_dual) if same and _worst(R, c, levels, costs, better, better_dual) <= max(
        _worst(R, c, levels, costs, coef, dual), TOLERANCE
    ) else (coef, dual)  # fmt: skip


def _worst(R, c, levels, costs, coef, dual) -> float:
    value = costs @ np.abs(coef)
    gap = abs(value - c @ dual + levels @ np.abs(dual)) / max(value, 1.0)
    return max(np.max(np.abs(c - R @ coef) - levels), np.max(np.abs(R @ dual) / costs - 1.0), gap)


def _lengths(gram: np.ndarray) -> np.ndarray:
    """Roots of the diagonal; columns of length zero take the longest, or one."""
    d = np.sqrt(np.maximum(np.diag(gram), 0.0))
    return np.where(d > 0.0, d, _size(d))


def _size(entries: np.ndarray) -> float:
    return float(entries.max(initial=0.0)) or 1.0

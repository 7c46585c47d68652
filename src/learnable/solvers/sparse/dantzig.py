"""min ‖β‖₁ subject to ‖c − Gβ‖∞ ≤ λ, as a linear programme, with its dual max c·u − λ‖u‖₁, ‖Gu‖∞ ≤ 1.

G is symmetric. Syllabus: L9, L20.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg, optimize

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
    # Units in which the largest entries of G and c are one.
    g, h = _size(np.abs(gram)), _size(np.abs(cross))
    G, c, level_in_units = gram / g, cross / h, level / h
    A = np.block([[G, -G], [-G, G]])
    found = _solve(np.ones(2 * p), A, np.concatenate([level_in_units + c, level_in_units - c]))
    coef, pull = found.x[:p] - found.x[p:], -found.ineqlin.marginals
    coef, dual = _polished(G, c, level_in_units, coef, pull[p:] - pull[:p])
    coef, dual = coef * (h / g), dual / g
    yield DantzigState(float(np.abs(coef).sum()), coef, dual, float(cross @ dual - level * np.abs(dual).sum()))


def least_level(gram: np.ndarray, cross: np.ndarray) -> float:
    """The smallest λ for which some β has ‖c − Gβ‖∞ ≤ λ; zero when c is in the range of G.

    >>> least_level(np.diag([1.0, 0.0]), np.array([3.0, 0.5]))
    0.5
    """
    p = len(cross)
    g, h = _size(np.abs(gram)), _size(np.abs(cross))
    G, c, one = gram / g, cross / h, np.ones((p, 1))
    A = np.block([[G, -G, -one], [-G, G, -one]])
    found = _solve(np.concatenate([np.zeros(2 * p), [1.0]]), A, np.concatenate([c, -c]))
    return float(found.fun) * h


def _solve(costs, A, b):
    options = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}
    found = optimize.linprog(costs, A_ub=A, b_ub=b, method="highs", options=options)
    if found.status != 0:
        raise ArithmeticError(f"the linear programme was not solved: {found.message}; raise the level or rescale X")
    return found


def _polished(G, c, level: float, coef, dual) -> tuple[np.ndarray, np.ndarray]:
    """Both answers with the equations at their bounds solved, where that makes the worst violation smaller."""
    used, bound = np.flatnonzero(np.abs(coef) > TOLERANCE), np.flatnonzero(np.abs(dual) > TOLERANCE)
    if not len(used) or not len(bound):
        return coef, dual
    block = G[np.ix_(bound, used)]
    better, better_dual = np.zeros_like(coef), np.zeros_like(dual)
    better[used] = linalg.lstsq(block, c[bound] - level * np.sign(dual[bound]))[0]
    better_dual[bound] = linalg.lstsq(block.T, np.sign(coef[used]))[0]
    same = np.array_equal(np.sign(better), np.sign(coef * (np.abs(coef) > TOLERANCE)))
    return (better, better_dual) if same and _worst(G, c, level, better, better_dual) <= max(
        _worst(G, c, level, coef, dual), TOLERANCE
    ) else (coef, dual)  # fmt: skip


def _worst(G, c, level: float, coef, dual) -> float:
    gap = np.abs(coef).sum() - c @ dual + level * np.abs(dual).sum()
    return max(np.abs(c - G @ coef).max() - level, np.abs(G @ dual).max() - 1.0, abs(gap))


def _size(entries: np.ndarray) -> float:
    return float(entries.max(initial=0.0)) or 1.0

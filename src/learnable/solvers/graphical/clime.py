"""CLIME column by column, for a whole path of levels at once. Syllabus: G4."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable._jit.graphical.clime_column import clime_column
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.solvers.sparse import dantzig

# Pivots for each column before a linear programme takes over.
PIVOTS = 100
# A column whose gap or excess is larger than this, relative to what is added up, is solved again.
SOLVED = 1e-10
# Eigenvalues of the correlations below which a linear programme takes columns for dependent, and, times p, which are
# 0 but for rounding.
FAINT, ROUNDED = 1e-8, 4.0 * float(np.finfo(float).eps)


class ClimeState(NamedTuple):
    """The path.

    Attributes
    ----------
    objective : Σ |θᵢⱼ| at the last level.
    columns : (m, p, p) at each level, [:, :, i] solves programme i.
    dual : (m, p, p) likewise, the dual answers.
    """

    objective: float
    columns: np.ndarray
    dual: np.ndarray


class Infeasible(ValueError):
    """No column meets its constraints."""


def iterates(S: np.ndarray, levels: Sequence[float] | np.ndarray, n_jobs: int | None = None) -> Iterator[ClimeState]:
    """One state. `levels` fall; below the least level of a column there is no answer: `Infeasible` names it."""
    p = len(S)
    path = np.asarray(levels, dtype=float)

    def column(i: int) -> tuple[np.ndarray, np.ndarray]:
        target = np.zeros(p)
        target[i] = 1.0
        beta, dual = np.zeros((len(path), p)), np.zeros((len(path), p))
        done, _reached = clime_column(S, target, path, beta, dual, PIVOTS * p + 1000)
        for m in range(len(path)):
            if m >= done or _flaw(S, target, path[m], beta[m], dual[m]) > SOLVED:
                beta[m], dual[m] = _solved_again(S, target, i, float(path[m]), beta[m], dual[m])
        return beta, dual

    with one_blas_thread() as granted:
        found = list(in_order(column, iter(range(p)), worker_count(n_jobs, granted, p)))
    columns = np.stack([beta for beta, _ in found], axis=2)
    dual = np.stack([u for _, u in found], axis=2)
    yield ClimeState(float(np.abs(columns[-1]).sum()), columns, dual)


def _flaw(S: np.ndarray, target: np.ndarray, level: float, beta: np.ndarray, dual: np.ndarray) -> float:
    """Largest excess of the constraints and the gap, relative to what is added up."""
    primal, value = np.abs(beta).sum(), target @ dual - level * np.abs(dual).sum()
    size = 1.0 + np.abs(S) @ np.abs(beta)
    over = np.max((np.abs(target - S @ beta) - level) / size)
    over_dual = (np.abs(S @ dual).max() - 1.0) / (1.0 + np.max(np.abs(S) @ np.abs(dual)))
    return max(over, over_dual, abs(primal - value) / (1.0 + primal), 0.0)


def _solved_again(
    S: np.ndarray, target: np.ndarray, i: int, level: float, beta: np.ndarray, dual: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The equations of the support and the constraints at their bound; if that does not help, a linear programme."""
    used, bound = np.flatnonzero(beta), np.flatnonzero(dual)
    if len(used) == len(bound) > 0:
        block = S[np.ix_(bound, used)]
        try:
            better, better_dual = np.zeros_like(beta), np.zeros_like(dual)
            better[used] = linalg.solve(block, target[bound] - level * np.sign(dual[bound]))
            better_dual[bound] = linalg.solve(block.T, np.sign(beta[used]))
        except (linalg.LinAlgError, linalg.LinAlgWarning):
            pass
        else:
            if _flaw(S, target, level, better, better_dual) <= SOLVED:
                return better, better_dual
    faint = _all_but_dependent(S)
    try:
        least = dantzig.least_level(S, target)
        if level < least * (1.0 - 1e-9) and not len(faint):
            raise Infeasible(
                f"CLIME, column {i}: no θ has ‖Sθ − e‖∞ <= {level:.4g}; the least level is {least:.4g}: raise alpha to "
                "it"
            )
        *_, state = dantzig.iterates(S, target, level)
        if not len(faint) or _flaw(S, target, level, state.coef, state.dual) <= SOLVED:
            return state.coef, state.dual
    except ArithmeticError:
        if not len(faint):
            raise
    raise ArithmeticError(
        f"CLIME, column {i}: columns {', '.join(map(str, faint))} all but depend on each other, and rounding decides "
        f"which θ has ‖Sθ − e‖∞ <= {level:.4g}; leave one of them out, or raise alpha"
    )


def _all_but_dependent(S: np.ndarray) -> np.ndarray:
    """The columns of a combination whose variance is more than rounding, but less than a linear programme sees."""
    length = np.sqrt(np.maximum(np.diag(S), 0.0))
    varies = np.flatnonzero(length > 0.0)
    values, vectors = linalg.eigh(S[np.ix_(varies, varies)] / np.outer(length[varies], length[varies]))
    between = np.flatnonzero((values > ROUNDED * len(S)) & (values < FAINT))
    if not len(between):
        return between
    share = np.abs(vectors[:, between]).max(axis=1)
    return varies[share >= 0.5 * share.max()]

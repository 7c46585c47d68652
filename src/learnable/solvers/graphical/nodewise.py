"""A lasso for every column on all others, through one matrix of cross-products. Syllabus: G2."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable.problems.sparse.penalties import L1
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.solvers.sparse.last_moves import LastMoves
from learnable.solvers.sparse.support_factor import SupportFactor
from learnable.solvers.sparse.support_newton import SubProblem, newton_steps, solve


class NodewiseState(NamedTuple):
    """All regressions solved.

    Attributes
    ----------
    objective : Σ over columns of ½ mean squared residual + α ‖β‖₁.
    coef : (p, p) row i the coefficients of column i on the others; the diagonal is zero.
    """

    objective: float
    coef: np.ndarray


def iterates(S: np.ndarray, alpha: float, enough: float, n_jobs: int | None = None) -> Iterator[NodewiseState]:
    """One state.

    Parameters
    ----------
    S : (p, p) second moments.
    alpha : penalty.
    enough : duality gap of each regression, relative to Sᵢᵢ.
    """
    p = len(S)

    def regression(i: int) -> np.ndarray:
        others = np.delete(np.arange(p), i)
        target = np.ascontiguousarray(S[others, i])
        gram = np.ascontiguousarray(S[np.ix_(others, others)])
        part = SubProblem(
            np.arange(p - 1), gram, np.zeros(p - 1), -target, target, float(S[i, i]), SupportFactor(), LastMoves()
        )
        coef = np.zeros(p)
        if p > 1 and np.abs(target).max() > alpha:
            solve(part, L1(alpha), enough * float(S[i, i]))
            newton_steps(part, L1(alpha), p - 1)
            coef[others] = part.coef
        return coef

    with one_blas_thread() as granted:
        coef = np.array(list(in_order(regression, iter(range(p)), worker_count(n_jobs, granted, p))))
    residual = residual_variances(S, coef)
    yield NodewiseState(float(0.5 * residual.sum() + alpha * np.abs(coef).sum()), coef)


def residual_variances(S: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """(p,) mean squared residual of each regression: Sᵢᵢ − 2 βᵢ·sᵢ + βᵢᵀSβᵢ."""
    return np.diag(S) - 2.0 * np.einsum("ij,ij->i", coef, S) + np.einsum("ij,jk,ik->i", coef, S, coef, optimize=True)

"""Ridge-penalised linear scores of a table with many more columns than rows: Newton's method over the rows.

The minimiser B is a combination of the rows. With XXᵀ = LLᵀ and B = XᵀL⁻ᵀC, the scores XB are LC and ‖B‖ = ‖C‖: the
same problem for the square table L, whose products cost n instead of p numbers a row. Rounding in L only moves the
point at which Newton's method over the columns takes over and ends. Syllabus: C7.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import linalg

from learnable.rows import weighted_sums
from learnable.solvers.linear import newton_cg
from learnable.solvers.linear.newton import NewtonState

# Columns for each row from which on it pays to form XXᵀ.
WIDE = 2


def pays(X: Any) -> bool:
    """Whether the table is in memory, dense, and wide enough."""
    return isinstance(X, np.ndarray) and X.shape[1] >= WIDE * X.shape[0]


def iterates(
    objective: Any, X: np.ndarray, over: Callable[[np.ndarray], Any], start: np.ndarray | None, enough: float
) -> Iterator[NewtonState]:
    """States over the columns, as those of `newton_cg`.

    Parameters
    ----------
    objective : of scores [X 1] θ, with a ridge penalty on all but the intercepts.
    X : (n, p)
    over : gives the objective of the same targets for another table in place of X.
    enough : norm of the gradient at which the caller will stop.
    """
    (n, p), L = X.shape, _factor(X)

    def in_span(theta: np.ndarray) -> np.ndarray:
        coef = weighted_sums(linalg.solve_triangular(L, theta[:n], lower=True, trans="T").T, X).T
        return np.vstack([coef, theta[n:]])

    short = over(L)
    last, steps = start, 0
    first = None
    if start is not None:
        first = np.vstack([linalg.solve_triangular(L, X @ start[:p], lower=True), start[p:]])
    for state in newton_cg.iterates(short, first, 0.1 * enough):
        # Both have one column a score.
        both = in_span(np.hstack([state.theta, short.value_and_gradient(state.theta)[1]]))
        last, gradient = np.hsplit(both, 2)
        norm, steps = objective.norm(gradient), state.steps
        if norm <= enough:
            break
        yield state._replace(theta=last, gradient_norm=norm)
    for state in newton_cg.iterates(objective, last, enough):
        yield state._replace(steps=steps + state.steps)


def _factor(X: np.ndarray) -> np.ndarray:
    """L with LLᵀ = XXᵀ, up to rounding: rows that depend on each other get a little length of their own."""
    X = np.asarray(X, dtype=float)
    gram = X @ X.T
    gram[np.diag_indices_from(gram)] += len(gram) * np.finfo(float).eps * max(gram.diagonal().max(), 1e-300)
    return np.ascontiguousarray(linalg.cholesky(gram, lower=True))

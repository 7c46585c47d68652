"""The lasso by the alternating direction method of multipliers.

min ½‖y − Xβ‖²/n + α‖z‖₁ subject to β = z, with the scaled dual u. One round:

1. β ← (G + ρI)⁻¹(c + ρ(z − u)), G = XᵀX/n, c = Xᵀy/n: a ridge step, factored once;
2. z ← S(β + u, α/ρ): the soft threshold;
3. u ← u + β − z.

Once the signs of z stay, the equations of their support are solved; where that meets every optimality condition it is
the answer, and the rounds end. Columns in units far apart make the rounds slow (one ρ suits none of them): every
thousandth round the signs are searched from where it stands, one column at a time. Syllabus: L8.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable.problems.core.duality import duality_gap
from learnable.problems.linear import losses
from learnable.problems.sparse.penalties import EVERY, L1, prox
from learnable.solvers.sparse.coordinate_descent import explained_unit

# Conditions met this closely, relatively, are met within rounding.
ROUNDING = 1e-13
SLOW = 1000
# The least relative gap that anybody asks of an answer which explains next to nothing.
SMALL_GAP = 1e-6


class ADMMState(NamedTuple):
    """After one round.

    Attributes
    ----------
    objective : at `coef`.
    coef : z, which is sparse.
    dual : u; ρu is the multiplier, and at the optimum the correlations Xᵀr/n.
    primal_residual : ‖β − z‖.
    dual_residual : ρ‖z − z of the round before‖.
    gap : duality gap at `coef`.
    relative_gap : gap over what is explained of the mean square of y.
    rounds : made so far.
    """

    objective: float
    coef: np.ndarray
    dual: np.ndarray
    primal_residual: float
    dual_residual: float
    gap: float
    relative_gap: float
    rounds: int


class RidgeStep:
    """b ↦ (XᵀX/n + ρI)⁻¹ b by one thin singular value decomposition, whatever the shape of X.

    Parameters
    ----------
    X : (n, p) with rows divided by √n.
    rho : ρ, or None for the geometric mean of the extreme eigenvalues of XᵀX/n, small ones left out.
    """

    def __init__(self, X: np.ndarray, rho: float | None):
        _, singular, self.V = linalg.svd(X, full_matrices=False)
        squares = singular**2
        largest = float(squares.max(initial=0.0))
        if rho is None:
            kept = squares[squares > 1e-4 * largest]
            rho = float(np.sqrt(largest * kept.min())) if len(kept) else 1.0
        self.rho = float(rho)
        self.shrink = squares / (squares + self.rho)

    def __call__(self, b: np.ndarray) -> np.ndarray:
        return (b - self.V.T @ (self.shrink * (self.V @ b))) / self.rho


def iterates(X: np.ndarray, y: np.ndarray, alpha: float, ridge: RidgeStep) -> Iterator[ADMMState]:
    """Rounds until the support is solved exactly; whoever drives it may stop at a small gap before.

    Parameters
    ----------
    X, y : columns and target, centred where the intercept is free, rows multiplied by the root of their weight, the
        weights summing to one.
    alpha : penalty, > 0.
    ridge : the factored ridge step.
    """
    n, p = X.shape
    penalty, cross, rho = L1(alpha), X.T @ y, ridge.rho
    mean_square = float(y @ y)
    z, u = np.zeros(p), np.zeros(p)
    tried, rounds = b"", 0

    def state(coef, dual, primal, turned):
        f = X @ coef
        # Rows carry the root of their weight: their plain sum is the weighted mean.
        found = duality_gap(losses.Squared(), penalty, y, f, np.ones(n), coef, f - y, X.T @ (f - y))
        gap = max(found.gap, 0.0)
        relative = gap / float(explained_unit(found.primal, mean_square, SMALL_GAP)) if mean_square else 0.0
        return ADMMState(found.primal, coef, dual, primal, turned, gap, relative, rounds)

    while True:
        rounds += 1
        beta = ridge(cross + rho * (z - u))
        before, z = z, prox(penalty, beta + u, 1.0 / rho, EVERY)
        u = u + beta - z
        signs = np.sign(z)
        settled = np.array_equal(signs, np.sign(before)) and signs.tobytes() != tried
        slow = rounds % SLOW == 0
        if settled or slow:
            tried = signs.tobytes()
            exact = _searched(X, y, alpha, z) if slow else _solved(X, y, alpha, z, signs)
            if exact is not None:
                dual = X.T @ (y - X @ exact) / rho
                yield state(exact, dual, 0.0, 0.0)
                return
        yield state(z, u, float(np.linalg.norm(beta - z)), rho * float(np.linalg.norm(z - before)))


def _solved(X, y, alpha: float, z, signs) -> np.ndarray | None:
    """The solution with these signs, if it has them and no other column is above its threshold; else None."""
    support = np.flatnonzero(signs)
    A, coef = X[:, support], z[support]
    if len(support):
        # The least change of z that solves the equations: columns may depend on each other. Twice, for the last digits.
        _, sizes, right = linalg.svd(A, full_matrices=False)
        kept = sizes > len(A) * np.finfo(float).eps * sizes[0]
        for _ in range(2):
            defect = A.T @ (y - A @ coef) - alpha * signs[support]
            coef = coef + right[kept].T @ ((right[kept] @ defect) / sizes[kept] ** 2)
    full = np.zeros(len(z))
    full[support] = coef
    c = X.T @ (y - A @ coef)
    slack = ROUNDING * (alpha + np.linalg.norm(X, axis=0) * np.linalg.norm(y))
    wrong = (coef * signs[support] <= 0.0).any() or np.any(np.abs(c) > alpha + slack)
    wrong = wrong or np.any(np.abs(c[support] - alpha * signs[support]) > slack[support])
    return None if wrong else full


def _searched(X, y, alpha: float, z) -> np.ndarray | None:
    """The solution by exchange of one column at a time from the signs of z, if that ends; else None.

    With the signs given the objective is a parabola; its minimum, or the first zero on the way there, lowers it.
    """
    lengths = np.linalg.norm(X, axis=0)
    # More columns than equations are no start: then from none.
    coef = np.zeros(len(z)) if np.count_nonzero(z) > np.linalg.matrix_rank(X) else z.copy()
    unit = np.where(lengths > 0.0, lengths, 1.0)
    for _ in range(10 * len(z) + 10):
        signs = np.sign(coef)
        c = X.T @ (y - X @ coef)
        over = np.where(signs == 0.0, (np.abs(c) - alpha) / unit, -np.inf)
        entering = int(np.argmax(over))
        support = signs != 0.0
        at_rest = np.all(np.abs(c - alpha * signs)[support] <= ROUNDING * 1e3 * (unit * np.linalg.norm(y))[support])
        if at_rest:
            exact = _solved(X, y, alpha, coef, signs)
            if exact is not None or over[entering] <= 0.0:
                return exact
            signs[entering] = np.sign(c[entering])
        used = np.flatnonzero(signs)
        A = X[:, used] / unit[used]
        pull = A.T @ (y - X @ coef) - alpha * signs[used] / unit[used]
        newton = linalg.lstsq(A.T @ A, pull)[0]
        # Along columns that depend on each other the objective is linear: then on, until one of them is zero.
        free = pull - A.T @ (A @ newton)
        endless = np.linalg.norm(free) > 1e-8 * np.linalg.norm(pull)
        way = np.zeros(len(z))
        way[used] = (free if endless else newton) / unit[used]
        goal = coef + way
        with np.errstate(divide="ignore", invalid="ignore"):
            heading = (coef * way < 0.0) if endless else (coef != 0.0) & (goal * coef <= 0.0)
            crossing = np.where(heading, -coef / way, np.inf)
        if endless and not np.any(heading):
            return None
        first = int(np.argmin(crossing))
        if endless or crossing[first] < 1.0:
            coef = coef + crossing[first] * way
            coef[first] = 0.0
        else:
            coef = goal
    return None

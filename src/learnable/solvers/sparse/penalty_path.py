"""One solution after another along a list of penalties, each started at the one before. Syllabus: L3, L13.

With no more columns than rows, and not too many, the cross-products of all columns are all there is to know of the
data, and one kernel goes along the path. Otherwise working sets grow along it (`coordinate_descent`).
"""

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from scipy import sparse

from learnable.problems.sparse.penalties import scaled
from learnable.rows import as_rows
from learnable.solvers.linear import least_squares
from learnable.solvers.sparse.all_products import AllProducts
from learnable.solvers.sparse.coordinate_descent import Descent
from learnable.solvers.sparse.cross_products import cross_product_rounding
from learnable.solvers.sparse.penalty_factors import Posed, penalized_problem

# Up to so many columns, and no more than rows, the cross-products of all of them cost less than working sets.
MOST_COLUMNS = 2000


class PathState(NamedTuple):
    """The solution for one penalty.

    Attributes
    ----------
    objective : primal value.
    relative_gap : duality gap over the mean square of the target.
    gap : primal minus dual value.
    coef : (m,) of the penalised columns.
    rounds : outer rounds made for it.
    """

    objective: float
    relative_gap: float
    gap: float
    coef: np.ndarray
    rounds: int


class Path(NamedTuple):
    """The solutions for all penalties: what `PathState` has of one is an array here, its first axis the penalties."""

    objectives: np.ndarray
    relative_gaps: np.ndarray
    gaps: np.ndarray
    coefs: np.ndarray
    rounds: np.ndarray


def iterates(
    posed: Posed,
    alphas: Iterable[float],
    l1_ratio: float,
    positive: bool,
    tol: float,
    max_rounds: int,
    start: np.ndarray | None = None,
) -> Iterator[PathState]:
    """One state for each penalty, in the order given (fastest from large to small).

    Parameters
    ----------
    tol : a solution is left once its duality gap is at most tol · ‖y‖²/W.
    max_rounds : outer rounds for a penalty at most.
    start : (m,) coefficients to begin with.
    """
    alphas = [float(alpha) for alpha in alphas]
    told = _through_cross_products(posed, alphas, l1_ratio, positive, tol, start)
    for objective, relative_gap, gap, coef, rounds in zip(*told):
        yield PathState(float(objective), float(relative_gap), float(gap), coef, int(rounds))
    yield from _by_working_sets(posed, alphas, told, l1_ratio, positive, tol, max_rounds, start)


def path(
    posed: Posed,
    alphas: Iterable[float],
    l1_ratio: float,
    positive: bool,
    tol: float,
    max_rounds: int,
    start: np.ndarray | None = None,
) -> Path:
    """The states of `iterates`, all at once."""
    alphas = [float(alpha) for alpha in alphas]
    told = _through_cross_products(posed, alphas, l1_ratio, positive, tol, start)
    others = list(_by_working_sets(posed, alphas, told, l1_ratio, positive, tol, max_rounds, start))
    return Path(*map(np.concatenate, zip(told, zip(*others)))) if others else told


def _by_working_sets(
    posed: Posed, alphas: list[float], told: Path, l1_ratio: float, positive: bool, tol: float, max_rounds: int,
    start: np.ndarray | None,
) -> Iterator[PathState]:  # fmt: skip
    """The solutions that come after those that are told."""
    scale, unit = _scale(posed), posed.penalty(1.0, l1_ratio, positive)
    alphas, start = alphas[len(told.gaps) :], told.coefs[-1] if len(told.gaps) else start
    descent = Descent(posed.design, start) if any(alphas) else None
    passed: list[float] = []
    for alpha in alphas:
        if descent is None or alpha == 0.0:
            yield _least_squares(posed, positive)
            continue
        penalty = scaled(unit, alpha)
        followed = bool(passed) and descent.follow(penalty, _step([*passed, alpha]), tol * scale)
        for made, state in enumerate(descent.rounds(penalty, tol * scale), start=int(followed)):
            # One round at least: the solution before may be within the tolerance of this one, but is not this one.
            if (made and state.gap <= tol * scale) or made >= max_rounds:
                break
        passed = [*passed[-1:], alpha]
        yield PathState(state.objective, state.gap / scale, state.gap, state.coef.copy(), made)


def _through_cross_products(
    posed: Posed, alphas: list[float], l1_ratio: float, positive: bool, tol: float, start: np.ndarray | None
) -> Path:
    """The solutions as far as cross-products tell them to within the gap that is asked for, beyond their rounding."""
    design, scale = posed.design, _scale(posed)
    n, p = design.X.shape
    # Without a penalty least squares are solved directly.
    penalties, enough = np.array([*takewhile(lambda alpha: alpha > 0.0, alphas)]), tol * scale
    found, coefs, values = 0, np.zeros((0, p)), np.zeros((0, 3))
    if (
        p <= min(n, MOST_COLUMNS)
        and len(penalties)
        and enough > cross_product_rounding(scale, 0.0)
        and design.curvature.any()
    ):
        problem = AllProducts(design, start)
        found, coefs, values = problem.solve(posed.penalty(1.0, l1_ratio, positive), penalties, enough)
        told = enough > problem.rounding(coefs[:found])
        found = found if told.all() else int(np.argmin(told))
    objectives, gaps, rounds = values[:found].T
    return Path(objectives, gaps / scale, gaps, coefs[:found], rounds.astype(int))


def _scale(posed: Posed) -> float:
    return max(posed.design.mean_square, float(np.finfo(float).tiny))


def lasso(X: np.ndarray, y: np.ndarray, alpha: float, tol: float, max_rounds: int = 1000) -> tuple[np.ndarray, float]:
    """(coefficients, duality gap) of min ‖y − Xβ‖²/(2n) + α‖β‖₁, without an intercept.

    >>> lasso(np.eye(2), np.array([3.0, 0.5]), 0.5, 1e-12)[0]
    array([2., 0.])
    """
    posed = penalized_problem(X, y, None, False)
    (state,) = iterates(posed, [alpha], 1.0, False, tol, max_rounds)
    return posed.answer(state.coef, X.shape[1])[0], state.gap


def _step(alphas: list[float]) -> float:
    """The last way between two penalties over the one before; none where they do not come down steadily."""
    came, goes = (alphas[0] - alphas[1], alphas[-2] - alphas[-1]) if len(alphas) == 3 else (0.0, 0.0)
    return goes / came if 0.0 < goes <= 2.0 * came else 0.0


def _least_squares(posed: Posed, positive: bool) -> PathState:
    """The end of every path, where the penalty is gone: solved directly."""
    design = posed.design
    X = design.X
    if sparse.issparse(X):
        ones = np.ones(len(design.y)) if design.root_weight is None else design.root_weight
        X = X.toarray() - np.outer(ones, design.mean)
    # What centring leaves of a constant column is rounding, which least squares would make much of.
    varies = design.curvature > 0.0
    X, coef = X[:, varies], np.zeros(len(varies))
    if X.shape[1] and positive:
        from scipy.optimize import nnls

        coef[varies] = nnls(X, design.y)[0]
    elif X.shape[1]:
        (found,) = least_squares.iterates(as_rows(X, design.y), np.zeros(1), False)
        coef[varies] = found.coef[:, 0]
    rest = design.y - X @ coef[varies]
    return PathState(0.5 * float(rest @ rest) / design.weight_sum, 0.0, 0.0, coef, 1)

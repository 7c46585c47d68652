"""Squared loss + α Σ_j ‖B_j‖: block coordinate descent on a growing working set of rows, Newton steps on the support.

One state per round:

1. correlations XᵀR of every column, duality gap;
2. working set: the columns met so far and those whose correlations are longer than α, the furthest first; of a
   small table it has all columns;
3. its problem through cross-products: sweeps decide which rows leave zero; where they are slow, Newton steps (by
   conjugate gradients unless there are few) finish the rows that are not zero, where the objective is smooth.

Syllabus: L16.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv

from learnable._jit.sparse.multi_task_descent import row_sweeps
from learnable.problems.core.duality import Gap
from learnable.problems.sparse.matrix_penalties import RowNorms, matrix_gap, norm, row_lengths
from learnable.solvers.core.working_set import furthest, working_set_rounds
from learnable.solvers.linear.several_targets import SeveralTargets
from learnable.solvers.sparse.coordinate_descent import ROUNDED_GAP, explained_unit, until_at_rest
from learnable.solvers.sparse.cross_products import CrossProducts

# What a round may leave of the gap that it begins with.
EXACT = 0.01
# The first working set; sweeps between looks at it, rounds before it is renewed, and its Gram matrix's limit (72 MB).
FEWEST = 100
SWEEPS = 6
ROUNDS = 100
LARGEST_WORKING_SET = 3000
# Rounds in a row that take nothing off the objective but rounding: coefficients of columns that depend on each other
# may move on for ever.
LONGEST_REST = 20
# Cells of a table whose few columns are all in it: their products with each other take no longer than a round or two.
SMALL = 2**17
# Newton steps wait while sweeps between two looks leave no more of the gap than this. `benchmarks small`,
# MultiTaskLasso of 300 x 300: 3 ms, and 4 with a Newton step at every look.
FAST = 0.2
# Looks in a row at an objective that falls no more, after which a round ends.
PATIENCE = 5
# Shares of a Newton step that are tried.
HALVED = [0.5**k for k in range(12)]
# Steps of conjugate gradients; a direction cut short still descends. Numbers up to which equations are solved directly.
LONGEST, FEW = 200, 64
# What they leave of the slopes: digits that the next step cannot use take longer than a step more. `benchmarks small`,
# MultiTaskLasso of 300 x 300: 21 ms, and 43 with ten digits.
INEXACT = 0.01


class RowDescentState(NamedTuple):
    """After a round.

    Attributes
    ----------
    objective : ½ ‖Y − XB‖² / W + α Σ ‖B_j‖.
    gap : the objective is within this of its minimum.
    relative_gap : gap over what is explained of ‖Y‖² / W.
    coef : (p, q) B.
    rounds : made so far.
    """

    objective: float
    gap: float
    relative_gap: float
    coef: np.ndarray
    rounds: int


def iterates(
    problem: SeveralTargets, alpha: float, start: np.ndarray | None = None, enough: float = 0.0
) -> Iterator[RowDescentState]:
    """States until they are at rest; `enough` is the relative gap at which the caller means to stop."""
    penalty, design = RowNorms(alpha), problem.design
    p, q = len(design.curvature), problem.Y.shape[1]
    B = np.zeros((p, q)) if start is None else np.array(start, dtype=float)
    movable = design.curvature > 0.0
    B[~movable] = 0.0
    scale, rounds = max(problem.mean_square, np.finfo(float).tiny), 0
    length = np.sqrt(np.where(movable, design.curvature, 1.0))
    crossings = CrossProducts(design.X, design.mean, design.weight_sum)
    small = p <= FEWEST and len(problem.Y) * p <= SMALL

    def judge():
        found, slope = problem.judged(penalty, B)
        unit = explained_unit(found.primal, scale, enough)
        return RowDescentState(found.primal, found.gap, found.gap / unit, B, rounds), (slope, found.gap)

    def enlarge(standing) -> np.ndarray:
        if small:
            crossings.take_in(np.flatnonzero(movable), LARGEST_WORKING_SET)
            return crossings.known
        slope, _ = standing
        support = np.flatnonzero(B.any(axis=1))
        beyond = np.where(movable, (row_lengths(slope) - alpha) / length, -1.0)
        beyond[support] = np.inf
        crossings.take_in(furthest(beyond, max(FEWEST, 2 * len(support))), LARGEST_WORKING_SET)
        return crossings.known

    def solve(standing, known: np.ndarray) -> None:
        nonlocal B, rounds
        slope, gap = standing
        sub_problem = _SubProblem(crossings.gram, B[known], slope[known], problem.mean_square)
        sub_problem.solve(penalty, max(EXACT * gap, 8.0 * np.finfo(float).eps * scale))
        B = B.copy()
        B[known] = sub_problem.B
        rounds += 1

    rounds_of = working_set_rounds(judge, enlarge, solve)
    return until_at_rest(rounds_of, design.curvature, problem.mean_square, LONGEST_REST)


class _SubProblem:
    """The rows of the working set: min ½⟨B, GB⟩ − ⟨C, B⟩ + α Σ ‖B_j‖, slope = GB − C."""

    def __init__(self, gram: np.ndarray, B: np.ndarray, slope: np.ndarray, mean_square: float):
        self.gram, self.B, self.mean_square = gram, np.ascontiguousarray(B), mean_square
        self.slope = np.asfortranarray(slope)  # the sweeps go along its columns
        self.target = gram[: len(B), : len(B)] @ B - slope

    def solve(self, penalty: RowNorms, enough: float) -> None:
        before = lowest = np.inf
        waited = 0
        for _ in range(ROUNDS):
            row_sweeps(self.gram, self.slope.T, self.B, penalty.alpha, SWEEPS)
            found = self._gap(penalty)
            if found.gap > max(enough, FAST * before):
                if not self._newton(penalty):
                    return
                found = self._gap(penalty)
            # A gap that is lost in the rounding of the slopes stays where it is.
            waited = waited + 1 if found.primal > lowest - ROUNDED_GAP * self.mean_square else 0
            before, lowest = found.gap, min(lowest, found.primal)
            if before <= enough or waited >= PATIENCE:
                return

    def _gap(self, penalty: RowNorms) -> Gap:
        """From cross-products alone: ⟨R, Y⟩ = ‖Y‖² − ⟨C, B⟩ and ‖R‖² = ⟨R, Y⟩ + ⟨slope, B⟩."""
        with_target = self.mean_square - float(np.vdot(self.target, self.B))
        square = max(with_target + float(np.vdot(self.slope, self.B)), 0.0)
        return matrix_gap(penalty, self.B, self.slope, square, with_target)

    def _newton(self, penalty: RowNorms) -> bool:
        """One Newton step on the rows that are not zero, halved until the objective falls; whether rows are left."""
        S = np.flatnonzero(self.B.any(axis=1))
        if not len(S):
            return False
        B, slope, alpha = self.B[S], self.slope[S], penalty.alpha
        length = row_lengths(B)
        size, before = length[:, np.newaxis], float(length.sum())
        unit = B / size
        G, right = self.gram[S[:, None], S], -(slope + alpha * unit)

        def bend(D: np.ndarray) -> np.ndarray:
            return G @ D + alpha / size * (D - unit * (unit * D).sum(axis=1, keepdims=True))

        if B.size <= FEW:
            D = solved(G, alpha / size, unit, right)
        else:
            D = conjugate_gradients(bend, right, min(4 * B.size, LONGEST), INEXACT)
        linear, square = float(np.vdot(slope, D)), 0.5 * float(np.vdot(D, G @ D))
        for t in HALVED:
            if t * linear + t * t * square + alpha * (norm(penalty, B + t * D) - before) < 0.0:
                self.B[S] += t * D
                self.slope += t * (self.gram[: len(self.B), S] @ D)
                break
        return True


def solved(G: np.ndarray, bent: np.ndarray, unit: np.ndarray, right: np.ndarray) -> np.ndarray:
    """D with GD + bentⱼ (Dⱼ − uⱼ uⱼᵀDⱼ) = right, its equations written out.

    >>> solved(np.eye(1), np.ones((1, 1)), np.array([[1.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[3., 2.]])
    """
    s, q = right.shape
    H = G[:, None, :, None] * np.eye(q)[:, None, :]
    np.einsum("jajb->jab", H)[...] += bent[:, :, None] * (np.eye(q) - unit[:, :, None] * unit[:, None, :])
    # Where columns repeat each other, and rounding leaves it indefinite, what is left is the direction of descent.
    _, D, failed = dposv(H.reshape(s * q, s * q), right.ravel())
    return D.reshape(s, q) if not failed else right


def conjugate_gradients(product, right: np.ndarray, most: int, tolerance: float = 1e-10) -> np.ndarray:
    """Solution of product(D) = right, for a positive definite linear map of matrices.

    >>> conjugate_gradients(lambda D: 2.0 * D, np.array([[4.0], [2.0]]), 5)
    array([[2.],
           [1.]])
    """
    D, residual = np.zeros_like(right), right.copy()
    direction, square = residual.copy(), float(np.vdot(residual, residual))
    least = tolerance**2 * square
    for _ in range(most):
        if square <= least:
            break
        image = product(direction)
        bend = float(np.vdot(direction, image))
        if bend <= 0.0:
            break
        D += square / bend * direction
        residual -= square / bend * image
        before, square = square, float(np.vdot(residual, residual))
        direction = residual + square / before * direction
    return D

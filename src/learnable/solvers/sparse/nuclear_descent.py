"""Squared loss + α ‖B‖_*: accelerated proximal gradient with singular-value thresholds, Newton steps on the factors.

The cross-products XᵀX / W = V Λ Vᵀ are diagonalised once: with B = V A the problem is ½⟨A, ΛA⟩ − ⟨C, A⟩ + α ‖A‖_*,
whose size is the rank of X. One state per burst:

1. accelerated proximal gradient steps, momentum dropped whenever the objective rises, settle the rank;
2. with A = P Qᵀ of that rank, ‖A‖_* is the least ½(‖P‖² + ‖Q‖²), which is smooth: Newton steps (conjugate gradients)
   on (P, Q) finish it;
3. duality gap, which proves or refutes the rank;
4. where many bursts were not enough (columns in units far apart: a gradient step is as short as the longest column
   asks), alternating ridge regressions for P and for Q, which do not mind.

Syllabus: L18.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.problems.sparse.matrix_penalties import NuclearNorm, dual_norm, matrix_gap, shrink
from learnable.solvers.linear.several_targets import SeveralTargets
from learnable.solvers.sparse.coordinate_descent import explained_unit, until_at_rest
from learnable.solvers.sparse.multi_task_descent import conjugate_gradients

# Steps between looks at the gap, which costs a decomposition; Newton steps on the rank found.
BURST = 25
NEWTON_STEPS = 4
# From this burst on ridge regressions alternate too, as many rounds of them.
MANY_BURSTS = 20
ROUNDS = 20


class NuclearState(NamedTuple):
    """After a burst.

    Attributes
    ----------
    objective : ½ ‖Y − XB‖² / W + α ‖B‖_*.
    gap : the objective is within this of its minimum.
    relative_gap : gap over what is explained of ‖Y‖² / W.
    coef : (p, q) B.
    rank : of B.
    bursts : made so far.
    """

    objective: float
    gap: float
    relative_gap: float
    coef: np.ndarray
    rank: int
    bursts: int


class Diagonal(NamedTuple):
    """The problem in the coordinates in which the cross-products of the columns are diagonal.

    Attributes
    ----------
    basis : (p, m) V.
    bend : (m,) Λ > 0.
    target : (m, q) C = VᵀXᵀY / W.
    mean_square : ‖Y‖² / W.
    """

    basis: np.ndarray
    bend: np.ndarray
    target: np.ndarray
    mean_square: float

    @property
    def largest_alpha(self) -> float:
        """The α from which on B = 0: the spectral norm of XᵀY / W."""
        return dual_norm(NuclearNorm(1.0), self.target)

    def value(self, A: np.ndarray) -> float:
        """½ ‖Y − XVA‖² / W."""
        return 0.5 * self.mean_square + float(np.sum(A * (0.5 * self.bend[:, None] * A - self.target)))

    def slope(self, A: np.ndarray) -> np.ndarray:
        return self.bend[:, None] * A - self.target


def diagonalised(problem: SeveralTargets) -> Diagonal:
    """One decomposition for every α: of XᵀX, or of XXᵀ where there are more columns than rows."""
    design = problem.design
    n, p = design.X.shape
    W, mean = design.weight_sum, design.mean
    pull = problem.correlations(problem.Y)
    if p <= n:
        gram = design.X.T @ design.X
        gram = (gram.toarray() if sparse.issparse(gram) else gram) / W
        bend, basis = linalg.eigh(gram - np.outer(mean, mean))
        kept = bend > p * np.finfo(float).eps * max(bend[-1], 0.0)
        bend, basis = bend[kept], basis[:, kept]
    else:
        X = design.X
        if sparse.issparse(X):
            root = np.ones(n) if design.root_weight is None else design.root_weight
            X = X.toarray() - np.outer(root, mean)
        bend, U = linalg.eigh(X @ X.T / W)
        kept = bend > n * np.finfo(float).eps * max(bend[-1], 0.0)
        bend = bend[kept]
        basis = X.T @ U[:, kept] / np.sqrt(W * bend)
        # Small eigenvalues leave their columns not quite orthonormal.
        basis = linalg.qr(basis, mode="economic")[0]
        image = X @ basis
        gram = image.T @ image / W
        bend, turn = linalg.eigh(gram)
        basis = basis @ turn
        kept = bend > n * np.finfo(float).eps * max(bend[-1:].max(initial=0.0), 0.0)
        bend, basis = bend[kept], basis[:, kept]
    return Diagonal(basis, bend, basis.T @ pull, problem.mean_square)


def iterates(
    problem: Diagonal, alpha: float, start: np.ndarray | None = None, enough: float = 0.0
) -> Iterator[NuclearState]:
    """States from `start` (p, q) until they are at rest; `enough`: the relative gap at which the caller means to stop.

    Gradient steps on columns in units far apart are short without being at rest: ridge regressions are waited for.
    """
    states = _bursts(problem, alpha, start, enough)
    curvature = problem.basis**2 @ problem.bend
    yield from islice(states, MANY_BURSTS + 1)
    yield from until_at_rest(states, curvature, problem.mean_square)


def _bursts(problem: Diagonal, alpha: float, start: np.ndarray | None, enough: float) -> Iterator[NuclearState]:
    """Endless states."""
    penalty = NuclearNorm(alpha)
    m, q = problem.target.shape
    A = np.zeros((m, q)) if start is None else problem.basis.T @ np.asarray(start, dtype=float)
    scale, step = max(problem.mean_square, np.finfo(float).tiny), 1.0 / problem.bend.max(initial=1e-300)
    bursts, before = 0, -1
    while True:
        rank = _rank(A)
        found = _gap(problem, penalty, A)
        if rank and rank == before and found.gap > enough * explained_unit(found.primal, scale, enough):
            polished = _polished(problem, penalty, A, rank)
            better = _gap(problem, penalty, polished)
            if better.gap < found.gap:
                A, found = polished, better
        relative = found.gap / explained_unit(found.primal, scale, enough)
        yield NuclearState(found.primal, found.gap, relative, problem.basis @ A, rank, bursts)
        before = rank
        A = _burst(problem, penalty, A, step)
        bursts += 1
        if bursts >= MANY_BURSTS and rank:
            turned = _alternated(problem, penalty, A)
            if _gap(problem, penalty, turned).primal < _gap(problem, penalty, A).primal:
                A = turned


def _burst(problem: Diagonal, penalty: NuclearNorm, A: np.ndarray, step: float) -> np.ndarray:
    ahead, t = A, 1.0
    for _ in range(BURST):
        new = shrink(penalty, ahead - step * problem.slope(ahead), step)
        # The step from `ahead` points against the way made: momentum has overshot.
        if float(np.sum((ahead - new) * (new - A))) > 0.0:
            t = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
        ahead = new + (t - 1.0) / following * (new - A)
        A, t = new, following
    return A


def _alternated(problem: Diagonal, penalty: NuclearNorm, A: np.ndarray) -> np.ndarray:
    """Rounds of min over P, then over Q, of loss(P Qᵀ) + α ½(‖P‖² + ‖Q‖²): ridge regressions, solved row by row."""
    _, s, Vt = linalg.svd(A, full_matrices=False)
    ridge, Q = penalty.alpha * np.eye(len(s)), Vt.T * np.sqrt(s)
    P = np.zeros((len(A), len(s)))
    for _ in range(ROUNDS):
        P = np.linalg.solve(problem.bend[:, None, None] * (Q.T @ Q) + ridge, (problem.target @ Q)[:, :, None])[:, :, 0]
        Q = np.linalg.solve((P.T * problem.bend) @ P + ridge, P.T @ problem.target).T
    return P @ Q.T


def _polished(problem: Diagonal, penalty: NuclearNorm, A: np.ndarray, rank: int) -> np.ndarray:
    """A few Newton steps on the factors of A, as long as they lower ½(‖P‖² + ‖Q‖²) α + loss."""
    U, s, Vt = linalg.svd(A, full_matrices=False)
    root = np.sqrt(s[:rank])
    m = len(A)
    factors = np.vstack([U[:, :rank] * root, Vt[:rank].T * root])

    def value(F: np.ndarray) -> float:
        return problem.value(F[:m] @ F[m:].T) + 0.5 * penalty.alpha * float(np.sum(F**2))

    for _ in range(NEWTON_STEPS):
        P, Q = factors[:m], factors[m:]
        E = problem.slope(P @ Q.T)

        def bend(D, P=P, Q=Q, E=E):
            dP, dQ = D[:m], D[m:]
            dE = problem.bend[:, None] * (dP @ Q.T + P @ dQ.T)
            return np.vstack([dE @ Q + E @ dQ, dE.T @ P + E.T @ dP]) + penalty.alpha * D

        gradient = np.vstack([E @ Q, E.T @ P]) + penalty.alpha * factors
        D = conjugate_gradients(bend, -gradient, 2 * factors.size)
        now = value(factors)
        for t in 0.5 ** np.arange(8):
            if value(factors + t * D) <= now:
                factors = factors + t * D
                break
        else:
            break
    return factors[:m] @ factors[m:].T


def _gap(problem: Diagonal, penalty: NuclearNorm, A: np.ndarray):
    """⟨R, Y⟩ = ‖Y‖² − ⟨C, A⟩ and ‖R‖² = ⟨R, Y⟩ + ⟨slope, A⟩, all over W."""
    slope = problem.slope(A)
    with_target = problem.mean_square - float(np.sum(problem.target * A))
    square = max(with_target + float(np.sum(slope * A)), 0.0)
    return matrix_gap(penalty, A, slope, square, with_target)


def _rank(A: np.ndarray) -> int:
    s = linalg.svdvals(A) if A.size else np.zeros(0)
    return int(np.count_nonzero(s > 4.0 * max(A.shape) * np.finfo(float).eps * s.max(initial=0.0)))

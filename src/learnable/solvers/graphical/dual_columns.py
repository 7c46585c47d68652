"""The graphical lasso by block coordinate descent on its dual, one component at a time. Syllabus: G3.

max log det W over |Wᵢⱼ − Sᵢⱼ| ≤ Λᵢⱼ. One state a round, in which every component that is not solved makes a few sweeps:

1. a column w₁₂ of W at its best is W₁₁β, β the lasso with Gram matrix W₁₁ and target s₁₂ (Friedman, Hastie and
   Tibshirani 2008); W stays within the constraints;
2. Θ from the columns: θ₂₂ = 1 / (w₂₂ − w₁₂·β), θ₁₂ = −θ₂₂ β, both halves averaged where neither is zero: sparse, and
   the inverse of W once the sweeps have come to rest;
3. the gap between Θ and the point of the dual that has its signs, or W while those change.

Near the solution the gap is of second order in the error of Θ, so that a sparse Θ from columns that are nearly right is
proved to many digits. Newton steps (QUIC) from the same start were measured slower at p = 100 and p = 500.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from learnable._jit.graphical.column_lassos import column_lassos
from learnable.problems.graphical.sparse_precision import dual_objective, dual_point, objective, signed_dual_point
from learnable.solvers.graphical.components import components

# Sweeps between looks at the gap, which costs a factorisation; fewer once what W has still to go is less than this
# share of the root of the gap wanted for each column, the gap being of the order of its square. Passes of a column in
# the first.
SWEEPS_A_ROUND = 8
SETTLED = 0.45
PASSES = 3
# A component that does not improve gets more coordinate passes a column, at most so many; then it has come to its end
# once a round takes less than a thousandth off the gap.
MOST_PASSES = 400


class PrecisionState(NamedTuple):
    """After a round.

    Attributes
    ----------
    objective : −log det Θ + tr(SΘ) + Σ Λᵢⱼ |θᵢⱼ|.
    gap : how far above the minimum it is at most.
    precision : (p, p) Θ.
    covariance : (p, p) its inverse.
    n_blocks : components solved apart.
    """

    objective: float
    gap: float
    precision: np.ndarray
    covariance: np.ndarray
    n_blocks: int


def iterates(
    S: np.ndarray, penalty: np.ndarray, start: np.ndarray | None = None, enough: float = 0.0
) -> Iterator[PrecisionState]:
    """States until every component is solved or cannot be improved.

    Parameters
    ----------
    S : (p, p) positive semidefinite, with a positive diagonal (plus penalty).
    penalty : (p, p) Λ ≥ 0, symmetric.
    start : (p, p) a covariance to start from, e.g. that of a larger penalty.
    enough : a component whose gap is at most this for each of its columns rests.
    """
    p = len(S)
    # In units in which every Sᵢᵢ + Λᵢᵢ is one: Θ and W scale, the gap does not change.
    unit = np.sqrt(np.diag(S) + np.diag(penalty))
    size = unit[:, None] * unit
    parts = components(S, penalty)
    # Alone, a column has θ = w = 1 in these units, objective 1 and no gap.
    alone = sum(len(part) == 1 for part in parts)
    places = [np.ix_(part, part) for part in parts if len(part) > 1]
    S, penalty, start = S / size, penalty / size, None if start is None else start / size
    blocks = [_Block(S[inside], penalty[inside], None if start is None else start[inside], enough) for inside in places]
    shift = alone + 2.0 * float(np.log(unit).sum())
    precision, covariance = np.eye(p), np.eye(p)
    for block in blocks:
        block.sweep()
    moved = [True] * len(blocks)
    while True:
        for inside, block, fresh in zip(places, blocks, moved):
            if fresh:
                precision[inside], covariance[inside] = block.theta, block.inverse
        yield PrecisionState(
            sum(block.objective for block in blocks) + shift, sum(block.gap for block in blocks),
            precision / size, covariance * size, len(parts),
        )  # fmt: skip
        moved = [not block.rests and block.sweep() for block in blocks]
        if not any(moved):
            return


class _Block:
    """One component: a point W of the dual and a positive definite Θ."""

    def __init__(self, S: np.ndarray, penalty: np.ndarray, start: np.ndarray | None, enough: float):
        self.enough, self.settled = enough * len(S), SETTLED * np.sqrt(enough)
        self.S, self.penalty = np.ascontiguousarray(S), np.ascontiguousarray(penalty)
        self.gap, self.change, self.passes = np.inf, 0.0, PASSES
        self.W = self._dual_start(start)
        self.B = np.zeros_like(self.W)
        if np.count_nonzero(self.penalty) == np.count_nonzero(np.diag(self.penalty)):
            # W is S on and off the diagonal: there is nothing to sweep over.
            theta = np.linalg.inv(self.W)
            self.B = -theta / np.diag(theta)[:, None]
            np.fill_diagonal(self.B, 0.0)

    def _dual_start(self, start: np.ndarray | None) -> np.ndarray:
        """A positive definite point within the constraints: the given one, or S with its entries off the diagonal
        shrunk as little as those allow, a mean of S and its diagonal."""
        diagonal = np.diag(self.S + self.penalty)
        if start is not None:
            W = dual_point(self.S, self.penalty, start)
            np.fill_diagonal(W, diagonal)
            if not lapack.dpotrf(W, lower=1)[1]:
                return W
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = self.penalty / np.abs(self.S)  # not a number where an entry and its penalty are zero: passed over
        np.fill_diagonal(shares, 1.0)
        W = self.S * (1.0 - min(float(np.fmin.reduce(shares, axis=None)), 1.0))
        np.fill_diagonal(W, diagonal)
        return W

    @property
    def rests(self) -> bool:
        """Whether the gap is small enough."""
        return self.gap <= self.enough

    def sweep(self) -> bool:
        """A round of sweeps; returns whether there is something left to do in a further one."""
        for _ in range(SWEEPS_A_ROUND):
            last, self.change = self.change, column_lassos(self.S, self.penalty, self.W, self.B, self.passes)
            # Were changes to go on shrinking as they do, c r + c r² + … = c r / (1 − r) would be left, r = c / last.
            if self.change**2 <= self.settled * (last - self.change):
                self.settled *= 0.25  # should that not do, the next round makes more sweeps
                break
        before = self.gap
        self._measure()
        if not self.gap < before:  # signs still change
            self.gap = min(self.gap, self._gap_to(self.W))
        if not self.gap < 0.9 * before and self.passes < MOST_PASSES:
            self.passes *= 4
            return True
        return self.gap < 0.999 * before

    def _measure(self) -> None:
        """Θ from the columns, the objective at Θ and its gap."""
        diagonal = 1.0 / np.maximum(np.diag(self.W) - np.einsum("ij,ij->i", self.W, self.B), 1e-12)
        halves = self.B * (-0.5 * diagonal[:, None])
        nonzero = self.B != 0.0
        theta = np.where(nonzero & nonzero.T, halves + halves.T, 0.0)
        while True:
            np.fill_diagonal(theta, diagonal)
            factor, info = lapack.dpotrf(theta.T, lower=1, clean=1)
            if not info:
                break
            theta *= 0.5
        self.theta = theta
        self.objective = objective(self.S, self.penalty, theta, 2.0 * float(np.log(np.diag(factor)).sum()))
        lower = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]  # zeros above its diagonal, as in the factor
        lower.flat[:: len(lower) + 1] *= 0.5
        self.inverse = lower.T + lower
        self.gap = self._gap_to(signed_dual_point(self.S, self.penalty, theta, self.inverse))

    def _gap_to(self, W: np.ndarray) -> float:
        """How far the objective at Θ is above the dual one at W; infinite where W is not positive definite."""
        factor, info = lapack.dpotrf(W.T, lower=1)
        if info:
            return np.inf
        log_det = 2.0 * float(np.log(np.diag(factor)).sum())
        return max(self.objective - dual_objective(log_det, len(W)), 0.0)

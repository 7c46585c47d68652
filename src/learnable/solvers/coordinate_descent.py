"""Working-set coordinate descent for squared loss + separable penalty, with exact steps on the support.

min over β of ‖y − Xβ‖²_W / 2 + Σ φ_j(β_j), where ‖·‖²_W is the weighted mean of squares and X, y are centred when the
intercept is free. One state per outer round:

1. full correlations Xᵀr, duality gap;
2. working set: the support and the columns nearest to violating their optimality condition;
3. the problem of the working set alone, through its cross-products (`support_newton`); with too many columns for
   those, coordinate sweeps over the rows.

Syllabus: L3, L6, L13.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable._jit.coordinate_descent import sweeps
from learnable._jit.vectors import columns_of
from learnable.problems import losses
from learnable.problems.duality import duality_gap
from learnable.problems.penalties import EVERY, l1_level, scaled, subdistance
from learnable.solvers.support_newton import Play, solve

# Beyond this many columns their cross-products cost more than sweeping over the rows.
LARGEST_WORKING_SET = 3000
SWEEPS_A_ROUND = 10


class DescentState(NamedTuple):
    """After an outer round.

    Attributes
    ----------
    objective : primal value, summed over the targets.
    relative_gap : largest duality gap of a target, over the mean square of that target.
    gap : (q,) primal minus dual value of each target: its objective is within `gap` of the minimum.
    coef : (q, p).
    rounds : (q,) outer rounds made.
    sweeps : coordinate passes made, over all targets.
    """

    objective: float
    relative_gap: float
    gap: np.ndarray
    coef: np.ndarray
    rounds: np.ndarray
    sweeps: int


class _TargetState(NamedTuple):
    """After an outer round on one target."""

    objective: float
    gap: float
    coef: np.ndarray
    sweeps: int


class CentredColumns(NamedTuple):
    """The design as the solver sees it: rows scaled by √w, columns shifted by `mean` (implicitly when sparse).

    Attributes
    ----------
    X : Fortran-ordered array or CSC matrix, rows multiplied by √w.
    y : centred targets times √w.
    root_weight : √w, or None for equal weights.
    weight_sum : Σ w.
    mean : (p,) what is still to be subtracted from each column (times √w); zero for a dense design, centred already.
    curvature : (p,) weighted mean squares of the centred columns.
    """

    X: Any
    y: np.ndarray
    root_weight: np.ndarray | None
    weight_sum: float
    mean: np.ndarray
    curvature: np.ndarray

    def correlations(self, residual: np.ndarray, residual_sum: float) -> np.ndarray:
        """(x_j − mean_j) · residual / W for every column."""
        return (self.X.T @ residual - self.mean * residual_sum) / self.weight_sum


def centred_columns(X, y: np.ndarray, weight: np.ndarray | None, intercept: bool):
    """(columns ready for the solver, mean of the columns, mean of y); dense input is copied once, never modified."""
    n, p = X.shape
    W = float(n) if weight is None else float(weight.sum())
    root = None if weight is None else np.sqrt(weight)
    average = (lambda v: v.mean(axis=0)) if weight is None else (lambda v: weight @ v / W)
    x_mean = np.asarray(average(X)).ravel() if intercept else np.zeros(p)
    y_mean = float(average(y)) if intercept else 0.0
    y = np.array(y - y_mean, dtype=float)
    if root is not None:
        y *= root
    if sparse.issparse(X):
        X = sparse.csc_array(X, dtype=float) if root is None else sparse.csc_array(sparse.diags_array(root) @ X)
        squares = np.asarray(X.multiply(X).sum(axis=0)).ravel() / W - x_mean**2
        shift = x_mean
    else:
        X = np.asfortranarray(X - x_mean) if intercept else np.array(X, dtype=float, order="F")
        if root is not None:
            X *= root[:, None]
        squares = np.einsum("ij,ij->j", X, X) / W
        shift = np.zeros(p)
    # A constant column has nothing left after centring but rounding.
    squares[squares <= 1e-28 * np.maximum(x_mean**2, 0.0)] = 0.0
    return CentredColumns(X, y, root, W, shift, np.maximum(squares, 0.0)), x_mean, y_mean


def iterates(
    designs: Sequence[CentredColumns], penalty, starts: Sequence[np.ndarray | None], enough: float = 0.0
) -> Iterator[DescentState]:
    """Endless states, one round on every target that is not within the relative gap `enough` yet."""
    runs = [_iterates(design, penalty, start) for design, start in zip(designs, starts)]
    scale = np.array([max(float(d.y @ d.y) / d.weight_sum, np.finfo(float).tiny) for d in designs])
    states = [next(run) for run in runs]
    rounds = np.zeros(len(runs), dtype=int)
    while True:
        gap = np.array([state.gap for state in states])
        yield DescentState(
            sum(state.objective for state in states),
            float(np.max(gap / scale)),
            gap,
            np.array([state.coef for state in states]),
            rounds.copy(),
            sum(state.sweeps for state in states),
        )
        for k in np.flatnonzero(gap > enough * scale):
            states[k] = next(runs[k])
            rounds[k] += 1


def _iterates(design: CentredColumns, penalty, start: np.ndarray | None) -> Iterator[_TargetState]:
    """Endless states of one target."""
    X, y, root, W, mean, lipschitz = design
    columns = columns_of(X)
    crossings = CrossProducts(design)
    p = len(lipschitz)
    coef = np.zeros(p) if start is None else np.array(start, dtype=float)
    coef[lipschitz == 0.0] = 0.0
    residual = y - X @ coef if coef.any() else y.copy()
    ones = np.ones(len(y)) if root is None else root
    residual_sum = np.array([ones @ residual])
    length = np.sqrt(np.where(lipschitz > 0.0, lipschitz, 1.0))
    size, made = 100, 0
    while True:
        # 1. Where we stand. The intercept absorbs the mean of the residual.
        slope = -design.correlations(residual, residual_sum[0])
        centred = residual - ones * (residual_sum[0] / W) if mean.any() else residual
        # Rows are scaled by √w already, so equal weights 1/W serve: Σ (√w r)² / W.
        standing = duality_gap(
            losses.Squared(), penalty, y, y - centred, np.full(len(y), 1.0 / W), coef, -centred, slope
        )
        yield _TargetState(standing.primal, standing.gap, coef, made)
        # 2. Working set: the support and the columns closest to their threshold.
        support = np.flatnonzero(coef)
        size = min(p, max(size, 2 * len(support)))
        nearness = (np.abs(slope) - l1_level(penalty, EVERY)) / length
        nearness[lipschitz == 0.0] = -np.inf
        nearness[support] = np.inf
        working = np.sort(np.argpartition(-nearness, size - 1)[:size]) if size < p else np.arange(p)
        working = working[lipschitz[working] > 0.0]
        # 3. The problem of the working set, solved a good deal further than the whole is yet. From far away the penalty
        # comes down by halves: each solution starts the next one near its own.
        strength = max(1.0, 0.5 * _excess(penalty, coef, slope, lipschitz))
        if len(working) <= LARGEST_WORKING_SET:
            play = Play(working, crossings.of(working), coef[working], slope[working], float(y @ y) / W)
            made += solve(play, scaled(penalty, strength), 0.1 * max(standing.gap, 0.0))
            residual -= X[:, working] @ (play.coef - coef[working])
            residual_sum[0] = ones @ residual
            coef[working] = play.coef
        else:
            stop = 0.01 * max(standing.gap, 0.0) / len(working)
            done, _ = sweeps(
                columns, mean, residual, residual_sum, W, coef, lipschitz, penalty, working, SWEEPS_A_ROUND, stop
            )
            made += done


def _excess(penalty, coef: np.ndarray, slope: np.ndarray, lipschitz: np.ndarray) -> float:
    """The factor by which the penalty would have to grow for no column outside the support to violate its condition."""
    level = np.broadcast_to(l1_level(penalty, EVERY), slope.shape)
    outside = (coef == 0.0) & (level > 0.0) & (lipschitz > 0.0)
    beyond = subdistance(penalty, np.zeros_like(slope), slope, EVERY)
    return 1.0 + float(np.max(beyond[outside] / level[outside], initial=0.0))


class CrossProducts:
    """Cross-products of the columns met so far; a working set mostly asks for columns that the last one had."""

    def __init__(self, design: CentredColumns):
        self.design = design
        self.known = np.zeros(0, dtype=int)
        self.place = np.full(len(design.curvature), -1)
        self.gram = np.zeros((0, 0))

    def of(self, working: np.ndarray) -> np.ndarray:
        """(w, w) cross-products of the columns `working`, divided by W."""
        new = working[self.place[working] < 0]
        if len(self.known) + len(new) > 2 * LARGEST_WORKING_SET:
            self.__init__(self.design)  # type: ignore[misc]
            new = working
        if len(new):
            self._add(new)
        places = self.place[working]
        return self.gram[np.ix_(places, places)]

    def _add(self, new: np.ndarray) -> None:
        X, W, mean = self.design.X, self.design.weight_sum, self.design.mean
        every = np.concatenate([self.known, new])
        strip = X[:, every].T @ X[:, new]
        strip = (strip.toarray() if sparse.issparse(strip) else strip) / W - np.outer(mean[every], mean[new])
        old = len(self.known)
        gram = np.empty((len(every), len(every)))
        gram[:old, :old] = self.gram
        gram[:, old:] = strip
        gram[old:, :old] = strip[:old].T
        self.place[new] = old + np.arange(len(new))
        self.known, self.gram = every, gram

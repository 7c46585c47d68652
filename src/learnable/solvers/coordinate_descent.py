"""Working-set coordinate descent for squared loss + separable penalty, finished by Newton steps on the support.

min over β of ‖y − Xβ‖²_W / 2 + Σ φ_j(β_j), where ‖·‖²_W is the weighted mean of squares and X, y are centred when the
intercept is free. One state per outer round:

1. full correlations Xᵀr, duality gap;
2. working set: the support and the columns nearest to violating their optimality condition;
3. coordinate sweeps on the working set;
4. while the signs agree, the equations X_Sᵀ(y − X_S β_S) = W (level · sign + ridge · β_S) of the support are solved
   exactly, moving no further than the first coefficient that reaches zero.

Syllabus: L3, L6, L13.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable._jit.coordinate_descent import sweeps
from learnable._jit.vectors import columns_of
from learnable.problems import losses
from learnable.problems.duality import duality_gap
from learnable.problems.penalties import EVERY, curvature, l1_level, subdistance

# Beyond this many columns the exact solve on the support costs more than sweeping.
LARGEST_SUPPORT = 2000
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
    p = len(lipschitz)
    coef = np.zeros(p) if start is None else np.array(start, dtype=float)
    coef[lipschitz == 0.0] = 0.0
    residual = y - X @ coef if coef.any() else y.copy()
    ones = np.ones(len(y)) if root is None else root
    residual_sum = np.array([ones @ residual])
    ridge = curvature(penalty, EVERY)
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
        size = int(min(p, max(size, 2 * len(support))))
        violation = subdistance(penalty, coef, slope, EVERY)
        nearness = (np.abs(slope) - l1_level(penalty, EVERY)) / length
        nearness[lipschitz == 0.0] = -np.inf
        nearness[support] = np.inf
        working = np.sort(np.argpartition(-nearness, size - 1)[:size]) if size < p else np.arange(p)
        # 3. Sweeps, until the moves are small against what the gap still allows.
        before = np.sign(coef)
        stop = 0.01 * max(standing.gap, 0.0) / max(len(working), 1)
        done, _ = sweeps(
            columns, mean, residual, residual_sum, W, coef, lipschitz, penalty, working, SWEEPS_A_ROUND, stop
        )
        made += done
        # 4. The support's equations, once the signs have settled.
        support = np.flatnonzero(coef)
        if 0 < len(support) <= min(LARGEST_SUPPORT, len(y)) and np.array_equal(before, np.sign(coef)):
            _newton_on_support(design, penalty, ridge, coef, residual, residual_sum, ones, support)
        elif violation.max(initial=0.0) > 0 and np.count_nonzero(violation) > size:
            size = min(p, 2 * size)


def _newton_on_support(design, penalty, ridge, coef, residual, residual_sum, ones, support) -> None:
    """Solve the optimality equations of the support; step to the first coefficient that would change sign."""
    X, W, mean = design.X, design.weight_sum, design.mean
    part = X[:, support]
    gram = part.T @ part
    gram = (gram.toarray() if sparse.issparse(gram) else gram) / W - np.outer(mean[support], mean[support])
    gram[np.diag_indices_from(gram)] += ridge
    sign = np.sign(coef[support])
    slope = (part.T @ residual - mean[support] * residual_sum[0]) / W
    target = slope - l1_level(penalty, EVERY) * sign - ridge * coef[support]
    try:
        factor = linalg.cho_factor(gram, lower=True)
    except linalg.LinAlgError:
        return
    step = linalg.cho_solve(factor, target)
    if not np.all(np.isfinite(step)):
        return
    heading_to_zero = sign * step < 0.0
    ratios = np.where(heading_to_zero, -coef[support] / np.where(heading_to_zero, step, 1.0), np.inf)
    first = ratios.min()
    moved = coef[support] + min(1.0, first) * step
    if first < 1.0:
        moved[ratios == first] = 0.0
    change = moved - coef[support]
    coef[support] = moved
    residual -= part @ change
    residual_sum[0] = ones @ residual

"""Block coordinate descent for squared loss + group penalty, with Newton steps on the groups that are in.

min over β of ‖y − Xβ‖²_W / 2 + Ω(β), Ω of `problems.group_penalties`, X and y centred when the intercept is free, the
columns in the order of the groups. One state per outer round:

1. correlations Xᵀr, duality gap;
2. working set: the groups met so far and those that violate their optimality condition;
3. the problem of the working set alone, through its cross-products: exact group updates (`_jit.group_descent`) find
   the groups, Newton steps on their coefficients, where the norms are smooth, end the work.

Under a sequence of penalties the cross-products are kept from one to the next. Syllabus: L15.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable._jit.core.vectors import columns_of
from learnable._jit.sparse.coordinate_descent import add_rows, block
from learnable._jit.sparse.group_descent import group_sweeps, sparse_group_sweeps
from learnable.problems.sparse.group_penalties import GroupPenalty, group_excess, group_norms, group_reach, group_value
from learnable.solvers.core.working_set import furthest, working_set_rounds
from learnable.solvers.sparse.coordinate_descent import CentredColumns, explained_unit, residual_of, until_at_rest
from learnable.solvers.sparse.cross_products import CrossProducts

EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)
# Sweeps before the first look at the slopes of a working set, and such rounds before the set is renewed.
SWEEPS = 3
INNER_ROUNDS = 60
# Columns of a working set up to which sweeps take less time than looks at them: then twice as many follow each look,
# so often, before Newton steps take turns with them (`python -m benchmarks tall`: group lasso 150 × (20 groups of 3)).
FEW_COLUMNS, DOUBLINGS = 200, 4
# The problem of the working set is solved so much further than the whole is, or needs to be.
ROUND_GAP_SHARE = 0.05
# Groups that may enter the working set at once, however few are in.
FEWEST = 20
HALVINGS = 20


class GroupState(NamedTuple):
    """After an outer round.

    Attributes
    ----------
    objective : primal value.
    gap : primal minus dual value: the objective is within `gap` of the minimum.
    relative_gap : gap over what is explained of the mean square of the target.
    coef : (p,) in the order of the groups.
    """

    objective: float
    gap: float
    relative_gap: float
    coef: np.ndarray


class GroupDescent:
    """One target, under one penalty after another: each starts at the solution before it and finds what it left.

    Parameters
    ----------
    design : the columns, in the order of the groups, and the target.
    starts : (m + 1,) where each group begins, and the end.
    """

    def __init__(self, design: CentredColumns, starts: np.ndarray):
        self.design, self.columns, self.starts = design, columns_of(design.X), starts
        self.coef = np.zeros(len(design.curvature))
        self.ones = np.ones(len(design.y)) if design.root_weight is None else design.root_weight
        self.crossings = CrossProducts(design.X, design.mean, design.weight_sum)
        # The groups met so far: where each begins among their columns, and in `vectors`, its eigenvalues and -vectors.
        self.known = self.places = self.corner = np.zeros(0, dtype=np.int64)
        self.values, self.vectors = np.zeros(0), np.zeros(0)
        self.level: np.ndarray | None = None
        # Residual and slopes at the coefficients; None once they have moved.
        self.stands: tuple[np.ndarray, np.ndarray] | None = None

    def rounds(self, penalty: GroupPenalty, gap_target: float) -> Iterator[GroupState]:
        """States under one penalty, until they are at rest; `gap_target` is the gap at which the caller means to stop,
        were all of the target explained."""
        scale = max(self.design.mean_square, TINY)
        # The sequential strong rule: a correlation rarely grows by more than the penalty falls.
        ahead = np.zeros_like(penalty.l2) if self.level is None else np.maximum(self.level - penalty.l2, 0.0)
        self.level = penalty.l2

        def judge():
            if self.stands is None:
                residual = residual_of(self.design, self.columns, self.ones, self.coef)
                self.stands = residual, -self._correlations(residual)
            residual, slope = self.stands
            gap, objective = self._gap(penalty, residual, slope)
            unit = explained_unit(objective, scale, gap_target / scale)
            return GroupState(objective, gap, gap / unit, self.coef), (slope, gap, gap_target * unit / scale)

        def enlarge(standing) -> None:
            nonlocal ahead
            if len(self.known) == len(penalty.weight):
                return
            if len(self.coef) <= FEW_COLUMNS:  # to choose among few takes longer than to keep them all
                self._add(np.arange(len(penalty.weight)))
                return
            slope, *_ = standing
            # Groups beyond their threshold, the furthest first.
            beyond = (group_excess(penalty, slope) + ahead) / np.sqrt(penalty.sizes)
            inside = group_norms(penalty, self.coef) > 0.0
            beyond[inside] = np.inf
            beyond[self.known] = -1.0
            self._add(furthest(beyond, max(FEWEST, 2 * int(inside.sum()))))
            ahead = np.zeros_like(ahead)

        def solve(standing, _) -> None:
            slope, gap, enough = standing
            if len(self.known):
                self.stands = None
                self._solve(penalty, slope, ROUND_GAP_SHARE * max(enough, gap))

        return until_at_rest(working_set_rounds(judge, enlarge, solve), self.design.curvature, self.design.mean_square)

    def _correlations(self, residual: np.ndarray) -> np.ndarray:
        found = np.asarray(self.design.X.T @ residual).ravel()
        return (found - self.design.mean * float(self.ones @ residual)) / self.design.weight_sum

    def _gap(self, penalty: GroupPenalty, residual: np.ndarray, slope: np.ndarray) -> tuple[float, float]:
        """(gap, objective) with the dual point t·r, t as large as feasible."""
        W = self.design.weight_sum
        square, with_y = float(residual @ residual) / W, float(residual @ self.design.y) / W
        t = group_reach(penalty, slope) * (1.0 - 4.0 * EPS)
        objective = 0.5 * square + group_value(penalty, self.coef)
        return objective - (t * with_y - 0.5 * t * t * square), objective

    def _add(self, groups: np.ndarray) -> None:
        """Take in groups: cross-products, and the eigenvectors of each one's own block."""
        if not len(groups):
            return
        columns = _columns(self.starts, groups)
        old = len(self.crossings.known)
        self.crossings.add(columns)
        values, vectors = [self.values], [self.vectors]
        for g in groups:
            size = self.starts[g + 1] - self.starts[g]
            own, basis = np.linalg.eigh(self.crossings.gram[old : old + size, old : old + size])
            # What is left of a direction in which the group has no columns is rounding.
            own[own <= size * EPS * max(own[-1], 0.0)] = 0.0
            values.append(own)
            vectors.append(basis.T.ravel())
            old += size
        self.values, self.vectors = np.concatenate(values), np.concatenate(vectors)
        self.known = np.concatenate([self.known, groups])
        sizes = (self.starts[1:] - self.starts[:-1])[self.known]
        self.places = np.concatenate([[0], np.cumsum(sizes)])
        self.corner = np.concatenate([[0], np.cumsum(sizes**2)[:-1]])

    def _solve(self, penalty: GroupPenalty, slope: np.ndarray, gap_target: float) -> None:
        """Sweeps over the groups, then Newton steps, until the gap of the working set is small."""
        columns, starts, corner = self.crossings.known, self.places, self.corner
        part = penalty._replace(weight=penalty.weight[self.known], starts=starts)
        gram, coef, slope = self.crossings.gram, self.coef[columns], slope[columns]
        square = self.design.mean_square
        target = -slope
        inside = np.flatnonzero(coef)
        add_rows(gram, inside, coef[inside], target)
        # A gap below the rounding of its own terms cannot be asked for.
        gap_target = max(gap_target, 8.0 * EPS * square)
        doublings = DOUBLINGS if len(columns) <= FEW_COLUMNS else 0
        for made in range(INNER_ROUNDS):
            sweeps = SWEEPS << min(made, doublings)
            if part.l1 > 0.0:
                accuracy = 1e-3 * np.sqrt(gap_target)
                sparse_group_sweeps(gram, slope, coef, starts, part.l1, part.l2, self.values, sweeps, accuracy)
            else:
                group_sweeps(gram, slope, coef, starts, part.l2, self.values, self.vectors, corner, sweeps)
            if _inner_gap(part, coef, slope, target, square) <= gap_target:
                break
            if made < doublings:
                continue
            _newton(part, gram, coef, slope)
            if _inner_gap(part, coef, slope, target, square) <= gap_target:
                break
        self.coef[columns] = coef


def _inner_gap(penalty: GroupPenalty, coef, slope, target, square: float) -> float:
    """Duality gap of the working set, from its cross-products: ‖r‖²/W = ‖y‖²/W − c·β + slope·β."""
    with_y = square - float(target @ coef)
    rest = max(with_y + float(slope @ coef), 0.0)
    t = group_reach(penalty, slope) * (1.0 - 4.0 * EPS)
    return 0.5 * rest + group_value(penalty, coef) - (t * with_y - 0.5 * t * t * rest)


def _newton(penalty: GroupPenalty, gram: np.ndarray, coef: np.ndarray, slope: np.ndarray) -> None:
    """A Newton step on the coefficients that are not zero, halved until the objective falls; in place."""
    S = np.flatnonzero(coef)
    if not len(S):
        return
    x = coef[S]
    group = np.repeat(np.arange(len(penalty.weight)), penalty.sizes)[S]
    norm = group_norms(penalty, coef)[group]
    pull = penalty.l2[group] / norm
    unit = x / norm
    gradient = slope[S] + penalty.l1 * np.sign(x) + pull * x
    H = block(gram, S, S)
    # The second derivative of l2 ‖β_g‖ is l2/‖β_g‖ (I − uuᵀ), u the direction of β_g.
    edges = np.flatnonzero(np.diff(group, prepend=-1, append=-1))
    for a, b in pairwise(edges):
        H[a:b, a:b] -= pull[a] * np.outer(unit[a:b], unit[a:b])
    H[np.diag_indices_from(H)] += pull
    lower, failed = linalg.lapack.dpotrf(H, lower=1, clean=0)
    if failed:
        return
    d, _ = linalg.lapack.dpotrs(lower, -gradient, lower=1)
    image = np.zeros(len(coef))
    add_rows(gram, S, d, image)
    linear, bend, before = float(slope[S] @ d), float(image[S] @ d), group_value(penalty, coef)
    t, moved = 1.0, coef.copy()
    for _ in range(HALVINGS):
        moved[S] = x + t * d
        if t * linear + 0.5 * t * t * bend + group_value(penalty, moved) < before:
            coef[S] = moved[S]
            slope += t * image
            return
        t *= 0.5


def iterates(design: CentredColumns, penalty: GroupPenalty, gap_target: float) -> Iterator[GroupState]:
    """States until they are at rest; `gap_target` is the relative gap at which the caller means to stop."""
    yield from GroupDescent(design, penalty.starts).rounds(penalty, gap_target * design.mean_square)


def _columns(starts: np.ndarray, groups: np.ndarray) -> np.ndarray:
    return np.concatenate([np.arange(starts[g], starts[g + 1]) for g in groups])

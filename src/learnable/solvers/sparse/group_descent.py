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
from learnable._jit.sparse.group_descent import group_gap, group_sweeps, sparse_group_sweeps
from learnable.problems.sparse.group_penalties import GroupPenalty, group_excess, group_norms, group_reach, group_value
from learnable.solvers.core.working_set import furthest, working_set_rounds
from learnable.solvers.sparse.coordinate_descent import (
    CentredColumns,
    by_column,
    explained_unit,
    residual_of,
    until_at_rest,
)
from learnable.solvers.sparse.cross_products import CrossProducts, cross_product_rounding

EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)
# Sweeps before a look at the gap of a working set, and rounds of such looks, with a Newton step after each, before the
# set is renewed.
SWEEPS = 3
INNER_ROUNDS = 60
# Up to so many columns all of them are the working set, whose cross-products tell the gap, and sweeps take less time
# than Newton steps: so many looks come before each (`python -m benchmarks tall`: group lasso 150 × (20 groups of 3)).
FEW_COLUMNS, LOOKS = 200, 16
# The problem of the working set is solved so much further than the whole is, or needs to be; where it is the whole, and
# the cross-products tell the gap, there is no other round.
ROUND_GAP_SHARE, LAST_GAP_SHARE = 0.05, 0.5
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


class _Standing(NamedTuple):
    """Where coefficients stand, whatever the penalty.

    Attributes
    ----------
    slope : (p,) −Xᵀr/W.
    rest : ‖r‖²/W. with_y : r·y/W.
    rounding : what a gap may be off by.
    """

    slope: np.ndarray
    rest: float
    with_y: float
    rounding: float


class GroupDescent:
    """One target, under one penalty after another: each starts at the solution before it and finds what it left.

    Parameters
    ----------
    design : the columns, in the order of the groups, and the target.
    starts : (m + 1,) where each group begins, and the end.
    """

    def __init__(self, design: CentredColumns, starts: np.ndarray):
        self.design = design = by_column(design)
        self.columns, self.starts = columns_of(design.X), starts
        self.coef = np.zeros(len(design.curvature))
        self.ones = np.ones(len(design.y)) if design.root_weight is None else design.root_weight
        self.crossings = CrossProducts(design.X, design.mean, design.weight_sum)
        # The groups met so far: where each begins among their columns, and in `vectors`, its eigenvalues and -vectors.
        self.known = self.places = self.corner = np.zeros(0, dtype=np.int64)
        self.values, self.vectors = np.zeros(0), np.zeros(0)
        self.level: np.ndarray | None = None
        self.target = self._correlations(design.y)
        # Where the coefficients stand; None once they have moved.
        self.stands: _Standing | None = None
        self.few, self.length = len(self.coef) <= FEW_COLUMNS, np.sqrt(design.curvature)
        self.mean_square = design.mean_square
        if self.few:
            self._add(np.arange(len(starts) - 1))

    def rounds(self, penalty: GroupPenalty, gap_target: float) -> Iterator[GroupState]:
        """States under one penalty, until they are at rest; `gap_target` is the gap at which the caller means to stop,
        were all of the target explained."""
        scale = max(self.mean_square, TINY)
        # The sequential strong rule: a correlation rarely grows by more than the penalty falls.
        ahead = np.zeros_like(penalty.l2) if self.level is None else np.maximum(self.level - penalty.l2, 0.0)
        self.level = penalty.l2

        def measured(at: _Standing) -> tuple[float, float, float]:
            gap, objective = _gap(penalty, self.coef, at)
            return gap, objective, explained_unit(objective, scale, gap_target / scale)

        def judge():
            told = self.few
            if self.stands is None:
                self.stands = self._by_products() if told else self._by_rows()
            gap, objective, unit = measured(self.stands)
            if self.stands.rounding > gap_target * (unit / scale):
                told, self.stands = False, self._by_rows()
                gap, objective, unit = measured(self.stands)
            enough = gap_target * (unit / scale)
            further = LAST_GAP_SHARE * enough if told else ROUND_GAP_SHARE * max(enough, gap)
            return GroupState(objective, gap, gap / unit, self.coef), (self.stands.slope, further)

        def enlarge(standing) -> None:
            nonlocal ahead
            if len(self.known) == len(penalty.weight):
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
            if len(self.known):
                self.stands = None
                self._solve(penalty, *standing)

        return until_at_rest(working_set_rounds(judge, enlarge, solve), self.design.curvature, self.mean_square)

    def _correlations(self, residual: np.ndarray) -> np.ndarray:
        found = np.asarray(self.design.X.T @ residual).ravel()
        return (found - self.design.mean * float(self.ones @ residual)) / self.design.weight_sum

    def _by_products(self) -> _Standing:
        """Where the coefficients stand, from the cross-products of all columns."""
        p, square = len(self.coef), self.mean_square
        slope = self.crossings.gram[:p, :p] @ self.coef - self.target
        with_y = square - float(self.target @ self.coef)
        rounding = float(cross_product_rounding(square, self.length @ np.abs(self.coef)))
        return _Standing(slope, max(with_y + float(slope @ self.coef), 0.0), with_y, rounding)

    def _by_rows(self) -> _Standing:
        """The same from the residuals of all rows."""
        if not self.coef.any():
            return _Standing(-self.target, self.mean_square, self.mean_square, 0.0)
        residual, W = residual_of(self.design, self.columns, self.ones, self.coef), self.design.weight_sum
        square, with_y = float(residual @ residual) / W, float(residual @ self.design.y) / W
        return _Standing(-self._correlations(residual), square, with_y, 0.0)

    def _add(self, groups: np.ndarray) -> None:
        """Take in groups: cross-products, and the eigenvectors of each one's own block."""
        if not len(groups):
            return
        self.crossings.add(_columns(self.starts, groups))
        old = len(self.known)
        self.known = np.concatenate([self.known, groups])
        sizes = (self.starts[1:] - self.starts[:-1])[self.known]
        self.places = np.concatenate([[0], np.cumsum(sizes)])
        self.corner = np.concatenate([[0], np.cumsum(sizes**2)[:-1]])
        self.values = np.concatenate([self.values, np.empty(self.places[-1] - len(self.values))])
        self.vectors = np.concatenate([self.vectors, np.empty(np.sum(sizes**2) - len(self.vectors))])
        for size in np.unique(sizes[old:]):
            of = old + np.flatnonzero(sizes[old:] == size)
            at = self.places[of, np.newaxis] + np.arange(size)
            own, basis = np.linalg.eigh(self.crossings.gram[at[:, :, np.newaxis], at[:, np.newaxis]])
            # What is left of a direction in which a group has no columns is rounding.
            own[own <= size * EPS * np.maximum(own[:, -1:], 0.0)] = 0.0
            self.values[at] = own
            self.vectors[self.corner[of, np.newaxis] + np.arange(size * size)] = basis.mT.reshape(len(of), -1)

    def _solve(self, penalty: GroupPenalty, slope: np.ndarray, gap_target: float) -> None:
        """Sweeps over the groups, then Newton steps, until the gap of the working set is small."""
        columns, starts, corner = self.crossings.known, self.places, self.corner
        part = penalty._replace(weight=penalty.weight[self.known], starts=starts)
        gram, coef, slope, target = self.crossings.gram, self.coef[columns], slope[columns], self.target[columns]
        square = self.mean_square
        # A gap below the rounding of its own terms cannot be asked for.
        gap_target = max(gap_target, 8.0 * EPS * square)
        looks = LOOKS if self.few else 1
        for _ in range(INNER_ROUNDS):
            if part.l1 > 0.0:
                accuracy = 1e-3 * np.sqrt(gap_target)
                sparse_group_sweeps(gram, slope, coef, starts, part.l1, part.l2, self.values, SWEEPS, accuracy)
                gap = _inner_gap(part, coef, slope, target, square)
            else:
                gap = group_sweeps(
                    gram, slope, coef, starts, part.l2, self.values, self.vectors, corner, target, square, gap_target,
                    SWEEPS, looks,
                )  # fmt: skip
            if gap <= gap_target:
                break
            _newton(part, gram, coef, slope)
            if _inner_gap(part, coef, slope, target, square) <= gap_target:
                break
        self.coef[columns] = coef


def _gap(penalty: GroupPenalty, coef: np.ndarray, at: _Standing) -> tuple[float, float]:
    """(gap, objective) with the dual point t·r, t as large as feasible."""
    if penalty.l1 == 0.0:
        return group_gap(penalty.starts, penalty.l2, coef, at.slope, at.rest, at.with_y)
    t = group_reach(penalty, at.slope) * (1.0 - 4.0 * EPS)
    objective = 0.5 * at.rest + group_value(penalty, coef)
    return objective - (t * at.with_y - 0.5 * t * t * at.rest), objective


def _inner_gap(penalty: GroupPenalty, coef, slope, target, square: float) -> float:
    """Duality gap of the working set, from its cross-products: ‖r‖²/W = ‖y‖²/W − c·β + slope·β."""
    with_y = square - float(target @ coef)
    return _gap(penalty, coef, _Standing(slope, max(with_y + float(slope @ coef), 0.0), with_y, 0.0))[0]


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

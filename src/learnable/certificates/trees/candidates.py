"""The best split of some rows, by another route than the one that grew the tree: every cut at once, in NumPy.

Impurities come from their definitions (shares of classes, mean losses), not from the scores that a grower maximises.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from learnable.problems.trees.impurities import (
    AbsoluteError,
    Gini,
    PoissonDeviance,
    SquaredError,
    best_constant,
    class_impurity,
    number_impurity,
)

# Up to this many categories every subset is tried.
FEW = 12


class Node(NamedTuple):
    """Some rows: class indices or numbers, weights; `kind` the impurity, K the number of classes (0 for numbers)."""

    kind: Any
    y: np.ndarray
    weight: np.ndarray
    n_classes: int

    def take(self, rows: np.ndarray) -> "Node":
        return self._replace(y=self.y[rows], weight=self.weight[rows])

    def weighing(self, weight: np.ndarray) -> "Node":
        return self._replace(weight=weight)

    @property
    def shape(self) -> tuple[int, int]:
        """(outputs, numbers in the value of each)."""
        return 1, max(self.n_classes, 1)

    @property
    def impurity(self) -> float:
        if self.n_classes:
            return float(class_impurity(self.kind, self.shares))
        return number_impurity(self.kind, self.y, self.weight)

    @property
    def centres(self) -> np.ndarray:
        """(1, 1) the best constant of numbers."""
        return np.array([[best_constant(self.kind, self.y, self.weight)]])

    @property
    def shares(self) -> np.ndarray:
        return np.bincount(self.y, self.weight, minlength=self.n_classes) / self.weight.sum()

    @property
    def mean(self) -> float:
        """No less than the least and no more than the largest number, whatever rounding makes of it."""
        middle = float((self.y * self.weight).sum() / self.weight.sum())
        return min(max(middle, float(self.y.min())), float(self.y.max()))

    @property
    def pure(self) -> bool:
        return bool(np.all(self.y == self.y[0]))

    @property
    def summands(self) -> np.ndarray:
        """(n, c): per-row terms whose sums determine the impurity of any set of rows."""
        if self.n_classes:
            return self.weight[:, None] * (self.y[:, None] == np.arange(self.n_classes))
        if isinstance(self.kind, SquaredError):
            terms = np.ones((len(self.y), 3))
            terms[:, 1] = self.y - self.mean
            np.square(terms[:, 1], out=terms[:, 2])
            return self.weight[:, None] * terms
        return self.weight[:, None] * np.column_stack([np.ones(len(self.y)), self.y, xlogy(self.y, self.y)])

    def weight_in(self, sums: np.ndarray) -> np.ndarray:
        """The weight of sets of rows, from the sums of their `summands`."""
        # Of so few numbers `sum` takes three times as long.
        return sums @ np.ones(sums.shape[-1]) if self.n_classes else sums[..., 0]

    def weighted_impurity(self, sums: np.ndarray, W: np.ndarray | None = None) -> np.ndarray:
        """W · impurity of sets of rows; zero for sets of no weight. W is found where it is not given."""
        W = self.weight_in(sums) if W is None else W
        divisor = np.where(W > 0.0, W, 1.0)
        if isinstance(self.kind, Gini):  # Σ S (1 − S/W), the chance that two rows differ, without the shares
            return (sums * (W[..., None] - sums)) @ np.ones(sums.shape[-1]) / divisor
        if self.n_classes:
            return W * class_impurity(self.kind, sums / divisor[..., None])
        S, Q = sums[..., 1], sums[..., 2]
        if isinstance(self.kind, SquaredError):
            return np.where(W > 0.0, Q - S * S / divisor, 0.0)
        return np.where(W > 0.0, Q - xlogy(S, S / divisor), 0.0)

    def values(self, sums: np.ndarray, W: np.ndarray) -> np.ndarray:
        """(sets, 1, K) the values of sets of rows of weights W."""
        return (sums / W[:, None] if self.n_classes else value_of(self, sums, W)[:, None])[:, None]

    def has_deviance(self, sides: np.ndarray, whole: np.ndarray) -> Any:
        """Whether both sides may be those of a split: for the Poisson deviance, rows of a side must not all be zero."""
        return not isinstance(self.kind, PoissonDeviance) or (sides[..., 1] > 1e-12 * whole[..., 1]).all(axis=0)


class Limits(NamedTuple):
    """What a side of a split must have, the sign that a column's effect must have and the values allowed."""

    min_rows: int = 1
    min_weight: float = 0.0
    lower: float = -np.inf
    upper: float = np.inf
    least_gap: float = 0.0


def value_of(node: Node, sums: np.ndarray, W: np.ndarray) -> np.ndarray:
    """The share of the second class, or the mean."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if node.n_classes:
            return sums[..., 1] / W
        return sums[..., 1] / W + (node.mean if isinstance(node.kind, SquaredError) else 0)


def gain_of(node: Any, left: np.ndarray) -> float:
    """W φ(parent) − W_left φ(left) − W_right φ(right) for a mask of the rows on the left."""
    parent = node.weight.sum() * node.impurity
    return parent - sum(
        part.weight.sum() * part.impurity for part in (node.take(left), node.take(~left)) if part.weight.sum() > 0.0
    )


def best_cut(node: Any, cells: np.ndarray, limits: Limits, sign: int = 0) -> float:
    """The largest gain among thresholds on a column of numbers, missing cells on either side; −∞ if none is allowed."""
    present = ~np.isnan(cells)
    if isinstance(node.kind, AbsoluteError):
        cuts = [left for left in _cuts(cells, present, limits.least_gap) if _allowed_rows(node, left, limits)]
        return max((gain_of(node, left) for left in cuts if _keeps_order(node, left, limits, sign)), default=-np.inf)
    order = np.argsort(cells[present], kind="stable")
    line = cells[present][order]
    terms = node.summands
    whole, gone = terms.sum(axis=0), terms[~present].sum(axis=0)
    running = np.cumsum(terms[present][order], axis=0)
    count = np.arange(1, len(line) + 1)
    n_missing = int(np.count_nonzero(~present))
    cut = np.flatnonzero(line[1:] - line[:-1] > limits.least_gap)
    options = [(running[cut], count[cut])]
    if n_missing:
        options += [(running[cut] + gone, count[cut] + n_missing)]
        if len(line):
            options.append((running[-1:], count[-1:]))
    return max((_largest(node, sums, rows, whole, limits, sign) for sums, rows in options), default=-np.inf)


def best_of_cuts(node: Any, terms: np.ndarray, cells: np.ndarray, first: np.ndarray, limits: Limits) -> np.ndarray:
    """`best_cut` of sets of rows over columns without missing cells, all of them at once.

    Parameters
    ----------
    node : says what impurity.
    terms, cells : (n, c) `summands` and (n, p) columns of the rows, those of a set one after the other.
    first : (G,) where each set begins.
    limits : the same for all; values are not bounded.

    Returns
    -------
    (G,) the largest gain in each, −∞ where no cut is allowed.
    """
    size = np.array([*first[1:], len(cells)]) - first
    sets = [slice(begin, begin + rows) for begin, rows in zip(first.tolist(), size.tolist())]
    # No cut lies between rows of the same value, in whatever order they stand.
    order = np.concatenate([each.start + np.argsort(cells[each], axis=0) for each in sets])
    line = cells.ravel().take(order * cells.shape[1] + np.arange(cells.shape[1]))
    running = terms.take(order, axis=0)
    for each in sets:
        np.cumsum(running[each], axis=0, out=running[each])
    # After the last row of a set nothing is left for the other side, which no limit allows.
    cut = np.flatnonzero(line[1:] - line[:-1] > limits.least_gap)
    place = cut // line.shape[1]
    owner = np.repeat(np.arange(len(first)), size)[place]
    whole = running[first + size - 1, 0]
    left, n_left = running.reshape(-1, running.shape[2]).take(cut, axis=0), place + 1 - first[owner]
    least = np.full(len(first), np.inf)
    np.minimum.at(least, owner, _losses(node, left, n_left, whole.take(owner, axis=0), size[owner], limits))
    return node.weighted_impurity(whole) - least


def best_subset(node: Node, cells: np.ndarray, limits: Limits) -> tuple[float, bool]:
    """(largest gain among subsets of categories, whether that is the maximum); a missing cell is a category."""
    codes = np.where(np.isnan(cells), -1, cells).astype(np.int64)
    names, place = np.unique(codes, return_inverse=True)
    c = len(names)
    if c < 2:
        return -np.inf, True
    if isinstance(node.kind, AbsoluteError):
        if c > FEW:
            return -np.inf, False
        masks = ((np.arange(1, 1 << (c - 1))[:, None] >> np.arange(c)) & 1).astype(bool)
        allowed = [mask[place] for mask in masks if _allowed_rows(node, mask[place], limits)]
        # An order by means need not hold the best subset for medians: this is what it could have been.
        return max((gain_of(node, left) for left in allowed), default=-np.inf), False
    terms = node.summands
    sums = np.stack([np.bincount(place, terms[:, k], minlength=c) for k in range(terms.shape[1])], axis=1)
    rows = np.bincount(place, minlength=c)
    if c <= FEW:
        subsets = (np.arange(1, 1 << (c - 1))[:, None] >> np.arange(c)) & 1
        exact = True
    else:
        exact = node.n_classes in (0, 2)
        if not exact:
            return -np.inf, False
        W = node.weight_in(sums)
        order = np.argsort(np.where(W > 0.0, value_of(node, sums, np.where(W > 0.0, W, 1.0)), 0.0), kind="stable")
        subsets = np.zeros((c - 1, c), dtype=int)
        for k in range(c - 1):
            subsets[k, order[: k + 1]] = 1
    return _largest(node, subsets @ sums, subsets @ rows, terms.sum(axis=0), limits, 0), exact


def _largest(node: Any, left, n_left, whole, limits: Limits, sign: int) -> float:
    losses = _losses(node, left, n_left, whole, len(node.y), limits, sign)
    return float(node.weighted_impurity(whole) - losses.min(initial=np.inf))


def _losses(node: Any, left, n_left, whole, n, limits: Limits, sign: int = 0) -> np.ndarray:
    """Σ W φ of both sides of each division of n rows, from the sums of its left side; ∞ where it is not allowed."""
    sides = np.array([left, whole - left])
    W = node.weight_in(sides)
    lightest = np.minimum(W[0], W[1])
    allowed = (lightest > 1e-12 * (W[0] + W[1])) & (lightest >= limits.min_weight)
    allowed &= (np.minimum(n_left, n - n_left) >= limits.min_rows) & node.has_deviance(sides, whole)
    if sign or np.isfinite(limits.lower) or np.isfinite(limits.upper):
        u, v = value_of(node, sides, W)
        lower, upper = _inner_edges(limits)
        with np.errstate(invalid="ignore"):
            allowed &= (sign * (v - u) >= 0.0) & (np.minimum(u, v) >= lower) & (np.maximum(u, v) <= upper)
    left_loss, right_loss = node.weighted_impurity(sides, W)
    return np.where(allowed, left_loss + right_loss, np.inf)


def _cuts(cells: np.ndarray, present: np.ndarray, least_gap: float) -> Iterator[np.ndarray]:
    values = np.unique(cells[present])
    missing = ~present
    with np.errstate(invalid="ignore"):
        for value in values[:-1][np.diff(values) > least_gap]:
            yield cells <= value
            if missing.any():
                yield (cells <= value) | missing
    if missing.any() and len(values):
        yield present


def _inner_edges(limits: Limits) -> tuple[float, float]:
    """The values allowed without those at the very edge: rounding decides there."""
    lower, upper = limits.lower, limits.upper
    return lower * (1.0 + 1e-9 * np.sign(lower)), upper * (1.0 - 1e-9 * np.sign(upper))


def _keeps_order(node: Node, left: np.ndarray, limits: Limits, sign: int) -> bool:
    """Whether the best constants of both sides are as far apart as a sign asks for, and within the values allowed."""
    if not sign and limits.lower == -np.inf and limits.upper == np.inf:
        return True
    u, v = (best_constant(node.kind, side.y, side.weight) for side in (node.take(left), node.take(~left)))
    lower, upper = _inner_edges(limits)
    return sign * (v - u) >= 0.0 and min(u, v) >= lower and max(u, v) <= upper


def _allowed_rows(node: Node, left: np.ndarray, limits: Limits) -> bool:
    W = node.weight
    fewest = min(np.count_nonzero(left), np.count_nonzero(~left))
    lightest = min(W[left].sum(), W[~left].sum())
    return bool(fewest >= limits.min_rows and lightest > 0.0 and lightest >= limits.min_weight)

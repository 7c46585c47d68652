"""The whole path of the lasso and of least angle regression, knot by knot.

With c = Xᵀ(y − Xβ)/n and all active columns at |c_j| = α, the solution moves along β' = d, (G d)_j = sign(c_j) on the
active columns, as α falls at unit speed. A knot is where a column reaches |c_j| = α, or, for the lasso, where a
coefficient reaches zero and its column leaves. At a knot with ties, d is the minimiser of ½dᵀGd − sᵀd over the tied
columns, those at zero being allowed to move along their sign only: this names who stays and who leaves, whatever the
number of ties, and leaves out columns that depend on the others. Coefficients and correlations are computed afresh at
every knot, so that no error is carried along. Syllabus: L7.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from scipy import linalg

EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)
# Correlations this near to the level, relatively, stand at it.
TIED = 1e-11
# A column enters when its share outside the span of the active ones is more than rounding, squared lengths compared.
INDEPENDENT = 64.0 * EPS
# The speed of an active correlation is one: differences from it smaller than this are rounding.
SPEED = 1e-10
# A direction whose equations miss by more than this is corrected once.
CORRECTED = 1e-13


class HomotopyState(NamedTuple):
    """The path down to a knot.

    Attributes
    ----------
    objective : half the mean squared residual at the last knot, up to a constant where only cross-products are known.
    alpha : level of the last knot.
    coef : (p,) coefficients there.
    active : columns that moved on the way to it and are still in, in the order they entered.
    alphas : (k,) levels of all knots so far, falling.
    coefs : (k, p) coefficients at them.
    excess : how far a correlation was above the level at a knot, at most, in units of `sizes`: rounding, or digits lost
        to columns of very different lengths.
    """

    objective: float
    alpha: float
    coef: np.ndarray
    active: list[int]
    alphas: np.ndarray
    coefs: np.ndarray
    excess: float


class Products(Protocol):
    """What the path needs to know of the data, everything divided by n."""

    cross: np.ndarray
    lengths: np.ndarray
    half_square: float

    def turn(self, columns: list[int], step: np.ndarray, of=slice(None)) -> np.ndarray:
        """(G step) of some columns, for a step of these columns."""

    def residual_products(self, columns: list[int], coef: np.ndarray, of=slice(None)) -> np.ndarray:
        """Correlations of some columns with what these coefficients leave of y."""

    def gram(self, column: int, columns: list[int]) -> np.ndarray:
        """Products of a column with some columns."""


class RowProducts:
    """Products computed from the rows when they are asked for: no digits are lost to squaring."""

    def __init__(self, X: np.ndarray, y: np.ndarray):
        self.X, self.y, self.n = np.asfortranarray(X), y, len(y)
        self.cross = self.X.T @ y / self.n
        self.lengths = np.sqrt(np.einsum("ij,ij->j", self.X, self.X) / self.n)
        self.half_square = float(y @ y) / (2.0 * self.n)

        # The columns asked for last, side by side: most requests change the end of the list alone.
        self._held: list[int] = []
        self._block = np.empty((self.n, 16), order="F")

    def turn(self, columns, step, of=slice(None)):
        return (self._side_by_side(columns) @ step) @ self._some(of, columns) / self.n

    def residual_products(self, columns, coef, of=slice(None)):
        return (self.y - self._side_by_side(columns) @ coef) @ self._some(of, columns) / self.n

    def gram(self, column, columns):
        return self.X[:, column] @ self._side_by_side(columns) / self.n

    def _some(self, of, columns) -> np.ndarray:
        if of is columns:
            return self._side_by_side(columns)
        return self.X[:, of[0] : of[0] + 1] if isinstance(of, list) and len(of) == 1 else self.X[:, of]

    def _side_by_side(self, columns: list[int]) -> np.ndarray:
        k = len(columns)
        same = min(k, len(self._held))
        if columns[:same] == self._held[:same]:
            if same == k:  # nothing to copy
                return self._block[:, :k]
        else:
            same = next(i for i in range(same) if columns[i] != self._held[i])
        if k > self._block.shape[1]:
            larger = np.empty((self.n, 2 * k), order="F")
            larger[:, :same] = self._block[:, :same]
            self._block = larger
        self._block[:, same:k] = self.X[:, columns[same:]]
        self._held = list(columns)
        return self._block[:, :k]


class GramProducts:
    """Products looked up in XᵀX and Xᵀy."""

    def __init__(self, gram: np.ndarray, cross: np.ndarray, n: float):
        self.G, self.cross = np.asarray(gram, dtype=float) / n, np.asarray(cross, dtype=float) / n
        self.lengths = np.sqrt(np.maximum(np.diag(self.G), 0.0))
        self.half_square = 0.0

    def turn(self, columns, step, of=slice(None)):
        return step @ self.G[columns][:, of]

    def residual_products(self, columns, coef, of=slice(None)):
        return self.cross[of] - self.turn(columns, coef, of)

    def gram(self, column, columns):
        return self.G[column, columns]


class ActiveFactor:
    """The triangular factor of the active block of G, columns entering at the end and leaving from anywhere."""

    def __init__(self, products: Products):
        self.products = products
        self.columns: list[int] = []
        self.R = np.zeros((0, 0))

    def enter(self, j: int) -> bool:
        """Add a column; False, and nothing done, where it depends on those inside."""
        k = len(self.columns)
        top = linalg.lapack.dtrtrs(self.R.T, self.products.gram(j, self.columns), lower=1)[0] if k else np.zeros(0)
        square = self.products.lengths[j] ** 2
        outside = square - top @ top
        if not outside > INDEPENDENT * (k + 1) * square:
            return False
        R = np.zeros((k + 1, k + 1), order="F")  # as LAPACK takes it without a copy
        R[:k, :k], R[:k, k], R[k, k] = self.R, top, math.sqrt(outside)
        self.R = R
        self.columns.append(j)
        return True

    def leave(self, j: int) -> None:
        """Take a column out; what follows it is made triangular again."""
        at = self.columns.index(j)
        del self.columns[at]
        R = np.delete(self.R, at, axis=1)
        R[at:, at:][:-1] = linalg.qr(R[at:, at:], mode="r")[0][:-1] if at < R.shape[1] else 0.0
        self.R = np.asfortranarray(R[:-1])

    def solve(self, b: np.ndarray) -> np.ndarray:
        """G⁻¹ b on the active block."""
        return linalg.lapack.dpotrs(self.R, b)[0] if len(b) else np.zeros(0)


def iterates(
    products: Products, alpha_min: float = 0.0, keep_signs: bool = True, positive: bool = False
) -> Iterator[HomotopyState]:
    """Knots from the level at which every coefficient is zero down to `alpha_min`.

    Parameters
    ----------
    products : of columns and target.
    alpha_min : level of the last knot.
    keep_signs : whether a coefficient must have the sign of its correlation, and leaves at zero: the lasso. Without it
        columns only ever enter: least angle regression.
    positive : whether only positive coefficients are allowed.
    """
    p = len(products.cross)
    # Size of the rounding of a correlation.
    rounding = (
        32.0 * EPS * products.lengths * np.sqrt(2.0 * products.half_square or np.max(products.cross**2, initial=0.0))
    )
    rounding = np.maximum(rounding, EPS * np.abs(products.cross))
    factor, coef, c = ActiveFactor(products), np.zeros(p), products.cross.copy()
    sign = np.zeros(p)
    height = c if positive else np.abs(c)
    alpha = float(max(height.max(initial=0.0), alpha_min))
    alphas, coefs, k = np.zeros(8), np.zeros((8, p)), 0
    reached: np.ndarray = np.zeros(p, dtype=bool)
    excess = 0.0
    while True:
        if k == len(alphas):
            alphas, coefs = np.resize(alphas, 2 * k), np.resize(coefs, (2 * k, p))
        alphas[k], coefs[k] = alpha, coef
        k += 1
        objective = products.half_square - 0.5 * float((products.cross + c) @ coef)
        moved = [j for j in factor.columns if coef[j] != 0.0] if keep_signs else list(factor.columns)
        with np.errstate(over="ignore"):  # a constant column has no size: far below its threshold, however far
            above = (height - alpha) / np.maximum(sizes(products, coef), TINY)
        excess = max(excess, float(above.max(initial=0.0)))
        yield HomotopyState(objective, alpha, coefs[k - 1], moved, alphas[:k], coefs[:k], excess)
        if alpha <= alpha_min:
            return

        # 1. Who stands at the level, and which way the coefficients move from here.
        tied = reached | (height >= alpha - TIED * alpha - rounding)
        tied[factor.columns] = False
        sign[tied] = np.sign(c[tied])
        tied[factor.columns] = True
        step = _direction(factor, sign, np.flatnonzero(tied).tolist(), coef, keep_signs)
        columns, active = factor.columns, np.array(factor.columns, dtype=np.intp)
        begin, towards = coef[active], sign[active]
        turn = products.turn(columns, step)
        off = towards - turn[active]
        if np.abs(off).max(initial=0.0) > CORRECTED:
            step = step + factor.solve(off)
            turn = products.turn(columns, step)

        # 2. The next level: where a column reaches it, a coefficient reaches zero, or the path ends. Levels are solved
        # for, not the way to them: beside a level of 1e20, one of 1 is beyond the digits of a difference.
        tied[active] = False
        joins = _levels(c, alpha, turn, np.where(tied, sign, 0.0), positive)
        # A column that enters stands above the level at the end of the straight way. Where y is fitted all but
        # perfectly there, it does so by rounding only, and that is no reason to enter.
        way = (alpha - alpha_min) * turn
        end = c - way if positive else np.abs(c - way)
        joins[end <= alpha_min + rounding + CORRECTED * np.abs(way)] = -np.inf
        joins[active] = -np.inf
        level, leaves = float(joins.max(initial=alpha_min)), np.full(len(active), -np.inf)
        if keep_signs:
            shrinks = (begin != 0.0) & (step * towards < 0.0)
            leaves[shrinks] = alpha - np.abs(begin[shrinks] / step[shrinks])
            level = float(leaves.max(initial=level))
        level = min(level, alpha)

        # 3. Go there. Where no column leaves, what is left of y corrects the last digits, unless that turned a sign.
        there = begin + (alpha - level) * step
        alpha, reached = level, joins >= level
        gone = (leaves >= level) | (there * towards <= 0.0) if keep_signs else None
        if gone is not None and gone.any():
            there[gone] = 0.0
        else:
            corrected = there + factor.solve(products.residual_products(columns, there, columns) - alpha * towards)
            there = there if keep_signs and (corrected * towards <= 0.0).any() else corrected
        coef = np.zeros(p)
        coef[active] = there
        c = products.residual_products(columns, there)
        height = c if positive else np.abs(c)


def sizes(products: Products, coef: np.ndarray) -> np.ndarray:
    """Size of what is added up in each correlation: its rounding is in proportion."""
    return products.lengths * (math.sqrt(2.0 * products.half_square) + float(products.lengths @ np.abs(coef)))


def _levels(c: np.ndarray, alpha: float, turn: np.ndarray, standing: np.ndarray, positive: bool) -> np.ndarray:
    """The largest level that each correlation and the level reach together, or its negative and the level; −∞ if none.

    It is a with c − (α − a) turn = a. Columns that stand at the level on one side (`standing`: its sign, or 0) can
    reach it on the other only.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        rest, closing = c - alpha * turn, 1.0 - turn
        joins = np.where((closing > SPEED) & (standing <= 0.0), rest / closing, -np.inf)
        if not positive:
            closing = 1.0 + turn
            joins = np.maximum(joins, np.where((closing > SPEED) & (standing >= 0.0), -rest / closing, -np.inf))
    return joins


def _direction(factor: ActiveFactor, sign, tied: list[int], coef, keep_signs: bool) -> np.ndarray:
    """Minimise ½dᵀGd − sᵀd over the tied columns, where those at zero move along their sign only (for the lasso).

    The active set method of Lawson and Hanson: a column enters while its correlation would otherwise fall more slowly
    than the level; one that would then move against its sign leaves. The value falls with every round, so it ends.
    """
    if keep_signs:
        for j in [j for j in factor.columns if coef[j] == 0.0]:
            factor.leave(j)
    step = factor.solve(sign[factor.columns])
    refused: set[int] = set()
    while True:
        settled = refused.union(factor.columns)
        waiting = [j for j in tied if j not in settled]
        if not waiting:
            return step
        lag = 1.0 - sign[waiting] * factor.products.turn(factor.columns, step, waiting)
        lag = lag if keep_signs else np.abs(lag)
        j = waiting[int(lag.argmax())]
        if lag.max() <= SPEED:
            return step
        if not factor.enter(j):
            refused.add(j)
            continue
        if not keep_signs:
            step = factor.solve(sign[factor.columns])
            continue
        step = np.append(step, 0.0)
        while True:
            columns = np.array(factor.columns)
            target = factor.solve(sign[columns])
            blocked = (coef[columns] == 0.0) & (target * sign[columns] <= 0.0)
            if not blocked.any():
                step = target
                break
            share = np.where(blocked, step / np.where(step == target, 1.0, step - target), np.inf)
            first = int(np.argmin(share))
            step = np.delete(step + share[first] * (target - step), first)
            if columns[first] == j:
                refused.add(j)
            factor.leave(int(columns[first]))

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
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from learnable._jit.core.vectors import DenseVectors, UnitVectors, columns_of
from learnable._jit.sparse.homotopy import PathProducts, next_knot
from learnable.rows.triangle import triangle_of
from learnable.solvers.sparse.coordinate_descent import CentredColumns
from learnable.solvers.sparse.cross_products import all_cross_products
from learnable.solvers.sparse.signed_equations import nearly_dependent

EPS = float(np.finfo(float).eps)
# Rows a column from which on the triangular factor takes the place of the rows, and the share of the columns after
# which it does where it is found by reflections, which take as long as so many knots. `benchmarks tall`, least angle
# regression: 21 ms, and 37 from rows; 10 through the cross-products of at most so many columns.
TALL, FACTORED, CROSSED = 8, 16, 500


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


def row_products(X: np.ndarray, y: np.ndarray) -> PathProducts:
    """Products computed from the rows when they are asked for: no digits are lost to squaring.

    Of many rows from a triangle with the same products, where no column nearly depends on the others.
    """
    n, p = X.shape
    cross, square = y @ X, float(y @ y)
    if n >= TALL * (p + 1) and p <= CROSSED:
        G = all_cross_products(X, np.zeros(p), 1.0)
        if not nearly_dependent(G):
            R = np.zeros((p + 1, p), order="F")
            R[:p] = lapack.dpotrf(G)[0]
            along = lapack.dtrtrs(R[:p], cross, trans=1)[0]
            few = np.append(along, math.sqrt(max(square - float(along @ along), 0.0)))
            return _of_rows(R, few, n, cross, np.sqrt(G.diagonal() / n), square)
    X = np.asfortranarray(X)
    return _of_rows(X, y, n, cross, np.sqrt(np.einsum("ij,ij->j", X, X) / n), square)


def _of_rows(X: np.ndarray, y: np.ndarray, n: int, cross, lengths, square: float) -> PathProducts:
    columns = columns_of(X)
    return _products(columns, columns, np.zeros(X.shape[1]), np.zeros(0), n, y, cross / n, lengths, square / (2.0 * n))


def gram_products(gram: np.ndarray, cross: np.ndarray, n: float) -> PathProducts:
    """Products looked up in XᵀX and Xᵀy."""
    G, c = np.asarray(gram, dtype=float) / n, np.asarray(cross, dtype=float) / n
    p, lengths = len(c), np.sqrt(np.maximum(np.diag(G), 0.0))
    return _products(columns_of(G), UnitVectors(p), np.zeros(p), np.zeros(0), 1.0, c, c, lengths, 0.0)


def centred_products(design: CentredColumns) -> PathProducts:
    """Products with a centred design, dense or sparse; a sparse one is centred implicitly."""
    columns, W = columns_of(design.X), design.weight_sum
    ones = np.ones(len(design.y)) if design.root_weight is None else design.root_weight
    cross = (design.y @ design.X - design.mean * float(ones @ design.y)) / W
    lengths = np.sqrt(design.curvature)
    return _products(columns, columns, design.mean, ones, W, design.y, cross, lengths, 0.5 * design.mean_square)


def _products(columns, against, mean, ones, weight_sum, y, cross, lengths, half_square) -> PathProducts:
    rounding = 32.0 * EPS * lengths * math.sqrt(2.0 * half_square or np.max(cross**2, initial=0.0))
    rounding = np.maximum(rounding, EPS * np.abs(cross))
    return PathProducts(columns, against, mean, ones, float(weight_sum), y, cross, lengths, half_square, rounding)


def of_triangle(products: PathProducts) -> PathProducts:
    """The same from the triangular factor of [X y], of as many rows as columns: orthogonal steps lose no digits.

    >>> X, y = np.random.default_rng(0).standard_normal((40, 2)), np.arange(40.0)
    >>> few = of_triangle(row_products(X, y))
    >>> few.columns.values.shape, np.abs(few.columns.values @ few.y - X.T @ y).max() < 1e-10
    ((2, 3), np.True_)
    """
    values = products.columns.values
    p, n = values.shape
    A = np.empty((n, p + 1), order="F")
    A[:, :p], A[:, p] = values.T, products.y
    R = triangle_of(A)
    columns = columns_of(np.asfortranarray(R[:, :p]))
    return products._replace(columns=columns, against=columns, ones=np.zeros(0), y=R[:, p].copy())


def _is_tall(products: PathProducts) -> bool:
    """Whether these are rows, as they are, of which a triangular factor has far fewer."""
    rows = products.columns is products.against and isinstance(products.columns, DenseVectors)
    return rows and len(products.y) >= TALL * (len(products.cross) + 1) and not products.mean.any()


def iterates(
    products: PathProducts, alpha_min: float = 0.0, keep_signs: bool = True, positive: bool = False
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
    coef, c, sign, reached = np.zeros(p), products.cross.copy(), np.zeros(p), np.zeros(p, dtype=bool)
    base, position, held, upper = np.empty(p, dtype=np.int64), np.full(p, -1), 0, np.empty((8, 8))
    height = c if positive else np.abs(c)
    alpha, objective = float(max(height.max(initial=0.0), alpha_min)), products.half_square
    alphas, coefs, k, excess = np.zeros(8), np.zeros((8, p)), 0, 0.0
    while True:
        if k > p // FACTORED and _is_tall(products):
            products = of_triangle(products)
        if k == len(alphas):
            alphas, coefs = np.resize(alphas, 2 * k), np.resize(coefs, (2 * k, p))
        alphas[k], coefs[k] = alpha, coef
        k += 1
        moved = [j for j in base[:held].tolist() if not keep_signs or coef[j] != 0.0]
        yield HomotopyState(objective, alpha, coefs[k - 1], moved, alphas[:k], coefs[:k], excess)
        if alpha <= alpha_min:
            return
        alpha, held, upper, objective, above = next_knot(
            products, alpha, alpha_min, keep_signs, positive, coef, c, sign, reached, base, position, held, upper
        )
        excess = max(excess, above)


def sizes(products: PathProducts, coef: np.ndarray) -> np.ndarray:
    """Size of what is added up in each correlation: its rounding is in proportion."""
    return products.lengths * (math.sqrt(2.0 * products.half_square) + float(products.lengths @ np.abs(coef)))

"""Residuals and their products with the columns, with hardly a rounding error: by slices that BLAS adds exactly.

A matrix is cut into slices of so few bits that a product of two of them, sums and all, fits into a double. What BLAS
makes of them is then exact in whatever order it adds, and what cancels cancels without loss.

References
----------
Ozaki, Ogita, Oishi and Rump, "Error-free transformations of matrix multiplication by using fast routines of matrix
multiplication and its applications", Numerical Algorithms 59, 2012.
"""

import numpy as np

# Slices of a matrix: of sums over up to 4,096 terms they have 20 bits each, 60 of the largest entry in all.
SLICES = 3
MANTISSA = 53
# Veltkamp's constant: it halves the bits of a double.
HALVING = 2.0**27 + 1.0


def residual_sums(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, coef: np.ndarray, level: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(Xᵀr, Σ r, Σ r²) of the weighted residuals r = y − Xβ − level, for y (n, q).

    The first two are right to their last digits.

    >>> X, y = np.array([[1e8, 1.0], [1e8 + 1.0, 1.0]]), np.array([[1.0], [1.0]])
    >>> slope, total, square = residual_sums(X, y, None, np.array([[1.0], [-1e8]]), np.array([1.0]))
    >>> slope.ravel().tolist(), total.tolist(), square.tolist()
    ([-100000001.0, -1.0], [-1.0], [1.0])
    """
    n, p = X.shape
    table = np.column_stack([X, np.ones(n), y])
    # Powers of two, by which nothing is rounded: every column is of the size of 1.
    unit = _sizes(table)
    right = np.vstack([-coef, -level, np.eye(y.shape[1])]) * unit.T
    bits = (MANTISSA - max(table.shape).bit_length()) // 2
    pieces = slices(table / unit, bits, 1.0)
    first, second, third = _orders(pieces, slices(right, bits, _sizes(right)))
    residual, rest = two_sum(first, second)
    rest += third
    weighted = residual
    if weight is not None:
        weighted, lost = two_product(residual, weight[:, None])
        rest = lost + weight[:, None] * rest
    square = np.einsum("ij,ij->j", weighted, residual)
    turned = [piece[:, : p + 1].T for piece in pieces]
    first, second, third = _orders(turned, slices(weighted, bits, _sizes(weighted)))
    sums = (first + (second + (third + (turned[0] + turned[1]) @ rest))) * unit.T[: p + 1]
    return sums[:p], sums[p], square


def slices(A: np.ndarray, bits: int, size: np.ndarray | float) -> list[np.ndarray]:
    """Matrices whose sum is A, but for what lies beyond their bits below `size`, powers of two above its columns."""
    # Beside so large a number only multiples of 2^−bits · size can stand.
    beside = size * (1.5 * 2.0 ** (MANTISSA - 1 - bits))
    out = []
    for _ in range(SLICES):
        piece = (A + beside) - beside
        out.append(piece)
        A = A - piece
        beside = beside * 2.0**-bits
    return out


def two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Knuth's a + b = sum + error, exactly."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def two_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Dekker's a · b = product + error, exactly."""
    product = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    large = HALVING * a
    upper = large - (large - a)
    return upper, a - upper


def _sizes(A: np.ndarray) -> np.ndarray:
    """Powers of two above the entries of each column, as a row."""
    return np.ldexp(1.0, np.frexp(np.abs(A).max(axis=0, keepdims=True))[1])


def _orders(left: list[np.ndarray], right: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Products of slices, those of one size together; what is below the third order is below the last bits."""
    (a, b, c), (u, v, w) = left, right
    return a @ u, a @ v + b @ u, a @ w + b @ v + c @ u

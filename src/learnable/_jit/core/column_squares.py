"""Sums of squares of the columns of a table, or of its copy about an origin, read once along its rows."""

from learnable._jit.core.compile import kernel


@kernel
def column_squares(X, out):
    """out ← out + Σᵢ xᵢⱼ² for every column j; X is (n, p), C-ordered."""
    n, p = X.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        for j in range(p):
            a, b, c, d = X[i, j], X[i + 1, j], X[i + 2, j], X[i + 3, j]
            out[j] += (a * a + b * b) + (c * c + d * d)
    for i in range(whole, n):
        for j in range(p):
            out[j] += X[i, j] * X[i, j]


@kernel
def sums_about(X, origin, sums, squares):
    """Column sums of x_ij − origin_j are added to `sums`, those of its squares to `squares`."""
    n, p = X.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        for j in range(p):
            o = origin[j]
            a, b, c, d = X[i, j] - o, X[i + 1, j] - o, X[i + 2, j] - o, X[i + 3, j] - o
            sums[j] += (a + b) + (c + d)
            squares[j] += (a * a + b * b) + (c * c + d * d)
    for i in range(whole, n):
        for j in range(p):
            away = X[i, j] - origin[j]
            sums[j] += away
            squares[j] += away * away


@kernel
def write_about(X, origin, out, sums, squares):
    """out_ij ← x_ij − origin_j; its column sums are added to `sums`, those of its squares to `squares`."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            away = X[i, j] - origin[j]
            out[i, j] = away
            sums[j] += away
            squares[j] += away * away

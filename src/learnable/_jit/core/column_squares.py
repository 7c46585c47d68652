"""Sums of squares of the columns of a table, read once along its rows."""

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

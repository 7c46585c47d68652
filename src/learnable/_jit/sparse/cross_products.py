"""Products of a few columns with many, where they stand."""

import numpy as np

from learnable._jit.core.compile import kernel

# Rows at a time: four columns of so many stay in the nearest cache while the others go by.
ROWS = 1024


@kernel
def cross_products(columns, new, every, weight_sum, gram):
    """gram[a, b] and gram[b, a] ← x_j·x_k / W for the last columns of `every`, which are new, with all of it.

    Parameters
    ----------
    columns : dense, as `vectors` has them.
    new : (m,) the last m of `every`.
    gram : square, at least as wide as `every` is long.
    """
    values, m, size = columns.values, new.shape[0], every.shape[0]
    old, n = size - m, values.shape[1]
    sums = np.empty((4, size + 1))
    gram[old:size, :size] = 0.0
    for start in range(0, n, ROWS):
        stop = min(start + ROWS, n)
        for a in range(0, m, 4):
            # With fewer than four left, the last one is taken again.
            last = m - 1
            e, f = values[new[a], start:stop], values[new[min(a + 1, last)], start:stop]
            g, h = values[new[min(a + 2, last)], start:stop], values[new[min(a + 3, last)], start:stop]
            for b in range(0, size, 2):
                x, y = values[every[b], start:stop], values[every[min(b + 1, size - 1)], start:stop]
                ex, fx, gx, hx, ey, fy, gy, hy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                for i in range(stop - start):
                    ex += x[i] * e[i]
                    fx += x[i] * f[i]
                    gx += x[i] * g[i]
                    hx += x[i] * h[i]
                    ey += y[i] * e[i]
                    fy += y[i] * f[i]
                    gy += y[i] * g[i]
                    hy += y[i] * h[i]
                sums[0, b], sums[1, b], sums[2, b], sums[3, b] = ex, fx, gx, hx
                sums[0, b + 1], sums[1, b + 1], sums[2, b + 1], sums[3, b + 1] = ey, fy, gy, hy
            for k in range(min(4, m - a)):
                for b in range(size):
                    gram[old + a + k, b] += sums[k, b]
    for a in range(m):
        for b in range(size):
            gram[old + a, b] /= weight_sum
        for b in range(old):
            gram[b, old + a] = gram[old + a, b]

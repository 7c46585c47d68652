"""Σ (x − a)(x − a)ᵀ and Σ (x − a) of many rows, read once: strips of rows are laid out in panels of four columns.

A tile of 4 × 8 products is summed in registers while the rows of a strip go by, as in every fast matrix product; only
tiles on and above the diagonal are. Paid for by `python -m benchmarks unsupervised --only "PCA 200000"`: for 200,000
rows of 100, 103 ms of the processor where BLAS takes 137 for the products of row blocks alone (x86-64).
"""

from typing import Any

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.core.lanes import lanes_at, minus_lanes, plus_lanes, plus_product, put_lanes

# Columns of a panel, and rows of a strip: the panels of a strip of a hundred columns stay near the first cache. A panel
# is a cache line longer than its rows: at powers of two, all panels would fall on the same few lines of the cache.
PANEL = 4
STRIP = 64
LENGTH = PANEL * STRIP + 8

# Places as unsigned numbers: they are not tried for being counted from the end.
U: Any = np.uint64


def scatter_room(p: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(sums, products, a strip) of p columns for `add_scatter`: zeros, padded to whole panels and one more."""
    panels = -(-p // PANEL)
    padded = (panels + 1) * PANEL
    return np.zeros(padded), np.zeros(padded * padded), np.zeros((panels + 1) * LENGTH)


@kernel
def add_scatter(X, p, origin, sums, products, strip):
    """Add Σ (x − origin) to `sums` and the upper triangle of Σ (x − origin)(x − origin)ᵀ to `products`.

    X holds rows of p columns, one after the other; the other arrays are those of `scatter_room`.
    """
    n = X.shape[0] // p
    panels = (p + PANEL - 1) // PANEL
    for first in range(0, n, STRIP):
        m = min(STRIP, n - first)
        _pack(X, U(first), U(m), U(p), origin, sums, strip)
        _add_products(strip, U(m), U(panels), products)


@inner_kernel
def _pack(X, first, m, p, origin, sums, strip):
    """Panel j of the strip holds columns 4 j … 4 j + 3 less their origin, row after row; what is missing stays 0."""
    whole = p // U(PANEL)
    x = first * p
    for r in range(U(0), m):
        z = r * U(PANEL)
        for j in range(U(0), whole):
            c = j * U(PANEL)
            away = minus_lanes(lanes_at(4, X, x), lanes_at(4, origin, c))
            put_lanes(plus_lanes(lanes_at(4, sums, c), away), sums, c)
            put_lanes(away, strip, z)
            x += U(PANEL)
            z += U(LENGTH)
        for c in range(whole * U(PANEL), p):
            v = X[x] - origin[c]
            sums[c] += v
            strip[z] = v
            x += U(1)
            z += U(1)


@inner_kernel
def _add_products(strip, m, panels, products):
    """Every panel with itself and those after it, two at a time; beside the last one stands a panel of zeros."""
    width = (panels + U(1)) * U(PANEL)
    for i in range(U(0), panels):
        for j in range(i, panels, U(2)):
            _add_tile(strip, i * U(LENGTH), j * U(LENGTH), m, products, U(PANEL) * (i * width + j), width)


@inner_kernel
def _add_tile(strip, a, b, m, products, at, width):
    """The products of panel a with panel b and the one after it."""
    second, third, fourth, right = at + width, at + width + width, at + U(3) * width, U(PANEL)
    c0, d0 = lanes_at(4, products, at), lanes_at(4, products, at + right)
    c1, d1 = lanes_at(4, products, second), lanes_at(4, products, second + right)
    c2, d2 = lanes_at(4, products, third), lanes_at(4, products, third + right)
    c3, d3 = lanes_at(4, products, fourth), lanes_at(4, products, fourth + right)
    for _ in range(m):
        x, y, z = lanes_at(4, strip, a), lanes_at(4, strip, b), lanes_at(4, strip, b + U(LENGTH))
        c0, d0 = plus_product(c0, x, 0, y), plus_product(d0, x, 0, z)
        c1, d1 = plus_product(c1, x, 1, y), plus_product(d1, x, 1, z)
        c2, d2 = plus_product(c2, x, 2, y), plus_product(d2, x, 2, z)
        c3, d3 = plus_product(c3, x, 3, y), plus_product(d3, x, 3, z)
        a += U(PANEL)
        b += U(PANEL)
    put_lanes(c0, products, at)
    put_lanes(d0, products, at + right)
    put_lanes(c1, products, second)
    put_lanes(d1, products, second + right)
    put_lanes(c2, products, third)
    put_lanes(d2, products, third + right)
    put_lanes(c3, products, fourth)
    put_lanes(d3, products, fourth + right)

"""Σ (x − a)(x − a)ᵀ and Σ (x − a) of many rows, read once: strips of rows are laid out in panels of eight columns.

A tile of products is summed in registers while the rows of a strip go by, as in every fast matrix product: 4 × 8 of
them, 8 × 16 where registers are long and many. Only tiles on and above the diagonal are, and 4 × 4 where the other half
would be below it or beyond the last column. Paid for by `python -m benchmarks unsupervised --only "PCA 200000"`: for
200,000 rows of 100, 90 ms of the processor where tiles of 4 × 8 take 127, and BLAS 137 for the products of row blocks
alone (x86-64 with AVX-512); 133 with halves of tiles and 148 without (aarch64).
"""

from typing import Any

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.core.lanes import (
    lanes_at,
    line_at,
    long_registers,
    minus_lanes,
    plus_lanes,
    plus_product,
    put_lanes,
)

# Columns of a panel, which fill a cache line, and rows of a strip: the panels of a strip of a hundred columns stay near
# the first cache. A panel is a cache line longer than its rows: at powers of two, all panels would fall on the same few
# lines of the cache.
PANEL = 8
STRIP = 64
LENGTH = PANEL * STRIP + 8
HALF = PANEL // 2

# Places as unsigned numbers: they are not tried for being counted from the end.
U: Any = np.uint64


def scatter_room(p: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(sums, products, a strip) of p columns for `add_scatter`: zeros, padded to whole panels and one more."""
    panels = -(-p // PANEL) + 1
    padded = panels * PANEL
    return _on_lines(padded), _on_lines(padded * padded), _on_lines(panels * LENGTH)


def _on_lines(size: int) -> np.ndarray:
    """Zeros that begin with a cache line, so that no vector lies on two."""
    room = np.zeros(size + PANEL)
    return room[-room.ctypes.data // room.itemsize % PANEL :][:size]


@kernel
def add_scatter(X, p, origin, sums, products, strip):
    """Add Σ (x − origin) to `sums` and the upper triangle of Σ (x − origin)(x − origin)ᵀ to `products`.

    X holds rows of p columns, one after the other; the other arrays are those of `scatter_room`.
    """
    n = X.shape[0] // p
    for first in range(0, n, STRIP):
        m = min(STRIP, n - first)
        _pack(X, U(first), U(m), U(p), origin, sums, strip)
        _add_products(strip, U(m), U(p), products)


@inner_kernel
def _pack(X, first, m, p, origin, sums, strip):
    """Panel j of the strip holds columns 8 j … 8 j + 7 less their origin, row after row; what is missing stays 0."""
    whole = p // U(PANEL)
    x = first * p
    for r in range(U(0), m):
        z = r * U(PANEL)
        for j in range(U(0), whole):
            c = j * U(PANEL)
            away = minus_lanes(line_at(X, x), line_at(origin, c))
            put_lanes(plus_lanes(line_at(sums, c), away), sums, c)
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
def _add_products(strip, m, p, products):
    """Every panel with itself and those after it, in tiles; beside the last one stands a panel of zeros."""
    panels = (p + U(PANEL - 1)) // U(PANEL)
    width = (panels + U(1)) * U(PANEL)
    if long_registers():
        for i in range(U(0), panels):
            a, row = i * U(LENGTH), U(PANEL) * i * width
            for j in range(i, panels, U(2)):
                _add_long_tile(strip, a, j * U(LENGTH), m, products, row + U(PANEL) * j, width)
    else:
        halves = (p + U(HALF - 1)) // U(HALF)
        for i in range(U(0), halves):
            a, at = _half_at(i), U(HALF) * i * (width + U(1))
            if i % U(2) == U(1):
                _add_corner(strip, a, a, m, products, at, width)
                at += U(HALF)
            for j in range(i + i % U(2), halves - U(1), U(2)):
                _add_tile(strip, a, _half_at(j), m, products, at, width)
                at += U(PANEL)
            if halves % U(2) == U(1):
                _add_corner(strip, a, _half_at(halves - U(1)), m, products, at, width)


@inner_kernel
def _half_at(i):
    """Where columns 4 i … 4 i + 3 begin in a strip."""
    return i // U(2) * U(LENGTH) + i % U(2) * U(HALF)


@inner_kernel
def _add_tile(strip, a, b, m, products, at, width):
    """The products of four columns, from a on, with panel b."""
    second, third, fourth = at + width, at + U(2) * width, at + U(3) * width
    c0, c1 = line_at(products, at), line_at(products, second)
    c2, c3 = line_at(products, third), line_at(products, fourth)
    for _ in range(m):
        x, y = lanes_at(4, strip, a), line_at(strip, b)
        c0, c1 = plus_product(c0, x, 0, y), plus_product(c1, x, 1, y)
        c2, c3 = plus_product(c2, x, 2, y), plus_product(c3, x, 3, y)
        a += U(PANEL)
        b += U(PANEL)
    put_lanes(c0, products, at)
    put_lanes(c1, products, second)
    put_lanes(c2, products, third)
    put_lanes(c3, products, fourth)


@inner_kernel
def _add_corner(strip, a, b, m, products, at, width):
    """The products of four columns, from a on, with four, from b on."""
    second, third, fourth = at + width, at + U(2) * width, at + U(3) * width
    c0, c1 = lanes_at(4, products, at), lanes_at(4, products, second)
    c2, c3 = lanes_at(4, products, third), lanes_at(4, products, fourth)
    for _ in range(m):
        x, y = lanes_at(4, strip, a), lanes_at(4, strip, b)
        c0, c1 = plus_product(c0, x, 0, y), plus_product(c1, x, 1, y)
        c2, c3 = plus_product(c2, x, 2, y), plus_product(c3, x, 3, y)
        a += U(PANEL)
        b += U(PANEL)
    put_lanes(c0, products, at)
    put_lanes(c1, products, second)
    put_lanes(c2, products, third)
    put_lanes(c3, products, fourth)


@inner_kernel
def _add_long_tile(strip, a, b, m, products, at, width):
    """The products of panel a with panel b and the one after it."""
    right = U(PANEL)
    at1, at2, at3 = at + width, at + U(2) * width, at + U(3) * width
    at4, at5, at6, at7 = at + U(4) * width, at + U(5) * width, at + U(6) * width, at + U(7) * width
    c0, d0 = line_at(products, at), line_at(products, at + right)
    c1, d1 = line_at(products, at1), line_at(products, at1 + right)
    c2, d2 = line_at(products, at2), line_at(products, at2 + right)
    c3, d3 = line_at(products, at3), line_at(products, at3 + right)
    c4, d4 = line_at(products, at4), line_at(products, at4 + right)
    c5, d5 = line_at(products, at5), line_at(products, at5 + right)
    c6, d6 = line_at(products, at6), line_at(products, at6 + right)
    c7, d7 = line_at(products, at7), line_at(products, at7 + right)
    for _ in range(m):
        x, y, z = line_at(strip, a), line_at(strip, b), line_at(strip, b + U(LENGTH))
        c0, d0 = plus_product(c0, x, 0, y), plus_product(d0, x, 0, z)
        c1, d1 = plus_product(c1, x, 1, y), plus_product(d1, x, 1, z)
        c2, d2 = plus_product(c2, x, 2, y), plus_product(d2, x, 2, z)
        c3, d3 = plus_product(c3, x, 3, y), plus_product(d3, x, 3, z)
        c4, d4 = plus_product(c4, x, 4, y), plus_product(d4, x, 4, z)
        c5, d5 = plus_product(c5, x, 5, y), plus_product(d5, x, 5, z)
        c6, d6 = plus_product(c6, x, 6, y), plus_product(d6, x, 6, z)
        c7, d7 = plus_product(c7, x, 7, y), plus_product(d7, x, 7, z)
        a += U(PANEL)
        b += U(PANEL)
    put_lanes(c0, products, at)
    put_lanes(d0, products, at + right)
    put_lanes(c1, products, at1)
    put_lanes(d1, products, at1 + right)
    put_lanes(c2, products, at2)
    put_lanes(d2, products, at2 + right)
    put_lanes(c3, products, at3)
    put_lanes(d3, products, at3 + right)
    put_lanes(c4, products, at4)
    put_lanes(d4, products, at4 + right)
    put_lanes(c5, products, at5)
    put_lanes(d5, products, at5 + right)
    put_lanes(c6, products, at6)
    put_lanes(d6, products, at6 + right)
    put_lanes(c7, products, at7)
    put_lanes(d7, products, at7 + right)

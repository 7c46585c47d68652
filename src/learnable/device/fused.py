"""Passes over single-precision rows on a GPU that write nothing wide but the answer.

Written term by term, a pass of k-means stores a score for every row and centre, a kernel block is read and written
four times, and logistic regression makes a dozen passes over its scores. Here a tile of rows is read, and what is made
of it stays in registers: `python -m benchmarks device` measures them beside the card's ceilings. Products go through
the tensor cores in three parts of a number each, which keeps the digits of single precision.

Triton compiles these functions where they are called; it comes with torch for CUDA. Without it, or for double
precision, `products` writes the same sums with torch.
"""

import math
from typing import Any

import torch
import triton
import triton.language as tl

# Rows and columns of a tile. These sizes and those at the calls are the quickest of those tried on an H200.
ROWS, COLUMNS = 128, 64
# What a tile can hold beside its sums.
MOST_COLUMNS, MOST_CLASSES = 256, 64
# Programs that share a sum: two a multiprocessor of the largest cards.
PARTS = 264


def suits(X: Any, classes: int = 1) -> bool:
    """Whether these rows can be worked on here."""
    return X.is_cuda and X.dtype == torch.float32 and X.shape[1] <= MOST_COLUMNS and classes <= MOST_CLASSES


def nearest(X: Any, C: Any) -> tuple[Any, Any]:
    """Of each row the nearest of the centres, and its squared distance from it."""
    n, p = X.shape
    X, C, k = X.contiguous(), C.contiguous(), len(C)
    labels = torch.empty(n, dtype=torch.uint8 if k <= 256 else torch.int32, device=X.device)
    distances = torch.empty(n, device=X.device)
    _nearest[(triton.cdiv(n, ROWS),)](
        X, C, (C * C).sum(dim=1), labels, distances, n, k, p, ROWS, min(128, _power(k)), _power(p),
        num_warps=8,
    )  # fmt: skip
    return labels, distances


def sums_by_label(X: Any, labels: Any, k: int) -> tuple[Any, Any]:
    """Σ x and the number of rows of each label: rows in the order of their labels, a stretch of one label a program."""
    p, X = X.shape[1], X.contiguous()
    order = torch.sort(labels).indices
    counts = torch.bincount(labels, minlength=k)
    ends = counts.cumsum(dim=0)
    parts = max(1, min(64 * PARTS // k, len(X) // (64 * k)))
    sums = torch.empty((parts, k, p), device=X.device)
    columns = min(COLUMNS, _power(p))
    _label_sums[(k, parts, triton.cdiv(p, columns))](
        X, order, ends, counts, sums, k, parts, p, 16, columns, num_warps=8
    )
    return _summed(sums), counts


def rbf(A: Any, B: Any, gamma: float) -> Any:
    """exp(−γ ‖a − b‖²) for all pairs of rows."""
    m, n, p = len(A), len(B), A.shape[1]
    A, B = A.contiguous(), B.contiguous()
    out = torch.empty((m, n), device=A.device)
    squares = (A * A).sum(dim=1), (B * B).sum(dim=1)
    _rbf[(triton.cdiv(m, 128), triton.cdiv(n, 128))](
        A, B, *squares, out, gamma * math.log2(math.e), m, n, p, 128, min(COLUMNS, _power(p)), num_warps=8
    )
    return out


def softmax_gradient(X: Any, y: Any, W: Any, b: Any) -> tuple[Any, Any]:
    """Σ of the losses and (K, p + 1) of their slopes, of multinomial logistic regression."""
    return _softmax_sums(X, y, W, b, W, b, along=False)


def softmax_curvature(X: Any, W: Any, b: Any, D: Any, d: Any) -> Any:
    """Σ of the Hessians of the losses times a direction, (K, p + 1)."""
    return _softmax_sums(X, torch.empty(0, dtype=torch.int64, device=X.device), W, b, D, d, along=True)[1]


def _softmax_sums(X: Any, y: Any, W: Any, b: Any, D: Any, d: Any, along: bool) -> tuple[Any, Any]:
    """Slopes of every row first, as many as there are classes, then their products with the rows: two readings."""
    n, p = X.shape
    X, K = X.contiguous(), len(W)
    classes = _power(K)
    losses = torch.empty(0 if along else n, device=X.device)
    slopes = torch.empty((n, classes), device=X.device)
    _slopes[(triton.cdiv(n, 64),)](
        X, y, W.contiguous(), b.contiguous(), D.contiguous(), d.contiguous(), losses, slopes, n, K, p, 64, 32,
        classes, along, num_warps=4,
    )  # fmt: skip
    parts, columns = min(8 * PARTS, triton.cdiv(n, 32)), _power(p)
    sums = torch.empty((parts, classes, p), device=X.device)
    ends = torch.empty((parts, classes), device=X.device)
    grid = parts, triton.cdiv(p, columns)
    _outer_sums[grid](X, slopes, sums, ends, n, parts, p, 32, columns, classes, num_warps=4)
    total = torch.cat([_summed(sums), _summed(ends)[:, None]], dim=1)
    return losses.sum(dtype=torch.float64), total[:K]


def _summed(parts: Any) -> Any:
    return parts.sum(dim=0, dtype=torch.float64)


def _power(size: int) -> int:
    """The power of two that holds as many, at least the 16 that a product of tiles needs."""
    return max(16, triton.next_power_of_2(size))


# The number of columns is a constant of each kernel: rows of it are then known to be aligned, and read in fours.
@triton.jit
def _tile(X, first, start, n, p: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """ROWS rows and COLUMNS columns of X from (first, start) on, with zeros beyond its edges."""
    i, j = first + tl.arange(0, ROWS), start + tl.arange(0, COLUMNS)
    inside = (i < n)[:, None] & (j < p)[None, :]
    return tl.load(X + i.to(tl.int64)[:, None] * p + j[None, :], mask=inside, other=0.0)


@triton.jit
def _nearest(
    X, C, squares, labels, distances, n, k, p: tl.constexpr,
    ROWS: tl.constexpr, CENTRES: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    first = tl.program_id(0) * ROWS
    x = _tile(X, first, 0, n, p, ROWS, COLUMNS)
    best = tl.full((ROWS,), float("inf"), tl.float32)
    label = tl.zeros((ROWS,), tl.int32)
    for centre in range(0, k, CENTRES):
        c = _tile(C, centre, 0, k, p, CENTRES, COLUMNS)
        which = centre + tl.arange(0, CENTRES)
        square = tl.load(squares + which, mask=which < k, other=float("inf"))
        score = square[None, :] - 2.0 * tl.dot(x, tl.trans(c), input_precision="tf32x3")
        least = tl.min(score, axis=1)
        label = tl.where(least < best, centre + tl.argmin(score, axis=1), label)
        best = tl.minimum(least, best)
    i = first + tl.arange(0, ROWS)
    tl.store(labels + i, label, mask=i < n)
    tl.store(distances + i, best + tl.sum(x * x, axis=1), mask=i < n)


@triton.jit
def _label_sums(
    X, order, ends, counts, sums, k, parts, p: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):  # fmt: skip
    label, part, start = tl.program_id(0), tl.program_id(1), tl.program_id(2) * COLUMNS
    end = tl.load(ends + label)
    begin = end - tl.load(counts + label)
    length = (end - begin + parts - 1) // parts
    begin += part * length
    end = tl.minimum(begin + length, end)
    j = start + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(begin, end, ROWS):
        place = first + tl.arange(0, ROWS)
        i = tl.load(order + place, mask=place < end, other=0)
        inside = (place < end)[:, None] & (j < p)[None, :]
        total += tl.load(X + i[:, None] * p + j[None, :], mask=inside, other=0.0)
    tl.store(sums + (part * k + label) * p + j, tl.sum(total, axis=0), mask=j < p)


@triton.jit
def _rbf(A, B, square_a, square_b, out, rate, m, n, p: tl.constexpr, TILE: tl.constexpr, COLUMNS: tl.constexpr):
    first, second = tl.program_id(0) * TILE, tl.program_id(1) * TILE
    product = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, p, COLUMNS):
        a = _tile(A, first, start, m, p, TILE, COLUMNS)
        b = _tile(B, second, start, n, p, TILE, COLUMNS)
        product = tl.dot(a, tl.trans(b), product, input_precision="tf32x3")
    i, j = first + tl.arange(0, TILE), second + tl.arange(0, TILE)
    left = tl.load(square_a + i, mask=i < m, other=0.0)
    right = tl.load(square_b + j, mask=j < n, other=0.0)
    # Rounding may leave a distance below 0, where the kernel would exceed 1.
    kernel = tl.exp2(-rate * tl.maximum(left[:, None] + right[None, :] - 2.0 * product, 0.0))
    tl.store(out + i.to(tl.int64)[:, None] * n + j[None, :], kernel, mask=(i < m)[:, None] & (j < n)[None, :])


@triton.jit
def _slopes(
    X, y, W, b, D, d, losses, slopes, n, K, p: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, CLASSES: tl.constexpr, ALONG: tl.constexpr,
):  # fmt: skip
    first = tl.program_id(0) * ROWS
    k, i = tl.arange(0, CLASSES), first + tl.arange(0, ROWS)
    U = tl.zeros((ROWS, CLASSES), tl.float32)
    V = tl.zeros((ROWS, CLASSES), tl.float32)
    for start in range(0, p, COLUMNS):
        x = _tile(X, first, start, n, p, ROWS, COLUMNS)
        U = tl.dot(x, tl.trans(_tile(W, 0, start, K, p, CLASSES, COLUMNS)), U, input_precision="tf32x3")
        if ALONG:
            V = tl.dot(x, tl.trans(_tile(D, 0, start, K, p, CLASSES, COLUMNS)), V, input_precision="tf32x3")
    U += tl.load(b + k, mask=k < K, other=-float("inf"))[None, :]  # a class that is not there has probability 0
    top = tl.max(U, axis=1)
    P = tl.exp(U - top[:, None])
    norm = tl.sum(P, axis=1)
    P = P / norm[:, None]
    if ALONG:
        V += tl.load(d + k, mask=k < K, other=0.0)[None, :]
        slope = P * (V - tl.sum(P * V, axis=1)[:, None])
    else:
        own = k[None, :] == tl.load(y + i, mask=i < n, other=0).to(tl.int32)[:, None]
        tl.store(losses + i, top + tl.log(norm) - tl.sum(tl.where(own, U, 0.0), axis=1), mask=i < n)
        slope = P - own.to(tl.float32)
    tl.store(slopes + i.to(tl.int64)[:, None] * CLASSES + k[None, :], slope, mask=(i < n)[:, None])


@triton.jit
def _outer_sums(
    X, slopes, sums, ends, n, parts, p: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, CLASSES: tl.constexpr,
):  # fmt: skip
    part, start = tl.program_id(0), tl.program_id(1) * COLUMNS
    total = tl.zeros((CLASSES, COLUMNS), tl.float32)
    end = tl.zeros((CLASSES,), tl.float32)
    for first in range(part * ROWS, n, parts * ROWS):
        x = _tile(X, first, start, n, p, ROWS, COLUMNS)
        slope = _tile(slopes, first, 0, n, CLASSES, ROWS, CLASSES)
        total = tl.dot(tl.trans(slope), x, total, input_precision="tf32x3")
        end += tl.sum(slope, axis=0)
    k, j = tl.arange(0, CLASSES), start + tl.arange(0, COLUMNS)
    tl.store(sums + (part * CLASSES + k)[:, None] * p + j[None, :], total, mask=(j < p)[None, :])
    if start == 0:
        tl.store(ends + part * CLASSES + k, end)

"""Forward and backward procedures for certificates: NumPy, all sequences at once, long ones cut into pieces.

The pieces of a long sequence are swept side by side, each from the message its neighbour ended with in the sweep
before, until no message changes any more. Then every piece is right, since the first is; a chain that forgets its past
within a piece takes two or three sweeps, none takes more sweeps than there are pieces. Where rows and states are few,
all messages come from products of matrices instead, which take log₂(rows) steps.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

# Messages between pieces are probabilities: this is their rounding.
SETTLED = 1e-14
# Rows of a piece at least: side by side few steps are made where few rows cost less than a step.
SHORTEST_PIECE = 1000
SHORTEST_OF_FEW = 32
FEW = 2**12
# Rows times squared states for which products of matrices take less time: `python -m benchmarks tall --only Baum`.
FEW_PRODUCTS = 2**14


class Arithmetic(NamedTuple):
    """How messages (rows of K numbers) are multiplied and scaled: as probabilities, or as their logarithms."""

    step: Callable[[np.ndarray, np.ndarray], np.ndarray]
    product: Callable[[np.ndarray, np.ndarray], np.ndarray]
    scaled: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    one: float


def _scaled(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    total = v.sum(axis=1)
    if total.all():
        return v / total[:, None], np.log(total)
    with np.errstate(divide="ignore"):
        return v / np.where(total > 0.0, total, 1.0)[:, None], np.log(total)


def _scaled_logarithms(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(divide="ignore"):
        total = logsumexp(v, axis=1)
    return v - np.where(np.isfinite(total), total, 0.0)[:, None], total


def _log_step(v: np.ndarray, log_A: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return logsumexp(v[:, :, None] + log_A, axis=1)


PROBABILITIES = Arithmetic(np.matmul, np.multiply, _scaled, 1.0)
LOGARITHMS = Arithmetic(_log_step, np.add, _scaled_logarithms, 0.0)


class Pieces:
    """Where the rows of sequences lie once long sequences are cut: piece by piece, longest first."""

    def __init__(self, lengths: np.ndarray):
        n = int(np.sum(lengths))
        longest = max(SHORTEST_OF_FEW if n <= FEW else SHORTEST_PIECE, int(np.sqrt(n)))
        firsts, sizes, begins, ends = [], [], [], []
        row = 0
        for length in lengths:
            cuts = np.append(np.arange(0, length, longest), length)
            firsts += (row + cuts[:-1]).tolist()
            sizes += np.diff(cuts).tolist()
            begins += [True] + [False] * (len(cuts) - 2)
            ends += [False] * (len(cuts) - 2) + [True]
            row += int(length)
        order = np.argsort(-np.array(sizes), kind="stable")
        place = np.empty(len(order), dtype=int)
        place[order] = np.arange(len(order))
        self.firsts, self.sizes = np.array(firsts)[order], np.array(sizes)[order]
        self.begins, self.ends = np.array(begins)[order], np.array(ends)[order]
        # The neighbours of each piece in its sequence, in the new order; meaningless where it begins or ends one.
        self.before, self.after = place[order - 1], place[(order + 1) % len(order)]
        # How many pieces are at least t + 1 rows long.
        self.active = np.searchsorted(-self.sizes, -np.arange(1, self.sizes[0] + 1), side="right")
        self.several = not bool(np.all(self.begins))

    def rows(self, t: int) -> np.ndarray:
        """The rows that are number t of their pieces."""
        return self.firsts[: self.active[t]] + t


def forward(start, A, B, lengths: np.ndarray, arithmetic: Arithmetic) -> tuple[np.ndarray, np.ndarray]:
    """(α scaled to sum 1, log c) of every row. start, A, B as the arithmetic wants them."""
    if arithmetic is PROBABILITIES and B.size * B.shape[1] <= FEW_PRODUCTS:
        return _by_products(start, A, B, np.cumsum(lengths) - lengths)[::2]
    pieces = Pieces(lengths)
    alpha, log_c = np.empty_like(B), np.empty(len(B))
    _, K = B.shape
    last = pieces.firsts + pieces.sizes - 1
    ended = np.full((len(pieces.firsts), K), -np.log(K) if arithmetic.one == 0.0 else 1.0 / K)
    for _ in range(len(pieces.firsts)):
        predicted = np.where(pieces.begins[:, None], start, arithmetic.step(ended[pieces.before], A))
        for t in range(pieces.sizes[0]):
            rows = pieces.rows(t)
            if t:
                predicted = arithmetic.step(alpha[rows - 1], A)
            alpha[rows], log_c[rows] = arithmetic.scaled(arithmetic.product(predicted, B[rows]))
        now = alpha[last]
        with np.errstate(invalid="ignore"):
            settled = not pieces.several or np.all((np.abs(now - ended) <= SETTLED) | (now == ended))
        if settled:
            break
        ended = now
    return alpha, log_c


def backward(A, B, lengths: np.ndarray, arithmetic: Arithmetic) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(w scaled to sum 1, β, log d) of every row; β_t = A w_{t+1}, β = 1 at the end of a sequence."""
    transposed = np.ascontiguousarray(A.T)
    if arithmetic is PROBABILITIES and B.size * B.shape[1] <= FEW_PRODUCTS:
        w, beta, log_d = _by_products(np.ones(B.shape[1]), transposed, B[::-1], len(B) - np.cumsum(lengths))
        return w[::-1], beta[::-1], log_d[::-1]
    pieces = Pieces(lengths)
    w, beta, log_d = np.empty_like(B), np.empty_like(B), np.empty(len(B))
    _, K = B.shape
    began = np.full((len(pieces.firsts), K), -np.log(K) if arithmetic.one == 0.0 else 1.0 / K)
    for _ in range(len(pieces.firsts)):
        last = np.where(pieces.ends[:, None], arithmetic.one, arithmetic.step(began[pieces.after], transposed))
        for t in range(pieces.sizes[0] - 1, -1, -1):
            rows = pieces.rows(t)
            following = pieces.active[t + 1] if t + 1 < pieces.sizes[0] else 0
            beta[rows[following:]] = last[following : len(rows)]
            if following:
                beta[rows[:following]] = arithmetic.step(w[rows[:following] + 1], transposed)
            w[rows], log_d[rows] = arithmetic.scaled(arithmetic.product(beta[rows], B[rows]))
        now = w[pieces.firsts]
        with np.errstate(invalid="ignore"):
            settled = not pieces.several or np.all((np.abs(now - began) <= SETTLED) | (now == began))
        if settled:
            break
        began = now
    return w, beta, log_d


def _by_products(
    message: np.ndarray, A: np.ndarray, B: np.ndarray, firsts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(messages times B scaled to sum 1, messages, log of the scalings) along sequences that begin with `message`.

    Both procedures are this one, from either end. α_t is any row of M_1 ⋯ M_t with M_t = A diag(b_t), once M_t = 1
    (message ∘ b_t)ᵀ in the first row of a sequence makes all its rows alike and forgets what was before.
    """
    products = A * B[:, np.newaxis, :]
    products[firsts] = (message * B[firsts])[:, np.newaxis, :]
    step, ones = 1, np.ones(A.size)
    while step < len(B):
        # Row t holds the product of the last `step` matrices up to M_t, or of all of them.
        joined = products[:-step] @ products[step:]
        total = joined.reshape(len(joined), -1) @ ones
        total[total == 0.0] = 1.0
        np.divide(joined, total[:, np.newaxis, np.newaxis], out=products[step:])
        step *= 2
    scaled, _ = _scaled(products.sum(axis=1))
    messages = np.empty_like(B)
    messages[1:] = scaled[:-1] @ A
    messages[firsts] = message
    with np.errstate(divide="ignore"):
        return scaled, messages, np.log(np.vecdot(messages, B))

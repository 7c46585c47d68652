"""Forward and backward procedures for certificates: NumPy, all sequences at once, long ones cut into pieces.

The pieces of a long sequence are swept side by side, each from the message its neighbour ended with in the sweep
before, until no message changes any more. Then every piece is right, since the first is; where a chain forgets its
past within a piece, the second sweep ends where it has; none takes more sweeps than there are pieces. Where rows and
states are few, all messages come from products of matrices instead, which take log₂(rows) steps.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

# Rounding of messages, relative to each number.
SETTLED = 1e-13
# Rows of a piece at least: side by side few steps are made where few rows cost less than a step.
SHORTEST_PIECE = 1000
SHORTEST_OF_FEW = 32
FEW = 2**12
# Rows whose messages are found together once the scalings are known.
ROWS_AT_ONCE = 2**12
# Rows times squared states for which products of matrices take less time: `python -m benchmarks tall --only Baum`.
FEW_PRODUCTS = 2**14


class Arithmetic(NamedTuple):
    """How messages (rows of K numbers) are multiplied and scaled: as probabilities, or as their logarithms."""

    step: Callable[[np.ndarray, np.ndarray], np.ndarray]
    product: Callable[[np.ndarray, np.ndarray], np.ndarray]
    scaled: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    same: Callable[[np.ndarray, np.ndarray], bool]
    one: float


def _scaled(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    total = v @ np.ones(v.shape[1])
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


def _same(v: np.ndarray, before: np.ndarray) -> bool:
    return bool(np.all(np.abs(v - before) <= SETTLED * before))


def _same_logarithms(v: np.ndarray, before: np.ndarray) -> bool:
    with np.errstate(invalid="ignore"):
        return bool(np.all((np.abs(v - before) <= SETTLED * (1.0 + np.abs(before))) | (v == before)))


PROBABILITIES = Arithmetic(np.matmul, np.multiply, _scaled, _same, 1.0)
LOGARITHMS = Arithmetic(_log_step, np.add, _scaled_logarithms, _same_logarithms, 0.0)


class Pieces:
    """The rows of sequences once long sequences are cut into pieces, step by step: the first of each, the second …

    Pieces lie longest first, so that those that are not at their end yet lie together at every step.
    """

    def __init__(self, lengths: np.ndarray):
        n = int(np.sum(lengths))
        longest = max(SHORTEST_OF_FEW if n <= FEW else SHORTEST_PIECE, int(np.sqrt(n)))
        firsts, sizes, begins = [], [], []
        row = 0
        for length in lengths:
            cuts = np.append(np.arange(0, length, longest), length)
            firsts += (row + cuts[:-1]).tolist()
            sizes += np.diff(cuts).tolist()
            begins += [True] + [False] * (len(cuts) - 2)
            row += int(length)
        order = np.argsort(-np.array(sizes), kind="stable")
        place = np.empty(len(order), dtype=int)
        place[order] = np.arange(len(order))
        self.sizes, self.begins = np.array(sizes)[order], np.array(begins)[order]
        # The neighbour of each piece in its sequence, in the new order; meaningless where it begins one.
        self.before = place[order - 1]
        # How many pieces are at least t + 1 rows long, and where the rows of step t begin.
        self.active = np.searchsorted(-self.sizes, -np.arange(1, self.sizes[0] + 1), side="right")
        self.begin = np.concatenate(([0], np.cumsum(self.active)))
        # The row that lies at each place, and the place of the last row of each piece.
        step = np.repeat(np.arange(len(self.active)), self.active)
        self.rows = np.array(firsts)[order][np.arange(n) - self.begin[step]] + step
        self.lasts = self.begin[self.sizes - 1] + np.arange(len(order))
        self.several = not bool(np.all(self.begins))


def forward(start, A, B, lengths: np.ndarray, arithmetic: Arithmetic) -> tuple[np.ndarray, np.ndarray]:
    """(α scaled to sum 1, log c) of every row. start, A, B as the arithmetic wants them."""
    return _from_the_beginning(start, A, B, lengths, arithmetic)


def backward(A, B, lengths: np.ndarray, arithmetic: Arithmetic) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(w scaled to sum 1, β, log d) of every row; β_t = A w_{t+1}, β = 1 at the end of a sequence."""
    end, transposed = np.full(B.shape[1], arithmetic.one), np.ascontiguousarray(A.T)
    w, log_d = (found[::-1] for found in _from_the_beginning(end, transposed, B[::-1], lengths[::-1], arithmetic))
    beta = np.empty_like(B)
    for begin in range(0, len(B) - 1, ROWS_AT_ONCE):
        after = slice(begin + 1, begin + 1 + ROWS_AT_ONCE)
        beta[begin : begin + len(w[after])] = arithmetic.step(w[after], transposed)
    beta[np.cumsum(lengths) - 1] = end
    return w, beta, log_d


def _from_the_beginning(
    message: np.ndarray, A: np.ndarray, B: np.ndarray, lengths: np.ndarray, arithmetic: Arithmetic
) -> tuple[np.ndarray, np.ndarray]:
    """(messages times B scaled to sum 1, log of the scalings) along sequences that begin with `message`.

    Both procedures are this one, from either end.
    """
    if arithmetic is PROBABILITIES and B.size * B.shape[1] <= FEW_PRODUCTS:
        return _by_products(message, A, B, np.cumsum(lengths) - lengths)
    pieces, (_, K) = Pieces(lengths), B.shape
    B = B[pieces.rows]
    scaled, log_c = np.empty_like(B), np.empty(len(B))
    ended = np.full((len(pieces.sizes), K), -np.log(K) if arithmetic.one == 0.0 else 1.0 / K)
    for sweep in range(len(pieces.sizes)):
        first = np.where(pieces.begins[:, None], message, arithmetic.step(ended[pieces.before], A))
        if _sweep(first, A, B, pieces, arithmetic, (scaled, log_c), sweep > 0) or not pieces.several:
            break
        ended = scaled[pieces.lasts]
    in_order, log_in_order = B, np.empty_like(log_c)  # B is needed no more
    in_order[pieces.rows], log_in_order[pieces.rows] = scaled, log_c
    return in_order, log_in_order


def _sweep(
    first: np.ndarray, A: np.ndarray, B: np.ndarray, pieces: Pieces, arithmetic: Arithmetic, found: tuple, again: bool
) -> bool:
    """All pieces side by side into `found`, until one step changes nothing that was found there before.

    Messages that agree in every entry, relative to it, agree as well in all that follows from them. Pieces that have
    ended by then begin a sequence, and are the same in every sweep, or end one, and nothing follows from them.
    """
    scaled, log_c = found
    for t, (at, count) in enumerate(zip(pieces.begin, pieces.active)):
        rows = slice(at, at + count)
        if t:
            before = pieces.begin[t - 1]
            first = arithmetic.step(scaled[before : before + count], A)
        now, log_c[rows] = arithmetic.scaled(arithmetic.product(first, B[rows]))
        # Powers of two, so that looking takes no time.
        if again and not t & (t - 1) and arithmetic.same(now, scaled[rows]):
            return True
        scaled[rows] = now
    return False


def _by_products(
    message: np.ndarray, A: np.ndarray, B: np.ndarray, firsts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """As `_from_the_beginning`.

    They are any row of M_1 ⋯ M_t with M_t = A diag(b_t), once M_t = 1 (message ∘ b_t)ᵀ in the first row of a sequence
    makes all its rows alike and forgets what was before.
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
        return scaled, np.log(np.vecdot(messages, B))

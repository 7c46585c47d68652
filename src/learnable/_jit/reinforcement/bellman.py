"""Sweeps of dynamic programming over the state-action pairs of a decision process.

The pairs of state s are first[s], …, first[s + 1] − 1; `rows` holds P(· | pair) as a list of vectors, dense or sparse.
A state without pairs is terminal and keeps the value 0.
"""

import numpy as np
from scipy import sparse

from learnable._jit.core.compile import compile_formulas, exact_kernel
from learnable._jit.core.vectors import DenseVectors, SparseVectors, read_only
from learnable.problems.core.formula import formula

# Places and starts of sparse rows are unsigned, so that kernels need not ask whether they count from the end; a sum of
# an unsigned and a signed number would be a float.
ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
EPS = float(np.finfo(float).eps)
# A row of fewer entries is read in less time than it takes to decide whether it must be.
SHORT = 16


@exact_kernel
def short_mean(p, to, begin, end, v):
    """Σ p v over the few entries of a row. Sweeps take the arrays apart once, and call this."""
    a = 0.0
    for i in range(begin, end):
        a += p[i] * v[to[i]]
    return a


@exact_kernel
def long_mean(p, to, begin, end, v):
    """The same with several sums side by side, so that one addition need not wait for the other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    rest = end - (end - begin) % FOUR
    for i in range(begin, rest, FOUR):
        a += p[i] * v[to[i]]
        b += p[i + ONE] * v[to[i + ONE]]
        c += p[i + TWO] * v[to[i + TWO]]
        d += p[i + THREE] * v[to[i + THREE]]
    for i in range(rest, end):
        a += p[i] * v[to[i]]
    return (a + b) + (c + d)


@formula
def mean(rows, k, v):
    """Σ P(s′ | pair k) v(s′)."""


@formula
def policy_sweep(kept, rewards, discount, v, out):
    """out = r + γPv, one row a state; returns (lowest, highest) entry of out − v."""


@formula
def keep(rows, k, kept, s):
    """Copy row k to row s of `kept`."""


@mean.of(DenseVectors)
def _(rows, k, v):
    P, n = rows.values, v.shape[0]
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(0, n - 3, 4):
        a += P[k, i] * v[i]
        b += P[k, i + 1] * v[i + 1]
        c += P[k, i + 2] * v[i + 2]
        d += P[k, i + 3] * v[i + 3]
    for i in range(n - n % 4, n):
        a += P[k, i] * v[i]
    return (a + b) + (c + d)


@mean.of(SparseVectors)
def _(rows, k, v):
    return long_mean(rows.values, rows.places, rows.starts[k], rows.starts[np.uint64(k) + ONE], v)


@policy_sweep.of(DenseVectors)
def _(kept, rewards, discount, v, out):
    low, high = np.inf, -np.inf
    for s in range(v.shape[0]):
        out[s] = rewards[s] + discount * mean(kept, s, v)
        low, high = min(low, out[s] - v[s]), max(high, out[s] - v[s])
    return low, high


@policy_sweep.of(SparseVectors)
def _(kept, rewards, discount, v, out):
    p, to, starts = kept.values, kept.places, kept.starts
    low, high = np.inf, -np.inf
    if p.shape[0] < SHORT * v.shape[0]:
        for s in range(v.shape[0]):
            out[s] = rewards[s] + discount * short_mean(p, to, starts[s], starts[s + 1], v)
            low, high = min(low, out[s] - v[s]), max(high, out[s] - v[s])
    else:
        for s in range(v.shape[0]):
            out[s] = rewards[s] + discount * long_mean(p, to, starts[s], starts[s + 1], v)
            low, high = min(low, out[s] - v[s]), max(high, out[s] - v[s])
    return low, high


@keep.of(DenseVectors)
def _(rows, k, kept, s):
    for i in range(kept.values.shape[1]):
        kept.values[s, i] = rows.values[k, i]


@keep.of(SparseVectors)
def _(rows, k, kept, s):
    at = kept.starts[s]
    for i in range(rows.starts[k], rows.starts[np.uint64(k) + ONE]):
        kept.values[at] = rows.values[i]
        kept.places[at] = rows.places[i]
        at += ONE
    # What is left of the room holds probability 0.
    for i in range(at, kept.starts[s + 1]):
        kept.values[i] = 0.0


compile_formulas()


def pair_rows(transitions) -> DenseVectors | SparseVectors:
    """P as a list of vectors, its places in 32 bits: the sweeps are bound by the memory they read."""
    if sparse.issparse(transitions):
        places, starts = transitions.indices.astype(np.uint32), transitions.indptr.astype(np.uint64)
        return SparseVectors(read_only(transitions.data), read_only(places), read_only(starts))
    return DenseVectors(read_only(transitions))


def room_for_one(rows, first) -> DenseVectors | SparseVectors:
    """Room for one row a state, next to each other in memory: far rows of a large P are slow to read."""
    n = len(first) - 1
    if isinstance(rows, DenseVectors):
        return DenseVectors(np.zeros((n, rows.values.shape[1])))
    sizes, acting = np.zeros(n, dtype=np.int64), np.flatnonzero(np.diff(first))
    sizes[acting] = np.maximum.reduceat(np.diff(rows.starts.astype(np.int64)), first[acting])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return SparseVectors(np.zeros(starts[-1]), np.zeros(starts[-1], dtype=np.uint32), starts.astype(np.uint64))


def are_short(rows) -> bool:
    """Whether the rows are so short, on average, that all of them are read in every sweep."""
    return isinstance(rows, SparseVectors) and len(rows.values) < SHORT * (len(rows.starts) - 1)


@exact_kernel
def keep_rows(rows, pairs, kept):
    """Copy the row of the pair of each state."""
    for s in range(pairs.shape[0]):
        if pairs[s] >= 0:
            keep(rows, pairs[s], kept, s)


@exact_kernel
def bellman_sweep(rows, rewards, first, discount, can_end, values, last, bounds, swept, best, kept):
    """ΦV = max over the pairs of each state of r + γPV, and the pair that attains it; pairs that cannot are not read.

    r + γPV of a pair grows by at most γ times the largest growth of V: a pair that so stays below the best of its state
    is not read again. The result is that of reading them all.

    Parameters
    ----------
    can_end : whether an episode can end, which keeps its value 0.
    last : (S,) V of the last sweep; receives V.
    bounds : (K,) at least r + γPV of every pair at the last sweep; updated.
    swept : (S,) receives ΦV.
    best : (S,) a pair of each state, tried first and kept among equals; −1 for a state without any. Receives the best.
    kept : the rows of those pairs, updated.

    Returns
    -------
    (lowest, highest) entry of ΦV − V, and the largest magnitude in ΦV
    """
    growth, before, now = 0.0 if can_end else -np.inf, 0.0, 0.0
    for s in range(values.shape[0]):
        growth = max(growth, values[s] - last[s])
        before, now = max(before, abs(last[s])), max(now, abs(values[s]))
        last[s] = values[s]
    # A little more covers rounding.
    drift = discount * growth + 8.0 * EPS * (before + now)
    low, high, size = np.inf, -np.inf, 0.0
    for s in range(values.shape[0]):
        place = best[s]
        top = 0.0
        if place >= 0:
            favourite = place
            top = rewards[place] + discount * mean(kept, s, values)
            bounds[place] = top
            for k in range(first[s], first[s + 1]):
                if k == favourite:
                    continue
                bound = bounds[k] + drift
                if bound >= top:
                    bound = rewards[k] + discount * mean(rows, k, values)
                    if bound > top:
                        top, place = bound, k
                bounds[k] = bound
            if place != favourite:
                best[s] = place
                keep(rows, place, kept, s)
        swept[s] = top
        size = max(size, abs(top))
        change = top - values[s]
        low, high = min(low, change), max(high, change)
    return low, high, size


@exact_kernel
def short_sweep(rows, rewards, first, discount, values, found, swept, best, kept):
    """The same where rows are short: every pair is read, and `found` receives r + γPV of all of them."""
    low, high, size = np.inf, -np.inf, 0.0
    p, to, starts = rows.values, rows.places, rows.starts
    for s in range(values.shape[0]):
        begin, end = np.uint64(first[s]), np.uint64(first[s + 1])
        top = -np.inf if begin < end else 0.0
        for k in range(begin, end):
            found[k] = rewards[k] + discount * short_mean(p, to, starts[k], starts[k + ONE], values)
            top = max(top, found[k])
        if begin < end and found[best[s]] < top:
            for k in range(begin, end):
                if found[k] == top:
                    best[s] = k
                    keep(rows, k, kept, s)
                    break
        swept[s] = top
        size = max(size, abs(top))
        change = top - values[s]
        low, high = min(low, change), max(high, change)
    return low, high, size


@exact_kernel
def backward_sweep(rows, rewards, first, discount, values, swept, best):
    """ΦV and the first pair that attains it, −1 for a state without any; every pair is read."""
    for s in range(values.shape[0]):
        top, place = -np.inf, -1
        for k in range(first[s], first[s + 1]):
            now = rewards[k] + discount * mean(rows, k, values)
            if now > top:
                top, place = now, k
        best[s] = place
        swept[s] = top if place >= 0 else 0.0


@exact_kernel
def gauss_seidel_sweep(rows, rewards, first, discount, values, backward):
    """V(s) ← max over its pairs of r + γPV, in place, so that later states see earlier ones."""
    n = values.shape[0]
    for i in range(n):
        s = n - 1 - i if backward else i
        if first[s] == first[s + 1]:
            continue
        top = -np.inf
        for k in range(first[s], first[s + 1]):
            top = max(top, rewards[k] + discount * mean(rows, k, values))
        values[s] = top


@exact_kernel
def policy_sweeps(kept, rewards, pairs, discount, values, spare, times, enough):
    """V ← r_π + γP_πV, at most `times` times; `pairs` names the pair that π takes in each state, `kept` has its rows.

    Ends early once the changes of a sweep differ by no more than `enough` between any two states.
    """
    taken = np.zeros(values.shape[0])
    for s in range(values.shape[0]):
        if pairs[s] >= 0:
            taken[s] = rewards[pairs[s]]
    # A state without pairs keeps a row of zeros.
    v, out = values, spare
    for _ in range(times):
        low, high = policy_sweep(kept, taken, discount, v, out)
        v, out = out, v
        if high - low <= enough:
            break
    for s in range(values.shape[0]):
        values[s] = v[s]


@exact_kernel
def weighted_sweep(rows, rewards, first, weights, discount, values, swept):
    """swept = Σ_a π(a | s) (r + γPV): the values one step earlier under a policy of any kind.

    Returns
    -------
    (lowest, highest) entry of swept − V
    """
    low, high = np.inf, -np.inf
    for s in range(values.shape[0]):
        total = 0.0
        for k in range(first[s], first[s + 1]):
            if weights[k] > 0.0:
                total += weights[k] * (rewards[k] + discount * mean(rows, k, values))
        swept[s] = total
        low, high = min(low, total - values[s]), max(high, total - values[s])
    return low, high


@exact_kernel
def sweep_back_and_forth(rows, discount, x, out):
    """out = y with (D − γL) D⁻¹ (D − γU) y = x, for I − γP = D − γL − γU: one sweep forth and one back towards V.

    Parameters
    ----------
    rows : one sparse row a state.
    """
    p, to, starts = rows.values, rows.places, rows.starts
    n = x.shape[0]
    diagonal = np.empty(n)
    for s in range(n):
        total, stays = x[s], 1.0
        for i in range(starts[s], starts[s + 1]):
            if to[i] < s:
                total += discount * p[i] * out[to[i]]
            elif to[i] == s:
                stays -= discount * p[i]
        diagonal[s], out[s] = stays, total / stays
    for t in range(n):
        s = n - 1 - t
        total = 0.0
        for i in range(starts[s], starts[s + 1]):
            if to[i] > s:
                total += discount * p[i] * out[to[i]]
        out[s] += total / diagonal[s]

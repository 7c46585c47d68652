"""The best cut of one column of numbers at a node."""

import numpy as np

from learnable._jit.core.compile import inner_formula, inner_kernel
from learnable._jit.core.lean import lean
from learnable._jit.trees.layout import ABSOLUTE, KeptSorted, RandomCuts, SortedByNode
from learnable._jit.trees.scan import cut_score, scan
from learnable._jit.trees.sorting import sort_by_key

# So many rows are looked at one by one sooner than halved; `python -m benchmarks trees --only extra`.
FEW = 32


@lean
@inner_kernel
def random_below(state, n):
    """A number in 0 … n−1 (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64((z >> np.uint64(11)) % np.uint64(n))


@inner_formula
def best_cut(rules, columns, targets, work, nodes, node, f):
    """The best cut of a column f of numbers: (score, last code on the left, threshold, where missing cells go, whether
    the column varies).

    Missing cells go left (1), right (0), or there are none (2).
    """


@best_cut.of(KeptSorted)
def _(rules, columns, targets, work, nodes, node, f):
    start, end, n_codes = nodes.start[node], nodes.end[node], columns.n_codes[f]
    rows, keys = work.order[f, start:end], work.order_codes[f, start:end]
    m = end - start
    if keys[0] == keys[m - 1]:
        return -np.inf, 0, 0.0, 2, False
    n_missing = 0
    while n_missing < m and keys[m - 1 - n_missing] == n_codes:
        n_missing += 1
    return _scanned(rules, columns, targets, work, nodes, node, f, rows, keys, n_missing)


@best_cut.of(SortedByNode)
def _(rules, columns, targets, work, nodes, node, f):
    start, m, n_codes = nodes.start[node], nodes.end[node] - nodes.start[node], columns.n_codes[f]
    samples, rows, keys = work.samples[start : start + m], work.rows[:m], work.keys[:m]
    low, high, n_missing = _read_keys(columns.codes[f], n_codes, samples, keys)
    if low >= high and (n_missing == 0 or n_missing == m):
        return -np.inf, 0, 0.0, 2, False
    if n_missing > 0:
        high = n_codes
    for i in range(m):
        rows[i] = samples[i]
    sort_by_key(rows, keys, m, low, high, work.spare_rows, work.spare_keys, work.counts)
    return _scanned(rules, columns, targets, work, nodes, node, f, rows, keys, n_missing)


@lean
@inner_kernel
def _scanned(rules, columns, targets, work, nodes, node, f, rows, keys, n_missing):
    """What `best_cut` says, of rows sorted by the column."""
    m, n_codes = len(rows), columns.n_codes[f]
    sign = np.int64(columns.monotone[f])
    score, at, side = scan(targets, rules, work, rows, keys, m, n_missing, sign, nodes.lower[node], nodes.upper[node])
    if n_missing == 0:
        side = 2
    if at < 0:
        return -np.inf, 0, 0.0, side, True
    if at == m - n_missing - 1:
        return score, n_codes - 1, np.inf, side, True
    values = columns.values[columns.first[f] :]
    below, above = values[keys[at]], values[keys[at + 1]]
    middle = 0.5 * below + 0.5 * above
    return score, np.int64(keys[at]), middle if below <= middle < above else below, side, True


@best_cut.of(RandomCuts)
def _(rules, columns, targets, work, nodes, node, f):
    start, m, n_codes = nodes.start[node], nodes.end[node] - nodes.start[node], columns.n_codes[f]
    samples, keys = work.samples[start : start + m], work.keys[:m]
    low, high, n_missing = _read_keys(columns.codes[f], n_codes, samples, keys)
    if low >= high and (n_missing == 0 or n_missing == m):
        return -np.inf, 0, 0.0, 2, False
    code, cut = _random_cut(columns, work, f, keys, low, high)
    lower, upper = nodes.lower[node], nodes.upper[node]
    free = columns.monotone[f] == 0 and lower == -np.inf and upper == np.inf
    if free and n_missing == 0 and targets.criterion != ABSOLUTE:
        score, n_left, w_left = cut_score(targets, work, samples, keys, m, code)
        large = min(n_left, m - n_left) >= rules.min_leaf
        w_least = min(w_left, nodes.weight[node] - w_left)
        allowed = large and w_least > 0.0 and w_least >= rules.min_leaf_weight
        return score if allowed else -np.inf, np.int64(code), cut, 2, True
    # Those below the cut, those above it, those that are missing. All are written; the one that counts moves on.
    for i in range(m):
        keys[i] = 2 if keys[i] == n_codes else (0 if keys[i] <= code else 1)
    rows, place, above = work.spare_rows, 0, 0
    for group in range(3):
        for i in range(m):
            rows[place] = samples[i]
            place += int(keys[i] == group)
        above = place if group == 0 else above
    for i in range(m):
        keys[i] = 0 if i < above else (1 if i < m - n_missing else 2)
    sign = np.int64(columns.monotone[f])
    score, at, side = scan(targets, rules, work, rows, keys, m, n_missing, sign, lower, upper)
    if n_missing == 0:
        side = 2
    if at == m - n_missing - 1:
        return score, n_codes - 1, np.inf, side, True
    return score if at >= 0 else -np.inf, np.int64(code), cut, side, True


@lean
@inner_kernel
def _read_keys(codes, n_codes, samples, keys):
    """(least, largest, number of missing ones) of the codes of some rows, which become keys.

    First all are fetched and then compared: `python -m benchmarks trees --only extra`.
    """
    for i in range(np.uintp(len(samples))):
        keys[i] = codes[np.uintp(samples[i])]
    low, high, n_missing = keys[0], keys[0], 0
    for i in range(np.uintp(len(keys))):
        low, high = min(low, keys[i]), max(high, keys[i])
    if high == n_codes:
        high = np.int32(0)
        for i in range(len(keys)):
            missing = keys[i] == n_codes
            n_missing += missing
            high = max(high, np.int32(-1) if missing else keys[i])
    return low, high, n_missing


@lean
@inner_kernel
def _random_cut(columns, work, f, keys, low, high):
    """A threshold drawn evenly between the least and the largest value, and the last of the keys below it."""
    values = columns.values[columns.first[f] :]
    u = (random_below(work.random, 1 << 52) + 0.5) / (1 << 52)
    cut = values[low] + u * (values[high] - values[low])
    if cut >= values[high]:
        cut = values[low]
    if keys.shape[0] <= FEW:
        last = low
        for i in range(keys.shape[0]):
            key = min(keys[i], high)
            last = max(last, key if values[np.uintp(key)] <= cut else low)
        return last, cut
    a, b = low, high
    while b - a > 1:
        middle = (a + b) // 2
        if values[middle] <= cut:
            a = middle
        else:
            b = middle
    return a, cut

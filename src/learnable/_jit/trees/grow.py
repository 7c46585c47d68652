"""Growing a tree, a number of splits at a time.

Every node that may be split waits with its best split already found. The next one to be split is the last that came,
or the one with the largest gain (best first). Rows of a node are a stretch of `work.samples`; where every column is
searched at every node, each column's rows are kept sorted too and only partitioned, so nothing is sorted twice.
"""

import numpy as np

from learnable._jit.core.compile import inner_formula, inner_kernel, long_kernel
from learnable._jit.core.lean import lean
from learnable._jit.trees.categories import goes_left, settle_missing, try_subset
from learnable._jit.trees.cuts import best_cut, random_below
from learnable._jit.trees.layout import Columns, MixedColumns
from learnable._jit.trees.settle import centre_of, settle_value


@lean
@inner_kernel
def settle(columns, targets, rules, work, nodes, node):
    """Weight, value and impurity of a node, and its best split if it may be split."""
    start, m = nodes.start[node], nodes.end[node] - nodes.start[node]
    samples = work.samples[start : start + m]
    total, score, pure = settle_value(targets, work, nodes, node, samples)
    nodes.weight[node] = total
    nodes.left[node] = -1
    nodes.right[node] = -1
    nodes.feature[node] = -2
    nodes.threshold[node] = -2.0
    nodes.gain[node] = -1.0
    if pure or nodes.depth[node] >= rules.max_depth or m < rules.min_split or m < 2 * rules.min_leaf:
        return
    if total < 2.0 * rules.min_leaf_weight:
        return
    if find_split(columns, targets, rules, work, nodes, node, score):
        nodes.waiting[nodes.counters[1]] = node
        nodes.counters[1] += 1


@lean
@inner_kernel
def find_split(columns, targets, rules, work, nodes, node, parent_score):
    """Store the best split of a node; False where there is none with enough gain."""
    p, best, evaluated = columns.codes.shape[0], -np.inf, 0
    for visited in range(p):
        if visited >= rules.max_features and evaluated > 0:
            break
        f = visited
        if rules.max_features < p:
            swap = visited + random_below(work.random, p - visited)
            f = work.features[swap]
            work.features[swap] = work.features[visited]
            work.features[visited] = f
        categorical, score = try_subset(columns, targets, rules, work, nodes, node, f, best)
        if categorical:
            evaluated += 1 if score > -np.inf else 0
            best = score if score > best + rules.tie else best
            continue
        score, code, threshold, side, varies = best_cut(rules, columns, targets, work, nodes, node, f)
        evaluated += 1 if varies else 0
        if score > best + rules.tie:
            best = score
            nodes.feature[node] = f
            nodes.missing_left[node] = side
            nodes.code[node] = code
            nodes.threshold[node] = threshold
    if nodes.feature[node] < 0 or best - parent_score < rules.least_gain - rules.tie:
        nodes.feature[node] = -2
        nodes.threshold[node] = -2.0
        return False
    nodes.gain[node] = max(best - parent_score, 0.0)
    return True


@lean
@inner_kernel
def split(columns, work, nodes, node):
    """Partition the rows of a node; returns how many go left."""
    start, end, f = nodes.start[node], nodes.end[node], nodes.feature[node]
    codes, n_codes, categorical = columns.codes[f], columns.n_codes[f], columns.categorical[f] == 1
    samples, flags, spare = work.samples[start:end], work.goes_left, work.spare_rows
    last, missing, presorted = nodes.code[node], nodes.missing_left[node] == 1, work.order.shape[0] > 0
    a, b = np.uintp(0), np.uintp(0)
    for i in range(np.uintp(end - start)):
        row = samples[i]
        code = codes[np.uintp(row)]
        left = goes_left(columns, nodes, node, categorical, code, n_codes, last, missing)
        if presorted:
            flags[np.uintp(row)] = left
        # Both are written; the one that counts moves on.
        samples[a] = row
        spare[b] = row
        a += np.uintp(left)
        b += np.uintp(1) - np.uintp(left)
    n_left = np.int64(a)
    for i in range(b):
        samples[a + i] = spare[i]
    settle_missing(columns, nodes, node, categorical, n_codes, 1 if 2 * n_left > end - start else 0)
    for k in range(work.order.shape[0]):
        _partition(
            work.order[k, start:end], work.order_codes[k, start:end], flags, work.spare_rows, work.spare_keys, n_left
        )
    return n_left


@lean
@inner_kernel
def _partition(rows, keys, flags, spare_rows, spare_keys, n_left):
    """Rows that go left first, in place, each side in the order it had; keys follow."""
    a, b = np.uintp(0), np.uintp(0)
    for i in range(len(rows)):
        row, key = rows[i], keys[i]
        left = np.uintp(flags[np.uintp(row)])
        # Both are written; the one that counts moves on.
        spare_rows[b] = row
        spare_keys[b] = key
        rows[a] = row
        keys[a] = key
        a += left
        b += np.uintp(1) - left
    for i in range(np.int64(b)):
        rows[n_left + i] = spare_rows[i]
        keys[n_left + i] = spare_keys[i]


@inner_formula
def bound_children(columns, targets, work, nodes, node, left, right):
    """Keep the values below two children on their sides of the middle, where the column has a sign."""


@bound_children.of(Columns)
def _(columns, targets, work, nodes, node, left, right):
    pass


@bound_children.of(MixedColumns)
def _(columns, targets, work, nodes, node, left, right):
    sign = columns.monotone[nodes.feature[node]]
    if sign != 0:
        centre = _centre(targets, work, nodes, left, right)
        if sign > 0:
            nodes.upper[left], nodes.lower[right] = centre, centre
        else:
            nodes.lower[left], nodes.upper[right] = centre, centre


@lean
@inner_kernel
def _centre(targets, work, nodes, left, right):
    """Halfway between the values of two children, which keeps the constraint for all that comes below them."""
    total = 0.0
    for child in range(left, right + 1):
        centre = centre_of(targets, work, nodes, child)
        total += 0.5 * min(max(centre, nodes.lower[child]), nodes.upper[child])
    return total


@lean
@long_kernel
def grow(columns, targets, rules, work, nodes, n_splits):
    """Make up to `n_splits` splits; returns how many were made."""
    if nodes.counters[0] == 0:
        nodes.counters[0] = 1
        settle(columns, targets, rules, work, nodes, 0)
    made = 0
    while made < n_splits and nodes.counters[1] > 0 and nodes.counters[2] + 1 < rules.max_leaves:
        place = nodes.counters[1] - 1
        if rules.best_first:
            for k in range(nodes.counters[1]):
                better = nodes.gain[nodes.waiting[k]] - nodes.gain[nodes.waiting[place]]
                if better > 0.0 or (better == 0.0 and nodes.waiting[k] < nodes.waiting[place]):
                    place = k
        node = nodes.waiting[place]
        nodes.counters[1] -= 1
        nodes.waiting[place] = nodes.waiting[nodes.counters[1]]
        n_left = split(columns, work, nodes, node)
        left, right = nodes.counters[0], nodes.counters[0] + 1
        nodes.counters[0] += 2
        nodes.counters[2] += 1
        nodes.left[node], nodes.right[node] = left, right
        middle = nodes.start[node] + n_left
        nodes.start[left], nodes.end[left] = nodes.start[node], middle
        nodes.start[right], nodes.end[right] = middle, nodes.end[node]
        for child in range(left, right + 1):
            nodes.depth[child] = nodes.depth[node] + 1
            nodes.lower[child] = nodes.lower[node]
            nodes.upper[child] = nodes.upper[node]
        bound_children(columns, targets, work, nodes, node, left, right)
        settle(columns, targets, rules, work, nodes, right)
        settle(columns, targets, rules, work, nodes, left)
        made += 1
    return made

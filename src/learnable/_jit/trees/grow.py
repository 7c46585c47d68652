"""Growing a tree, a number of splits at a time.

Every node that may be split waits with its best split already found. The next one to be split is the last that came,
or the one with the largest gain (best first). Rows of a node are a stretch of `work.samples`; where every column is
searched at every node, each column's rows are kept sorted too and only partitioned, so nothing is sorted twice.
"""

import numpy as np

from learnable._jit.core.compile import compile_formulas, inner_kernel, kernel
from learnable._jit.core.lean import lean
from learnable._jit.trees.categories import best_subset
from learnable._jit.trees.layout import ABSOLUTE, ENTROPY, POISSON, SQUARED, Outputs, Targets
from learnable._jit.trees.outputs import settle_outputs
from learnable._jit.trees.scan import class_score, cut_score, number_score, scan
from learnable._jit.trees.sorting import sort_by_key
from learnable.problems.core.formula import formula

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


@formula
def settle_value(targets, work, nodes, node, samples):
    """(weight, score, whether all targets are equal) of a node; stores its value, its impurity, `work.totals`, and, of
    one output, targets and weights of its rows."""


@settle_value.of(Targets)
def _(targets, work, nodes, node, samples):
    if targets.n_classes > 0:
        return _settle_classes(targets, work, nodes, node, samples)
    return _settle_numbers(targets, work, nodes, node, samples)


@settle_value.of(Outputs)
def _(targets, work, nodes, node, samples):
    return settle_outputs(targets, work, nodes, node, samples)


compile_formulas()


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
def _settle_classes(targets, work, nodes, node, samples):
    counts = nodes.value[node]
    for k in range(counts.shape[0]):
        counts[k] = 0.0
    total, first, pure = 0.0, targets.label[samples[0]], True
    if targets.n_classes == 2:
        ones = 0.0
        for i in range(np.uintp(len(samples))):
            row = np.uintp(samples[i])
            w, k = targets.weight[row], targets.label[row]
            work.node_weight[i], work.node_y[i] = w, k
            total += w
            ones += w * k
            pure &= k == first
        counts[0], counts[1] = total - ones, ones
    else:
        for i in range(np.uintp(len(samples))):
            row = np.uintp(samples[i])
            w, k = targets.weight[row], targets.label[row]
            work.node_weight[i], work.node_y[i] = w, k
            counts[np.uintp(k)] += w
            total += w
            pure &= k == first
    score = class_score(targets.criterion, counts, total)
    if targets.criterion == ENTROPY:
        nodes.impurity[node] = abs(-score / total / np.log(2.0))
    else:
        nodes.impurity[node] = 0.0 if pure else 1.0 - score / total
    for k in range(counts.shape[0]):
        work.totals[k] = counts[k]
        counts[k] /= total
    work.totals[counts.shape[0]] = total
    if nodes.lower[node] > -np.inf or nodes.upper[node] < np.inf:
        counts[1] = min(max(counts[1], nodes.lower[node]), nodes.upper[node])
        counts[0] = 1.0 - counts[1]
    return total, score, pure


@lean
@inner_kernel
def _settle_numbers(targets, work, nodes, node, samples):
    total, s, first, pure = 0.0, 0.0, targets.y[samples[0]], True
    weight, y, m = work.node_weight, work.node_y, np.uintp(len(samples))
    for i in range(m):
        row = np.uintp(samples[i])
        weight[i], y[i] = targets.weight[row], targets.y[row]
        total += weight[i]
        s += weight[i] * y[i]
        pure &= y[i] == first
    work.totals[0], work.totals[1] = s, total
    centre = first if pure else s / total
    spread = 0.0
    if targets.criterion == ABSOLUTE:
        centre = _median(targets, work, samples, total)
        for i in range(m):
            spread += weight[i] * abs(y[i] - centre)
        score = -spread
    elif targets.criterion == SQUARED:
        for i in range(m):
            spread += weight[i] * (y[i] - centre) ** 2
        score = number_score(SQUARED, s, total)
    else:
        for i in range(m):
            if y[i] > 0.0:
                spread += weight[i] * y[i] * np.log(y[i] / centre)
        score = number_score(POISSON, s, total)
    nodes.impurity[node] = 0.0 if pure else spread / total
    nodes.value[node, 0] = min(max(centre, nodes.lower[node]), nodes.upper[node])
    return total, score, pure


@lean
@inner_kernel
def _median(targets, work, samples, total):
    """The middle of the weighted medians; `y_rank` becomes the rank of each row's y within the node."""
    m = len(samples)
    low = high = np.int64(targets.label[samples[0]])
    for i in range(m):
        work.rows[i] = samples[i]
        work.keys[i] = targets.label[samples[i]]
        low, high = min(low, np.int64(work.keys[i])), max(high, np.int64(work.keys[i]))
    sort_by_key(work.rows, work.keys, m, low, high, work.spare_rows, work.spare_keys, work.counts)
    rank, below, first, last = 0, 0.0, -1, -1
    slack = 1e-12 * total
    for i in range(m):
        if i == 0 or work.keys[i] != work.keys[i - 1]:
            rank += 1
        work.y_rank[work.rows[i]] = rank
        below += targets.weight[work.rows[i]]
        if first < 0 and below >= 0.5 * total - slack:
            first = i
        if last < 0 and below > 0.5 * total + slack:
            last = i
    if last < 0:
        last = first
    return 0.5 * (targets.y[work.rows[first]] + targets.y[work.rows[last]])


@lean
@inner_kernel
def find_split(columns, targets, rules, work, nodes, node, parent_score):
    """Store the best split of a node; False where there is none with enough gain."""
    start, m = nodes.start[node], nodes.end[node] - nodes.start[node]
    samples = work.samples[start : start + m]
    p = columns.codes.shape[0]
    presorted = work.order.shape[0] > 0
    best, evaluated = -np.inf, 0
    lower, upper = nodes.lower[node], nodes.upper[node]
    for visited in range(p):
        if visited >= rules.max_features and evaluated > 0:
            break
        f = visited
        if rules.max_features < p:
            swap = visited + random_below(work.random, p - visited)
            f = work.features[swap]
            work.features[swap] = work.features[visited]
            work.features[visited] = f
        if columns.categorical[f]:
            score, found = best_subset(columns, targets, rules, work, samples, f, m, lower, upper)
            evaluated += 1 if score > -np.inf else 0
            if found and score > best + rules.tie:
                best = score
                nodes.feature[node] = f
                nodes.threshold[node] = -2.0
                nodes.code[node] = -1
                for c in range(columns.n_codes[f] + 1):
                    nodes.category_left[node, c] = work.chosen[c]
            continue
        n_codes = columns.n_codes[f]
        if presorted:
            rows, keys = work.order[f, start : start + m], work.order_codes[f, start : start + m]
            if keys[0] == keys[m - 1]:
                continue
            n_missing = 0
            while n_missing < m and keys[m - 1 - n_missing] == n_codes:
                n_missing += 1
        else:
            rows, keys = work.rows[:m], work.keys[:m]
            low, high, n_missing = _read_keys(columns.codes[f], n_codes, samples, keys)
            if low >= high and (n_missing == 0 or n_missing == m):
                continue
            if rules.random_thresholds:
                random_code, random_cut = _random_cut(columns, work, f, keys, low, high)
                free = columns.monotone[f] == 0 and lower == -np.inf and upper == np.inf
                if free and n_missing == 0 and targets.criterion != ABSOLUTE:
                    evaluated += 1
                    score, n_left, w_left = cut_score(targets, work, samples, keys, m, random_code)
                    large = min(n_left, m - n_left) >= rules.min_leaf
                    w_least = min(w_left, nodes.weight[node] - w_left)
                    if large and w_least > 0.0 and w_least >= rules.min_leaf_weight and score > best + rules.tie:
                        best = score
                        nodes.feature[node] = f
                        nodes.missing_left[node] = 2
                        nodes.code[node] = random_code
                        nodes.threshold[node] = random_cut
                    continue
                for i in range(m):
                    keys[i] = 2 if keys[i] == n_codes else (0 if keys[i] <= random_code else 1)
                low, high = 0, 2
            elif n_missing > 0:
                high = n_codes
            for i in range(m):
                rows[i] = samples[i]
            sort_by_key(rows, keys, m, low, high, work.spare_rows, work.spare_keys, work.counts)
        evaluated += 1
        sign = np.int64(columns.monotone[f])
        score, at, side = scan(targets, rules, work, rows, keys, m, n_missing, sign, lower, upper)
        if at >= 0 and score > best + rules.tie:
            best = score
            nodes.feature[node] = f
            nodes.missing_left[node] = side if n_missing > 0 else 2
            values = columns.values[columns.first[f] :]
            if at == m - n_missing - 1:
                nodes.code[node] = n_codes - 1
                nodes.threshold[node] = np.inf
            elif rules.random_thresholds:
                nodes.code[node] = random_code
                nodes.threshold[node] = random_cut
            else:
                nodes.code[node] = keys[at]
                below, above = values[keys[at]], values[keys[at + 1]]
                middle = 0.5 * below + 0.5 * above
                nodes.threshold[node] = middle if below <= middle < above else below
    if nodes.feature[node] < 0 or best - parent_score < rules.least_gain - rules.tie:
        nodes.feature[node] = -2
        nodes.threshold[node] = -2.0
        return False
    nodes.gain[node] = max(best - parent_score, 0.0)
    return True


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
        if categorical:
            left = nodes.category_left[node, code] == 1
        else:
            left = missing if code == n_codes else code <= last
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
    more_left = 1 if 2 * n_left > end - start else 0
    if categorical:
        # What was not seen here goes the way of the missing, and those, if there were none, with the majority.
        missing = nodes.category_left[node, n_codes]
        nodes.missing_left[node] = more_left if missing == 2 else missing
        for c in range(n_codes + 1):
            if nodes.category_left[node, c] == 2:
                nodes.category_left[node, c] = nodes.missing_left[node]
    elif nodes.missing_left[node] == 2:
        nodes.missing_left[node] = more_left
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


@lean
@kernel
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
        sign = columns.monotone[nodes.feature[node]]
        if sign != 0:
            centre = _centre(targets, work, nodes, left, right)
            if sign > 0:
                nodes.upper[left], nodes.lower[right] = centre, centre
            else:
                nodes.lower[left], nodes.upper[right] = centre, centre
        settle(columns, targets, rules, work, nodes, right)
        settle(columns, targets, rules, work, nodes, left)
        made += 1
    return made


@lean
@inner_kernel
def _centre(targets, work, nodes, left, right):
    """Halfway between the values of two children, which keeps the constraint for all that comes below them."""
    total = 0.0
    for child in range(left, right + 1):
        weight, s = 0.0, 0.0
        for i in range(nodes.start[child], nodes.end[child]):
            row = work.samples[i]
            weight += targets.weight[row]
            s += targets.weight[row] * (targets.label[row] if targets.n_classes > 0 else targets.y[row])
        total += 0.5 * min(max(s / weight, nodes.lower[child]), nodes.upper[child])
    return total

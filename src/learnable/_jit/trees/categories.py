"""Columns of categories: the best subset to go left.

Two classes and means of numbers: the categories in order of their share or mean; one of the cuts of that order is the
best subset. More classes: every subset where few categories are present, else the best cut of the orders by the share
of each class, which is a heuristic.
"""

import numpy as np

from learnable._jit.core.compile import inner_formula, inner_kernel
from learnable._jit.core.lean import lean
from learnable._jit.trees.layout import Columns, MixedColumns
from learnable._jit.trees.scan import class_score, scan
from learnable._jit.trees.sorting import order_by_number, sort_by_key


@inner_formula
def try_subset(columns, targets, rules, work, nodes, node, feature, best):
    """(whether the column is one of categories, score of its best subset); stores the subset if it beats `best`."""


@try_subset.of(Columns)
def _(columns, targets, rules, work, nodes, node, feature, best):
    return False, -np.inf


@try_subset.of(MixedColumns)
def _(columns, targets, rules, work, nodes, node, feature, best):
    if not columns.categorical[feature]:
        return False, -np.inf
    score = _best_subset(columns, targets, rules, work, nodes, node, feature)
    if score > best + rules.tie:
        nodes.feature[node] = feature
        nodes.threshold[node] = -2.0
        nodes.code[node] = -1
        for c in range(columns.n_codes[feature] + 1):
            nodes.category_left[node, c] = work.chosen[c]
    return True, score


@inner_formula
def goes_left(columns, nodes, node, categorical, code, n_codes, last, missing):
    """Whether a row goes left; `last` is the last code that does, `missing` whether missing cells do."""


@goes_left.of(Columns)
def _(columns, nodes, node, categorical, code, n_codes, last, missing):
    return missing if code == n_codes else code <= last


@goes_left.of(MixedColumns)
def _(columns, nodes, node, categorical, code, n_codes, last, missing):
    if categorical:
        return nodes.category_left[node, code] == 1
    return missing if code == n_codes else code <= last


@inner_formula
def settle_missing(columns, nodes, node, categorical, n_codes, more_left):
    """What was not seen at a node goes the way of the missing, and those, if there were none, with the majority."""


@settle_missing.of(Columns)
def _(columns, nodes, node, categorical, n_codes, more_left):
    if nodes.missing_left[node] == 2:
        nodes.missing_left[node] = more_left


@settle_missing.of(MixedColumns)
def _(columns, nodes, node, categorical, n_codes, more_left):
    if categorical:
        missing = nodes.category_left[node, n_codes]
        nodes.missing_left[node] = more_left if missing == 2 else missing
        for c in range(n_codes + 1):
            if nodes.category_left[node, c] == 2:
                nodes.category_left[node, c] = nodes.missing_left[node]
    elif nodes.missing_left[node] == 2:
        nodes.missing_left[node] = more_left


@lean
@inner_kernel
def _best_subset(columns, targets, rules, work, nodes, node, feature):
    """Largest score, −∞ where no subset is found; `work.chosen[c]` becomes 1 for a category c that goes left, else 0.

    A missing cell is a category of its own, the last one. Categories that are absent keep 2.
    """
    start, m = nodes.start[node], nodes.end[node] - nodes.start[node]
    samples, lower, upper = work.samples[start : start + m], nodes.lower[node], nodes.upper[node]
    codes = columns.codes[feature]
    sums, chosen, n_seen = work.category_sums, work.chosen, 0
    n_categories = columns.n_codes[feature] + 1
    numbers = targets.n_classes == 0
    width = 1 if numbers else targets.n_classes
    for c in range(n_categories):
        chosen[c] = 2
        for k in range(width + 2):
            sums[c, k] = 0.0
    for i in range(m):
        row = samples[i]
        c, w = codes[row], targets.weight[row]
        if numbers:
            sums[c, 0] += w * targets.y[row]
        else:
            sums[c, targets.label[row]] += w
        sums[c, width] += w
        sums[c, width + 1] += 1.0
    for c in range(n_categories):
        if sums[c, width + 1] > 0.0:
            work.category[n_seen] = c
            n_seen += 1
    if n_seen < 2:
        return -np.inf
    present = work.category[:n_seen]
    if width > 2 and n_seen <= rules.exhaustive:
        return _every_subset(targets, rules, work, present, width, m, chosen)
    best, best_cut = -np.inf, -1
    n_orders = width if width > 2 else 1
    for k in range(n_orders):
        along = k if width != 2 else 1
        for j in range(n_seen):
            total = sums[present[j], width]
            work.category_key[j] = sums[present[j], along] / total if total > 0.0 else 0.0
        order_by_number(work.category_order, work.category_key, work.rank, n_seen)
        for r in range(n_seen):
            work.rank[present[work.category_order[r]]] = r
        for i in range(m):
            work.rows[i] = samples[i]
            work.keys[i] = work.rank[codes[samples[i]]]
        sort_by_key(work.rows, work.keys, m, 0, n_seen - 1, work.spare_rows, work.spare_keys, work.counts)
        score, at, _ = scan(targets, rules, work, work.rows, work.keys, m, 0, 0, lower, upper)
        if at >= 0 and score > best + rules.tie:
            best, best_cut = score, work.keys[at]
            for r in range(n_seen):
                work.best_order[r] = present[work.category_order[r]]
    if best_cut < 0:
        return -np.inf
    for r in range(n_seen):
        chosen[work.best_order[r]] = 1 if r <= best_cut else 0
    return best


@lean
@inner_kernel
def _every_subset(targets, rules, work, present, width, m, chosen):
    """Subsets in the order of a Gray code: each differs from the one before in one category. The last stays right."""
    sums, left, right = work.category_sums, work.left, work.right
    for k in range(width):
        left[k] = 0.0
        right[k] = 0.0
    w_left, w_right, n_left = 0.0, 0.0, 0.0
    for j in range(len(present)):
        for k in range(width):
            right[k] += sums[present[j], k]
        w_right += sums[present[j], width]
    best, best_set, current = -np.inf, 0, 0
    for step in range(1, 1 << (len(present) - 1)):
        bit = 0
        while not (step >> bit) & 1:
            bit += 1
        current ^= 1 << bit
        c = present[bit]
        moved = 1.0 if (current >> bit) & 1 else -1.0
        for k in range(width):
            left[k] += moved * sums[c, k]
            right[k] -= moved * sums[c, k]
        w_left += moved * sums[c, width]
        w_right -= moved * sums[c, width]
        n_left += moved * sums[c, width + 1]
        if n_left < rules.min_leaf or m - n_left < rules.min_leaf:
            continue
        if w_left <= 0.0 or w_right <= 0.0 or w_left < rules.min_leaf_weight or w_right < rules.min_leaf_weight:
            continue
        score = class_score(targets.criterion, left, w_left) + class_score(targets.criterion, right, w_right)
        if score > best + rules.tie:
            best, best_set = score, current
    if best_set == 0:
        return -np.inf
    for j in range(len(present)):
        chosen[present[j]] = 1 if (best_set >> j) & 1 else 0
    return best

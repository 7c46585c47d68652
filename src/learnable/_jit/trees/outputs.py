"""Trees of several outputs: the kernels for `Outputs`, whose columns are numbers, or 0/1 for each class of each output.

W · impurity, summed over the columns, is a constant minus the score: Σ S²/W (squared error, and Gini of the shares) or
Σ S log(S/W) (Poisson deviance, and entropy of the shares).
"""

import numpy as np

from learnable._jit.core.compile import inner_kernel
from learnable._jit.core.lean import lean
from learnable._jit.trees.layout import POISSON, SQUARED


@lean
@inner_kernel
def outputs_score(criterion, sums, weight):
    score = 0.0
    if weight <= 0.0:
        return score
    for k in range(sums.shape[0]):
        if criterion == SQUARED:
            score += sums[k] * sums[k] / weight
        elif sums[k] > 0.0:
            score += sums[k] * np.log(sums[k] / weight)
    return score


@lean
@inner_kernel
def settle_outputs(targets, work, nodes, node, samples):
    """(weight, score, whether all rows are alike) of a node; stores its value, its impurity and `work.totals`."""
    Y, weight, value = targets.Y, targets.weight, nodes.value[node]
    total, first, pure = 0.0, samples[0], True
    for k in range(value.shape[0]):
        value[k] = 0.0
    for row in samples:
        total += weight[row]
        for k in range(value.shape[0]):
            value[k] += weight[row] * Y[row, k]
            pure = pure and Y[row, k] == Y[first, k]
    score = outputs_score(targets.criterion, value, total)
    work.totals[value.shape[0]] = total
    for k in range(value.shape[0]):
        work.totals[k] = value[k]
        value[k] = Y[first, k] if pure else value[k] / total
    spread = 0.0
    for row in samples:
        for k in range(value.shape[0]):
            if targets.criterion == SQUARED:
                spread += weight[row] * (Y[row, k] - value[k]) ** 2
            elif Y[row, k] > 0.0:
                spread += weight[row] * Y[row, k] * np.log(Y[row, k] / value[k])
    nodes.impurity[node] = 0.0 if pure else spread / (total * targets.unit)
    return total, score, pure


@lean
@inner_kernel
def scan_outputs(targets, rules, rows, keys, m, n_missing, left, right):
    """(largest score, last position on the left, whether missing rows are on the left)."""
    present = m - n_missing
    Y, weight, criterion = targets.Y, targets.weight, targets.criterion
    best, at, side = -np.inf, -1, 0
    for missing_left in range(2 if n_missing > 0 else 1):
        for k in range(left.shape[0]):
            left[k] = 0.0
            right[k] = 0.0
        w_left, w_right, n_left = 0.0, 0.0, 0
        for i in range(m):
            w = weight[rows[i]]
            goes_left = i >= present and missing_left == 1
            n_left += 1 if goes_left else 0
            w_left += w if goes_left else 0.0
            w_right += 0.0 if goes_left else w
            for k in range(left.shape[0]):
                left[k] += w * Y[rows[i], k] if goes_left else 0.0
                right[k] += 0.0 if goes_left else w * Y[rows[i], k]
        last = present - 1 if missing_left == 1 or n_missing == 0 else present
        for i in range(last):
            w = weight[rows[i]]
            for k in range(left.shape[0]):
                left[k] += w * Y[rows[i], k]
                right[k] -= w * Y[rows[i], k]
            w_left += w
            w_right -= w
            n_left += 1
            if i + 1 < present and keys[i] == keys[i + 1]:
                continue
            if n_left < rules.min_leaf or m - n_left < rules.min_leaf:
                continue
            if w_left <= 0.0 or w_right <= 0.0 or w_left < rules.min_leaf_weight or w_right < rules.min_leaf_weight:
                continue
            if criterion == POISSON and _has_zero_mean(left, right):
                continue
            score = outputs_score(criterion, left, w_left) + outputs_score(criterion, right, w_right)
            if score > best + rules.tie:
                best, at, side = score, i, missing_left
    return best, at, side


@lean
@inner_kernel
def cut_outputs(targets, work, rows, keys, m, code):
    """(score, rows on the left, weight on the left) of the cut after one code, where nothing is missing."""
    Y, weight, left, right = targets.Y, targets.weight, work.left, work.right
    n_left, w_left = 0, 0.0
    for k in range(left.shape[0]):
        left[k] = 0.0
    for i in range(m):
        if keys[i] <= code:
            n_left += 1
            w_left += weight[rows[i]]
            for k in range(left.shape[0]):
                left[k] += weight[rows[i]] * Y[rows[i], k]
    for k in range(left.shape[0]):
        right[k] = work.totals[k] - left[k]
    if targets.criterion == POISSON and _has_zero_mean(left, right):
        return -np.inf, n_left, w_left
    w_right = work.totals[left.shape[0]] - w_left
    score = outputs_score(targets.criterion, left, w_left) + outputs_score(targets.criterion, right, w_right)
    return score, n_left, w_left


@lean
@inner_kernel
def _has_zero_mean(left, right):
    """A mean of zero would give other rows infinite deviance."""
    found = False
    for k in range(left.shape[0]):
        found = found or min(left[k], right[k]) <= 1e-15 * (left[k] + right[k])
    return found

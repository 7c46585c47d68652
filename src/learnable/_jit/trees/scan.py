"""The best cut of rows sorted by one column: sums on the left grow by one row at a time, those on the right shrink.

A node of weight W has score s with W · impurity = constant − s, so the best cut has the largest s(left) + s(right).
Gini: Σ n_k²/W. Entropy: Σ n_k log n_k − W log W. Misclassification: max n_k. Squared error: S²/W. Poisson: S log(S/W).
Absolute error: −Σ w|y − median|. Rows with missing cells stand last and go to either side as one.
"""

import numpy as np

from learnable._jit.core.compile import inner_formula, inner_kernel, kernel
from learnable._jit.core.lean import lean
from learnable._jit.trees.layout import (
    ENTROPY,
    GINI,
    POISSON,
    SQUARED,
    Classes,
    Numbers,
    Outputs,
    RankedNumbers,
    RankedOutputs,
    TwoClasses,
)
from learnable._jit.trees.medians import scan_absolute
from learnable._jit.trees.outputs import cut_outputs, scan_outputs


@lean
@inner_kernel
def class_score(criterion, counts, total):
    if total <= 0.0:
        return 0.0
    score = 0.0
    if criterion == GINI:
        for k in range(counts.shape[0]):
            score += counts[k] * counts[k]
        return score / total
    if criterion == ENTROPY:
        for k in range(counts.shape[0]):
            if counts[k] > 0.0:
                score += counts[k] * np.log(counts[k] / total)
        return score
    for k in range(counts.shape[0]):
        score = max(score, counts[k])
    return score


@lean
@kernel
def score_of_classes(criterion, counts, total):
    """`class_score` for Python."""
    return class_score(criterion, counts, total)


@lean
@inner_kernel
def number_score(criterion, total, weight):
    if weight <= 0.0:
        return 0.0
    if criterion == SQUARED:
        return total * total / weight
    return total * np.log(total / weight) if total > 0.0 else 0.0


@lean
@inner_kernel
def scan_two_classes(targets, rules, totals, rows, keys, m, n_missing, sign, lower, upper):
    """(largest score, last position on the left, whether missing rows are on the left) for Gini and two classes."""
    present = m - n_missing
    bounded = sign != 0 or lower > -np.inf or upper < np.inf
    label, weight = targets.label, targets.weight
    ones, total = totals[1], totals[2]
    gone, gone_ones = 0.0, 0.0
    for i in range(present, m):
        w = weight[rows[i]]
        gone += w
        gone_ones += w * label[rows[i]]
    best, at, side = -np.inf, -1, 0
    for missing_left in range(2 if n_missing > 0 else 1):
        left, left_ones, n_left = 0.0, 0.0, 0
        last = present
        if missing_left == 1 or n_missing == 0:
            last = present - 1
        if missing_left == 1:
            left, left_ones, n_left = gone, gone_ones, n_missing
        for i in range(last):
            w = weight[rows[i]]
            left += w
            left_ones += w * label[rows[i]]
            n_left += 1
            if i + 1 < present and keys[i] == keys[i + 1]:
                continue
            right = total - left
            if n_left < rules.min_leaf or m - n_left < rules.min_leaf:
                continue
            if left <= 0.0 or right <= 0.0 or left < rules.min_leaf_weight or right < rules.min_leaf_weight:
                continue
            right_ones = ones - left_ones
            left_zeros, right_zeros = left - left_ones, right - right_ones
            if bounded:
                v, u = left_ones / left, right_ones / right
                if sign * (u - v) < 0.0 or min(u, v) < lower or max(u, v) > upper:
                    continue
            score = (left_ones * left_ones + left_zeros * left_zeros) * right
            score = (score + (right_ones * right_ones + right_zeros * right_zeros) * left) / (left * right)
            if score > best + rules.tie:
                best, at, side = score, i, missing_left
    return best, at, side


@lean
@inner_kernel
def scan_classes(targets, rules, rows, keys, m, n_missing, sign, lower, upper, left, right):
    """As `scan_two_classes`, for any impurity and number of classes."""
    present = m - n_missing
    bounded = sign != 0 or lower > -np.inf or upper < np.inf
    label, weight = targets.label, targets.weight
    best, at, side = -np.inf, -1, 0
    for missing_left in range(2 if n_missing > 0 else 1):
        for k in range(left.shape[0]):
            left[k] = 0.0
            right[k] = 0.0
        w_left, w_right, n_left = 0.0, 0.0, 0
        for i in range(m):
            w = weight[rows[i]]
            if i >= present and missing_left == 1:
                left[label[rows[i]]] += w
                w_left += w
                n_left += 1
            else:
                right[label[rows[i]]] += w
                w_right += w
        last = present
        if missing_left == 1 or n_missing == 0:
            last = present - 1
        for i in range(last):
            w, k = weight[rows[i]], label[rows[i]]
            left[k] += w
            right[k] -= w
            w_left += w
            w_right -= w
            n_left += 1
            if i + 1 < present and keys[i] == keys[i + 1]:
                continue
            if n_left < rules.min_leaf or m - n_left < rules.min_leaf:
                continue
            if w_left <= 0.0 or w_right <= 0.0 or w_left < rules.min_leaf_weight or w_right < rules.min_leaf_weight:
                continue
            if bounded:
                v, u = left[1] / w_left, right[1] / w_right
                if sign * (u - v) < 0.0 or min(u, v) < lower or max(u, v) > upper:
                    continue
            score = class_score(targets.criterion, left, w_left) + class_score(targets.criterion, right, w_right)
            if score > best + rules.tie:
                best, at, side = score, i, missing_left
    return best, at, side


@lean
@inner_kernel
def scan_numbers(targets, rules, totals, rows, keys, m, n_missing, sign, lower, upper):
    """The same for squared error and Poisson deviance."""
    present = m - n_missing
    bounded = sign != 0 or lower > -np.inf or upper < np.inf
    y, weight, squared = targets.y, targets.weight, targets.criterion == SQUARED
    total_sum, total = totals[0], totals[1]
    gone, gone_sum = 0.0, 0.0
    for i in range(present, m):
        w = weight[rows[i]]
        gone += w
        gone_sum += w * y[rows[i]]
    best, at, side = -np.inf, -1, 0
    for missing_left in range(2 if n_missing > 0 else 1):
        left, left_sum, n_left = 0.0, 0.0, 0
        last = present
        if missing_left == 1 or n_missing == 0:
            last = present - 1
        if missing_left == 1:
            left, left_sum, n_left = gone, gone_sum, n_missing
        for i in range(last):
            w = weight[rows[i]]
            left += w
            left_sum += w * y[rows[i]]
            n_left += 1
            if i + 1 < present and keys[i] == keys[i + 1]:
                continue
            right = total - left
            if n_left < rules.min_leaf or m - n_left < rules.min_leaf:
                continue
            if left <= 0.0 or right <= 0.0 or left < rules.min_leaf_weight or right < rules.min_leaf_weight:
                continue
            right_sum = total_sum - left_sum
            if bounded:
                v, u = left_sum / left, right_sum / right
                if sign * (u - v) < 0.0 or min(u, v) < lower or max(u, v) > upper:
                    continue
            if squared:
                score = (left_sum * left_sum * right + right_sum * right_sum * left) / (left * right)
            else:
                # A mean of zero would give the other rows infinite deviance.
                if left_sum <= 1e-15 * total_sum or right_sum <= 1e-15 * total_sum:
                    continue
                score = number_score(POISSON, left_sum, left) + number_score(POISSON, right_sum, right)
            if score > best + rules.tie:
                best, at, side = score, i, missing_left
    return best, at, side


@inner_formula
def scan(targets, rules, work, rows, keys, m, n_missing, sign, lower, upper):
    """The scan of the criterion."""


@scan.of(TwoClasses)
def _(targets, rules, work, rows, keys, m, n_missing, sign, lower, upper):
    return scan_two_classes(targets, rules, work.totals, rows, keys, m, n_missing, sign, lower, upper)


@scan.of(Classes)
def _(targets, rules, work, rows, keys, m, n_missing, sign, lower, upper):
    return scan_classes(targets, rules, rows, keys, m, n_missing, sign, lower, upper, work.left, work.right)


@scan.of(Numbers)
def _(targets, rules, work, rows, keys, m, n_missing, sign, lower, upper):
    return scan_numbers(targets, rules, work.totals, rows, keys, m, n_missing, sign, lower, upper)


@scan.of(RankedNumbers)
def _(targets, rules, work, rows, keys, m, n_missing, sign, lower, upper):
    return scan_absolute(targets, rules, rows, keys, m, n_missing, sign, lower, upper, 1, work)


@scan.of(RankedOutputs)
def _(targets, rules, work, rows, keys, m, n_missing, sign, lower, upper):
    return scan_absolute(targets, rules, rows, keys, m, n_missing, sign, lower, upper, targets.n_outputs, work)


@scan.of(Outputs)
def _(targets, rules, work, rows, keys, m, n_missing, sign, lower, upper):
    return scan_outputs(targets, rules, rows, keys, m, n_missing, work.left, work.right)


@lean
@inner_kernel
def _sums_left(y, weight, keys, m, code):
    """(rows, Σ w, Σ w y) on the left of a cut, of numbers or of classes 0 and 1.

    Without branches and without memory that one row writes and the next one reads: a fifth less time
    (`python -m benchmarks trees --only extra`).
    """
    n_left, left, total = 0, 0.0, 0.0
    for i in range(np.uintp(m)):
        goes_left = int(keys[i] <= code)
        w = weight[i] * goes_left
        n_left += goes_left
        left += w
        total += w * y[i]
    return n_left, left, total


@inner_formula
def cut_score(targets, work, rows, keys, m, code):
    """(score, rows on the left, weight on the left) of the cut after one code, where nothing is missing.

    Of the rows of the node one after the other, as `settle_value` wrote them down.
    """


@cut_score.of(Numbers)
def _(targets, work, rows, keys, m, code):
    n_left, w_left, left = _sums_left(work.node_y, work.node_weight, keys, m, code)
    right, w_right = work.totals[0] - left, work.totals[1] - w_left
    if targets.criterion == POISSON and min(left, right) <= 1e-15 * work.totals[0]:
        return -np.inf, n_left, w_left
    score = number_score(targets.criterion, left, w_left) + number_score(targets.criterion, right, w_right)
    return score, n_left, w_left


@cut_score.of(TwoClasses)
def _(targets, work, rows, keys, m, code):
    n_left, total, ones = _sums_left(work.node_y, work.node_weight, keys, m, code)
    work.left[0], work.left[1] = total - ones, ones
    score, w_left = _score_left(targets, work)
    return score, n_left, w_left


@cut_score.of(Classes)
def _(targets, work, rows, keys, m, code):
    y, weight, n_left = work.node_y, work.node_weight, 0
    if targets.n_classes == 2:
        n_left, total, ones = _sums_left(y, weight, keys, m, code)
        work.left[0], work.left[1] = total - ones, ones
    else:
        for k in range(targets.n_classes):
            work.left[k] = 0.0
        for i in range(np.uintp(m)):
            goes_left = int(keys[i] <= code)
            n_left += goes_left
            work.left[np.uintp(y[i])] += weight[i] * goes_left
    score, w_left = _score_left(targets, work)
    return score, n_left, w_left


@cut_score.of(RankedNumbers)
def _(targets, work, rows, keys, m, code):
    # Cuts under absolute error are scanned.
    return -np.inf, 0, 0.0


@cut_score.of(RankedOutputs)
def _(targets, work, rows, keys, m, code):
    return -np.inf, 0, 0.0


@lean
@inner_kernel
def _score_left(targets, work):
    """(score, weight on the left) of the cut that has `work.left` of each class on its left."""
    w_left = 0.0
    for k in range(targets.n_classes):
        w_left += work.left[k]
        work.right[k] = work.totals[k] - work.left[k]
    w_right = work.totals[targets.n_classes] - w_left
    score = class_score(targets.criterion, work.left, w_left) + class_score(targets.criterion, work.right, w_right)
    return score, w_left


@cut_score.of(Outputs)
def _(targets, work, rows, keys, m, code):
    return cut_outputs(targets, work, rows, keys, m, code)

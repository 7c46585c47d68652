"""SLIQ: one scan of a sorted attribute list finds the best cut of that attribute for every leaf at once."""

from learnable._jit.core.compile import kernel
from learnable._jit.trees.scan import class_score


@kernel
def scan_list(values, rows, leaf, slot, label, weight, totals, criterion, min_leaf, tie, left, n_left, last, n_rows,
              best, low, high):  # fmt: skip
    """Scan one attribute list.

    Parameters
    ----------
    values, rows : the attribute list, sorted by value.
    leaf, label, weight : the class list, by row.
    slot : the place of each leaf among those that may be split, −1 elsewhere.
    totals : (S, K + 1) class weights of those leaves, and their sum.
    left, n_left, last : room for sums, counts and the last value of each leaf.
    n_rows : (S,) rows of each leaf.
    best, low, high : (S,) largest score of this attribute and the values around its cut, written here.
    """
    K = totals.shape[1] - 1
    right = totals[0].copy()
    for i in range(len(rows)):
        row = rows[i]
        s = slot[leaf[row]]
        if s < 0:
            continue
        if n_left[s] > 0 and values[i] != last[s] and n_left[s] >= min_leaf and n_rows[s] - n_left[s] >= min_leaf:
            for k in range(K + 1):
                right[k] = totals[s, k] - left[s, k]
            if left[s, K] > 0.0 and right[K] > 0.0:
                score = class_score(criterion, left[s, :K], left[s, K]) + class_score(criterion, right[:K], right[K])
                if score > best[s] + tie:
                    best[s] = score
                    low[s] = last[s]
                    high[s] = values[i]
        left[s, label[row]] += weight[row]
        left[s, K] += weight[row]
        n_left[s] += 1
        last[s] = values[i]

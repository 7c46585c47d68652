"""The best tree of depth two on yes/no questions, from counts of pairs of questions kept as bits."""

import numpy as np

from learnable._jit.core.compile import kernel


@kernel
def ones(x):
    """How many bits of a 64-bit word are set."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def class_counts(classes, mask, out):
    """out[k] = rows of class k in the mask."""
    for k in range(classes.shape[0]):
        total = 0
        for w in range(len(mask)):
            total += ones(classes[k, w] & mask[w])
        out[k] = total


@kernel
def best_two_levels(questions, classes, mask, depth, masked, single, pair, total):
    """(mistakes, root, question below no, question below yes) of the best tree of depth 1 or 2; −1 for a leaf.

    Parameters
    ----------
    questions : (F, W) answers as bits. classes : (K, W). mask : (W,) the rows.
    masked : (F, K, W); single : (F, K); pair : (F, F, K); total : (K,): room.
    """
    F, K = questions.shape[0], classes.shape[0]
    class_counts(classes, mask, total)
    for f in range(F):
        for k in range(K):
            count = 0
            for w in range(len(mask)):
                masked[f, k, w] = questions[f, w] & classes[k, w] & mask[w]
                count += ones(masked[f, k, w])
            single[f, k] = count
    n = 0
    most = 0
    for k in range(K):
        n += total[k]
        most = max(most, total[k])
    best, root, below_no, below_yes = n - most, -1, -1, -1
    if depth >= 2:
        for f in range(F):
            for g in range(f + 1, F):
                for k in range(K):
                    count = 0
                    for w in range(len(mask)):
                        count += ones(masked[f, k, w] & questions[g, w])
                    pair[f, g, k] = count
                    pair[g, f, k] = count
    for f in range(F):
        yes, most_yes, most_no = 0, 0, 0
        for k in range(K):
            yes += single[f, k]
            most_yes = max(most_yes, single[f, k])
            most_no = max(most_no, total[k] - single[f, k])
        if yes == 0 or yes == n:
            continue
        wrong_yes, wrong_no, at_yes, at_no = yes - most_yes, n - yes - most_no, -1, -1
        if depth >= 2:
            for g in range(F):
                if g == f:
                    continue
                a, b, c, d = 0, 0, 0, 0
                for k in range(K):
                    a = max(a, pair[f, g, k])
                    b = max(b, single[f, k] - pair[f, g, k])
                    c = max(c, single[g, k] - pair[f, g, k])
                    d = max(d, total[k] - single[f, k] - single[g, k] + pair[f, g, k])
                if yes - a - b < wrong_yes:
                    wrong_yes, at_yes = yes - a - b, g
                if n - yes - c - d < wrong_no:
                    wrong_no, at_no = n - yes - c - d, g
        if wrong_yes + wrong_no < best:
            best, root, below_no, below_yes = wrong_yes + wrong_no, f, at_no, at_yes
    return best, root, below_no, below_yes

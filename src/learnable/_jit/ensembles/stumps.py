"""The best decision stump under weights, of least error or of purest sides, from columns sorted once."""

from learnable._jit.core.compile import exact_kernel


@exact_kernel
def best_stump(order, last_of_value, signed, positive, negative):
    """(error, column, position, sign) of the stump of least weighted error.

    A stump that says +1 above a threshold errs by W₋ + c, where c = Σ w y over the rows below; one that says −1 above
    errs by W₊ − c. Position −1 is the threshold −∞. The first one in the order of columns and thresholds wins ties,
    +1 above before −1 above.

    Parameters
    ----------
    order : (p, n) rows sorted by each column.
    last_of_value : (p, n) 1 where the next row has another value.
    signed : (n,) w y.
    positive, negative : Σ w over rows of either class.
    """
    p, n = order.shape
    tie = 1e-12 * (positive + negative)
    best, column, position, sign = negative, 0, -1, 1
    if positive < best - tie:
        best, sign = positive, -1
    for j in range(p):
        c = 0.0
        rows, last = order[j], last_of_value[j]
        for i in range(n - 1):
            c += signed[rows[i]]
            if last[i] == 0:
                continue
            if negative + c < best - tie:
                best, column, position, sign = negative + c, j, i, 1
            if positive - c < best - tie:
                best, column, position, sign = positive - c, j, i, -1
    return best, column, position, sign


@exact_kernel
def purest_stump(order, last_of_value, pairs, signed, total):
    """(column, position, c): the cut whose two sides have the least weighted Gini impurity.

    With c = Σ w y and m = Σ w over the rows below, the impurity falls as c²/m + (C − c)²/(M − m) rises. Position −1: no
    cut lowers the impurity. The first one in the order of columns and thresholds wins ties.

    Parameters
    ----------
    order, last_of_value : as in `best_stump`.
    pairs : (n, 2) w y and w.
    signed, total : C and M, the sums of both over all rows.
    """
    p, n = order.shape
    best, column, position, below = signed * signed / total, 0, -1, 0.0
    tie = 1e-12 * total
    for j in range(p):
        c, m = 0.0, 0.0
        rows, last = order[j], last_of_value[j]
        for i in range(n - 1):
            row = rows[i]
            c += pairs[row, 0]
            m += pairs[row, 1]
            if last[i] == 0:
                continue
            rest, both = total - m, m * (total - m)
            gain = c * c * rest + (signed - c) * (signed - c) * m
            # Without a division, which is slow.
            if gain > (best + tie) * both and both > 0.0:
                best, column, position, below = gain / both, j, i, c
    return column, position, below


@exact_kernel
def vote(X, feature, threshold, sign, alpha, out):
    """out[i] = Σ_t alpha_t · stump_t(row i)."""
    for i in range(X.shape[0]):
        total = 0.0
        for t in range(len(feature)):
            above = X[i, feature[t]] > threshold[t]
            total += alpha[t] if above == (sign[t] > 0) else -alpha[t]
        out[i] = total

"""The best decision stump under weights, from columns sorted once."""

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
def vote(X, feature, threshold, sign, alpha, out):
    """out[i] = Σ_t alpha_t · stump_t(row i)."""
    for i in range(X.shape[0]):
        total = 0.0
        for t in range(len(feature)):
            above = X[i, feature[t]] > threshold[t]
            total += alpha[t] if above == (sign[t] > 0) else -alpha[t]
        out[i] = total

"""One pass of the perceptron over the rows."""

from learnable._jit.core.compile import compile_formulas, kernel
from learnable._jit.core.prefetch import ask_for, ask_where, prefetch, visits_ahead
from learnable._jit.core.vectors import add, dot
from learnable.problems.sparse.penalties import prox

compile_formulas()


@kernel
def perceptron_pass(rows, order, y, rate, theta, bias, intercept_rate, penalty, shrink_step, mistakes):
    """Visit the rows in `order`; on y(θ·x + b) ≤ 0 move θ by rate·y·x and b by intercept_rate·rate·y.

    Parameters
    ----------
    y : (n,) of ±1, a byte each: met in any order they still come from the cache.
    theta : (p,), updated in place.
    bias : (1,), updated in place.
    rate : (n,) step of each row, learning rate times its weight; (1,) where all rows have the same.
    shrink_step : length of the proximal step of `penalty` that follows each visit; 0 for none.
    mistakes : (n,) receives the rows on which a mistake was made, in order.

    Returns
    -------
    (number of mistakes, sum of losses (−y f)₊ weighted like the steps)
    """
    made = 0
    loss = 0.0
    p = theta.shape[0]
    n = order.shape[0]
    ahead = visits_ahead(rows)
    weighted = rate.shape[0] > 1
    for k in range(n):
        ask_where(rows, order[min(k + 2 * ahead, n - 1)])
        later = order[min(k + ahead, n - 1)]
        ask_for(rows, later)
        if weighted:
            prefetch(rate, later)
        i = order[k]
        margin = y[i] * (dot(rows, i, theta) + bias[0])
        # Written so that a margin that is not a number counts as a mistake.
        if not margin > 0.0:
            step = rate[i] if weighted else rate[0]
            loss -= step * margin
            add(rows, i, step * y[i], theta)
            bias[0] += intercept_rate * step * y[i]
            mistakes[made] = i
            made += 1
        if shrink_step > 0.0:
            for j in range(p):
                theta[j] = prox(penalty, theta[j], shrink_step, j)
    return made, loss

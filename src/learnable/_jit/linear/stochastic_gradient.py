"""Epochs of stochastic gradient descent; a sparse row costs time in proportion to its non-zeros.

The coefficients are kept as θ_j = a · S(v_j, a₁), S the soft threshold. The ℓ2 penalty then only multiplies the number
a, and the ℓ1 penalty only raises the number a₁ (the sum of thresholds so far, in units of v): neither visits the
coordinates. Applying the ℓ1 thresholds to the sum of all updates instead of one after another is what lets
coefficients rest at exactly zero in spite of noisy gradients.
"""

from typing import Any, NamedTuple

import numpy as np

from learnable._jit.core.compile import compile_formulas, inner_kernel, kernel
from learnable._jit.core.prefetch import ask_for, ask_where, prefetch, visits_ahead
from learnable._jit.core.vectors import DenseVectors, SparseVectors, add, dot
from learnable.problems.core.formula import formula
from learnable.problems.linear.losses import Hinge, Logistic, PerceptronLoss, Squared, gradient, value
from learnable.problems.linear.margin_losses import ModifiedHuber, SquaredHinge
from learnable.problems.linear.regression_losses import EpsilonInsensitive, Huber, SquaredEpsilonInsensitive

# Beyond this a slope is noise of a fit that runs away; scikit-learn clips there too.
STEEPEST = 1e12
# Below this the common factor a is multiplied into v; the running sum loses as many digits as a is small.
SMALLEST_SCALE = 1e-4


@inner_kernel
def soft(x, level):
    """S(x, level) = sign(x) (|x| − level)₊."""
    return np.sign(x) * max(abs(x) - level, 0.0)


@formula
def dot_thresholded(rows, i, v, threshold):
    """x_i · S(v, threshold)."""


@dot_thresholded.of(DenseVectors)
def _(rows, i, v, threshold):
    total = 0.0
    for j in range(v.shape[0]):
        total += rows.values[i, j] * soft(v[j], threshold)
    return total


@dot_thresholded.of(SparseVectors)
def _(rows, i, v, threshold):
    total = 0.0
    for k in range(rows.starts[i], rows.starts[i + 1]):
        j = rows.places[k]
        total += rows.values[k] * soft(v[j], threshold)
    return total


class AnyMargin(NamedTuple):
    """A loss of the margin y f, by its place among `MARGINS`: epochs are compiled once for all of them."""

    number: int


class AnyResidual(NamedTuple):
    """A loss of the residual y − f, by its place among `RESIDUALS`, and its width where it has one."""

    number: int
    width: float


MARGINS = (Hinge, Logistic, SquaredHinge, ModifiedHuber, PerceptronLoss)
RESIDUALS = (Squared, Huber, EpsilonInsensitive, SquaredEpsilonInsensitive)


def any_loss(loss: Any) -> Any:
    """A loss as one of its kind; it stays as it is where it is of neither.

    >>> any_loss(Hinge()), any_loss(Huber(1.5))
    (AnyMargin(number=0), AnyResidual(number=1, width=1.5))
    """
    if type(loss) in MARGINS:
        return AnyMargin(MARGINS.index(type(loss)))
    if type(loss) in RESIDUALS:
        return AnyResidual(RESIDUALS.index(type(loss)), float(loss[0]) if loss else 0.0)
    return loss


@value.of(AnyMargin)
def _(loss, y, f):
    if loss.number == 0:
        return value(Hinge(), y, f)
    if loss.number == 1:
        return value(Logistic(), y, f)
    if loss.number == 2:
        return value(SquaredHinge(), y, f)
    if loss.number == 3:
        return value(ModifiedHuber(), y, f)
    return value(PerceptronLoss(), y, f)


@value.of(AnyResidual)
def _(loss, y, f):
    if loss.number == 0:
        return value(Squared(), y, f)
    if loss.number == 1:
        return value(Huber(loss.width), y, f)
    if loss.number == 2:
        return value(EpsilonInsensitive(loss.width), y, f)
    return value(SquaredEpsilonInsensitive(loss.width), y, f)


@gradient.of(AnyMargin)
def _(loss, y, f):
    if loss.number == 0:
        return gradient(Hinge(), y, f)
    if loss.number == 1:
        return gradient(Logistic(), y, f)
    if loss.number == 2:
        return gradient(SquaredHinge(), y, f)
    if loss.number == 3:
        return gradient(ModifiedHuber(), y, f)
    return gradient(PerceptronLoss(), y, f)


@gradient.of(AnyResidual)
def _(loss, y, f):
    if loss.number == 0:
        return gradient(Squared(), y, f)
    if loss.number == 1:
        return gradient(Huber(loss.width), y, f)
    if loss.number == 2:
        return gradient(EpsilonInsensitive(loss.width), y, f)
    return gradient(SquaredEpsilonInsensitive(loss.width), y, f)


compile_formulas()


@kernel
def stochastic_epochs(
    rows, orders, y, weight, loss, rates, length, ridge, lasso, v, points, bias_rate, t, batch, average_from, total, met
):
    """One epoch after another, each from where the last one ended.

    Parameters
    ----------
    orders, rates : (epochs, n) and (epochs, steps).
    v, points, total : (epochs, ...), where each epoch ends; the first begins from what stands in its place.
    met : (epochs, 3) sum of the losses met in each, and ‖θ‖² and ‖θ‖₁ at its end, written.
    """
    slopes = np.empty(batch)
    for e in range(orders.shape[0]):
        if e > 0:
            points[e, 0], points[e, 1] = points[e - 1, 0], points[e - 1, 1]
            total[e, v.shape[1]] = total[e - 1, v.shape[1]]
            for j in range(v.shape[1]):
                v[e, j], total[e, j] = v[e - 1, j], total[e - 1, j]
        met[e, 0], t = stochastic_epoch(
            rows, orders[e], y, weight, loss, rates[e], length, ridge, lasso, v[e], points[e], bias_rate, t, batch,
            average_from, total[e], slopes,
        )  # fmt: skip
        square, absolute = 0.0, 0.0
        for j in range(v.shape[1]):
            theta = max(abs(v[e, j]) - points[e, 0], 0.0)
            square += theta * theta
            absolute += theta
        met[e, 1], met[e, 2] = square, absolute


@inner_kernel
def stochastic_epoch(
    rows, order, y, weight, loss, rate, length, ridge, lasso, v, point, bias_rate, t, batch, average_from, total, slopes
):
    """Visit the rows in `order`, `batch` at a time; each batch moves θ against its mean gradient by the rate η.

    θ ← (1 − η ridge)₊ θ − η mean(w g x), then thresholds by η lasso; b ← b − bias_rate η mean(w g).

    Parameters
    ----------
    v : (p,), updated in place.
    point : [a₁, b], updated in place: θ = S(v, a₁) before and after the epoch.
    weight : (n,) row weights.
    rate : (steps,) learning rate η of each step.
    length : (n,), η = min(rate, loss / length) for steps of a length that suits the row; of length 0 for none.
    ridge, lasso : ℓ2 and ℓ1 levels of the penalty ½ ridge ‖θ‖² + lasso ‖θ‖₁.
    t : number of the first step.
    average_from : steps from this number on are added to `total`; 0 for none.
    total : (p + 1,) running sum of (θ, b) over those steps, added to.
    slopes : (batch,) scratch.

    Returns
    -------
    (sum of the losses met, number of the step after the last)
    """
    p = v.shape[0]
    n = order.shape[0]
    ahead = visits_ahead(rows)
    a1, b = point[0], point[1]
    a = 1.0
    met = 0.0
    # Σ a v over the steps to be averaged = passed · v − late: `late` holds what was added to v after the sum began.
    passed = 0.0
    late = np.zeros(p)
    for step in range(rate.shape[0]):
        start = step * batch
        size = min(batch, n - start)
        # 1. Slopes of the batch, all at the same θ.
        eta = 0.0
        for k in range(size):
            ask_where(rows, order[min(start + k + 2 * ahead, n - 1)])
            later = order[min(start + k + ahead, n - 1)]
            ask_for(rows, later)
            prefetch(y, later)
            prefetch(weight, later)
            i = order[start + k]
            if a1 > 0.0:
                f = a * dot_thresholded(rows, i, v, a1) + b
            else:
                f = a * dot(rows, i, v) + b
            lost = value(loss, y[i], f)
            met += weight[i] * lost
            if length.shape[0] > 0:
                eta += min(rate[step], lost / length[i]) / size
            else:
                eta = rate[step]
            slopes[k] = weight[i] * min(max(gradient(loss, y[i], f), -STEEPEST), STEEPEST)
        # 2. The ℓ2 penalty shrinks all coefficients at once.
        a *= max(1.0 - eta * ridge, 0.0)
        if a < SMALLEST_SCALE:
            for j in range(p):
                total[j] += passed * v[j] - late[j]
                late[j] = 0.0
                v[j] *= a
            passed, a1, a = 0.0, a * a1, 1.0
        # 3. The step along the rows of the batch. What is divided hangs on no slope, so that none waits for it.
        length_of_step, inverse = -eta / size, 1.0 / a
        for k in range(size):
            if slopes[k] != 0.0:
                i = order[start + k]
                move = length_of_step * slopes[k]
                add(rows, i, move * inverse, v)
                b += bias_rate * move
                if passed > 0.0:
                    add(rows, i, passed * (move * inverse), late)
        # 4. The ℓ1 penalty raises the common threshold.
        a1 += eta * lasso * inverse
        # 5. The running sum. Thresholded coefficients are not linear in v and are added up one by one.
        if average_from > 0 and t >= average_from:
            total[p] += b
            if lasso > 0.0:
                for j in range(p):
                    total[j] += a * soft(v[j], a1)
            else:
                passed += a
        t += 1.0
    for j in range(p):
        total[j] += passed * v[j] - late[j]
        v[j] *= a
    point[0], point[1] = a * a1, b
    return met, t

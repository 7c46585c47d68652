"""A network of dense layers: its objective and, by back-propagation, the gradient. Syllabus: NN2 to NN7.

J(θ) = Σᵢ wᵢ ℓ(yᵢ, uᵢ) / Σᵢ wᵢ + ½ l2 ‖W‖² + l1 ‖W‖₁, W all weights without biases, scales and shifts.
Hidden layer: u = h W + b, then batch normalisation if asked (z = (u − mean)/σ, scale z + shift), the activation, and
the mask of dropout. The same source runs on NumPy arrays and on tensors.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from learnable.problems.neural.activations import ACTIVATIONS
from learnable.problems.neural.layers import (
    Moments,
    batch_moments,
    dense,
    dense_back,
    dense_slopes,
    normalise,
    normalise_back,
)
from learnable.problems.neural.outputs import OUTPUTS


class Architecture(NamedTuple):
    """What is computed, apart from the parameters.

    Attributes
    ----------
    activation : name in `ACTIVATIONS`, of every hidden layer.
    output : name in `OUTPUTS`.
    l2, l1 : strengths of the penalties, as in J.
    """

    activation: str
    output: str
    l2: float = 0.0
    l1: float = 0.0


class Parameters(NamedTuple):
    """What is learned: one weight matrix and bias a layer; scale and shift of hidden layers if they are normalised."""

    coefs: Sequence[Any]
    intercepts: Sequence[Any]
    scales: Sequence[Any] = ()
    shifts: Sequence[Any] = ()


class Layer(NamedTuple):
    """What a layer keeps of its way forward, for the way back."""

    entered: Any
    left: Any
    normalised: Any = None
    inverse: Any = None
    moments: Moments | None = None


class Evaluation(NamedTuple):
    """J, ∇J, and the moments of each batch-normalised layer over these rows."""

    objective: Any
    gradient: Parameters
    moments: tuple[Moments, ...]


def namespace(array) -> Any:
    """The array API's namespace of an array or tensor."""
    if type(array) is np.ndarray:  # NumPy's own, whose `clip` takes a tenth of the time of the one around it
        return np
    from sklearn.externals.array_api_compat import array_namespace

    return array_namespace(array)


def forward(
    architecture: Architecture, theta: Parameters, X, moments: Sequence[Moments] | None = None, masks: Sequence = ()
) -> list[Layer]:
    """Every layer of the way forward; the last one leaves u, to which the output's function is still to be applied.

    Parameters
    ----------
    moments : the statistics to normalise by, as in prediction; None for those of these rows, as in training.
    masks : one mask a hidden layer, or nothing where no unit is dropped.
    """
    xp, activation = namespace(theta.coefs[0]), ACTIVATIONS[architecture.activation]
    layers: list[Layer] = []
    h = X
    for k, (W, b) in enumerate(zip(theta.coefs, theta.intercepts)):
        entered, h = h, dense(h, W, b)
        if k == len(theta.coefs) - 1:
            layers.append(Layer(entered, h))
            break
        z = inverse = used = None
        if theta.scales:
            used = batch_moments(xp, h) if moments is None else moments[k]
            z, inverse = normalise(xp, h, used)
            h = theta.scales[k] * z + theta.shifts[k]
        left = activation.value(xp, h)
        h = left * masks[k] if masks else left
        layers.append(Layer(entered, left, z, inverse, used))
    return layers


def outputs(architecture: Architecture, theta: Parameters, X, moments: Sequence[Moments] | None = None):
    """What the network puts out for rows X."""
    u = forward(architecture, theta, X, moments)[-1].left
    return OUTPUTS[architecture.output].value(namespace(u), u)


def penalty(architecture: Architecture, theta: Parameters):
    """½ l2 ‖W‖² + l1 ‖W‖₁."""
    xp = namespace(theta.coefs[0])
    total = 0.0
    for W in theta.coefs:
        if architecture.l2:
            total = total + 0.5 * architecture.l2 * xp.sum(W * W)
        if architecture.l1:
            total = total + architecture.l1 * xp.sum(xp.abs(W))
    return total


def mean_loss(architecture: Architecture, y, u, weight=None):
    """Σ w ℓ / Σ w over the rows."""
    xp = namespace(u)
    losses = OUTPUTS[architecture.output].loss(xp, y, u)
    return xp.mean(losses) if weight is None else xp.sum(weight * losses) / xp.sum(weight)


def objective(
    architecture: Architecture, theta: Parameters, X, y, weight=None, moments=None, masks: Sequence = ()
):  # fmt: skip
    """J, by the way forward alone."""
    u = forward(architecture, theta, X, moments, masks)[-1].left
    return mean_loss(architecture, y, u, weight) + penalty(architecture, theta)


def evaluate(
    architecture: Architecture, theta: Parameters, X, y, weight=None, moments=None, masks: Sequence = (),
    weight_sum: float | None = None,
) -> Evaluation:  # fmt: skip
    """J and ∇J by back-propagation: once forward, then the chain rule layer by layer from the last to the first.

    Parameters
    ----------
    X, y : rows, and targets (n, outputs).
    weight : weights of the rows, or None for 1.
    moments : statistics to normalise by; None for those of these rows, which then take part in the derivative.
    masks : masks of dropout, one a hidden layer.
    weight_sum : what the weighted losses are divided by, if not the sum of the weights of these rows.
    """
    xp = namespace(theta.coefs[0])
    activation, output = ACTIVATIONS[architecture.activation], OUTPUTS[architecture.output]
    layers = forward(architecture, theta, X, moments, masks)
    u = layers[-1].left
    losses = output.loss(xp, y, u)
    n_rows = losses.shape[0]
    if weight is None:
        total = n_rows if weight_sum is None else weight_sum
        value, delta = xp.sum(losses) / total, output.slope(xp, y, output.value(xp, u)) / total
    else:
        total = xp.sum(weight) if weight_sum is None else weight_sum
        value = xp.sum(weight * losses) / total
        delta = output.slope(xp, y, output.value(xp, u)) * (weight / total)[:, None]

    slopes: list[tuple] = []
    for k in reversed(range(len(layers))):
        layer, W = layers[k], theta.coefs[k]
        scale_slope = shift_slope = None
        if k < len(layers) - 1:
            if masks:
                delta = delta * masks[k]
            delta = delta * activation.slope(xp, layer.left)
            if theta.scales:
                scale_slope, shift_slope = xp.sum(delta * layer.normalised, axis=0), xp.sum(delta, axis=0)
                delta = normalise_back(xp, layer.normalised, layer.inverse, delta * theta.scales[k], moments is None)
        W_slope, b_slope = dense_slopes(xp, layer.entered, delta)
        slopes.append((_with_penalty(xp, architecture, W, W_slope), b_slope, scale_slope, shift_slope))
        if k:
            delta = dense_back(W, delta)
    slopes.reverse()
    normed = range(len(theta.scales))
    gradient = Parameters(
        tuple(slope[0] for slope in slopes),
        tuple(slope[1] for slope in slopes),
        tuple(slopes[k][2] for k in normed),
        tuple(slopes[k][3] for k in normed),
    )
    used = tuple(layers[k].moments for k in normed)
    return Evaluation(value + penalty(architecture, theta), gradient, used)  # type: ignore[arg-type]


def _with_penalty(xp, architecture: Architecture, W, slope):
    """∂/∂W of the penalties added; the slope of |w| is 0 at 0."""
    if architecture.l2:
        slope = slope + architecture.l2 * W
    if architecture.l1:
        slope = slope + architecture.l1 * xp.sign(W)
    return slope


def penalty_rows(solver: str, batch_size: int | str, n_rows: int, weight_sum: float) -> float:
    """What the strength of a penalty is divided by: all rows by their weight, or the rows of one batch.

    As in scikit-learn, where the penalty belongs to the mean over the rows that a gradient is taken of; rows count by
    their mean weight.
    """
    if solver == "lbfgs":
        return float(weight_sum)
    return min(200 if batch_size == "auto" else int(batch_size), n_rows) * float(weight_sum) / n_rows

"""The targets and the weights of a block as numbers, and whether numbers are finite."""

import math

import numpy as np

from .source import Block

# Numbers in a product of vectors that BLAS leaves to one thread: for more it wakes the others, which wait at full speed
# for 20 ms when they have done their part (`benchmarks tall`, paths of 10,000 x 200: 0.030 s of processor, now 0.021).
ALONE = 10_000


def target_columns(block: Block) -> np.ndarray:
    """The targets as the columns of a matrix; without targets there are none.

    Examples
    --------
    >>> target_columns(Block(np.ones((3, 2)), np.array([1, 2, 3]), None, 0, 3)).shape
    (3, 1)
    """
    if block.y is None:
        return np.empty((block.stop - block.start, 0))
    if block.y.dtype.kind not in "buif":
        raise TypeError(f"y has dtype {block.y.dtype}: numbers are needed; encode the labels first")
    return block.y[:, np.newaxis] if block.y.ndim == 1 else block.y


def row_weights(block: Block) -> np.ndarray | None:
    """The weights in float64, none of them negative; None when the block has none.

    Examples
    --------
    >>> row_weights(Block(np.ones((2, 1)), None, np.array([1, 3]), 0, 2))
    array([1., 3.])
    """
    if block.weight is None:
        return None
    weight = np.asarray(block.weight, dtype=np.float64)
    if weight.min() < 0:
        i = int(weight.argmin())
        raise ValueError(f"sample_weight[{block.start + i}] is {weight[i]}: weights must be >= 0")
    return weight


def weight_sum(block: Block) -> float:
    """Σ w of a block, of ones where there are no weights.

    >>> weight_sum(Block(np.ones((2, 1)), None, np.array([1, 3]), 0, 2))
    4.0
    """
    return float(block.X.shape[0] if block.weight is None else block.weight.sum())


def surely_finite(values: np.ndarray) -> bool:
    """True only if every number is finite; sums that overflow where none is infinite show nothing.

    >>> surely_finite(np.ones(3)), surely_finite(np.array([1.0, -np.inf, np.inf])), surely_finite(np.array([1e200]))
    (True, False, True)
    """
    if values.flags.forc:  # products take a fifth of the time of a sum
        flat = values.ravel("K")
        parts = (flat[start : start + ALONE] for start in range(0, max(flat.size, 1), ALONE))
        if all(math.isfinite(np.vdot(part, part)) for part in parts):
            return True
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(values.sum())

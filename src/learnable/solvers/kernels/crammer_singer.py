"""All classes in one machine, as Crammer and Singer have it: descent over the rows of the dual.

One state a pass: the rows in random order, the variables of each at their joint minimum; the gap now and then.

Syllabus: S3.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.core.vectors import rows_of
from learnable._jit.kernels.crammer_singer import sweep
from learnable.problems.kernels.kernel import squares
from learnable.problems.kernels.multiclass import values

# Passes after which the gap is asked for, whatever the violation.
ASK = 20


class JointState(NamedTuple):
    """After a pass.

    Attributes
    ----------
    objective : primal value when it was last computed.
    violation : largest of a row in the pass.
    relative_gap : when it was last computed.
    W : (K, p + 1), offsets over their scale last.
    alpha : (n, K).
    """

    objective: float
    violation: float
    relative_gap: float
    W: np.ndarray
    alpha: np.ndarray


def iterates(
    X: Any, index: np.ndarray, K: int, C: np.ndarray, scale: float, enough: float, random: np.random.Generator
) -> Iterator[JointState]:
    """Endless states from W = 0; `enough` is the violation at which the caller begins to ask for the gap."""
    n, p = X.shape
    rows, square = rows_of(X), squares(X) + scale**2
    W, alpha = np.zeros((K, p + 1)), np.zeros((n, K))
    objective, gap, passes = float(C.sum()), 1.0, 0
    while True:
        violation = sweep(rows, scale, index, C, square, W, alpha, random.permutation(n))
        passes += 1
        if violation <= enough or passes % ASK == 0:
            scores = np.asarray(X @ W[:, :p].T) + scale * W[:, p]
            size = float(np.sum(W * W))
            found = values(scores, size, index, C, alpha, size)
            objective, gap = found.primal, found.relative_gap
        yield JointState(objective, violation, gap, W, alpha)

"""The perceptron in the features of a kernel, from its mistakes. Syllabus: P9."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable._jit.kernels.perceptron import next_mistake
from learnable.solvers.kernels.kernel_rows import KernelRows


class MistakeState(NamedTuple):
    """After a pass over the rows.

    Attributes
    ----------
    objective : mistakes made in the pass.
    alpha : (n,) mistakes on each row so far.
    log : rows on which mistakes were made, in order.
    """

    objective: float
    alpha: np.ndarray
    log: list[int]


def iterates(rows: KernelRows, z: np.ndarray) -> Iterator[MistakeState]:
    """Visit the rows in order; where zᵢ f(xᵢ) ≤ 0 count a mistake on i. Ends after a pass without any."""
    scores, alpha = np.zeros(len(z)), np.zeros(len(z), dtype=np.int64)
    log: list[int] = []
    while True:
        before, i = len(log), 0
        while (i := next_mistake(scores, z, i)) < len(z):
            alpha[i] += 1
            log.append(i)
            rows.add_to(scores, np.array([i]), z[i : i + 1])
            i += 1
        yield MistakeState(float(len(log) - before), alpha.copy(), list(log))
        if len(log) == before:
            return

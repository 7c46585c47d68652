"""The perceptron that always answers a random mistake: as long as some row has y(θ·x + b) ≤ 0, one of them is chosen.

Syllabus: P5, P6.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse


class UpdateState(NamedTuple):
    """After an update (the first state is the start).

    Attributes
    ----------
    objective : mean perceptron loss (−y f)₊.
    theta, offset : the separator.
    wrong : rows with y f ≤ 0.
    answered : the row just answered; −1 at the start.
    """

    objective: float
    theta: np.ndarray
    offset: float
    wrong: int
    answered: int


def iterates(X: Any, y: np.ndarray, generator: np.random.Generator, intercept: bool) -> Iterator[UpdateState]:
    """One state per update, until no row is wrong."""
    theta, offset = np.zeros(X.shape[1]), 0.0
    i = -1
    scores = np.zeros(len(y))
    while True:
        wrong = np.flatnonzero(y * scores <= 0.0)
        yield UpdateState(float(np.mean(np.maximum(-y * scores, 0.0))), theta, offset, len(wrong), i)
        if len(wrong) == 0:
            return
        i = int(generator.choice(wrong))
        row = X[[i]].toarray()[0] if sparse.issparse(X) else X[i]
        theta = theta + y[i] * row
        offset += y[i] * intercept
        # Scores afresh rather than updated, so that a wrong row is wrong for this θ and not for rounding.
        scores = np.asarray(X @ theta).ravel() + offset

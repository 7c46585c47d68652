"""The definition of overfitting as a test: who does worse on the sample and better in truth?"""

from collections.abc import Sequence

import numpy as np


def overfitting_witnesses(training_errors: Sequence[float], true_errors: Sequence[float]) -> list[int | None]:
    """For each hypothesis, one that shows it overfits: larger training error, smaller true error.

    Parameters
    ----------
    training_errors, true_errors : sequences of float
        The two errors of each hypothesis of a family or along a path.

    Returns
    -------
    list of int or None
        The witness with the smallest true error; None for a hypothesis that does not overfit.

    Syllabus: T25.

    Examples
    --------
    >>> overfitting_witnesses([0.30, 0.10, 0.00], [0.32, 0.15, 0.25])
    [None, None, 1]
    """
    training, true = np.asarray(training_errors, dtype=float), np.asarray(true_errors, dtype=float)
    if training.ndim != 1 or training.shape != true.shape or training.size == 0:
        raise ValueError("overfitting_witnesses: needs two sequences of the same length, at least one hypothesis")
    if not (np.all(np.isfinite(training)) and np.all(np.isfinite(true))):
        raise ValueError("overfitting_witnesses: errors must be finite")
    witnesses: list[int | None] = []
    for own_training, own_true in zip(training, true):
        better = np.flatnonzero((training > own_training) & (true < own_true))
        witnesses.append(int(better[np.argmin(true[better])]) if better.size else None)
    return witnesses

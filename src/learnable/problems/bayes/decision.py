"""Decisions of least expected loss, of which there is one rule. Syllabus: D2, Y5."""

import numpy as np


def expected_losses(posterior: np.ndarray, loss: np.ndarray) -> np.ndarray:
    """Σ_y P(y | x) loss[d, y] of every decision d, for one posterior (k,) or one a row (n, k).

    >>> expected_losses(np.array([0.9, 0.1]), np.array([[0.0, 50.0], [1.0, 0.0]]))
    array([5. , 0.9])
    """
    return posterior @ loss.T


def least(risks: np.ndarray, last: bool = False) -> np.ndarray:
    """The place of the smallest risk of each row, the first of equals or the last.

    >>> least(np.array([2.0, 1.0, 1.0])), least(np.array([2.0, 1.0, 1.0]), last=True)
    (np.int64(1), np.int64(2))
    """
    if not last:
        return np.argmin(risks, axis=-1)
    return risks.shape[-1] - 1 - np.argmin(risks[..., ::-1], axis=-1)

"""Expected shares of the classes made equal to the observed ones, by mixing in a constant. Syllabus: O6."""

from typing import NamedTuple

import numpy as np


class Mixture(NamedTuple):
    """A constant mixed into the probabilities of the rows before `stop`.

    Attributes
    ----------
    stop : how many rows, from the first.
    share : weight of the constant in the mixture.
    constant : (K,)
    slope : (p, K) what the slope would gain, were the share one.
    entropy : the same of the mean of Σ P log P, from above.
    """

    stop: int
    share: float
    constant: np.ndarray
    slope: np.ndarray
    entropy: float


def repaired(share: np.ndarray, misses: np.ndarray) -> tuple[float, np.ndarray]:
    """(s, q) with (1 − s)(share + misses) + s q = share and q a probability vector (its first entry, if binary)."""
    if not np.any(misses):
        return 0.0, share
    if len(share) > 1:
        ratio = float(np.max(misses / np.maximum(share, 1e-300)))
    else:
        c, miss = float(share[0]), float(misses[0])
        ratio = max(miss / max(c, 1e-300), -miss / max(1.0 - c, 1e-300))
    s = min(1.0, 2.0 * ratio / (1.0 + 2.0 * ratio))
    q = np.clip((share - (1.0 - s) * (share + misses)) / s, 0.0, 1.0) if s > 0.0 else share
    return s, q

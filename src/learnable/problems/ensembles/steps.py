"""Steps of gradient boosting in one leaf, and the draws of its rows."""

import numpy as np

from learnable.problems.ensembles.boosting_losses import HuberLoss
from learnable.problems.trees.impurities import weighted_quantile

# A leaf of less curvature makes no step: it would be beyond all numbers.
LEAST_CURVATURE = 1e-150


def newton_step(g: np.ndarray, h: np.ndarray, weight: np.ndarray, n_scores: int = 1) -> float:
    """−Σ w g / Σ w h; for K scores (K − 1)/K of it. Zero where there is no curvature left.

    >>> newton_step(np.array([-1.0, -1.0]), np.array([0.5, 0.5]), np.ones(2))
    2.0
    """
    bend = float(weight @ h)
    if bend < LEAST_CURVATURE:
        return 0.0
    return -float(weight @ g) / bend * ((n_scores - 1.0) / n_scores if n_scores > 1 else 1.0)


def with_delta(loss: HuberLoss, residual: np.ndarray, weight: np.ndarray) -> HuberLoss:
    """The Huber loss of a round: a `delta` in (0, 1) is the quantile of |residual| from which on it is linear."""
    return HuberLoss(max(weighted_quantile(np.abs(residual), loss.delta, weight), 1e-300))


def drawn_rows(seed: int, round_: int, n: int, share: float) -> np.ndarray:
    """(n,) 1 for the rows that take part in a round, drawn without replacement."""
    if share >= 1.0:
        return np.ones(n)
    chosen = np.zeros(n)
    chosen[np.random.default_rng([seed, round_]).permutation(n)[: max(1, int(share * n))]] = 1.0
    return chosen

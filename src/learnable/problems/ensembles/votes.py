"""Weighted votes: stumps, the weight of a hypothesis from its error, normalisers, margins. Syllabus: B1–B4, B8."""

from typing import NamedTuple

import numpy as np


class Stumps(NamedTuple):
    """T stumps: +1 where sign · (x[feature] − threshold) > 0, else −1; a threshold of −∞ makes a constant."""

    feature: np.ndarray
    threshold: np.ndarray
    sign: np.ndarray

    def predict(self, X: np.ndarray) -> np.ndarray:
        """(T, n) of ±1."""
        return np.where(self.threshold[:, None] < X[:, self.feature].T, self.sign[:, None], -self.sign[:, None])


def vote_weight(error: float, n_classes: int = 2) -> float:
    """½ (log((1 − ε)/ε) + log(K − 1)): the step that minimises Z for two classes.

    >>> round(vote_weight(0.2), 6)
    0.693147
    """
    return 0.5 * float(np.log((1.0 - error) / error) + np.log(n_classes - 1.0))


def normaliser(error: float, alpha: float) -> float:
    """Z = (1 − ε) e^{−α} + ε e^{α}; 2√(ε(1 − ε)) at the best α.

    >>> round(normaliser(0.2, vote_weight(0.2)), 6)
    0.8
    """
    return float((1.0 - error) * np.exp(-alpha) + error * np.exp(alpha))


def l1_margins(y: np.ndarray, score: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """y f(x) / ‖α‖₁, in [−1, 1]."""
    total = float(np.sum(np.abs(alpha)))
    return y * score / total if total > 0.0 else np.zeros(len(y))

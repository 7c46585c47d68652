"""Scores of two classes, kept as odds that trees multiply: gradients and curvatures follow without an exponential."""

import numpy as np

from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.solvers.ensembles.boosted_scores import scores_of

# The largest score, up or down, whose odds are kept: doubles end at e^709.
LARGEST = 600.0


class SignedOdds:
    """The odds against the class of each row: e^f for class 0, −e^{−f} for class 1.

    Attributes
    ----------
    odds : (n,)
    reach : no score is larger than this.
    """

    def __init__(self, y: np.ndarray, start: float) -> None:
        self.odds = np.where(np.asarray(y) == 0, np.exp(start), -np.exp(-start))
        self.reach = abs(start)

    def may_move(self, value: np.ndarray) -> bool:
        """Whether scores stay small enough when these values come to them; then they are counted as moved."""
        most = float(np.abs(value).max(initial=0.0))
        if not self.reach + most <= LARGEST:
            self.reach = float(np.abs(self.scores()).max())
        if not self.reach + most <= LARGEST:
            return False
        self.reach += most
        return True

    def replay(self, tree: BoostedTrees, X: np.ndarray) -> None:
        """Move by the values of a tree, to the bit as when it grew."""
        value = scores_of(tree, X, np.zeros(1))[:, 0]
        self.odds *= np.exp(np.where(self.odds < 0.0, -value, value))

    def classes(self) -> np.ndarray:
        """(n,) the class of each row, 0 or 1."""
        return (self.odds < 0.0).astype(float)

    def mean_loss(self) -> float:
        return float(np.mean(np.log1p(np.abs(self.odds))))

    def scores(self) -> np.ndarray:
        """(n,) f."""
        return np.sign(self.odds) * np.log(np.abs(self.odds))

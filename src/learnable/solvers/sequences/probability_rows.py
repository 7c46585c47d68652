"""Rows of probabilities learned from counts, with a Dirichlet prior, entries held fixed, and zeros that stay zero."""

from typing import NamedTuple

import numpy as np


class RowRule(NamedTuple):
    """How rows of probabilities may change.

    Attributes
    ----------
    learned : whether they change at all.
    prior : Dirichlet parameters, ≥ 1, broadcast over the rows.
    fixed : True where an entry keeps its value; None for nowhere.
    """

    learned: bool = True
    prior: np.ndarray | float = 1.0
    fixed: np.ndarray | None = None

    def free(self, p: np.ndarray) -> np.ndarray:
        """The entries that may change: neither fixed nor zero. A zero is structure, as in left-to-right models."""
        return (p > 0.0) if self.fixed is None else (p > 0.0) & ~self.fixed

    def maximised(self, counts: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The rows that maximise Σ (counts + prior − 1) log p with each row of sum 1.

        The free entries are proportional to their counts and share what the fixed ones leave. A row without counts
        keeps its values: every row is a maximiser there.

        >>> rule = RowRule(fixed=np.array([True, False, False]))
        >>> rule.maximised(np.array([5.0, 1.0, 3.0]), np.array([0.2, 0.4, 0.4]))
        array([0.2, 0.2, 0.6])
        """
        if not self.learned:
            return p
        free = self.free(p)
        mass = np.where(free, counts + self.prior - 1.0, 0.0)
        total = mass.sum(axis=-1, keepdims=True)
        # counts below the smallest normal number can add up to one that divides to infinity
        usable = total > 1e-300
        found = mass / np.where(usable, total, 1.0)
        if self.fixed is not None:  # what is not free is zero otherwise
            found *= 1.0 - np.where(free, 0.0, p).sum(axis=-1, keepdims=True)
        return np.where(free & usable, found, p)

    def log_prior(self, p: np.ndarray) -> float:
        """Σ (prior − 1) log p over the free entries: the logarithm of the prior density, up to a constant."""
        if not self.learned or (type(self.prior) is float and self.prior == 1.0):
            return 0.0
        strength = np.asarray(self.prior, dtype=float) - 1.0
        if not strength.any():
            return 0.0
        free, strength = self.free(p), np.broadcast_to(strength, p.shape)
        return float(np.sum(strength[free] * np.log(p[free])))

    def n_free(self, p: np.ndarray) -> int:
        """How many numbers are learned: free entries less one a row that has any."""
        free = np.atleast_2d(self.free(p))
        return int(np.sum(np.maximum(free.sum(axis=-1) - 1, 0))) if self.learned else 0


def pooled(sums: np.ndarray, groups: np.ndarray | None, axis: int) -> np.ndarray:
    """Sums over the states of each group, given back to every state of the group."""
    if groups is None:
        return sums
    names, which = np.unique(groups, return_inverse=True)
    by_state = np.moveaxis(sums, axis, 0)
    total = np.zeros((len(names), *by_state.shape[1:]))
    np.add.at(total, which, by_state)
    return np.moveaxis(total[which], 0, axis)


def representatives(groups: np.ndarray | None, n_states: int) -> np.ndarray:
    """The first state of every group: whatever counts once a group counts there."""
    return np.arange(n_states) if groups is None else np.unique(groups, return_index=True)[1]

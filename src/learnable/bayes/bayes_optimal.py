"""Bayes optimal classification: every hypothesis votes with its posterior weight."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.bayes.decision import zero_one_loss
from learnable.bayes.posterior import Posterior, checked_distribution, refuse_twice
from learnable.certificates import Certificate, Claim
from learnable.certificates.bayes.decision import decision_claims


@dataclass(frozen=True, eq=False)
class BayesOptimal:
    """The vote of the hypotheses on one instance.

    Syllabus: Y4.

    Attributes
    ----------
    labels : tuple
    weights : array (h,)
        P(h|D).
    votes : array (h, labels)
        P(y|h).
    masses : array (labels,)
        Σ_h P(y|h) P(h|D), the probability of each label.
    index : int
        Which label has the largest mass.
    certificate : `certificates.Certificate`, which claims
        Y4 : the masses are the weighted votes, and no other label has a lower posterior error.
    """

    labels: tuple[Hashable, ...]
    weights: np.ndarray
    votes: np.ndarray
    masses: np.ndarray
    index: int

    @property
    def label(self) -> Any:
        """The most probable label, the first of equals."""
        return self.labels[self.index]

    @property
    def map_label(self) -> Any:
        """What the most probable single hypothesis says, which need not be the most probable label."""
        return self.labels[int(np.argmax(self.votes[np.argmax(self.weights)]))]

    @property
    def error(self) -> float:
        """P(label is wrong | D): 1 − the largest mass."""
        return float(1.0 - self.masses[self.index])

    @property
    def map_error(self) -> float:
        """P(`map_label` is wrong | D), never below `error`."""
        return float(1.0 - self.masses[self.labels.index(self.map_label)])

    @property
    def gibbs_error(self) -> float:
        """P(wrong | D) of a label drawn from a hypothesis that is itself drawn from the posterior: ≤ 2 `error`."""
        return float(1.0 - np.sum(self.masses**2))

    @property
    def certificate(self) -> Certificate:
        masses = np.einsum("h,hy->y", self.weights, self.votes)
        off = float(np.abs(masses - self.masses).max())
        claims = [Claim.at_most("Y4", "the masses are Σ P(y|h) P(h|D) (largest difference)", off, 1e-12)]
        loss = zero_one_loss(len(self.labels))
        claims += decision_claims("Y4", masses, loss, 1.0 - self.masses, self.index)
        return Certificate("BayesOptimal", claims)


def bayes_optimal(
    posterior: Posterior | ArrayLike, votes: ArrayLike, *, labels: Sequence[Hashable] | None = None
) -> BayesOptimal:
    """argmax_y Σ_h P(y|h) P(h|D).

    Parameters
    ----------
    posterior : Posterior, or array (h,) of P(h|D)
    votes : array (h, k)
        P(y|h), each row summing to 1; a hypothesis without noise has a single 1.
    labels : sequence of k labels, default: 0, 1, …

    Returns
    -------
    BayesOptimal

    Syllabus: Y4, D12.

    >>> from learnable.datasets import three_hypotheses
    >>> weights, labels, votes = three_hypotheses()
    >>> vote = bayes_optimal(weights, votes, labels=labels)
    >>> dict(zip(vote.labels, vote.masses.tolist())), vote.label, vote.map_label
    ({'+': 0.4, '-': 0.6}, '-', '+')
    >>> vote.certificate.holds
    True
    """
    given = posterior.probabilities if isinstance(posterior, Posterior) else posterior
    weights = checked_distribution(given, "bayes_optimal", "posterior")
    table = np.array(votes, dtype=float)
    if table.ndim != 2 or table.shape[0] != len(weights) or table.shape[1] == 0:
        raise ValueError(
            f"bayes_optimal(votes): shape {table.shape}; needs a row for each of {len(weights)} hypotheses"
        )
    for h, row in enumerate(table):
        table[h] = checked_distribution(row, "bayes_optimal", f"votes of hypothesis {h}")
    names = tuple(range(table.shape[1])) if labels is None else tuple(labels)
    if len(names) != table.shape[1]:
        raise ValueError(f"bayes_optimal(labels): {len(names)} labels for {table.shape[1]} columns of votes")
    refuse_twice("bayes_optimal", "label", names)
    masses = weights @ table
    return BayesOptimal(names, weights, table, masses, int(np.argmax(masses)))

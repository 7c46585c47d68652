"""Probabilities of symbols in every state: what emissions of single symbols and of counts share."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from learnable.solvers.sequences.probability_rows import RowRule, pooled, representatives


@dataclass(frozen=True)
class SymbolProbabilities:
    """Rows of probabilities, learned from expected counts.

    Attributes
    ----------
    prob : (K, V). rule : how it is learned. groups : (K,) states of one group share their row; None for none.
    """

    prob: np.ndarray
    rule: RowRule = field(default_factory=RowRule)
    groups: np.ndarray | None = None

    def maximised(self, sums: tuple[np.ndarray]) -> Self:
        """With the rows that fit the expected counts (K, V) best."""
        return replace(self, prob=self.rule.maximised(pooled(sums[0], self.groups, 0), self.prob))

    def log_prior(self) -> float:
        rule, prob = self._distinct()
        return rule.log_prior(prob)

    def n_free(self) -> int:
        rule, prob = self._distinct()
        return rule.n_free(prob)

    def answers(self) -> dict[str, np.ndarray]:
        return {"emissionprob_": self.prob}

    def _distinct(self) -> tuple[RowRule, np.ndarray]:
        """Rule and rows of one state of each group: a shared row counts once."""
        one = representatives(self.groups, len(self.prob))
        prior = np.broadcast_to(self.rule.prior, self.prob.shape)[one]
        fixed = None if self.rule.fixed is None else self.rule.fixed[one]
        return self.rule._replace(prior=prior, fixed=fixed), self.prob[one]


def restricted(values: np.ndarray, states: np.ndarray | None, nothing: float) -> np.ndarray:
    """The values (n, K), with `nothing` for every state but the known one; changed in place."""
    if states is not None:
        known = np.flatnonzero(states >= 0)
        kept = values[known, states[known]]
        values[known] = nothing
        values[known, states[known]] = kept
    return values

"""Emission of a vector of counts a step."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from learnable._jit.sequences.hmm_emissions import exponentiate
from learnable.solvers.sequences.symbol_probabilities import SymbolProbabilities, restricted


@dataclass(frozen=True)
class MultinomialEmission(SymbolProbabilities):
    """b_k(x) = (Σx)! / Πx_v! · Π prob[k, v]^x_v. Rows are counts (n, V); a row with a NaN is missing.

    Attributes
    ----------
    n_trials : total count of a drawn observation.
    """

    n_trials: int = 1

    def log_density(self, rows: np.ndarray, states: np.ndarray | None) -> np.ndarray:
        counts = _known(rows)
        ways = gammaln(counts.sum(axis=1) + 1.0) - gammaln(counts + 1.0).sum(axis=1)
        never = self.prob == 0.0
        # 0 · log 0 = 0, but any count of a symbol of probability 0 is impossible.
        found = counts @ np.log(np.where(never, 1.0, self.prob)).T + ways[:, None]
        found[counts @ never.T.astype(float) > 0.0] = -np.inf
        return restricted(found, states, -np.inf)

    def density(self, rows: np.ndarray, states: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        log_B, shift = self.log_density(rows, states), np.empty(len(rows))
        exponentiate(log_B, shift)
        return log_B, shift

    def sums(self, rows: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray]:
        """Expected counts of every symbol in every state, (K, V)."""
        return (gamma.T @ _known(rows),)

    def drawn(self, states: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """One observation for each state, (n, V)."""
        return generator.multinomial(self.n_trials, self.prob[states] / self.prob[states].sum(axis=1, keepdims=True))


def _known(rows: np.ndarray) -> np.ndarray:
    """The counts, zero where they are missing: no counts say nothing."""
    return np.where(np.isnan(rows).any(axis=1, keepdims=True), 0.0, rows)

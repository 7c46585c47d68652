"""Emission of one symbol a step."""

from dataclasses import dataclass

import numpy as np

from learnable._jit.sequences.hmm_emissions import symbol_sums
from learnable.solvers.sequences.symbol_probabilities import SymbolProbabilities, restricted


@dataclass(frozen=True)
class CategoricalEmission(SymbolProbabilities):
    """b_k(v) = prob[k, v]. Rows are symbols 0 … V − 1, −1 for a missing one."""

    def density(self, rows: np.ndarray, states: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
        """(b_k(row) for every row and state, zero where the state is known to be another; no logarithm taken out)."""
        return restricted(self._looked_up(self._table(), rows), states, 0.0), None

    def log_density(self, rows: np.ndarray, states: np.ndarray | None) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return restricted(self._looked_up(np.log(self._table()), rows), states, -np.inf)

    def sums(self, rows: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray]:
        """Expected counts of every symbol in every state, (K, V)."""
        counts = np.zeros((self.prob.shape[1] + 1, len(self.prob)))
        symbol_sums(rows, gamma, counts)
        return (np.ascontiguousarray(counts[:-1].T),)

    def drawn(self, states: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """One observation for each state, (n, 1); a symbol of probability zero is never drawn."""
        cumulated = np.cumsum(self.prob, axis=1)[states]
        # Scaled by the last entry, so that rounding in the sum cannot point past the end.
        u = generator.random(len(states)) * cumulated[:, -1]
        return (cumulated <= u[:, None]).sum(axis=1)[:, None]

    def _table(self) -> np.ndarray:
        """Symbols by states; a missing symbol, the last row, is certain in every state."""
        return np.vstack([self.prob.T, np.ones(len(self.prob))])

    @staticmethod
    def _looked_up(table: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.take(table, rows, axis=0, mode="wrap")

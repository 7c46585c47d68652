"""Correlations of every column with a residual that moves little: most are bounded, few are computed.

A residual r is split into its part in the span of earlier residuals r_i, whose correlations are known, and the rest:
r = Σ aᵢ rᵢ + e. Then |xⱼ·r − Σ aᵢ xⱼ·rᵢ| ≤ ‖xⱼ‖ ‖e‖. A column whose bound stays below the level at which it would
matter need not be computed: the duality gap does not depend on it. Along a path the residual is nearly linear in the
penalty, so that ‖e‖ is small and a check of all columns touches a few per cent of them.
"""

import numpy as np

from learnable._jit.sparse.coordinate_descent import dots
from learnable._jit.sparse.correlations import within_reach

# Residuals whose correlations are kept: those of a path's last steps span the next one nearly.
REFERENCES = 4
# With more columns than this share left to compute, all are, and the residual becomes a reference.
LARGEST_SHARE = 0.3
# So few columns are all computed each time: to bound them takes longer.
FEW = 64


class Correlations:
    """(x_j − mean_j)·r / W for a design and residuals to come.

    Parameters
    ----------
    columns : the columns, as `_jit.vectors` has them.
    mean : (p,) what is subtracted from each column implicitly.
    length : (p,) √(mean square) of each centred column.
    ones : (n,) the column of ones, rows scaled like those of the design.
    weight_sum : W.
    """

    def __init__(self, columns, mean: np.ndarray, length: np.ndarray, ones: np.ndarray, weight_sum: float):
        self.columns, self.mean, self.length = columns, mean, length
        self.ones, self.weight_sum = ones, weight_sum
        self.every, self.shifted = np.arange(len(mean)), bool(mean.any())
        # Earlier residuals, their correlations, and their products with each other.
        self.known, self.values = np.zeros((0, len(ones))), np.zeros((0, len(mean)))
        self.products = np.zeros((0, 0))

    def of(
        self, residual: np.ndarray, level: np.ndarray, needed: np.ndarray, given: np.ndarray | None = None
    ) -> np.ndarray:
        """Correlations, exact wherever they can reach `level` and at the columns `needed`; elsewhere close ones.

        Parameters
        ----------
        residual : (n,).
        level : (p,) correlations of smaller size need not be exact.
        needed : places of columns that must be exact.
        given : correlations of those columns, where they are known.
        """
        if not len(self.known):
            return self.everywhere(residual)
        found = np.empty(len(level))
        unsure = within_reach(
            self.known, self.values, self.products, residual, self.weight_sum, self.length, level,
            needed, given is None, found,
        )  # fmt: skip
        index = np.flatnonzero(unsure)
        if len(index) > LARGEST_SHARE * len(found):
            return self.everywhere(residual)
        self._compute(residual, index, found)
        if given is not None:
            found[needed] = given
        return found

    def everywhere(self, residual: np.ndarray) -> np.ndarray:
        """Correlations of all columns; the residual becomes a reference."""
        found = np.empty(len(self.mean))
        self._compute(residual, self.every, found)
        if len(found) <= FEW:
            return found
        self.known = np.vstack([self.known, residual])[-REFERENCES:]
        self.values = np.vstack([self.values, found])[-REFERENCES:]
        self.products = self.known @ self.known.T
        return found

    def _compute(self, residual: np.ndarray, index: np.ndarray, out: np.ndarray) -> None:
        dots(self.columns, index, residual, out)
        chosen = slice(None) if len(index) == len(out) else index
        if self.shifted:
            out[chosen] -= self.mean[chosen] * float(self.ones @ residual)
        out[chosen] /= self.weight_sum

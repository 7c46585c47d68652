"""Random Fourier features: the draw, and how far their products are from the kernel. Syllabus: K5."""

from typing import Any

import numpy as np
from scipy import sparse

# Pairs of rows on which the error is measured.
PAIRS = 200


def draw(random: np.random.Generator, p: int, m: int, gamma: float) -> tuple[np.ndarray, np.ndarray]:
    """(Ω, φ): normal frequencies of variance 2γ, then uniform phases."""
    return np.sqrt(2.0 * gamma) * random.standard_normal((p, m)), random.uniform(0.0, 2.0 * np.pi, m)


def rows_in_pairs(X: Any, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows of some pairs as an array, and the places of both there."""
    if X.shape[0] > len(first):  # of fewer rows most are in a pair, and many in several
        X, first, second = X[np.concatenate([first, second])], np.arange(len(first)), len(first) + np.arange(len(first))
    return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float), first, second


def pair_errors(
    cells: np.ndarray, first: np.ndarray, second: np.ndarray, mapped: np.ndarray, gamma: float
) -> np.ndarray:
    """Φ(x)·Φ(z) − e^{−γ‖x − z‖²} for pairs of rows, given Φ of all `cells`."""
    made = np.einsum("ij,ij->i", mapped.take(first, axis=0), mapped.take(second, axis=0))
    apart = cells.take(first, axis=0) - cells.take(second, axis=0)
    return made - np.exp(-gamma * np.einsum("ij,ij->i", apart, apart))


def error_bound(m: int, pairs: int, delta: float) -> float:
    """ε that no pair exceeds with probability 1 − delta: √(8 ln(2 pairs/delta)/m), by Hoeffding over the m features.

    >>> round(error_bound(10_000, 1, 0.05), 4)
    0.0543
    """
    return float(np.sqrt(8.0 * np.log(2.0 * pairs / delta) / m))

"""The perceptron seen from its mistakes: how often one was made on each row says all. Syllabus: P9."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learnable.trace import budget, drive


def dual_coefficients(mistake_log: np.ndarray, n_rows: int) -> np.ndarray:
    """α, how often a mistake was made on each row: θ = η Σ αᵢ yᵢ xᵢ, b = η Σ αᵢ yᵢ and Σ αᵢ is the number of mistakes.

    Parameters
    ----------
    mistake_log : rows on which mistakes were made, in order: an entry of `Perceptron.mistake_log_`.
    n_rows : rows of the training data.

    Returns
    -------
    array (n_rows,) of int

    Examples
    --------
    >>> from learnable.linear import Perceptron
    >>> X, y = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -1.0], [-2.0, 0.5]]), np.array([1, 1, -1, -1])
    >>> model = Perceptron(shuffle=False).fit(X, y)
    >>> alpha = dual_coefficients(model.mistake_log_[0], len(y))
    >>> int(alpha.sum()) == model.n_mistakes_, bool(np.allclose((alpha * y) @ X, model.coef_))
    (True, True)
    """
    log = np.asarray(mistake_log)
    if log.size and (log.min() < 0 or log.max() >= n_rows):
        raise ValueError(f"dual_coefficients(n_rows={n_rows}): the log names row {log.max()}, beyond the data")
    return np.bincount(log.astype(np.intp), minlength=n_rows)


class DualPerceptron(NamedTuple):
    """After a pass over the rows.

    Attributes
    ----------
    objective : mistakes made in the pass; at 0 every row is on its side.
    alpha : (n,) of int, mistakes on each row so far: f(x) = Σ αᵢ yᵢ k(xᵢ, x).
    mistake_log : rows on which mistakes were made, in order.
    targets : (n,) of ±1.
    """

    objective: float
    alpha: np.ndarray
    mistake_log: np.ndarray
    targets: np.ndarray

    @property
    def separates(self) -> bool:
        """Whether the last pass was free of mistakes."""
        return self.objective == 0

    def scores(self, kernel: ArrayLike) -> np.ndarray:
        """f(x) = Σ αᵢ yᵢ k(xᵢ, x).

        Parameters
        ----------
        kernel : array (m, n), k of m new points with the n training rows
        """
        return np.asarray(kernel, dtype=float) @ (self.alpha * self.targets)


def dual_perceptron(kernel: ArrayLike, y: ArrayLike, max_passes: int = 1000) -> DualPerceptron:
    """Visit the rows in order; where yᵢ f(xᵢ) ≤ 0, count one more mistake on row i. Until a pass is free of mistakes.

    No θ is formed: a kernel is all it needs. With k(x, z) = x·z it makes the mistakes of the perceptron through the
    origin, and θ = Σ αᵢ yᵢ xᵢ; with x·z + 1 those of the perceptron with an offset.

    Parameters
    ----------
    kernel : array (n, n), symmetric, k(xᵢ, xⱼ)
    y : array (n,) of ±1
    max_passes : int ≥ 1, default=1000

    Returns
    -------
    DualPerceptron

    Examples
    --------
    No line divides the corners of a square by the sign of their product; in the features of (1 + x·z)² a plane does.

    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> dual_perceptron(1 + X @ X.T, [1, -1, -1, 1]).separates
    False
    >>> found = dual_perceptron((1 + X @ X.T) ** 2, [1, -1, -1, 1])
    >>> found.separates, found.alpha
    (True, array([1, 1, 1, 1]))
    """
    K, targets = np.asarray(kernel, dtype=float), np.asarray(y, dtype=float)
    if K.ndim != 2 or K.shape != (len(targets), len(targets)):
        raise ValueError(f"dual_perceptron(kernel): shape {K.shape} with {len(targets)} targets; one row a target")
    if not np.all(np.isfinite(K)) or np.abs(K - K.T).max(initial=0.0) > 1e-8 * np.abs(K).max(initial=0.0):
        raise ValueError("dual_perceptron(kernel): entries must be finite and k(x, z) = k(z, x)")
    if not np.all(np.abs(targets) == 1.0):
        raise ValueError("dual_perceptron(y): targets must be -1 or 1")
    if max_passes < 1:
        raise ValueError(f"dual_perceptron(max_passes={max_passes}): at least one pass is needed")
    return drive(_passes(K, targets), budget(max_passes)).state


def _passes(K: np.ndarray, y: np.ndarray) -> Iterator[DualPerceptron]:
    alpha, scores = np.zeros(len(y), dtype=np.intp), np.zeros(len(y))
    log: list[int] = []
    while True:
        before = len(log)
        for i in range(len(y)):
            if y[i] * scores[i] <= 0.0:
                alpha[i] += 1
                scores += y[i] * K[i]
                log.append(i)
        made = len(log) - before
        yield DualPerceptron(float(made), alpha.copy(), np.array(log, dtype=np.intp), y)
        if not made:
            return

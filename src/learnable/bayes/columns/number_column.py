"""A column of numbers: Gaussian in each class."""

from typing import NamedTuple

import numpy as np

from learnable.problems.bayes.naive_bayes import gaussian_log_likelihood


class NumberColumn(NamedTuple):
    """Moments of the known cells by class.

    Attributes
    ----------
    observed : (K,), their weight.
    mean : (K,), 0 for a class without known cells.
    scatter : (K,), Σ w (x − mean)².
    """

    observed: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def counted(cls, x: np.ndarray, index: np.ndarray, weight: np.ndarray, n_classes: int) -> "NumberColumn":
        """The moments of x (NaN where missing), whose rows have class `index` and this weight."""
        known = ~np.isnan(x) & (weight > 0.0)
        x, index, weight = x[known], index[known], weight[known]
        observed = np.bincount(index, weight, n_classes)
        origin = x[0] if len(x) else 0.0  # taken out first: a large offset costs no digits
        offset = _divided(np.bincount(index, weight * (x - origin), n_classes), observed)
        apart = (x - origin) - offset[index]
        scatter = np.bincount(index, weight * apart * apart, n_classes)
        return cls(observed, np.where(observed > 0.0, origin + offset, 0.0), scatter)

    def merged(self, other: "NumberColumn") -> "NumberColumn":
        """The moments of the rows of both."""
        observed = self.observed + other.observed
        share = _divided(other.observed, observed)
        apart = np.where((self.observed > 0.0) & (other.observed > 0.0), other.mean - self.mean, 0.0)
        start = np.where(self.observed > 0.0, self.mean, other.mean)
        scatter = self.scatter + other.scatter + self.observed * share * apart**2
        return NumberColumn(observed, start + share * apart, scatter)

    def total(self) -> tuple[float, float, float]:
        """(weight, mean, variance) over all classes."""
        n = float(self.observed.sum())
        if n == 0.0:
            return 0.0, 0.0, 0.0
        mean = float(self.observed @ self.mean) / n
        return n, mean, float(self.scatter.sum() + self.observed @ (self.mean - mean) ** 2) / n

    def law(self, smoothing: float) -> tuple[np.ndarray, np.ndarray]:
        """(mean, variance) by class; those of the whole column for a class without known cells.

        `smoothing` times the variance of the whole column is added to each variance, so that a class in which the
        column happens to be constant still has a density.
        """
        _, mean, variance = self.total()
        seen = self.observed > 0.0
        own = _divided(self.scatter, self.observed) + smoothing * variance
        return np.where(seen, self.mean, mean), np.where(seen, own, variance)

    def log_likelihood(self, x: np.ndarray, smoothing: float) -> np.ndarray:
        """(n, K): log φ(x; mean, variance); 0 for a missing cell, and everywhere when the column never varied."""
        mean, variance = self.law(smoothing)
        if not np.all(variance > 0.0):
            return np.zeros((len(x), len(mean)))
        return gaussian_log_likelihood(x, mean, variance)


def _divided(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.divide(a, b, out=np.zeros(np.shape(b)), where=b > 0.0)

"""Dirichlet belief about the shares of levels."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from learnable.bayes.conjugate.belief import Belief, fitting, tails
from learnable.bayes.laws.categorical import Categorical, level_counts
from learnable.bayes.posterior import checked_distribution
from learnable.plain import plain


@dataclass(frozen=True, eq=False)
class DirichletCategorical(Belief):
    """Shares p ~ Dirichlet(α); after counts n_k: Dirichlet(α + n).

    The posterior mean is the m-estimate (n_k + m p_k)/(n + m) with a virtual sample of m = Σα at shares p = α/m
    (`from_virtual_sample`); Laplace's rule is α = 1 everywhere. Syllabus: U11, Y1, Y7.

    >>> prior = DirichletCategorical.from_virtual_sample(["blue", "red"], 4, [0.5, 0.5])
    >>> seen = ["red"] * 5 + ["blue"]
    >>> after = prior.updated(seen)
    >>> after.mean.tolist(), after.certificate(prior, seen).holds            # (1 + 4/2)/(6 + 4), (5 + 4/2)/(6 + 4)
    ([0.3, 0.7], True)
    """

    levels: tuple[Hashable, ...]
    alpha: np.ndarray

    def __post_init__(self) -> None:
        alpha = np.array(self.alpha, dtype=float)
        if alpha.shape != (len(self.levels),) or len(set(self.levels)) != len(alpha) or len(alpha) == 0:
            raise ValueError(
                f"DirichletCategorical: alpha of shape {alpha.shape} for levels {plain(list(self.levels))}"
            )
        if not np.all(np.isfinite(alpha)) or np.any(alpha <= 0):
            raise ValueError(f"DirichletCategorical(alpha={alpha.tolist()}): every entry must be finite and > 0")
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "alpha", alpha)

    @classmethod
    def from_virtual_sample(cls, levels, m: float, p: ArrayLike) -> "DirichletCategorical":
        """As if m observations with shares p had been seen."""
        if not 0 < m < np.inf:
            raise ValueError(f"DirichletCategorical.from_virtual_sample(m={m}): m must be finite and > 0")
        return cls(tuple(levels), m * checked_distribution(p, "DirichletCategorical.from_virtual_sample", "p"))

    def updated(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> "DirichletCategorical":
        data = fitting(self, x, sample_weight)
        counts = level_counts("DirichletCategorical", data.x, data.weight, self.levels)
        return DirichletCategorical(self.levels, self.alpha + counts)

    @property
    def mean(self) -> np.ndarray:
        """α/Σα, also the probability of each level for the next observation."""
        return self.alpha / self.alpha.sum()

    @property
    def map(self) -> np.ndarray:
        """(α − 1)/(Σα − K), for α ≥ 1 not all 1."""
        if np.any(self.alpha < 1) or np.all(self.alpha == 1):
            raise ValueError(
                f"DirichletCategorical(alpha={self.alpha.tolist()}).map: the density has no single largest point "
                "unless every entry is >= 1 and one is > 1; use the mean"
            )
        return (self.alpha - 1) / (self.alpha.sum() - len(self.alpha))

    def credible_interval(self, level: float = 0.95) -> np.ndarray:
        """One (low, high) a level, each by itself: the share of one level is Beta(α_k, Σα − α_k)."""
        if len(self.alpha) == 1:
            return np.ones((1, 2))
        ends = tails("DirichletCategorical", level)
        return stats.beta.ppf(ends, self.alpha[:, None], self.alpha.sum() - self.alpha[:, None])

    def log_density(self, theta: ArrayLike) -> float:
        return float(stats.dirichlet.logpdf(np.asarray(theta, dtype=float), self.alpha))

    def log_predictive(self, x: ArrayLike) -> np.ndarray:
        return Categorical(self.levels, self.mean).log_density(x)

    def law_at(self, theta: ArrayLike) -> Categorical:
        return Categorical(self.levels, np.asarray(theta, dtype=float))

    @property
    def _inside(self) -> np.ndarray:
        return self.mean

"""The law of one of finitely many levels."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.bayes.laws.law import Estimate, Law, estimate, observed
from learnable.bayes.posterior import checked_distribution
from learnable.plain import plain


@dataclass(frozen=True, eq=False)
class Categorical(Law):
    """Level k with probability p_k; the likeliest p_k is the share n_k/n.

    In `score` and `information` the parameters are p_1, …, p_{K−1}; the last one is what remains.

    Syllabus: U11.

    >>> found = Categorical.fit(["red", "blue", "red", "red"])
    >>> dict(zip(found.law.levels, found.law.probabilities.tolist()))
    {'blue': 0.25, 'red': 0.75}
    """

    levels: tuple[Hashable, ...]
    probabilities: np.ndarray

    def __post_init__(self) -> None:
        p = checked_distribution(self.probabilities, "Categorical", "probabilities")
        if len(self.levels) != len(p) or len(set(self.levels)) != len(p):
            raise ValueError(
                f"Categorical: {len(p)} probabilities for levels {plain(list(self.levels))}; one each is needed"
            )
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "probabilities", p)

    @classmethod
    def fit(
        cls, x: ArrayLike, sample_weight: ArrayLike | None = None, levels: Sequence[Hashable] | None = None
    ) -> Estimate:
        """The likeliest law; `levels` lists levels that may be missing from the observations."""
        data = observed("Categorical", x, sample_weight)
        found = tuple(np.unique(data.x).tolist()) if levels is None else tuple(levels)
        counts = level_counts("Categorical", data.x, data.weight, found)
        return estimate(cls(found, counts / data.n), data)

    def log_density(self, x: ArrayLike) -> np.ndarray:
        with np.errstate(divide="ignore"):
            logs = dict(zip(self.levels, np.log(self.probabilities)))
        return np.array([logs.get(cell, -np.inf) for cell in np.asarray(x).tolist()])

    def score(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """n_k/p_k − n_K/p_K for k < K."""
        data = observed("Categorical", x, sample_weight)
        counts = level_counts("Categorical", data.x, data.weight, self.levels)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(counts > 0, counts / self.probabilities, 0.0)
        return ratios[:-1] - ratios[-1]

    def information(self) -> np.ndarray:
        """diag(1/p_k) + 1/p_K for k < K."""
        with np.errstate(divide="ignore"):
            inverse = 1 / self.probabilities
        return np.diag(inverse[:-1]) + inverse[-1]

    def standard_errors(self, n: float) -> dict[str, Any]:
        p = self.probabilities
        return {"probabilities": np.where((p > 0) & (p < 1), np.sqrt(p * (1 - p) / n), np.nan)}

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return np.array(self.levels)[rng.choice(len(self.levels), n, p=self.probabilities)]


def level_counts(name: str, x: np.ndarray, weight: np.ndarray, levels: Sequence[Hashable]) -> np.ndarray:
    """How much weight each level has; ValueError for an observation that is no level."""
    place = {level: k for k, level in enumerate(levels)}
    counts = np.zeros(len(levels))
    for row, cell in enumerate(x.tolist()):
        if cell not in place:
            raise ValueError(
                f"{name}: observation {row} is {cell!r}, which is not among the levels {plain(list(levels)[:10])}"
            )
        counts[place[cell]] += weight[row]
    return counts

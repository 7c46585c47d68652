"""No learner escapes: for every m there is a law on a shattered set on which it does badly."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnable.seeds import generator_from
from learnable.theory.frequency import Frequency

Points = NDArray[np.int64]
Labels = NDArray[np.bool_]
Learner = Callable[[Points, Labels], Callable[[Points], Labels]]


@dataclass(frozen=True)
class BadDistribution:
    """The law behind the lower bound P(R > (d−1)/(32m)) ≥ 1/100.

    On d shattered points 0, …, d−1 the heavy point 0 has probability 1 − 8ε and each of the others 8ε/(d−1), with
    ε = (d−1)/(32m): a sample of m is likely to miss many of the light points, and their labels are arbitrary.

    Parameters
    ----------
    d : int
        VC dimension, at least 2.
    m : int
        Sample size, at least (d−1)/4: otherwise 8ε > 1 and the law does not exist.

    Syllabus: T21.

    Examples
    --------
    >>> law = BadDistribution(d=5, m=10)
    >>> law.epsilon, law.probabilities.round(3).tolist()
    (0.0125, [0.9, 0.025, 0.025, 0.025, 0.025])
    >>> law.least_failure() >= 0.01
    True
    """

    d: int
    m: int

    def __post_init__(self) -> None:
        if self.d < 2:
            raise ValueError(f"BadDistribution(d={self.d}): d must be >= 2, one point has no light points")
        if self.m < 1 or 4 * self.m < self.d - 1:
            raise ValueError(f"BadDistribution(d={self.d}, m={self.m}): m must be >= 1 and >= (d-1)/4 for 8ε <= 1")

    @property
    def epsilon(self) -> float:
        """(d−1)/(32m), the risk that is exceeded."""
        return (self.d - 1) / (32 * self.m)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Probability of each of the d points."""
        light = 1 / (4 * self.m)
        return np.array([1 - (self.d - 1) * light] + [light] * (self.d - 1))

    def draw(self, rng: np.random.Generator) -> Points:
        """A sample of m point indices."""
        return rng.choice(self.d, size=self.m, p=self.probabilities)

    def fails(self, wrong: NDArray[np.bool_]) -> bool:
        """Whether a hypothesis wrong on these points has risk above ε, decided without rounding.

        A wrong light point costs 1/(4m); ε is (d−1)/8 of that, so the heavy point's 4m − (d−1) shares count too.
        """
        shares = int(np.sum(wrong[1:])) + (4 * self.m - (self.d - 1)) * int(wrong[0])
        return 8 * shares > self.d - 1

    def least_failure(self) -> float:
        """P(R > ε) of the best learner, averaged over uniformly drawn labels of the light points, exactly.

        On points it has not seen any learner is wrong with probability ½ each, independently; the best learner is
        right on the others. Hence some labelling is as bad as this for every learner.
        """
        light = self.d - 1
        seen = np.zeros(light + 1)
        seen[0] = 1.0
        step = 1 / (4 * self.m)
        new = (light - np.arange(light + 1)) * step
        for _ in range(self.m):
            arriving = np.concatenate(([0.0], (seen * new)[:-1]))
            seen = seen * (1 - new) + arriving
        threshold = light // 8 + 1  # the fewest wrong light points with 8·wrong > d − 1
        tails = [
            sum(math.comb(unseen, wrong) for wrong in range(threshold, unseen + 1)) / 2**unseen
            for unseen in range(light, -1, -1)
        ]
        return float(np.dot(seen, tails))


def simulate_failure(
    learner: Learner,
    d: int,
    m: int,
    *,
    labels: Labels | None = None,
    repeats: int = 2000,
    level: float = 0.95,
    random_state: int | None = 0,
) -> Frequency:
    """How often a learner's risk exceeds (d−1)/(32m) on the bad distribution.

    Parameters
    ----------
    learner : callable
        Takes (points, labels) of the sample and returns a function from point indices to labels.
    d, m : int
        VC dimension and sample size.
    labels : array of d bools or None
        The target concept; None draws a new one each time, point 0 being positive.
    repeats : int
        Number of samples drawn.
    level : float
        Confidence of the interval on the frequency.
    random_state : int or None
        Seed.

    Returns
    -------
    Frequency

    Syllabus: T21.

    Examples
    --------
    >>> def says_yes(points, labels):
    ...     return lambda queries: queries >= 0
    >>> simulate_failure(says_yes, d=9, m=20, repeats=200).value > 0.01
    True
    """
    law = BadDistribution(d, m)
    if labels is not None and np.shape(labels) != (d,):
        raise ValueError(
            f"simulate_failure(labels): shape {np.shape(labels)}; one label for each of the {d} points is needed"
        )
    if repeats < 1:
        raise ValueError(f"simulate_failure(repeats={repeats}): repeats must be >= 1")
    rng = generator_from(random_state, "simulate_failure")
    everything = np.arange(d)
    failures = 0
    for _ in range(repeats):
        target = np.append(True, rng.random(d - 1) < 0.5) if labels is None else np.asarray(labels, dtype=bool)
        sample = law.draw(rng)
        hypothesis = learner(sample, target[sample])
        wrong = np.asarray(hypothesis(everything), dtype=bool) != target
        failures += law.fails(wrong)
    return Frequency(failures, repeats, level)

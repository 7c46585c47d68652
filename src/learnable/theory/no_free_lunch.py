"""Averaged over all target functions, every learner is equally good off the sample."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isfinite
from numbers import Rational

from learnable.plain import plain

Labels = tuple[int, ...]
Learner = Callable[[tuple[int, ...], Labels], Sequence[int]]

# All 2^n labellings are enumerated.
_LARGEST_DOMAIN = 16


@dataclass(frozen=True)
class NoFreeLunch:
    """Both sides of Σ_f L(A|S, f) = 2^(|X|−1) Σ_{x∉S} P(x).

    Attributes
    ----------
    enumerated : Fraction
        The left side: the learner's error off the sample, summed over all 2^|X| target functions.
    formula : Fraction
        The right side, in which the learner does not occur.
    targets : int
        The number 2^|X| of target functions.
    """

    enumerated: Fraction
    formula: Fraction
    targets: int

    @property
    def holds(self) -> bool:
        """Whether the two sides are equal, exactly."""
        return self.enumerated == self.formula

    @property
    def average(self) -> Fraction:
        """The error off the sample averaged over all targets: half the mass that was not seen."""
        return self.enumerated / self.targets


def no_free_lunch(learner: Learner, probabilities: Sequence[float], sample: Sequence[int]) -> NoFreeLunch:
    """Run a learner against every target function on a small domain.

    Parameters
    ----------
    learner : callable
        Takes the sample's points and labels, both tuples, and returns a 0/1 label for every point of the domain.
        It must be a function of what it is given.
    probabilities : sequence of numbers
        P(x) for each point of the domain, at most 16 points.
    sample : sequence of int
        The points of S, repetitions allowed.

    Returns
    -------
    NoFreeLunch

    Syllabus: T22.

    Examples
    --------
    >>> from fractions import Fraction
    >>> def majority(points, labels):
    ...     return [2 * sum(labels) > len(labels)] * 5
    >>> answer = no_free_lunch(majority, [Fraction(1, 5)] * 5, sample=[0, 1, 1])
    >>> answer.holds, answer.average
    (True, Fraction(3, 10))
    """
    n = len(probabilities)
    if not 1 <= n <= _LARGEST_DOMAIN:
        raise ValueError(f"no_free_lunch: the domain has {n} points; it must have between 1 and {_LARGEST_DOMAIN}")
    if not all(isfinite(p) for p in probabilities):
        raise ValueError(f"no_free_lunch(probabilities={plain(list(probabilities))}): must be finite numbers")
    mass = [Fraction(p) if isinstance(p, Rational) else Fraction(float(p)) for p in probabilities]
    if min(mass) < 0 or abs(sum(mass, Fraction(0)) - 1) > Fraction(1, 10**9):
        raise ValueError("no_free_lunch(probabilities): must be >= 0 and add up to 1")
    seen = sorted(set(sample))
    if any(not 0 <= point < n for point in seen):
        raise ValueError(f"no_free_lunch(sample={plain(list(sample))}): points must be in 0..{n - 1}")
    unseen = [x for x in range(n) if x not in seen]
    errors = dict.fromkeys(unseen, 0)
    for labels_seen in product((0, 1), repeat=len(seen)):
        label_of = dict(zip(seen, labels_seen))
        # the learner meets the same sample for every target that agrees on S: one call serves them all
        guess = learner(tuple(sample), tuple(label_of[point] for point in sample))
        if len(guess) != n:
            raise ValueError(f"no_free_lunch: the learner returned {len(guess)} labels for {n} points")
        if strange := [label for label in guess if label not in (0, 1)]:
            raise ValueError(f"no_free_lunch: the learner returned the label {strange[0]!r}; labels must be 0 or 1")
        for labels_unseen in product((0, 1), repeat=len(unseen)):
            for x, y in zip(unseen, labels_unseen):
                errors[x] += int(guess[x]) != y
    total = sum((mass[x] * count for x, count in errors.items()), Fraction(0))
    formula = 2 ** (n - 1) * sum((mass[x] for x in unseen), Fraction(0))
    return NoFreeLunch(total, formula, 2**n)

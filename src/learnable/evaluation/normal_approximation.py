"""The sample error as an estimator, and how well the normal law stands in for the binomial."""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincc, erf, ndtr

from ._validation import as_numbers
from .proportion import check_counts

# Shevtsova (2011): the best constant known in the theorem of Berry and Esseen for equal laws.
BERRY_ESSEEN_CONSTANT = 0.4748


class SampleErrorLaw(NamedTuple):
    """The law of the sample error e = r/n for r ~ Binomial(n, p) mistakes.

    Attributes
    ----------
    values : the n + 1 possible errors 0, 1/n, …, 1.
    probabilities : P(e = value).
    mean : p, so the sample error is unbiased.
    variance : p(1−p)/n.
    """

    values: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    mean: float
    variance: float


def sample_error_law(n: int, p: float) -> SampleErrorLaw:
    """The exact law of the error rate of a hypothesis with true error p on n independent rows. Syllabus: E1.

    >>> from learnable.evaluation import sample_error_law
    >>> law = sample_error_law(4, 0.5)
    >>> law.probabilities.round(4).tolist(), law.variance
    ([0.0625, 0.25, 0.375, 0.25, 0.0625], 0.0625)
    """
    from scipy.stats import binom

    n, p = _check_law(n, p, "sample_error_law")
    mistakes = np.arange(n + 1)
    return SampleErrorLaw(mistakes / n, binom.pmf(mistakes, n, p), p, p * (1 - p) / n)


def z_score(mistakes: ArrayLike, n: ArrayLike, p: float) -> NDArray[np.float64]:
    """(r − np)/√(np(1−p)): how many standard deviations r mistakes lie from what error p expects. Syllabus: E8.

    >>> from learnable.evaluation import z_score
    >>> float(z_score(60, 100, 0.5))
    2.0
    """
    mistakes, n = check_counts(mistakes, n, "z_score")
    if not 0 < p < 1:
        raise ValueError(f"z_score(p={p}): p must lie strictly between 0 and 1, or there is no spread")
    return (mistakes - n * p) / np.sqrt(n * p * (1 - p))


def probability_within(z: ArrayLike) -> NDArray[np.float64]:
    """P(|Z| ≤ z) for a standard normal Z: the 68–95–99.7 rule at z = 1, 2, 3. Syllabus: E8.

    >>> from learnable.evaluation import probability_within
    >>> probability_within([1, 2, 3]).round(4).tolist()
    [0.6827, 0.9545, 0.9973]
    """
    z = as_numbers(z, "probability_within", "z")
    if not (z >= 0).all():
        raise ValueError("probability_within: z must be >= 0")
    return erf(z / np.sqrt(2))


class NormalApproximation(NamedTuple):
    """Distance between Binomial(n, p) and the normal law with its mean and variance.

    Attributes
    ----------
    n, p : the binomial law.
    distance : sup over real x of |P(X ≤ x) − Φ((x−np)/σ)|.
    corrected : max over whole x of |P(X ≤ x) − Φ((x+½−np)/σ)|, with the continuity correction.
    bound : Berry and Esseen's bound on `distance`, C (p²+(1−p)²)/√(np(1−p)) with C = 0.4748.
    """

    n: int
    p: float
    distance: float
    corrected: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether the bound is kept."""
        return self.distance <= self.bound


def normal_approximation(n: int, p: float) -> NormalApproximation:
    """How far De Moivre and Laplace's normal law is from the exact binomial one.

    The supremum over all x is attained at a jump of the binomial law or just before it, so it is a maximum over the
    whole numbers; those beyond which either law leaves less than 10⁻¹⁹ cannot matter.

    Parameters
    ----------
    n : number of rows, ≥ 1.
    p : error rate, strictly between 0 and 1.

    Syllabus: E8.

    >>> from learnable.evaluation import normal_approximation
    >>> fit = normal_approximation(100, 0.1)
    >>> round(fit.distance, 4), round(fit.corrected, 4), round(fit.bound, 4), fit.holds
    (0.0832, 0.0175, 0.1298, True)
    """
    n, p = _check_law(n, p, "normal_approximation")
    if p in (0.0, 1.0):
        raise ValueError(f"normal_approximation(p={p}): p must lie strictly between 0 and 1, or there is no spread")
    mean, deviation = n * p, sqrt(n * p * (1 - p))
    # Bernstein: P(|X − np| ≥ t) ≤ 2 exp(−t²/(2σ² + 2t/3)), which at this t is 2e⁻⁴⁵, and less for the normal law.
    reach = 15 + sqrt(225 + 90 * deviation**2)
    x = np.arange(max(0, int(mean - reach)), min(n, int(mean + reach)) + 1)
    # P(X ≤ x) as an incomplete Beta function, which keeps its digits for n in the billions.
    exact = np.where(x < n, betaincc(x + 1, np.maximum(n - x, 1), p), 1.0)
    # Further out nothing is left: the law before the first x weighs 0.
    before = np.concatenate([[0.0], exact[:-1]])
    normal = ndtr((x - mean) / deviation)
    distance = max(np.abs(exact - normal).max(), np.abs(before - normal).max())
    corrected = np.abs(exact - ndtr((x + 0.5 - mean) / deviation)).max()
    # ρ/σ³ of one Bernoulli trial is (p²+q²)/√(pq).
    bound = BERRY_ESSEEN_CONSTANT * (p**2 + (1 - p) ** 2) / deviation
    return NormalApproximation(n, p, float(distance), float(corrected), bound)


def _check_law(n: int, p: float, caller: str) -> tuple[int, float]:
    check_counts(0, n, caller)
    if not 0 <= p <= 1:
        raise ValueError(f"{caller}(p={p}): p must lie in [0, 1]")
    return int(n), float(p)

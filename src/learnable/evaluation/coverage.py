"""How often an interval for an error rate really covers it: summed exactly, never simulated.

With X ~ Binomial(n, p) mistakes, coverage(n, p) = Σ_x P(X = x) [low(x) ≤ p ≤ high(x)]. Both ends of every interval
here grow with x, so the x that cover p are a run a..b, and the sum is F(b) − F(a−1).
"""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from ._validation import as_numbers, check_method
from .interval import check_level
from .proportion import PROPORTION_INTERVALS, check_counts


class LeastCoverage(NamedTuple):
    """The infimum of the coverage over all p, and a p next to which it is reached."""

    coverage: float
    p: float


def coverage(
    method: str, n: ArrayLike, p: ArrayLike, level: float = 0.95, *, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Exact probability that the interval of X ~ Binomial(n, p) mistakes covers p.

    Parameters
    ----------
    method : a name in `PROPORTION_INTERVALS`.
    n : numbers of rows, whole and ≥ 1.
    p : true error rates in [0, 1]; `n` and `p` broadcast against each other.
    level : confidence level.
    n_jobs : threads; the answer does not depend on it.

    Returns
    -------
    coverage : array of the broadcast shape.

    Syllabus: E3.

    >>> from learnable.evaluation import coverage
    >>> coverage("wald", 50, [0.02, 0.5]).round(3).tolist()
    [0.635, 0.935]
    >>> coverage("clopper_pearson", 50, [0.02, 0.5]).round(3).tolist()
    [0.982, 0.967]
    """
    check_method(method, PROPORTION_INTERVALS, "coverage")
    level = check_level(level, "coverage")
    sizes, p = np.asarray(n), as_numbers(p, "coverage", "p")
    if not ((p >= 0) & (p <= 1)).all():
        bad = p[~((p >= 0) & (p <= 1))].flat[0]
        raise ValueError(f"coverage(p={bad}): error rates must lie in [0, 1]")
    shape = np.broadcast_shapes(sizes.shape, p.shape)
    distinct, which = np.unique(sizes, return_inverse=True)
    which = np.broadcast_to(which.reshape(sizes.shape), shape).ravel()
    p = np.broadcast_to(p, shape).ravel()
    # Cells of one n share their table of ends; a stable sort lays them side by side.
    order = np.argsort(which, kind="stable")
    cells = np.split(order, np.searchsorted(which[order], np.arange(1, len(distinct))))
    parts = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_coverage_of_size)(method, size, p[cell], level) for size, cell in zip(distinct, cells)
    )
    covered = np.empty(len(p))
    covered[order] = np.concatenate(parts) if parts else []
    return covered.reshape(shape)


def least_coverage(method: str, n: int, level: float = 0.95) -> LeastCoverage:
    """Infimum of the coverage over every p in (0, 1), exact for one n.

    Between two neighbouring ends the run a..b is fixed, and P_p(a ≤ X ≤ b) has a single peak in p; so the infimum
    is approached at an end, from one of its sides.

    Syllabus: E3.

    >>> from learnable.evaluation import least_coverage
    >>> least_coverage("clopper_pearson", 20).coverage >= 0.95
    True
    >>> round(least_coverage("wald", 20).coverage, 3)
    0.0
    """
    check_method(method, PROPORTION_INTERVALS, "least_coverage")
    check_counts(0, n, "least_coverage")
    low, high = PROPORTION_INTERVALS[method](np.arange(int(n) + 1), n, level)
    ends = np.unique(np.concatenate([[0.0, 1.0], low, high]))
    between = (ends[:-1] + ends[1:]) / 2
    first, last = _covering_run(low, high, between)
    at_left, at_right = (_run_probability(first, last, int(n), end) for end in (ends[:-1], ends[1:]))
    pieces = np.minimum(at_left, at_right)
    piece = int(pieces.argmin())
    end = ends[piece] if at_left[piece] <= at_right[piece] else ends[piece + 1]
    return LeastCoverage(float(pieces[piece]), float(end))


def _coverage_of_size(method: str, n: float, p: NDArray, level: float) -> NDArray:
    low, high = PROPORTION_INTERVALS[method](np.arange(max(int(n), 0) + 1), n, level)
    return _run_probability(*_covering_run(low, high, p), int(n), p)


def _covering_run(low: NDArray, high: NDArray, p: NDArray) -> tuple[NDArray, NDArray]:
    """First and last x whose interval holds p; an empty run has last = first − 1."""
    return np.searchsorted(high, p, side="left"), np.searchsorted(low, p, side="right") - 1


def _run_probability(first: NDArray, last: NDArray, n: int, p: NDArray) -> NDArray:
    """P(first ≤ X ≤ last) = P(X ≥ first) − P(X ≥ last + 1)."""
    return np.maximum(_at_least(first, n, p) - _at_least(last + 1, n, p), 0)


def _at_least(x: NDArray, n: int, p: NDArray) -> NDArray:
    """P(X ≥ x) = I_p(x, n − x + 1) for 1 ≤ x ≤ n; 1 below and 0 above."""
    inside = np.clip(x, 1, n)
    return np.where(x < 1, 1.0, np.where(x > n, 0.0, betainc(inside, n - inside + 1, p)))

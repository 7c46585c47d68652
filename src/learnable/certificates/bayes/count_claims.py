"""What the certificates of naive Bayes for counts share: shares of smoothed counts, priors, differences of counts."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from learnable.certificates.bayes.shapes import misshapen, stored_precision
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.digest_generator import digest_generator
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.worst import worst_of
from learnable.rows import Rows
from learnable.rows.numbers import surely_finite
from learnable.rows.parts import in_parts

# Values that are looked at all together.
FEW = 2**14
# Values beyond which a fit looks at one in so many, beginning where a digest says; `certify` looks at all.
MANY, ONE_IN = 2**16, 32
# Entries of the answer that the choice of a cheap check depends on, at most: a digest reads one gigabyte a second.
DIGESTED = 2**11
# Logarithms of shares that are recomputed from the same counts differ by rounding only.
TOLERANCE = 1e-10
# What scikit-learn and we lift alpha to when force_alpha is False.
SMALLEST_ALPHA = 1e-10
# What may be −∞ where it should, the logarithms, is compared; what must be finite is verified.
TABLES = ("class_log_prior_", "feature_log_prob_")


def misshapen_tables(model: Any, rows: Rows, **more: tuple[int, ...]) -> list[Claim]:
    K, p = len(model.classes_), rows.n_columns
    by_class = {"class_count_": (K,), "class_log_prior_": (K,)}
    return misshapen("Y9", model, by_class | {"feature_count_": (K, p), "feature_log_prob_": (K, p)} | more)


def prior_claims(id: str, model: Any, log_prior: np.ndarray) -> list[Claim]:
    """The priors are the shares of the classes, uniform, or as given, and sum to one."""
    count = np.asarray(model.class_count_, dtype=float)
    source, expected = "the shares of the classes", count / count.sum()
    if model.class_prior is not None:
        source, expected = "as given", np.asarray(model.class_prior, dtype=float)
    elif not model.fit_prior:
        source, expected = "uniform", np.full(len(count), 1.0 / len(count))
    off = farthest_from_one(ratios_to(np.asarray(log_prior, dtype=float), expected, np.array(1.0)))
    with np.errstate(over="ignore"):
        total = float(np.exp(log_prior).sum())
    return [
        Claim.at_most(id, f"P(c) is {source} (largest relative difference)", off, TOLERANCE),
        Claim.at_most(id, "P(c) sums to 1 (difference)", abs(total - 1.0), TOLERANCE),
    ]


def share_claims(
    what: str,
    formula: str,
    share: Callable[[int], Sequence[np.ndarray]],
    sizes: np.ndarray,
    id: str = "Y9",
    some: Callable[[slice], tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None,
) -> list[Claim]:
    """The log-probabilities follow from the smoothed counts, and are those of a law.

    Parameters
    ----------
    share : gives (log-probabilities, smoothed counts) of one law by its number, and the rounding of the counts where
        they are differences.
    sizes : how many values each law has.
    some : gives (log-probabilities, smoothed counts) of some values of all laws, and the sums over all values (K, 1).
    """

    def farthest(part: slice) -> tuple[float, float]:
        off, excess = 0.0, 0.0
        # A law at a time, which stays in the cache.
        for table, smoothed, *rounding in map(share, range(part.start, part.stop)):
            if smoothed.size:  # a column may have no values
                total = smoothed.sum()
                ratios = ratios_to(table, smoothed, total)
                off = worst_of(off, _farthest_beyond(ratios, smoothed, *rounding))
                excess = worst_of(excess, farthest_from_one(np.vdot(ratios, smoothed) / total))
        return off, excess

    if some is not None and not thorough() and np.sum(sizes) > MANY and np.min(sizes) >= ONE_IN:
        off = farthest_from_one(ratios_to(*some(drawn_values(share(0)[0]))))
        if off <= TOLERANCE:
            return [some_claim(id, formula, off)]
    if np.sum(sizes) <= FEW:
        off, excess = _farthest_at_once([share(law) for law in range(len(sizes))])
    else:
        off, excess = np.max(in_parts(farthest, work_of(sizes)), axis=0)
    return [
        table_claim(id, formula, off, TOLERANCE),
        Claim.at_most(id, f"{what} sums to 1 (largest difference)", excess, TOLERANCE),
    ]


def _farthest_at_once(laws: Sequence[Sequence[np.ndarray]]) -> tuple[float, float]:
    """The same of all laws one after the other, for few values."""
    laws = [law for law in laws if law[1].size]
    if not laws:
        return 0.0, 0.0
    sizes = np.array([law[1].size for law in laws])
    table, smoothed, *rounding = (
        np.concatenate([np.broadcast_to(part, law[1].shape) for part, law in zip(parts, laws)]) for parts in zip(*laws)
    )
    first = np.cumsum(sizes) - sizes
    total = np.add.reduceat(smoothed, first)
    ratios = ratios_to(table, smoothed, np.repeat(total, sizes))
    with np.errstate(all="ignore"):
        sums = np.add.reduceat(ratios * smoothed, first) / total
    return _farthest_beyond(ratios, smoothed, *rounding), farthest_from_one(sums)


def _farthest_beyond(ratios: np.ndarray, smoothed: np.ndarray, rounding: np.ndarray | None = None) -> float:
    """max |ratios − 1|; where that is much, beyond what the rounding of the counts explains."""
    apart = farthest_from_one(ratios)
    if rounding is None or apart <= TOLERANCE:
        return apart
    blur = np.divide(rounding, smoothed, out=np.zeros_like(smoothed), where=smoothed > 0.0)
    return farthest_from_one(1.0 + np.maximum(np.abs(ratios - 1.0) - blur, 0.0))


def drawn_values(table: np.ndarray) -> slice:
    """One value in so many, which ones a digest of the first of them says."""
    return slice(int(digest_generator(table[:DIGESTED]).integers(ONE_IN)), None, ONE_IN)


def some_claim(id: str, formula: str, off: float) -> Claim:
    statement = f"feature_log_prob_ is log {formula}, in one value of {ONE_IN} (largest relative difference)"
    return Claim.at_most(id, statement, off, TOLERANCE)


def work_of(sizes: np.ndarray) -> np.ndarray:
    """For `in_parts`: an exponential takes as long as going through two numbers."""
    return 2 * np.cumsum(sizes)


def table_claim(id: str, formula: str, off: float, tolerance: float) -> Claim:
    return Claim.at_most(id, f"feature_log_prob_ is log {formula} (largest relative difference)", off, tolerance)


def ratios_to(table: np.ndarray, smoothed: np.ndarray, total: np.ndarray) -> np.ndarray:
    """e^table · total / smoothed, which is one where the table is log(smoothed / total); one where both are log 0."""
    with np.errstate(all="ignore"):
        found = table + np.log(total)
        np.exp(found, out=found)
        found /= smoothed
    if np.isnan(found.min()):
        found[(smoothed == 0.0) & np.isneginf(table)] = 1.0
    return found


def farthest_from_one(values: np.ndarray) -> float:
    """max |values − 1|, infinite if a value is undefined."""
    apart = max(values.max() - 1.0, 1.0 - values.min())
    return float(apart) if np.isfinite(apart) else np.inf


def difference_claim(id: str, statement: str, given: Any, expected: np.ndarray, rows: Rows) -> Claim:
    return Claim.at_most(
        id,
        f"{statement} (largest relative difference)",
        largest_difference(given, expected),
        max(TOLERANCE, rounding_of(rows)),
    )


def largest_difference(given: Any, expected: np.ndarray) -> float:
    """Entry by entry, relative to the larger of the two; infinite where one is undefined or the shapes differ."""
    given = np.asarray(given, dtype=float)
    if given.shape != expected.shape:
        return np.inf
    if (given == expected).all() and surely_finite(given):  # as whole counts are, most often
        return 0.0
    if not np.isfinite(given).all():
        return np.inf
    size = np.maximum(np.abs(given), np.abs(expected))
    apart = np.abs(given - expected)
    return float(np.max(np.divide(apart, size, out=np.zeros_like(apart), where=size > 0.0), initial=0.0))


def alpha_of(model: Any) -> Any:
    alpha = np.asarray(model.alpha, dtype=float)
    return alpha if model.force_alpha else np.maximum(alpha, SMALLEST_ALPHA)


def rounding_of(rows: Rows) -> float:
    """What sums over the rows may differ by, relative to their size: single precision for single-precision cells."""
    return 8.0 * stored_precision(rows) * (10.0 + np.sqrt(rows.n_rows) + np.sqrt(rows.n_columns))

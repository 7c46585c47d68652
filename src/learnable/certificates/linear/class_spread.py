"""Class averages and covariances computed again from the data, for the certificates of discriminants."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.certificates.core.claim import Claim
from learnable.rows import Block, Rows, as_rows, largest_magnitudes
from learnable.rows.mapped import with_class_numbers

EPS = float(np.finfo(float).eps)
# Numbers that are summed class by class without a matrix that says which row belongs where.
FEW = 2**14


class ClassSpread(NamedTuple):
    """Averages of the classes, in units of the columns.

    Attributes
    ----------
    weight : (K,) sum of the weights of each class.
    mean : (K, p) class means, divided by `unit`.
    apart : (K, p) the same less one number for each column, with the digits that the means have no room for.
    scatter : (K, p, p) by class, or (1, p, p) over all rows, about the class means, divided by units.
    unit : (p,) 1, or a power of two for columns whose squares would overflow or vanish.
    variance : (p,) of the rows about their class means, divided by units.
    rounding : what rounding can make of a sum over these rows, relative to the size of what is summed.
    far : the largest of `mean`, and of `apart`, in deviations of its column.
    """

    weight: np.ndarray
    mean: np.ndarray
    apart: np.ndarray
    scatter: np.ndarray
    unit: np.ndarray
    variance: np.ndarray
    rounding: float
    far: tuple[float, float]

    @property
    def share(self) -> np.ndarray:
        return self.weight / self.weight.sum()

    @property
    def pooled(self) -> np.ndarray:
        return self.scatter.sum(axis=0) / self.weight.sum()

    def about_centre(self, priors: np.ndarray) -> np.ndarray:
        """(K, p) class means less their mean by the priors."""
        return self.apart - priors @ self.apart

    def blur(self, precision: float) -> float:
        """How far off a mean that is rounded to `precision` can be, in deviations of its column; at most 1%."""
        return min(4.0 * precision * self.far[0], 0.01)

    @property
    def noise(self) -> float:
        """The distance of two class means that rounding alone makes, in deviations of the columns."""
        return 4.0 * self.mean.shape[1] ** 0.5 * EPS * (self.rounding + 4.0 * self.far[1])

    @property
    def blurred_noise(self) -> float:
        """The same of means that were rounded before one was taken from the other."""
        return self.noise + 4.0 * self.mean.shape[1] ** 0.5 * self.blur(EPS)

    @property
    def each(self) -> np.ndarray:
        """(K, p, p) class covariances."""
        return self.scatter / self.weight[:, np.newaxis, np.newaxis]


def unchecked_covariance(row: str) -> Claim:
    """A covariance estimator of the caller's is not run again: what it gave is taken, and nothing is proved."""
    statement = "the covariance is that of covariance_estimator, which was not run again (1: not checked)"
    return Claim.reached(row, statement, 1.0, 0.0, asked=1.0)


def strange_to_svd(row: str, model: Any) -> list[Claim]:
    """Parameters that "svd", which forms no covariance, does not take: fits with them are refused."""
    strange = (model.shrinkage is not None) + (model.covariance_estimator is not None)
    if model.solver != "svd" or not strange:
        return []
    statement = "the parameters state a problem (solver='svd' has no covariance to shrink or to estimate)"
    return [Claim.at_most(row, statement, strange, 0.0)]


def class_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> Rows:
    """The training rows with class numbers for labels."""
    return with_class_numbers(as_rows(X, y, sample_weight), model.classes_)


def class_spread(rows: Rows, about: Any, each: bool) -> ClassSpread:
    """One pass: sums and squares about the class means that the answer states, moved to what they come to.

    A second pass is made about those when the first was too far from them to keep its digits, or its squares overflowed
    or vanished.
    """
    stated = np.asarray(about, dtype=float)
    centre, unit = np.where(np.isfinite(stated), stated, 0.0), np.ones(rows.n_columns)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        weight, offset, scatter, variance = _sums_about(rows, centre, unit, each)
        ordinary = (variance > 1e-200) & (variance < 1e200) & (weight @ offset**2 <= 1e3 * weight.sum() * variance)
        if not ordinary.all():
            top = largest_magnitudes(rows)[: rows.n_columns]
            power = np.exp2(np.floor(np.log2(np.where(top > 0.0, top, 1.0))))
            unit = np.where((top > 1e100) | (top < 1e-100), power, 1.0)
            centre = np.where(np.isfinite(offset), centre + offset, centre)
            weight, offset, scatter, variance = _sums_about(rows, centre, unit, each)
    rounding = 16.0 * (rows.n_columns + math.sqrt(rows.n_rows) + 10.0)
    apart = (centre - centre[0]) / unit + offset
    mean = centre / unit + offset
    return ClassSpread(weight, mean, apart, scatter, unit, variance, rounding, far_from_zero(mean, apart, variance))


def far_from_zero(mean: np.ndarray, apart: np.ndarray, variance: np.ndarray) -> tuple[float, float]:
    """`ClassSpread.far`; columns that do not vary are left out."""
    varies = variance > (32.0 * EPS * mean) ** 2
    inverse = np.divide(1.0, np.sqrt(variance), out=np.zeros_like(mean), where=varies)
    return float((np.abs(mean) * inverse).max(initial=0.0)), float((np.abs(apart) * inverse).max(initial=0.0))


def _sums_about(
    rows: Rows, centre: np.ndarray, unit: np.ndarray, each: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(weights, means less the centres, scatter about the means, variances of all rows), all divided by units."""
    n_classes, p = centre.shape

    def sums(block: Block):
        weight, moved = np.zeros(n_classes), np.zeros((n_classes, p))
        scatter = np.zeros((n_classes if each else 1, p, p))
        for Z, index, w in centred_pieces(block, centre, unit):
            weight += np.bincount(index, w, n_classes)
            if not each:
                moved += _class_sums(Z, index, w, n_classes)
                if block.weight is not None:
                    Z *= np.sqrt(w)[:, np.newaxis]
                scatter[0] += Z.T @ Z
                continue
            # Short integers are sorted by counting.
            order = np.argsort(index.astype(np.int16) if n_classes < 2**15 else index, kind="stable")
            Z, w = np.take(Z, order, axis=0), w[order]
            ends = [0, *np.bincount(index, minlength=n_classes).cumsum().tolist()]
            for k, (first, end) in enumerate(pairwise(ends)):
                inside, share = Z[first:end], w[first:end]
                moved[k] += share @ inside
                if block.weight is not None:
                    inside *= np.sqrt(share)[:, np.newaxis]
                scatter[k] += inside.T @ inside
        return weight, moved, scatter

    weight, moved, scatter = rows.reduce(sums)
    offset = moved / weight[:, np.newaxis]
    if each:
        scatter = scatter - moved[:, :, np.newaxis] * offset[:, np.newaxis]
    else:
        scatter = scatter - moved.T @ offset
    variance = scatter.sum(axis=0).diagonal() / weight.sum()
    return weight, offset, scatter, variance


def _class_sums(Z: np.ndarray, index: np.ndarray, w: np.ndarray, n_classes: int) -> np.ndarray:
    """(K, p) Σ w z, one class after another: a dense product would lose digits that nearly equal means need."""
    if Z.size * n_classes <= FEW:
        members = np.bincount(index, minlength=n_classes)
        if members.all():  # a sum of none is not among those of `reduceat`
            weighted = (Z * w[:, np.newaxis])[np.argsort(index, kind="stable")]
            return np.add.reduceat(weighted, members.cumsum() - members, axis=0)
    return sparse.csc_array((w, index, np.arange(len(w) + 1)), shape=(n_classes, len(w))) @ Z


def centred_pieces(
    block: Block, mean: np.ndarray, unit: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """((x − class mean) / unit, class numbers, weights), in runs of rows that fit in memory when made dense."""
    y, weight = block.y, _weights(block)
    assert y is not None
    step = max(2**20 // block.X.shape[1], 64) if sparse.issparse(block.X) else len(y)
    for start in range(0, len(y), step):
        run = slice(start, start + step)
        X = block.X[run].toarray() if sparse.issparse(block.X) else block.X
        Z = np.take(mean, y[run], axis=0)
        np.subtract(X, Z, out=Z)
        if (unit != 1.0).any():
            Z /= unit
        yield Z, y[run], weight[run]


def class_triangle(rows: Rows, found: ClassSpread, share: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """R with RᵀR = Σ_k share_k Σ w z zᵀ, z = (x − mean of class k) / (unit · scale), by reflections of the rows alone.

    A sum of squares has no digits left of what two columns differ by that are 1e-8 from each other; R has half of them.
    """
    root = np.sqrt(share)

    def of_block(block: Block) -> np.ndarray:
        R = np.zeros((0, rows.n_columns))
        for Z, index, w in centred_pieces(block, found.mean * found.unit, found.unit):
            Z = Z / scale * (root[index] * np.sqrt(w))[:, np.newaxis]
            R = np.asarray(np.linalg.qr(np.vstack([R, Z]), mode="r"))
        return R

    return rows.reduce(of_block, lambda above, below: np.linalg.qr(np.vstack([above, below]), mode="r"))


def log_softmax(scores: np.ndarray) -> np.ndarray:
    """log(e^s / Σ e^s) along the rows.

    >>> log_softmax(np.array([[0.0, np.log(3.0)]])).round(6)
    array([[-1.386294, -0.287682]])
    """
    below = scores - scores.max(axis=1, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=1, keepdims=True))


def expected_priors(model: Any, found: ClassSpread) -> np.ndarray:
    """The shares of the classes, or the priors that were given, scaled to sum to 1."""
    if model.priors is None:
        return found.share
    given = np.asarray(model.priors, dtype=float)
    return given / given.sum()


def inflation_of(model: Any, weight: np.ndarray) -> float:
    """N / (N − K) where Σ divides by N − K; scikit-learn's class has no such choice."""
    N = float(weight.sum())
    return N / (N - len(weight)) if getattr(model, "unbiased", False) else 1.0


def average_claims(id: str, model: Any, found: ClassSpread, rounding: float) -> list[Claim]:
    """Means and priors are what they are said to be."""
    size = np.sqrt(found.variance + found.mean**2)
    apart = np.abs(np.asarray(model.means_, dtype=float) / found.unit - found.mean)
    ratio = np.divide(apart, size, out=np.where(apart > 0.0, np.inf, 0.0), where=size > 0.0)
    return [
        Claim.at_most(id, "means_ are the class averages (largest relative difference)", ratio.max(), rounding),
        prior_claim(id, model, found, rounding),
    ]


def prior_claim(id: str, model: Any, found: ClassSpread, rounding: float) -> Claim:
    source = "the shares of the classes" if model.priors is None else "those given, scaled to sum to 1"
    off = np.abs(np.asarray(model.priors_, dtype=float) - expected_priors(model, found))
    return Claim.at_most(id, f"priors_ are {source} (largest difference)", off.max(), rounding)


def class_covariances(model: Any, rows: Rows, found: ClassSpread) -> np.ndarray:
    """(K, p, p) class covariances with the model's shrinkage, in units; `found` was taken by class."""
    plain = found.each
    if model.shrinkage is None:
        return plain
    if model.shrinkage != "auto":
        # The target tr(Σ)/p I refers to the original units.
        units = np.outer(found.unit, found.unit)
        return np.array([_towards_identity(C * units, float(model.shrinkage)) / units for C in plain])
    deviation = _deviations(plain)
    fourth = _fourth_moments(rows, found.mean * found.unit, found.unit, deviation)
    return np.array([_least_risk_shrinkage(C, s, w, f) for C, s, w, f in zip(plain, deviation, found.weight, fourth)])


def overall_covariance(model: Any, rows: Rows, found: ClassSpread, total: np.ndarray) -> np.ndarray:
    """`total`, the covariance of all rows about their mean, in units, with the model's shrinkage."""
    if model.shrinkage is None:
        return total
    if model.shrinkage != "auto":
        units = np.outer(found.unit, found.unit)
        return _towards_identity(total * units, float(model.shrinkage)) / units
    K, (deviation,) = len(found.weight), _deviations(total[np.newaxis])
    # Every class about the mean of all.
    centre = np.tile(found.share @ found.mean * found.unit, (K, 1))
    fourth = _fourth_moments(rows, centre, found.unit, np.tile(deviation, (K, 1)))
    return _least_risk_shrinkage(total, deviation, float(found.weight.sum()), float(fourth.sum()))


def _deviations(covariances: np.ndarray) -> np.ndarray:
    deviation = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    return np.where(deviation > 0.0, deviation, 1.0)


def _fourth_moments(rows: Rows, centre: np.ndarray, unit: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """(K,) Σ w ‖(x − centre) / deviation‖⁴ over the rows of each class."""

    def fourth(block: Block) -> np.ndarray:
        total = np.zeros(len(centre))
        for Z, index, w in centred_pieces(block, centre, unit):
            total += np.bincount(index, w * np.sum((Z / deviation[index]) ** 2, axis=1) ** 2, len(centre))
        return total

    return rows.reduce(fourth)


def _least_risk_shrinkage(C: np.ndarray, deviation: np.ndarray, weight: float, fourth: float) -> np.ndarray:
    """C in columns of unit deviation, shrunk to the least estimated risk, in its own units again."""
    standard = C / np.outer(deviation, deviation)
    return _towards_identity(standard, _least_risk(standard, weight, fourth)) * np.outer(deviation, deviation)


def _towards_identity(C: np.ndarray, intensity: float) -> np.ndarray:
    """C moved towards the identity times its mean eigenvalue."""
    values, V = np.linalg.eigh(C)
    return (V * (values + intensity * (values.mean() - values))) @ V.T


def _least_risk(C: np.ndarray, weight: float, fourth: float) -> float:
    """The intensity s in [0, 1] at which the estimated risk (1 − s)² noise + s² (spread − noise) is least.

    Spread is ‖C − (tr C / p) I‖², the variance of the eigenvalues times p; noise estimates E‖C − Σ‖² from the spread of
    the rows' outer products about C (Ledoit and Wolf).
    """
    values = np.linalg.eigvalsh(C)
    spread = len(values) * float(np.var(values))
    noise = max(fourth / weight - float(values @ values), 0.0) / weight
    return min(noise / spread, 1.0) if spread > 0.0 and len(values) > 1 else 0.0


def _weights(block: Block) -> np.ndarray:
    return np.ones(block.stop - block.start) if block.weight is None else np.asarray(block.weight, dtype=float)

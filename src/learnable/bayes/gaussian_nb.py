"""Naive Bayes for numbers."""

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable._jit.bayes.counts import add_gaussian_scores
from learnable._jit.core.vectors import read_only
from learnable.base import Data
from learnable.bayes.discrete_naive_bayes import log_given_priors, mean_negative
from learnable.bayes.naive_bayes_classifier import NaiveBayesClassifier, NaiveBayesState
from learnable.panel import Entry
from learnable.problems.bayes.naive_bayes import log_priors
from learnable.rows import Block, Rows
from learnable.rows.examine import Beside, seen_beside
from learnable.solvers.bayes.class_counts import (
    ColumnMoments,
    column_moments,
    merged_labelled,
    merged_moments,
    moments_beside,
)


class Counted(NamedTuple):
    """Moments by class in float64, and the type of the numbers they are of, which the answer has too."""

    moments: ColumnMoments
    dtype: np.dtype


class GaussianNB(NaiveBayesClassifier):
    """Naive Bayes for numbers: in each class every column is Gaussian, and the columns are independent.

    log P(c, x) = log P(c) + Σⱼ log φ(xⱼ; θ_cj, σ²_cj), with the mean and the variance of the column in the class. A
    missing cell (NaN) is left out of both and of the sum. If the classes share their variances, the posterior is that
    of a logistic regression. Drop-in for `sklearn.naive_bayes.GaussianNB`; but ε is taken over all rows seen, weighted,
    where scikit-learn takes the last batch, each row alike. Syllabus: Y6, C10.

    Parameters
    ----------
    priors : array (K,), default=None
        P(c), if it is known; the shares of the classes by default.
    var_smoothing : float, default=1e-9
        ε = var_smoothing × the largest variance of a column is added to every variance.

    Attributes
    ----------
    classes_ : array (K,)
    class_count_ : array (K,), weight of the rows of each class
    class_prior_ : array (K,)
    theta_ : array (K, p), means
    var_ : array (K, p), variances, ε included
    epsilon_ : float, ε
    observed_count_ : array (K, p), weight of the known cells
    scatter_ : array (K, p), Σ w (x − θ)²
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        Y6 : means and variances are those of the known cells of each class, computed again; ε is as said; P(c) is as
        said and sums to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.bayes import GaussianNB
    >>> X = np.array([[-2.0, 1.0], [-1.0, np.nan], [1.0, 3.0], [2.0, 5.0], [-3.0, 2.0]])
    >>> model = GaussianNB().fit(X, ["left", "left", "right", "right", "left"])
    >>> model.predict([[-1.0, np.nan], [1.5, 4.0]]), model.certificate_.holds
    (array(['left', 'right'], dtype='<U5'), True)
    """

    _parameter_constraints: ClassVar = {
        "priors": ["array-like", None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
    }
    panel = (Entry("classification", "Gaussian naive Bayes", {"var_smoothing": [1e-9, 1e-4, 1e-2, 0.1]}),)
    missing_cells = True
    sparse_rows = False
    numbers = (np.float64, np.float32)
    beside = Beside(moments_beside, merged_labelled)

    def __init__(self, *, priors=None, var_smoothing=1e-9):
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _count(self, rows: Rows, n_classes: int) -> Counted:
        with np.errstate(over="ignore", invalid="ignore"):
            return self._finite(column_moments(rows, n_classes), rows.dtype)

    def _counted_beside(self, data: Data, classes: np.ndarray) -> Counted | None:
        seen = seen_beside(data.X, self.beside)
        if seen is None or not np.array_equal(seen.labels, classes):
            return None
        return self._finite(seen.moments, data.X.dtype)

    def _finite(self, found: ColumnMoments, dtype: np.dtype) -> Counted:
        bad = ~(np.isfinite(found.mean) & np.isfinite(found.scatter)).all(axis=0)
        if bad.any():
            j = int(np.argmax(bad))
            raise ValueError(f"GaussianNB: the variance of column {j} exceeds the largest number; rescale the column")
        return Counted(found, np.dtype(np.float32 if dtype == np.float32 else np.float64))

    def _counts_so_far(self) -> Counted:
        count, theta = self.class_count_.astype(float), self.theta_.astype(float)
        moments = ColumnMoments(count, self.observed_count_, theta, np.zeros_like(theta), self.scatter_)
        return Counted(moments, self.theta_.dtype)

    def _add_counts(self, before: Counted, now: Counted) -> Counted:
        return Counted(merged_moments(before.moments, now.moments), np.result_type(before.dtype, now.dtype))

    def _answer(self, counted: Counted, classes: np.ndarray) -> NaiveBayesState:
        found, dtype = counted
        priors = self._priors(found.members)
        unknown = (found.observed == 0.0) & (found.members > 0.0)[:, np.newaxis]
        if unknown.any():
            c, j = np.argwhere(unknown)[0]
            raise ValueError(
                f"GaussianNB: no cell of column {j} is known in class {classes.tolist()[c]!r}; drop the column or the "
                "class"
            )
        mean = found.mean
        safe = np.where(found.observed > 0.0, found.observed, 1.0)
        epsilon = self.var_smoothing * float(_total_variance(found).max())
        plain = found.scatter / safe
        variance = plain + epsilon
        with np.errstate(divide="ignore", invalid="ignore"):
            log_density = -0.5 * (np.log(2.0 * np.pi * variance) + plain / variance)
            log_prior = np.log(priors)
        return NaiveBayesState(
            mean_negative((found.members, log_prior), (found.observed, log_density), total=found.members.sum()),
            {
                "class_count_": found.members.astype(dtype),
                "class_prior_": priors.astype(dtype),
                "theta_": mean.astype(dtype),
                "var_": variance.astype(dtype),
                "epsilon_": epsilon,
                "observed_count_": found.observed,
                "scatter_": found.scatter,
            },
        )

    def _priors(self, members: np.ndarray) -> np.ndarray:
        if self.priors is None:
            return np.exp(log_priors(members))
        log_given_priors("GaussianNB(priors=", self.priors, len(members))
        return np.asarray(self.priors, dtype=float)

    def _refuse_unusable(self, answer: dict[str, Any], classes: np.ndarray) -> None:
        variance = answer["var_"]
        if not (variance > 0.0).all():
            if self.var_smoothing > 0.0:  # times the largest variance of a column
                raise ValueError(
                    "GaussianNB: no column of X varies, or so little that variances vanish, as with one sample: "
                    "densities are infinite; give rows that differ"
                )
            c, j = np.argwhere(~(variance > 0.0))[0]
            raise ValueError(
                f"GaussianNB: column {j} does not vary in class {classes.tolist()[c]!r}: its density is infinite "
                "there; set var_smoothing > 0, or drop the column"
            )

    def _scorer(self) -> Callable[[Block], np.ndarray]:
        self._refuse_unusable({"var_": self.var_}, self.classes_)
        mean, variance = self.theta_.astype(float), self.var_.astype(float)
        precision, log_size = 1.0 / variance, -0.5 * np.log(2.0 * np.pi * variance)
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.class_prior_.astype(float))

        def scores(block: Block) -> np.ndarray:
            found = np.empty((block.stop - block.start, len(log_prior)))
            found[:] = log_prior
            X = read_only(np.ascontiguousarray(block.X, dtype=np.float64))
            add_gaussian_scores(X, mean, precision, log_size, found)
            return found

        return scores


def _total_variance(found: ColumnMoments) -> np.ndarray:
    """Variance of each column over all classes: that within them, and that of their means."""
    weight = found.observed.sum(axis=0)
    divisor = np.where(weight > 0.0, weight, 1.0)
    share = found.observed / divisor
    apart = found.mean - (share * found.mean).sum(axis=0)
    return found.scatter.sum(axis=0) / divisor + (share * apart**2).sum(axis=0)

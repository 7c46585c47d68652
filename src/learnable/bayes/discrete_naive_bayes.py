"""What the naive Bayes classifiers of counts share: smoothing, and the prior of the classes."""

import warnings
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.bayes.naive_bayes_classifier import NaiveBayesClassifier
from learnable.problems.bayes.naive_bayes import log_priors

# As scikit-learn's.
SMALLEST_ALPHA = 1e-10


class DiscreteNaiveBayes(NaiveBayesClassifier):
    """Base of the classifiers with `alpha`, `force_alpha`, `fit_prior` and `class_prior`."""

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any

    _parameter_constraints: ClassVar = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "force_alpha": ["boolean"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
    }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _check_alpha(self) -> Any:
        """The virtual count of every value, checked, and lifted off zero unless forced."""
        alpha: Any = self.alpha if isinstance(self.alpha, Real) else np.asarray(self.alpha, dtype=float)
        if isinstance(alpha, np.ndarray):
            if alpha.shape != (self.n_features_in_,):
                raise ValueError(
                    f"When alpha is an array, it should contains `n_features`. Got {alpha.shape} elements instead of "
                    f"{self.n_features_in_}."
                )
            if not np.all(alpha >= 0):
                raise ValueError(f"All values in alpha must be greater than 0. Got {alpha.min()}.")
        if np.min(alpha) < SMALLEST_ALPHA and not self.force_alpha:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {SMALLEST_ALPHA:.1e}. Use "
                "`force_alpha=True` to keep alpha unchanged.",
                stacklevel=2,
            )
            return np.maximum(alpha, SMALLEST_ALPHA)
        return alpha

    def _log_prior(self, members: np.ndarray) -> np.ndarray:
        """log P(class): as given, or the shares, or uniform."""
        if self.class_prior is not None:
            return log_given_priors(f"{type(self).__name__}(class_prior=", self.class_prior, len(members))
        if self.fit_prior:
            return log_priors(members)
        return np.full(len(members), -np.log(len(members)))

    def _refuse_undefined(self, table: np.ndarray, classes: np.ndarray, what: str) -> None:
        """0/0: a class without examples, and no virtual ones."""
        undefined = np.isnan(table.sum(axis=1))
        if undefined.any():
            label = classes.tolist()[np.argmax(undefined)]
            raise ValueError(
                f"{type(self).__name__}: class {label!r} has no {what}, and without smoothing its probabilities are "
                "0/0; set alpha > 0"
            )


def log_given_priors(opening: str, given: Any, n_classes: int) -> np.ndarray:
    """log of the priors; ValueError unless there is one for each class, none negative, and they sum to one.

    A class with prior zero is never predicted.
    """
    priors = np.asarray(given, dtype=float)
    said = f"{opening}{given!r})"
    if priors.shape != (n_classes,):
        raise ValueError(f"{said}: Number of priors must match number of classes. There are {n_classes} classes")
    if not np.all(priors >= 0.0):
        raise ValueError(f"{said}: Priors must be non-negative.")
    if not np.isclose(priors.sum(), 1.0):
        raise ValueError(f"{said}: The sum of the priors should be 1. It is {priors.sum():.6g}")
    with np.errstate(divide="ignore"):
        return np.log(priors)


def table_work(shape: tuple[int, ...]) -> np.ndarray:
    """For `in_parts`, class by class through a table: a logarithm takes as long as going through two numbers.

    >>> table_work((2, 100))
    array([200, 400])
    """
    n_classes, n_columns = shape
    return 2 * n_columns * np.arange(1, n_classes + 1)


def mean_negative(*parts: tuple[np.ndarray, np.ndarray], total: float) -> float:
    """−Σ counts · logarithms / total, over what is possible: a prior or a share of zero has the logarithm −∞.

    >>> mean_negative((np.array([2.0, 0.0]), np.array([-1.0, -np.inf])), total=2.0)
    1.0
    """
    return -sum(possible_sum(*part) for part in parts) / total


def possible_sum(counts: np.ndarray, logarithms: np.ndarray) -> float:
    """Σ counts · logarithms, over what is possible."""
    with np.errstate(invalid="ignore"):
        found = float(np.vdot(counts, logarithms))
    if np.isfinite(found):
        return found
    possible = np.isfinite(logarithms)
    return float(np.vdot(counts[possible], logarithms[possible]))

"""What the functions of this room take: losses, counts, confidence levels, lists of names, seeds for estimators."""

from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _num_samples

from learnable.evaluation.prediction_losses import PREDICTION_LOSSES, PredictionLoss, squared_loss, zero_one_loss
from learnable.plain import plain

Loss = PredictionLoss


class InfiniteDeviance(ValueError):
    """A fit gives probability 0 to something that happened: its log-likelihood is -inf."""


def resolve_loss(loss: str | Loss | None, estimator: Any = None) -> Loss:
    """The loss by name or as given; by default 0-1 for a classifier and squared for the rest."""
    if loss is None:
        return zero_one_loss if is_classifier(estimator) else squared_loss
    if callable(loss):
        return loss
    if loss in PREDICTION_LOSSES:
        return PREDICTION_LOSSES[loss]
    raise ValueError(f"loss={loss!r}: must be one of {sorted(PREDICTION_LOSSES)} or a function of (y, prediction)")


def losses_of(loss: Loss, y: NDArray, prediction: NDArray, who: str) -> NDArray:
    """Elementwise losses, checked: right shape and finite, or an error that names the observation."""
    values = np.asarray(loss(y, prediction), dtype=float)
    shape = np.broadcast_shapes(np.shape(y), np.shape(prediction))
    if values.shape != shape:
        raise ValueError(f"{who}: the loss gave shape {values.shape} for {shape}; it must work element by element")
    if not np.isfinite(values).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise ValueError(f"{who}: the loss at observation {where[0]} is {values[where]}; the mean error is undefined")
    return values


def require_fraction(name: str, value: float) -> float:
    """A number strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name}={value}: must lie strictly between 0 and 1")
    return float(value)


def require_count(name: str, value: int, least: int = 1) -> int:
    """An integer at least `least`."""
    if not isinstance(value, Real) or not isfinite(value) or int(value) != value or value < least:
        raise ValueError(f"{name}={plain(value)!r}: must be an integer >= {least}")
    return int(value)


def refuse_masked(name: str, values: Any) -> None:
    """An error for masked arrays, whose mask NumPy would drop without a word."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not read; drop or fill the masked entries first")


def require_vector(name: str, values: ArrayLike) -> NDArray:
    """A finite, non-empty vector of floats (a copy)."""
    refuse_masked(name, values)
    raw = np.asarray(values)
    if raw.dtype.kind not in "biufO":
        raise TypeError(f"{name}: must hold numbers, got {raw.dtype}; convert it first")
    vector = np.array(raw, dtype=float)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{name}: must be a non-empty vector, got shape {vector.shape}")
    if not np.isfinite(vector).all():
        where = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise ValueError(f"{name}[{where}]={vector[where]}: must be finite")
    return vector


def require_names(names: Sequence[str] | None, count: int, stem: str) -> tuple[str, ...]:
    """Names given, or `stem 1`, `stem 2`, ...; one for each thing."""
    if names is None:
        return tuple(f"{stem} {k}" for k in range(1, count + 1))
    if len(names) != count:
        raise ValueError(f"names: {len(names)} given for {count} things; give one each")
    return tuple(str(name) for name in names)


def named_candidates(candidates: Mapping[str, BaseEstimator] | Sequence[BaseEstimator]) -> dict[str, BaseEstimator]:
    """Candidates by name; a bare sequence is named by class, numbered where a class comes twice."""
    if isinstance(candidates, Mapping):
        named = dict(candidates)
    else:
        classes = [type(candidate).__name__ for candidate in candidates]
        named = {
            name if classes.count(name) == 1 else f"{name} {k}": candidate
            for k, (name, candidate) in enumerate(zip(classes, candidates), start=1)
        }
    if not named:
        raise ValueError("candidates: the list is empty; give at least one estimator")
    if len({is_classifier(candidate) for candidate in named.values()}) > 1:
        raise ValueError("candidates: classifiers and regressors are mixed; they answer different questions")
    return named


def require_rows(X: Any, y: ArrayLike, least: int = 2) -> tuple[Any, NDArray]:
    """X as something with rows to pick (array, sparse matrix or frame) and y as a vector of the same length."""
    refuse_masked("X", X)
    refuse_masked("y", y)
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y: must be a vector, got shape {y.shape}")
    (X,) = indexable(X)
    if _num_samples(X) != len(y):
        raise ValueError(f"X has {_num_samples(X)} rows and y has {len(y)}; they must agree")
    if len(y) < least:
        raise ValueError(f"n={len(y)}: at least {least} observations are needed")
    return X, y


def rows_of(X: Any, indices: NDArray) -> Any:
    """The rows of X with these indices."""
    return _safe_indexing(X, indices)


def seeded_clone(estimator: BaseEstimator, generator: np.random.Generator) -> BaseEstimator:
    """A clone whose unset `random_state`s are drawn from `generator`: the same fit in any process."""
    copy = clone(estimator)
    unset = [
        name
        for name, value in sorted(copy.get_params(deep=True).items())
        if name.split("__")[-1] == "random_state" and value is None
    ]
    return copy.set_params(**{name: int(generator.integers(2**31 - 1)) for name in unset}) if unset else copy


def class_probabilities(model: Any, X: Any) -> NDArray:
    """`predict_proba`, or an error that says what is missing."""
    if getattr(model, "predict_proba", None) is None:
        raise TypeError(f"{type(model).__name__} has no predict_proba, hence no likelihood; calibrate it first")
    return np.asarray(model.predict_proba(X), dtype=float)


def require_classes(y_train: NDArray, classes: NDArray, where: str) -> None:
    """Every class is among the training labels, or an error that names the absent one."""
    absent = np.setdiff1d(classes, y_train)
    if absent.size:
        raise ValueError(
            f"{where}: the training part has no member of class {plain(absent[0])!r}; stratify or merge classes"
        )

"""Choice among k models on a hold-out part, with a confidence band that covers all of them at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.model_selection import train_test_split

from learnable.seeds import generator_from
from learnable.selection._inputs import (
    Loss,
    losses_of,
    named_candidates,
    require_classes,
    require_count,
    require_fraction,
    require_names,
    require_rows,
    require_vector,
    resolve_loss,
    rows_of,
    seeded_clone,
)
from learnable.selection._report import Reported, Table


@dataclass(frozen=True, repr=False, eq=False)
class HoldoutBand(Reported):
    """Hold-out errors with a band that holds for every model at once with probability >= 1 - δ.

    Attributes
    ----------
    names : models in the order that was fixed beforehand; a later model pays a wider band.
    errors : hold-out errors R̂_{S2}(h_{S1,k}).
    radius : loss_range · (√(log(4/δ) / 2n₂) + √(log k / n₂)).
    n_validation, delta, loss_range : as given.
    best : index of the least hold-out error (the first in a tie).
    """

    names: tuple[str, ...]
    errors: NDArray
    radius: NDArray
    n_validation: int
    delta: float
    loss_range: float
    best: int

    @property
    def low(self) -> NDArray:
        """Lower ends, cut at 0."""
        return np.maximum(self.errors - self.radius, 0.0)

    @property
    def high(self) -> NDArray:
        """Upper ends, cut at the largest loss."""
        return np.minimum(self.errors + self.radius, self.loss_range)

    @property
    def indistinguishable(self) -> tuple[int, ...]:
        """Models whose band meets the band of the best one: the hold-out part cannot tell them from it."""
        return tuple(int(k) for k in np.flatnonzero(self.low <= self.high[self.best]))

    def table(self) -> Table:
        rows = [
            (name, k, error, low, high, "chosen" if k - 1 == self.best else "")
            for k, (name, error, low, high) in enumerate(zip(self.names, self.errors, self.low, self.high), start=1)
        ]
        notes = [
            f"n₂ = {self.n_validation}; all {len(self.names)} bands hold at once "
            f"with probability >= {1 - self.delta:.4g}",
            f"{len(self.indistinguishable) - 1} other model(s) cannot be told from the chosen one",
        ]
        return Table("Hold-out choice", ("model", "k", "error", "low", "high", ""), rows, notes)


def holdout_band(
    errors: ArrayLike,
    n_validation: int,
    *,
    delta: float = 0.05,
    loss_range: float = 1.0,
    names: Sequence[str] | None = None,
) -> HoldoutBand:
    """Uniform deviation band over models k = 1, 2, ... judged on n₂ hold-out observations.

    P(there is a k: |R(h_k) - R̂(h_k)| > ε + √(log k / n₂)) <= 4 e^{-2 n₂ ε²} for a loss in [0, 1], whatever the number
    of models: the k-th pays 2k⁻²e^{-2n₂ε²} and Σ k⁻² < 2. Syllabus: MS5.

    Parameters
    ----------
    errors : hold-out errors, in an order fixed before looking at them.
    n_validation : n₂ = αm.
    delta : probability with which some band may fail.
    loss_range : the loss lies in [0, loss_range].
    names : names of the models.

    >>> band = holdout_band([0.2, 0.1], n_validation=200)
    >>> band.radius.round(4)
    array([0.1047, 0.1635])
    """
    errors = require_vector("errors", errors)
    n2 = require_count("n_validation", n_validation)
    if not (loss_range > 0 and np.isfinite(loss_range)):
        raise ValueError(f"loss_range={loss_range}: must be > 0 and finite; the band needs a bounded loss")
    if ((errors < 0) | (errors > loss_range)).any():
        raise ValueError(f"errors: must lie in [0, loss_range={loss_range}], got {errors.min()} to {errors.max()}")
    epsilon = sqrt(log(4 / require_fraction("delta", delta)) / (2 * n2))
    radius = loss_range * (epsilon + np.sqrt(np.log(np.arange(1, len(errors) + 1)) / n2))
    labels = require_names(names, len(errors), "model")
    return HoldoutBand(labels, errors, radius, n2, float(delta), float(loss_range), int(np.argmin(errors)))


def holdout_choice(
    candidates: Mapping[str, BaseEstimator] | Sequence[BaseEstimator],
    X: Any,
    y: ArrayLike,
    *,
    alpha: float = 0.25,
    delta: float = 0.05,
    loss: str | Loss | None = None,
    loss_range: float = 1.0,
    random_state: int | None = 0,
) -> tuple[HoldoutBand, BaseEstimator]:
    """Fit every candidate on S1, (1 - α)m pairs, and choose by the error on S2, the other αm. Syllabus: MS5.

    Parameters
    ----------
    candidates : estimators, simplest first: a later one pays a wider band.
    X, y : the sample of m pairs; classes are spread evenly over the parts.
    alpha : share of S2.
    delta : probability with which some band may fail.
    loss : 0-1 for classifiers by default; a regressor needs a bounded loss and its `loss_range`.
    loss_range : the loss lies in [0, loss_range].
    random_state : seed of the split and of candidates that leave theirs unset.

    Returns
    -------
    (HoldoutBand, the chosen candidate as fitted on S1: the band speaks about this very model)

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.linspace(0, 1, 80)[:, None]
    >>> y = (np.abs(X[:, 0] - 0.5) < 0.2).astype(int)
    >>> trees = {f"depth {d}": DecisionTreeClassifier(max_depth=d) for d in (1, 2, 3)}
    >>> band, tree = holdout_choice(trees, X, y)
    >>> band.names[band.best]
    'depth 2'
    """
    named = named_candidates(candidates)
    X, y = require_rows(X, y)
    require_fraction("alpha", alpha)
    first = next(iter(named.values()))
    elementwise = resolve_loss(loss, first)
    strata = y if is_classifier(first) else None
    generator = generator_from(random_state, "holdout_choice")
    train, validation = train_test_split(np.arange(len(y)), test_size=alpha, random_state=random_state, stratify=strata)
    if is_classifier(first):
        require_classes(y[train], np.unique(y), "S1")
    X1, X2 = rows_of(X, train), rows_of(X, validation)
    fitted = [seeded_clone(candidate, generator).fit(X1, y[train]) for candidate in named.values()]
    losses = [losses_of(elementwise, y[validation], model.predict(X2), name) for name, model in zip(named, fitted)]
    for name, values in zip(named, losses):
        if (values < 0).any() or (values > loss_range).any():
            raise ValueError(f"{name}: a loss of {values.max():.4g} lies outside [0, loss_range={loss_range}]")
    errors = [values.mean() for values in losses]
    band = holdout_band(errors, len(validation), delta=delta, loss_range=loss_range, names=list(named))
    return band, fitted[band.best]

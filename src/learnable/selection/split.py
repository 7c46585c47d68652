"""Train, validation and test parts, the choice on the validation part, and the refit rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, is_classifier

from learnable.evaluation.interval import Interval
from learnable.seeds import generator_from
from learnable.selection._inputs import (
    Loss,
    losses_of,
    named_candidates,
    require_classes,
    require_count,
    require_rows,
    resolve_loss,
    rows_of,
    seeded_clone,
)
from learnable.selection._intervals import loss_interval, shown
from learnable.selection._report import Reported, Table


class ThreeWaySplit(NamedTuple):
    """Sorted indices of the three parts.

    >>> ThreeWaySplit(np.array([0, 2]), np.array([1]), np.array([3])).check(4)
    """

    train: NDArray
    validation: NDArray
    test: NDArray

    def check(self, n: int) -> None:
        """The parts are disjoint and together are 0..n-1, or an error that names an offending index."""
        indices = np.concatenate(self).astype(int)
        outside = (indices < 0) | (indices >= n)
        if outside.any():
            raise ValueError(f"split: index {indices[outside][0]} is outside 0..{n - 1}")
        counts = np.bincount(indices, minlength=n)
        if (counts != 1).any():
            index = int(np.flatnonzero(counts != 1)[0])
            raise ValueError(
                f"split: index {index} comes {counts[index]} times; the parts must be disjoint and cover all"
            )


def three_way_split(
    n: int,
    *,
    sizes: tuple[float, float, float] = (0.6, 0.2, 0.2),
    stratify: ArrayLike | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> ThreeWaySplit:
    """Split 0..n-1 at random into train, validation and test. Syllabus: D13.

    Parameters
    ----------
    n : number of observations.
    sizes : three counts that sum to n, or three fractions that sum to 1 (rounded by largest remainders).
    stratify : labels; each label is then spread over the parts in these proportions, so that part sizes may differ
        from the asked ones by rounding within labels.
    random_state : seed.

    Returns
    -------
    ThreeWaySplit

    >>> parts = three_way_split(10, sizes=(6, 2, 2))
    >>> [len(part) for part in parts]
    [6, 2, 2]
    """
    n = require_count("n", n, least=3)
    fractions = _as_fractions(sizes, n)
    generator = generator_from(random_state, "three_way_split")
    if stratify is None:
        strata = [np.arange(n)]
    else:
        labels = np.asarray(stratify)
        if len(labels) != n:
            raise ValueError(f"stratify has {len(labels)} labels for n={n} observations")
        strata = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    pieces: list[list[NDArray]] = [[], [], []]
    # Rounding errors of earlier strata are carried on, so the parts as a whole keep the asked sizes within one.
    target, given = np.zeros(3), np.zeros(3, dtype=int)
    for members in strata:
        target += fractions * len(members)
        counts = _largest_remainders(target - given, len(members))
        given += counts
        for piece, chosen in zip(pieces, np.split(generator.permutation(members), np.cumsum(counts)[:-1])):
            piece.append(chosen)
    split = ThreeWaySplit(*(np.sort(np.concatenate(piece)) for piece in pieces))
    for name, part in zip(split._fields, split):
        if len(part) == 0:
            raise ValueError(f"sizes={sizes}: the {name} part is empty for n={n}; give it more")
    return split


def _as_fractions(sizes: Sequence[float], n: int) -> NDArray:
    values = np.asarray(sizes, dtype=float)
    if values.shape == (3,) and (values > 0).all():
        if np.isclose(values.sum(), 1):
            return values / values.sum()
        if values.sum() == n and (values == np.round(values)).all():
            return values / n
    raise ValueError(
        f"sizes={sizes}: must be three positive counts that sum to n={n}, or three fractions that sum to 1"
    )


def _largest_remainders(shares: NDArray, total: int) -> NDArray:
    """Integers >= 0 of sum `total`, each share rounded down or up."""
    shares = np.clip(shares, 0, None)
    shares = shares * (total / shares.sum())
    counts = np.floor(shares + 1e-9).astype(int)
    for index in np.argsort(counts - shares, kind="stable")[: total - counts.sum()]:
        counts[index] += 1
    return counts


@dataclass(frozen=True, repr=False, eq=False)
class ValidationChoice(Reported):
    """Validation errors of the candidates, the chosen one refitted, and its error on the test part.

    Attributes
    ----------
    names, validation : candidates and their validation errors with intervals.
    best : index of the chosen one (the first in a tie).
    refit_on : "train" or "train+validation".
    model : the chosen candidate, fitted again on `refit_on`.
    test : its test error; the test part took no part in the choice, so this interval is honest.
    """

    names: tuple[str, ...]
    validation: tuple[Interval, ...]
    best: int
    refit_on: str
    model: BaseEstimator
    test: Interval

    def table(self) -> Table:
        rows = [
            (name, shown(interval), "chosen" if k == self.best else "")
            for k, (name, interval) in enumerate(zip(self.names, self.validation))
        ]
        notes = [
            f"test error of {self.names[self.best]}, refitted on {self.refit_on}: {shown(self.test)} "
            f"({self.test.level:.0%}, n = {self.test.n})",
            "the chosen validation error is the least of several, hence optimistic",
        ]
        return Table("Choice on the validation part", ("candidate", "validation error", ""), rows, notes)


REFIT_RULES = ("train", "train+validation")


def choose_on_validation(
    candidates: Mapping[str, BaseEstimator] | Sequence[BaseEstimator],
    X: Any,
    y: ArrayLike,
    split: ThreeWaySplit,
    *,
    refit_on: str = "train+validation",
    loss: str | Loss | None = None,
    level: float = 0.95,
    random_state: int | np.random.Generator | None = 0,
) -> ValidationChoice:
    """Fit each candidate on train, choose on validation, refit by the rule, and judge once on test. Syllabus: D13.

    Parameters
    ----------
    candidates : estimators, for instance one a hyper-parameter value.
    X, y : all the data.
    split : the three parts; checked to be disjoint and to cover the data.
    refit_on : "train+validation" (more data for the final fit) or "train" (the very model that was validated).
    loss : by default 0-1 for classifiers and squared for regressors.
    level : of the intervals.
    random_state : seed for candidates that leave theirs unset.

    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = (X[:, 0] > 0.5).astype(int)
    >>> candidates = {"constant": DummyClassifier(), "nearest": KNeighborsClassifier(1)}
    >>> choice = choose_on_validation(candidates, X, y, three_way_split(60, stratify=y))
    >>> choice.names[choice.best]
    'nearest'
    """
    named = named_candidates(candidates)
    X, y = require_rows(X, y, least=3)
    split.check(len(y))
    if refit_on not in REFIT_RULES:
        raise ValueError(f"refit_on={refit_on!r}: must be one of {REFIT_RULES}")
    first = next(iter(named.values()))
    elementwise = resolve_loss(loss, first)
    if is_classifier(first):
        require_classes(y[split.train], np.unique(y), "train part")
    generator = generator_from(random_state, "choose_on_validation")

    def losses_after(estimator: BaseEstimator, fit_on: NDArray, judge_on: NDArray, who: str) -> tuple[Any, NDArray]:
        model = seeded_clone(estimator, generator).fit(rows_of(X, fit_on), y[fit_on])
        return model, losses_of(elementwise, y[judge_on], model.predict(rows_of(X, judge_on)), who)

    validation = []
    for name, estimator in named.items():
        _, losses = losses_after(estimator, split.train, split.validation, name)
        validation.append(loss_interval(losses, level, elementwise))
    best = int(np.argmin([interval.estimate for interval in validation]))
    name, estimator = list(named.items())[best]
    final = split.train if refit_on == "train" else np.sort(np.concatenate([split.train, split.validation]))
    model, losses = losses_after(estimator, final, split.test, name)
    test = loss_interval(losses, level, elementwise)
    return ValidationChoice(tuple(named), tuple(validation), best, refit_on, model, test)

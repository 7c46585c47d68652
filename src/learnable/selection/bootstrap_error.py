"""Bootstrap estimates of prediction error: naive, leave-one-out, .632 and .632+."""

from dataclasses import dataclass
from math import e, expm1, log1p
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, is_classifier

from learnable.config import config_context
from learnable.evaluation.interval import Interval
from learnable.processes import in_processes
from learnable.seeds import generator_from
from learnable.selection._inputs import (
    Loss,
    losses_of,
    require_count,
    require_rows,
    require_vector,
    resolve_loss,
    rows_of,
    seeded_clone,
)
from learnable.selection._intervals import shown, spread_interval
from learnable.selection._report import Reported, Table

LIMIT_IN_SAMPLE = 1 - 1 / e  # 0.632..., the limit of P(observation i is in a bootstrap sample)


def probability_in_sample(n: int) -> float:
    """P(observation i is in a bootstrap sample of size n) = 1 - (1 - 1/n)^n, which falls to 1 - 1/e = 0.632...

    Syllabus: MS14.

    >>> round(probability_in_sample(10), 4), round(probability_in_sample(10**6), 4)
    (0.6513, 0.6321)
    """
    # By logarithms: 1 − 1/n rounds to 1 for a large n.
    return -expm1(n * log1p(-1 / n)) if require_count("n", n) > 1 else 1.0


def no_information_error(y: ArrayLike, predictions: ArrayLike, loss: str | Loss = "zero_one") -> float:
    """γ̂ = (1/n²) Σ_i Σ_j L(y_i, f̂(x_j)): the error if response and input were independent. Syllabus: MS15.

    >>> no_information_error([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    y, predictions = np.asarray(y), np.asarray(predictions)
    if y.ndim != 1 or y.shape != predictions.shape or not len(y):
        raise ValueError(
            f"no_information_error: y and predictions have shapes {y.shape} and {predictions.shape}; give one "
            "prediction for each of n >= 1 responses"
        )
    elementwise = resolve_loss(loss)
    # Equal labels and equal predictions are taken together; for a classifier this leaves a K x K sum.
    labels, label_counts = np.unique(y, return_counts=True)
    answers, answer_counts = np.unique(predictions, return_counts=True)
    block, total = max(1, 2_000_000 // len(labels)), 0.0
    for start in range(0, len(answers), block):
        part = slice(start, start + block)
        pairwise = losses_of(elementwise, labels[:, None], answers[None, part], "no-information error")
        total += float(label_counts @ pairwise @ answer_counts[part])
    return total / (len(y) * len(predictions))


@dataclass(frozen=True, repr=False, eq=False)
class BootstrapErrors(Reported):
    """All the bootstrap estimates of one learner's prediction error.

    Attributes
    ----------
    resubstitution : R̂, training error of the fit on the full sample.
    naive : each bootstrap fit judged on the whole sample, what it was fitted on included.
    leave_one_out : R¹ = mean over i of the mean loss at i over C₋ᵢ, the bootstrap samples without i.
    point632 : .368 R̂ + .632 R¹.
    point632plus : (1 - ω) R̂ + ω R¹.
    gamma : γ̂, the no-information error.
    relative_overfitting : (R¹ - R̂)/(γ̂ - R̂) cut to [0, 1]; 0 where γ̂ <= R̂.
    omega : .632 / (1 - .368 · relative_overfitting).
    left_out : |C₋ᵢ| for each observation.
    per_observation : mean loss at i over C₋ᵢ; nan where C₋ᵢ is empty.
    training_losses : losses of the full-sample fit.
    naive_losses : mean loss at i over all bootstrap fits.
    redrawn : bootstrap samples drawn anew because they held a single class.
    repeats : B.
    level : of the intervals.
    """

    resubstitution: float
    naive: float
    leave_one_out: float
    point632: float
    point632plus: float
    gamma: float
    relative_overfitting: float
    omega: float
    left_out: NDArray
    per_observation: NDArray
    training_losses: NDArray
    naive_losses: NDArray
    redrawn: int
    repeats: int
    level: float

    @property
    def never_left_out(self) -> int:
        """Observations that came into every bootstrap sample, on which R¹ says nothing."""
        return int((self.left_out == 0).sum())

    def contributions(self, weight: float) -> NDArray:
        """(1 - weight) · training loss + weight · left-out loss for each observation that was left out."""
        seen = self.left_out > 0
        return (1 - weight) * self.training_losses[seen] + weight * self.per_observation[seen]

    def interval(self, weight: float, estimate: float) -> Interval:
        """Normal interval from the spread of the contributions over the observations."""
        return spread_interval(estimate, self.contributions(weight), self.level)

    def table(self) -> Table:
        rows = [
            ("resubstitution", shown(spread_interval(self.resubstitution, self.training_losses, self.level)), "0"),
            ("naive", shown(spread_interval(self.naive, self.naive_losses, self.level)), "-"),
            ("leave-one-out", shown(self.interval(1.0, self.leave_one_out)), "1"),
            (".632", shown(self.interval(0.632, self.point632)), "0.632"),
            (".632+", shown(self.interval(self.omega, self.point632plus)), f"{self.omega:.4g}"),
        ]
        notes = [
            f"no-information error {self.gamma:.4g}, relative overfitting {self.relative_overfitting:.4g}; "
            f"1 - ω = {1 - self.omega:.4g}, ω = {self.omega:.4g}",
            f"{self.repeats} bootstrap samples, each observation left out of "
            f"{self.left_out.min()} to {self.left_out.max()} of them",
            f"{self.level:.0%} intervals: spread over the observations, given the learning sample",
        ]
        if self.never_left_out:
            notes.append(
                f"{self.never_left_out} observation(s) were never left out and do not count; draw more samples"
            )
        if self.redrawn:
            notes.append(f"{self.redrawn} sample(s) held a single class and were drawn anew")
        return Table("Bootstrap errors", ("estimate", "error", "weight of R¹"), rows, notes)


def combine_bootstrap_errors(
    y: ArrayLike,
    full_predictions: ArrayLike,
    counts: ArrayLike,
    predictions: ArrayLike,
    *,
    loss: str | Loss = "zero_one",
    level: float = 0.95,
    redrawn: int = 0,
) -> BootstrapErrors:
    """The estimates from what was drawn and predicted, apart from any fitting. Syllabus: MS14, MS15.

    Parameters
    ----------
    y : n responses.
    full_predictions : predictions of the full-sample fit at the n points.
    counts : B x n, how often each observation is in each bootstrap sample.
    predictions : B x n, predictions of each bootstrap fit at the n points.
    loss : name, or elementwise function of (y, prediction).
    level : of the intervals.
    redrawn : carried into the result.

    >>> counts, predictions = [[2, 0], [0, 2], [1, 1]], [[0, 0], [1, 1], [0, 1]]
    >>> combine_bootstrap_errors([0, 1], [0, 1], counts, predictions).leave_one_out
    1.0
    """
    y, counts, predictions = np.asarray(y), np.asarray(counts), np.asarray(predictions)
    full_predictions = np.asarray(full_predictions)
    n, repeats = len(y), len(counts)
    if counts.shape != (repeats, n) or predictions.shape != (repeats, n) or full_predictions.shape != (n,):
        raise ValueError(
            f"counts {counts.shape} and predictions {predictions.shape} must be B x n, full_predictions "
            f"{full_predictions.shape} of length n={n}"
        )
    elementwise = resolve_loss(loss)
    training = losses_of(elementwise, y, full_predictions, "full-sample fit")
    losses = np.array(
        [losses_of(elementwise, y, row, f"bootstrap fit {b}") for b, row in enumerate(predictions)]
    ).reshape(repeats, n)
    out = counts == 0
    left_out = out.sum(axis=0)
    if not left_out.any():
        raise ValueError(f"B={repeats}: no observation was ever left out; draw more bootstrap samples")
    per_observation = np.full(n, np.nan)
    seen = left_out > 0
    per_observation[seen] = (losses * out).sum(axis=0)[seen] / left_out[seen]

    resubstitution, first = float(training.mean()), float(per_observation[seen].mean())
    gamma = no_information_error(y, full_predictions, elementwise)
    rate = (first - resubstitution) / (gamma - resubstitution) if gamma > resubstitution else 0.0
    rate = min(max(rate, 0.0), 1.0)
    omega = 0.632 / (1 - 0.368 * rate)
    return BootstrapErrors(
        resubstitution=resubstitution,
        naive=float(losses.mean()),
        leave_one_out=first,
        point632=0.368 * resubstitution + 0.632 * first,
        point632plus=(1 - omega) * resubstitution + omega * first,
        gamma=gamma,
        relative_overfitting=rate,
        omega=omega,
        left_out=left_out,
        per_observation=per_observation,
        training_losses=training,
        naive_losses=losses.mean(axis=0),
        redrawn=redrawn,
        repeats=repeats,
        level=level,
    )


def bootstrap_error(
    estimator: BaseEstimator,
    X: Any,
    y: ArrayLike,
    *,
    repeats: int = 100,
    loss: str | Loss | None = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> BootstrapErrors:
    """Bootstrap estimates of the prediction error of any scikit-learn estimator.

    R¹ = (1/n) Σ_i (1/|C₋ᵢ|) Σ_{b in C₋ᵢ} L(y_i, f̂*ᵇ(x_i)); .632 = .368 R̂ + .632 R¹; .632+ weighs them by
    ω = .632/(1 - .368 R̂rel) with R̂rel = (R¹ - R̂)/(γ̂ - R̂) cut to [0, 1]. Syllabus: MS14, MS15.

    Parameters
    ----------
    estimator : cloned for every bootstrap sample.
    X, y : the sample.
    repeats : B, number of bootstrap samples.
    loss : by default 0-1 for classifiers and squared for regressors.
    level : of the intervals.
    n_jobs : parallel fits. Every draw has its own random stream, so the answer is the same for any `n_jobs`.
    random_state : seed.

    Returns
    -------
    BootstrapErrors

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 2)), rng.integers(2, size=40)
    >>> errors = bootstrap_error(KNeighborsClassifier(1), X, y, repeats=50)
    >>> errors.resubstitution, errors.point632 < errors.point632plus
    (0.0, True)
    """
    X, y = require_rows(X, y)
    repeats = require_count("repeats", repeats)
    elementwise = resolve_loss(loss, estimator)
    one_class_fails = is_classifier(estimator)
    if one_class_fails and len(np.unique(y)) < 2:
        raise ValueError("y holds a single class; a classifier needs two")
    if not one_class_fails:
        require_vector("y", y)
    *streams, last = generator_from(random_state, "bootstrap_error").spawn(repeats + 1)

    def draw_and_predict(generator: np.random.Generator) -> tuple[NDArray, NDArray, int]:
        redrawn = 0
        indices = generator.integers(len(y), size=len(y))
        while one_class_fails and (y[indices] == y[indices[0]]).all():
            redrawn += 1
            indices = generator.integers(len(y), size=len(y))
        with config_context(certificates=False):
            model = seeded_clone(estimator, generator).fit(rows_of(X, indices), y[indices])
        return np.bincount(indices, minlength=len(y)), np.asarray(model.predict(X)), redrawn

    replicates = in_processes(draw_and_predict, ((stream,) for stream in streams), n_jobs)
    counts, predictions, redrawn = zip(*replicates)
    full = np.asarray(seeded_clone(estimator, last).fit(X, y).predict(X))
    return combine_bootstrap_errors(
        y, full, np.array(counts), np.array(predictions), loss=elementwise, level=level, redrawn=sum(redrawn)
    )

"""The criteria by which `select` judges candidates, each one a column: value, difference from the best, its error."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier

from learnable.selection._inputs import InfiniteDeviance, Loss, seeded_clone, squared_loss
from learnable.selection.bootstrap_error import BootstrapErrors, bootstrap_error
from learnable.selection.degrees_of_freedom import fitted_values, monte_carlo_df
from learnable.selection.folds import cross_validated, leave_one_out
from learnable.selection.information import LikelihoodFit, log_likelihood_of, residual_variance
from learnable.selection.laws import response_law
from learnable.selection.optimism import deviance_optimism


@dataclass(frozen=True, eq=False)
class Column:
    """One criterion over all candidates; less is better.

    Attributes
    ----------
    name : the criterion.
    values : one for each candidate.
    value_errors : their standard errors over the observations (and over the Monte Carlo draws); nan where infinite.
    differences : values minus the least one.
    errors : standard errors of the differences, paired over the observations (and over the Monte Carlo draws).
    notes : what the reader must know.
    """

    name: str
    values: NDArray
    value_errors: NDArray
    differences: NDArray
    errors: NDArray
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> int:
        """Index of the least value; the first in a tie."""
        return int(np.argmin(self.values))

    def close(self) -> tuple[int, ...]:
        """Candidates within one standard error of the best."""
        return tuple(int(k) for k in np.flatnonzero(self.differences <= np.nan_to_num(self.errors)))


@dataclass(frozen=True, eq=False)
class Panel:
    """Candidates, data and settings, with the fits that several criteria share."""

    candidates: Mapping[str, BaseEstimator]
    X: Any
    y: NDArray
    loss: Loss
    cv: Any
    groups: Any
    repeats: int
    df_repeats: int
    known_df: Mapping[str, float]
    n_jobs: int | None
    seed: int

    @cached_property
    def bootstrap(self) -> list[BootstrapErrors]:
        """Bootstrap errors of every candidate on the same resamples."""
        options: dict[str, Any] = {"repeats": self.repeats, "loss": self.loss, "n_jobs": self.n_jobs}
        return [
            bootstrap_error(candidate, self.X, self.y, random_state=self.seed, **options)
            for candidate in self.candidates.values()
        ]

    @cached_property
    def fits(self) -> list[BaseEstimator]:
        """Every candidate fitted on the whole sample."""
        return [seeded_clone(c, np.random.default_rng(self.seed)).fit(self.X, self.y) for c in self.candidates.values()]

    @cached_property
    def df(self) -> list[NDArray]:
        """Replicates of the degrees of freedom of each mean or class law; one replicate where it is known."""
        return [self._df(name, fit) for name, fit in zip(self.candidates, self.fits)]

    def _df(self, name: str, fit: BaseEstimator) -> NDArray:
        if name in self.known_df:
            return np.array([float(self.known_df[name])])
        if isinstance(fit, LikelihoodFit):
            return np.array([float(fit.degrees_of_freedom)])
        candidate = seeded_clone(self.candidates[name], np.random.default_rng(self.seed))
        if is_classifier(fit):
            try:
                return deviance_optimism(
                    candidate, self.X, self.y, repeats=self.df_repeats, random_state=self.seed
                ).replicates
            except InfiniteDeviance:
                return np.array([inf])
        smoother, support = fitted_values(candidate, self.X), response_law(fit).support
        return monte_carlo_df(
            smoother, self.y, support=support, repeats=self.df_repeats, random_state=self.seed
        ).replicates


def _column(
    name: str,
    contributions: list[NDArray],
    values: list[float],
    scale: float,
    penalties: list[NDArray] | None = None,
    notes: tuple[str, ...] = (),
) -> Column:
    """A column from each candidate's terms: values and their differences, each with the error of
    Σ terms · scale + mean(penalty)."""
    numbers = np.array(values)
    if not np.isfinite(numbers).any():
        raise ValueError(f"{name}: infinite for every candidate; leave this criterion out")
    best = int(np.argmin(numbers))
    none = np.zeros(1)
    errors, value_errors = np.zeros(len(numbers)), np.zeros(len(numbers))
    for k in range(len(numbers)):
        if not np.isfinite(numbers[k]):
            errors[k] = value_errors[k] = np.nan
            continue
        drawn = penalties[k] if penalties else none
        value_errors[k] = np.hypot(_sampling_error(contributions[k], scale), _monte_carlo_error(drawn, none))
        if k != best:
            sampling = _sampling_error(contributions[k] - contributions[best], scale)
            errors[k] = np.hypot(sampling, _monte_carlo_error(drawn, penalties[best] if penalties else none))
    return Column(name, numbers, value_errors, numbers - numbers[best], errors, notes)


def _sampling_error(terms: NDArray, scale: float) -> float:
    return float(scale * np.nanstd(terms, ddof=1) * np.sqrt(np.isfinite(terms).sum()))


def _monte_carlo_error(a: NDArray, b: NDArray) -> float:
    """Standard error of mean(a) - mean(b); draws of equal number share their noise and are paired."""
    if len(a) == len(b):
        return float((a - b).std(ddof=1) / np.sqrt(len(a))) if len(a) > 1 else 0.0
    variances = [float(x.var(ddof=1)) / len(x) for x in (a, b) if len(x) > 1]
    return float(np.sqrt(sum(variances)))


def _mean_column(name: str, losses: list[NDArray], values: list[float]) -> Column:
    return _column(name, losses, values, 1 / len(losses[0]))


def cv_column(panel: Panel) -> Column:
    """Pooled cross-validated error on the same folds for all."""
    options: dict[str, Any] = {"cv": panel.cv, "groups": panel.groups, "loss": panel.loss, "n_jobs": panel.n_jobs}
    results = [
        cross_validated(c, panel.X, panel.y, random_state=panel.seed, **options) for c in panel.candidates.values()
    ]
    return _mean_column("cv", [r.losses for r in results], [r.pooled.estimate for r in results])


def loo_column(panel: Panel) -> Column:
    """Leave-one-out error."""
    results = [
        leave_one_out(c, panel.X, panel.y, loss=panel.loss, n_jobs=panel.n_jobs, random_state=panel.seed)
        for c in panel.candidates.values()
    ]
    return _mean_column("loo", [r.losses for r in results], [r.pooled.estimate for r in results])


def _bootstrap_column(name: str, panel: Panel, weigh: Callable[[BootstrapErrors], tuple[float, float]]) -> Column:
    pairs = [(errors, *weigh(errors)) for errors in panel.bootstrap]
    terms = [(1 - w) * errors.training_losses + w * errors.per_observation for errors, w, _ in pairs]
    return _mean_column(name, terms, [value for *_, value in pairs])


def bootstrap_column(panel: Panel) -> Column:
    """Leave-one-out bootstrap error R¹."""
    return _bootstrap_column("bootstrap", panel, lambda errors: (1.0, errors.leave_one_out))


def bootstrap_632_column(panel: Panel) -> Column:
    """.632 error."""
    return _bootstrap_column("bootstrap_632", panel, lambda errors: (0.632, errors.point632))


def bootstrap_632plus_column(panel: Panel) -> Column:
    """.632+ error."""
    return _bootstrap_column("bootstrap_632plus", panel, lambda errors: (errors.omega, errors.point632plus))


def _likelihood_column(name: str, panel: Panel, price: float) -> Column:
    terms, values, penalties, notes = [], [], [], []
    for candidate, fit, df in zip(panel.candidates, panel.fits, panel.df):
        # A Gaussian or gamma fit estimates its dispersion too: one parameter more.
        extra = 0.0 if is_classifier(fit) or isinstance(fit, LikelihoodFit) else float(response_law(fit).free)
        try:
            deviance = -2 * log_likelihood_of(fit, panel.X, panel.y)
        except InfiniteDeviance as reason:
            deviance = np.full(len(panel.y), inf)
            notes.append(f"{name} of {candidate} is infinite: {reason}")
        except ValueError as reason:
            raise ValueError(f"{name} of {candidate}: {reason}") from reason
        if np.isinf(df).any() and np.isfinite(deviance).all():
            notes.append(f"{name} of {candidate} is infinite: fits to replicated labels give probability 0")
        terms.append(deviance)
        penalties.append(price * df)
        values.append(float(deviance.sum() + price * (df.mean() + extra)))
    return _column(name, terms, values, 1.0, penalties, tuple(notes))


def aic_column(panel: Panel) -> Column:
    """-2 loglik + 2d."""
    return _likelihood_column("aic", panel, 2.0)


def bic_column(panel: Panel) -> Column:
    """-2 loglik + d log n."""
    return _likelihood_column("bic", panel, log(len(panel.y)))


def cp_column(panel: Panel) -> Column:
    """R̂ + 2(d/n)σ̂², with σ̂² from the candidate of most degrees of freedom."""
    if is_classifier(panel.fits[0]):
        raise ValueError("cp: defined for squared error only; use aic for classifiers")
    n = len(panel.y)
    fitted = [np.asarray(fit.predict(panel.X), dtype=float) for fit in panel.fits]
    full = int(np.argmax([df.mean() for df in panel.df]))
    sigma2 = residual_variance(panel.y, fitted[full], float(panel.df[full].mean()))
    terms = [squared_loss(panel.y, prediction) for prediction in fitted]
    penalties = [2 * sigma2 / n * df for df in panel.df]
    values = [float(squares.mean() + penalty.mean()) for squares, penalty in zip(terms, penalties)]
    note = f"cp takes σ̂² = {sigma2:.4g} from {list(panel.candidates)[full]}"
    return _column("cp", terms, values, 1 / n, penalties, (note,))


CRITERIA: dict[str, Callable[[Panel], Column]] = {
    "cv": cv_column,
    "loo": loo_column,
    "bootstrap": bootstrap_column,
    "bootstrap_632": bootstrap_632_column,
    "bootstrap_632plus": bootstrap_632plus_column,
    "aic": aic_column,
    "bic": bic_column,
    "cp": cp_column,
}

"""What generalised linear regressions share: minimise mean deviance / 2 + ½ α ‖β‖² over the linear predictor."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_consistent_length

from learnable.base import Data, Fitting, LinearPredictor
from learnable.base.fit_context import fit_context
from learnable.base.scores import carried
from learnable.base.validation import checked_weights
from learnable.certificates.sparse.answer import brought_near
from learnable.linear.reports.summarised import Summarised
from learnable.problems.core.conventions import gradient_target
from learnable.problems.linear import families, links
from learnable.problems.linear.glm import GLM
from learnable.rows import Block, Rows, as_rows
from learnable.rows.examine import Beside, seen_beside
from learnable.solvers.linear import newton, newton_cg, sampled_newton
from learnable.solvers.linear.beside_look import TargetSums, earlier, first_refused, merged_sums, target_sums
from learnable.solvers.linear.glm import GeneralizedLikelihood
from learnable.solvers.linear.linear_scores import THIN
from learnable.solvers.linear.metric import KeptCurvature
from learnable.solvers.linear.newton import NewtonState
from learnable.trace import Status, StopRule, budget, first_of, reached

# A Hessian with more rows than this is not formed; its products with vectors are.
LARGEST_HESSIAN = 1200


class OffsetData(NamedTuple):
    """A table and the known part of every linear predictor."""

    X: Any
    y: Any
    sample_weight: Any
    offset: Any


class DevianceRegressor(Summarised, RegressorMixin, LinearPredictor):
    """Regression of a mean μ(x·β + b + offset) by minimal deviance.

    Newton's method with step halving (Fisher scoring where the loss is not convex), which keeps a Hessian of many
    parameters while it serves; with the curvature of a sample of the rows when there are very many rows, and by
    conjugate gradients when there are very many parameters.
    Subclasses carry `alpha`, `fit_intercept`, `tol`, `max_iter`, `warm_start` and name their model.
    """

    _parameter_constraints: ClassVar[dict] = {
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"lbfgs", "newton-cholesky"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
    }

    @property
    @abstractmethod
    def glm(self) -> GLM:
        """Family, link and loss."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None, offset=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,); None when the rows carry it
        sample_weight : array (n,), default=None
        offset : array (n,), default=None
            Known part of every linear predictor, e.g. the logarithm of an exposure. Kept as `offset_`.
        """
        return self._learn(X, y, sample_weight=sample_weight, offset=offset)

    def predict(self, X, offset=None) -> np.ndarray:
        """Predicted means.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        offset : array (n,), default=None
            Known part of the linear predictors; zero when it is not given.
        """
        f = self._scores(X)
        if offset is not None:
            f = f + self._checked_offset(offset, len(f))
        outside = np.flatnonzero(f <= 0.0) if self.glm.positive else np.empty(0, dtype=int)
        if outside.size:
            raise ValueError(
                f"{type(self).__name__}: the linear predictor of row {outside[0]} is {f[outside[0]]:g}, which belongs "
                f"to no mean of its family ({outside.size} such rows); link='log' has a mean for every row"
            )
        return links.mean(self.glm.link, f)

    def score(self, X, y=None, sample_weight=None, offset=None) -> float:
        """D² = 1 − deviance / deviance of the mean: 1 is best, 0 is as good as the mean of y.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,); None when the rows carry it
        sample_weight, offset : array (n,), default=None
        """
        mu = self.predict(X, offset)
        y, sample_weight = carried(self, X, y, sample_weight)
        y = np.asarray(check_array(y, ensure_2d=False), dtype=float)
        check_consistent_length(mu, y)
        self._refuse_targets(as_rows(y[:, None], y))
        weight = None if sample_weight is None else checked_weights(sample_weight, y[:, None])
        family = self.glm.family
        deviance = np.average(families.unit_deviance(family, y, mu.astype(float)), weights=weight)
        mean = np.full_like(y, np.average(y, weights=weight))
        null = np.average(families.unit_deviance(family, y, mean), weights=weight)
        if null <= 4.0 * np.finfo(float).eps * abs(mean[0]):
            # As for R²: targets that do not vary are explained exactly or not at all.
            return 1.0 if deviance <= null else 0.0
        return float(1.0 - deviance / null)

    def _pose(self, X, y, sample_weight=None, offset=None) -> Fitting:
        beside = Beside(partial(target_sums, family=self.glm.family), merged_sums)
        data = self._validated(
            X, y, sample_weight, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", y_numeric=True,
            extremes=False, beside=beside)  # fmt: skip
        if data.y is not None:
            data = data._replace(y=np.asarray(data.y, dtype=float))
        rows = data.rows
        seen = seen_beside(rows, beside)
        self._refuse_targets(rows, seen)
        if offset is not None:
            self.offset_ = offset = self._checked_offset(offset, rows.n_rows)
        near, centre = data, np.zeros(rows.n_columns)
        if isinstance(data.X, np.ndarray):
            X, centre = brought_near(data.X, None, self.fit_intercept)
            near = data._replace(X=X)
        objective = self._objective(near.rows, offset, seen)
        if not objective.weight_sum > 0.0:
            raise ValueError(f"{type(self).__name__}: the weights sum to {objective.weight_sum}; some row must count")
        dtype = np.float32 if rows.dtype == np.float32 else np.float64
        p = objective.p

        def attributes(state: NewtonState) -> dict[str, Any]:
            coef = state.theta[:p, 0].astype(dtype)
            # Of the coefficients as they are kept: it stands for means that may be large.
            intercept = dtype(state.theta[p, 0] - np.dot(centre, coef)) if self.fit_intercept else 0.0
            return {"coef_": coef, "intercept_": intercept, "n_iter_": state.steps}

        return Fitting(
            self._iterates(objective, near, offset, centre),
            first_of(reached("gradient_norm", gradient_target(self.tol)), _at_rounding(), budget(self.max_iter + 1)),
            attributes,
            OffsetData(*data, offset),
            max_steps=self.max_iter + 1,
            ended=Status.STATIONARY,
        )

    def _objective(
        self, rows: Rows, offset: np.ndarray | None, seen: TargetSums | None = None
    ) -> GeneralizedLikelihood:
        return GeneralizedLikelihood(
            rows, self.glm, self.fit_intercept, float(self.alpha), offset, getattr(self, "n_jobs", None), seen
        )

    def _iterates(self, objective: GeneralizedLikelihood, data: Data, offset, centre) -> Iterator[NewtonState]:
        """Newton's method in the form that the numbers of rows and parameters call for."""
        start, enough = self._start(objective, centre), gradient_target(self.tol)
        parameters = objective.shape[0]
        if parameters > LARGEST_HESSIAN:
            return newton_cg.iterates(objective, start, enough)
        if not self.glm.convex or self.glm.positive or parameters <= THIN:
            return newton.iterates(objective, start, enough=enough)
        samples = []
        places = sampled_newton.sample_places(objective.rows.n_rows, parameters)
        for chosen, sample in zip(places, data.samples(places)):
            over_sample = self._objective(sample.rows, None if offset is None else offset[chosen])
            if self._stands_for_all(over_sample, sample.y):
                samples.append(over_sample)
        if samples:
            return sampled_newton.iterates(objective, samples, start, enough)
        return newton.iterates(objective, start, KeptCurvature(objective), enough)

    def _stands_for_all(self, sample: GeneralizedLikelihood, y: np.ndarray) -> bool:
        """Whether the sample has a minimum of its own: targets that vary and, without a penalty, full rank."""
        return bool(y.min() < y.max()) and (self.alpha > 0.0 or sample.unidentified.size == 0)

    def _start(self, objective: GeneralizedLikelihood, centre: np.ndarray) -> np.ndarray:
        if self.warm_start and hasattr(self, "coef_") and len(self.coef_) == objective.p:
            last = np.append(self.coef_, self.intercept_ + centre @ self.coef_) if self.fit_intercept else self.coef_
            start = np.asarray(last, dtype=float)[:, None]
            if np.isfinite(objective.value_and_gradient(start)[0]):
                return start
        try:
            return objective.start()
        except ValueError as reason:
            raise ValueError(f"{type(self).__name__}: {reason}") from None

    def _checked_offset(self, offset, n_rows: int) -> np.ndarray:
        offset = np.asarray(check_array(offset, ensure_2d=False, dtype=np.float64, input_name="offset"))
        if offset.shape != (n_rows,):
            raise ValueError(f"{type(self).__name__}: offset has shape {offset.shape}; expected ({n_rows},)")
        return offset

    def _refuse_targets(self, rows: Rows, seen: TargetSums | None = None) -> None:
        """ValueError that names the first target the family cannot produce."""
        family, name = self.glm.family, type(self).__name__
        if seen is None:
            found = rows.coarser().reduce(partial(_first_refused, family=family, name=name), earlier, n_jobs=1)
        else:
            found = seen.refused
        if found is not None:
            raise ValueError(
                f"{name}: Some value(s) of y are out of the valid range of the loss: y[{found[0]}] is "
                f"{found[1]:g}, but family {type(family).__name__.lower()!r} needs {families.requirement(family)}"
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        with suppress(ValueError, TypeError):  # of a family and a link that do not belong together, which a fit refuses
            tags.target_tags.positive_only = families.mean_range(self.glm.family)[0] == 0.0
        return tags


def _first_refused(block: Block, family, name: str) -> tuple[int, float] | None:
    """`first_refused` of targets that are no columns."""
    y = np.asarray(block.y)
    if y.ndim != 1:
        raise ValueError(f"{name}: y has shape {y.shape}; one target a row is needed")
    return first_refused(block, family)


def _at_rounding(patience: int = 5) -> StopRule:
    """Stop as stationary once neither objective nor gradient has improved for some states: rounding is all there is."""
    objective, gradient, waited = np.inf, np.inf, 0

    def rule(step: int, state: NewtonState) -> Status | None:
        nonlocal objective, gradient, waited
        fell = state.objective < objective - 4.0 * np.finfo(float).eps * abs(state.objective)
        waited = 0 if fell or state.gradient_norm < 0.5 * gradient else waited + 1
        objective, gradient = min(objective, state.objective), min(gradient, state.gradient_norm)
        return Status.STATIONARY if waited >= patience else None

    return rule

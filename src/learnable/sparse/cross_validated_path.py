"""What LassoCV and ElasticNetCV share: paths over folds, the choice, the refit."""

from abc import abstractmethod
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.validation import check_scalar, column_or_1d

from learnable.base import Data, Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.base.folds import folds_of
from learnable.problems.core.conventions import gap_target
from learnable.rows import one_blas_thread
from learnable.rows.span import no_weight, number_of_folds
from learnable.rows.threads import in_order, worker_count
from learnable.solvers.sparse import penalty_path
from learnable.solvers.sparse.coordinate_descent import ROUNDED_GAP
from learnable.solvers.sparse.penalty_factors import Posed, penalized_problem
from learnable.sparse.elastic_net import ADVICE
from learnable.sparse.validation import alpha_grid, checked_factor
from learnable.trace import Status, budget, first_of, reached


class Choice(NamedTuple):
    """The verdict of the folds.

    Attributes
    ----------
    mse : (r, m, k) mean squared error of each l1_ratio and penalty on each fold.
    ratio, at : places of the l1_ratio and of the penalty with the least mean error.
    simplest : place of the largest penalty of that l1_ratio within one standard error of it.
    fold_gap : largest relative duality gap of a solution on the folds.
    coefs : sparse (r k m, p), the solutions: penalty by penalty, fold by fold, l1_ratio by l1_ratio.
    """

    mse: np.ndarray
    ratio: int
    at: int
    simplest: int
    fold_gap: float
    coefs: sparse.csr_matrix | None = None


class ChosenState(NamedTuple):
    """A round of the refit on all rows, after the choice."""

    objective: float
    relative_gap: float
    gap: float
    coef: np.ndarray
    rounds: int
    choice: Choice
    posed: Posed


class CrossValidatedPath(LinearRegressor):
    """Base of the models whose penalty is chosen by cross-validation along paths. Threads go over folds × l1_ratio."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "eps": [Interval(Real, 0, None, closed="neither")],
        "alphas": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "fit_intercept": ["boolean"],
        "precompute": [StrOptions({"auto"}), "array-like", "boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "copy_X": ["boolean"],
        "cv": ["cv_object"],
        "verbose": ["verbose"],
        "n_jobs": [Integral, None],
        "positive": ["boolean"],
        "random_state": ["random_state"],
        "selection": [StrOptions({"cyclic", "random"})],
        "penalty_factor": ["array-like", None],
    }

    def __init__(
        self,
        *,
        eps=1e-3,
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=1e-4,
        copy_X=True,
        cv=None,
        verbose=False,
        n_jobs=None,
        positive=False,
        random_state=None,
        selection="cyclic",
        penalty_factor=None,
    ):
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.penalty_factor = penalty_factor

    _by_moments: ClassVar[bool] = True

    def _n_folds(self) -> int:
        return number_of_folds(self.cv, type(self).__name__)

    @abstractmethod
    def _l1_ratios(self) -> np.ndarray:
        """The l1_ratios to try."""

    @abstractmethod
    def _named_ratio(self, l1_ratio: float) -> dict[str, float]:
        """How the chosen l1_ratio is kept."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None, **params):
        """Choose the penalty by cross-validation and fit it on all rows.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows in blocks, for which `cv` is a number of folds of consecutive rows
        y : array (n,)
        sample_weight : float or array (n,), default=None
        **params : for the splitter, with metadata routing
        """
        _raise_for_params(params, self, "fit")
        return self._learn(X, y, sample_weight=sample_weight, **params)

    def _pose(self, X, y=None, sample_weight=None, **params) -> Fitting:
        weight = None if isinstance(sample_weight, Real) else sample_weight
        data = self._validated(
            X, y, weight, accept_sparse=["csc", "csr"], y_numeric=True, multi_output=True,
            dtype=[np.float64, np.float32], extremes=False, blocks=False)  # fmt: skip
        if data.y.ndim == 2 and data.y.shape[1] > 1:
            raise ValueError(
                f"For multi-task outputs, use MultiTask{type(self).__name__}: y has {data.y.shape[1]} columns"
            )
        data = data._replace(y=column_or_1d(data.y, warn=True))
        factor = checked_factor(self)
        posed = penalized_problem(data.X, data.y, data.sample_weight, self.fit_intercept, factor)
        ratios = self._l1_ratios()
        for option in ("alphas", "l1_ratio"):
            if np.size(given := getattr(self, option, 0)) == 0:
                raise ValueError(f"{type(self).__name__}({option}={given!r}): at least one is needed")
        grids = np.array([self._grid(posed, ratio) for ratio in ratios])
        name = type(self).__name__
        splits = folds_of(name, self.cv, data.X, data.y, **self._split_params(sample_weight, params))
        self._refuse_weightless(data.sample_weight, splits)

        def attributes(state: ChosenState) -> dict[str, Any]:
            coef, offset = state.posed.answer(state.coef, data.X.shape[1])
            choice = state.choice
            return {
                "coef_": coef.astype(self._precision(data)),
                "intercept_": offset if self.fit_intercept else 0.0,
                "alpha_": float(grids[choice.ratio, choice.at]),
                "alpha_1se_": float(grids[choice.ratio, choice.simplest]),
                "alphas_": grids[0] if len(ratios) == 1 or not isinstance(self.alphas, Integral) else grids,
                "mse_path_": np.squeeze(choice.mse),
                "mse_error_": np.squeeze(standard_errors(choice.mse)),
                "fold_gap_": choice.fold_gap,
                "fold_coefs_": {name: getattr(choice.coefs, name) for name in ("data", "indices", "indptr")},
                "dual_gap_": float(state.gap),
                "n_iter_": int(state.rounds),
                **self._named_ratio(float(ratios[choice.ratio])),
            }

        return Fitting(
            self._iterates(data, factor, posed, ratios, grids, splits),
            first_of(reached("relative_gap", gap_target(self.tol)), budget(1)),
            attributes,
            data,
            max_steps=1,
            advice=ADVICE,
            ended=Status.OPTIMAL,
        )

    def _iterates(self, data: Data, factor, posed: Posed, ratios, grids, splits) -> Iterator[ChosenState]:
        """The folds first, then the fit on all rows."""
        enough = gap_target(self.tol)
        tasks = [(ratio, grid, split) for ratio, grid in zip(ratios, grids) for split in splits]

        def errors(task):
            ratio, alphas, (train, test) = task
            weight = None if data.sample_weight is None else data.sample_weight[train]
            fold = penalized_problem(data.X[train], data.y[train], weight, self.fit_intercept, factor)
            judge = None if data.sample_weight is None else data.sample_weight[test]
            path = penalty_path.path(fold, alphas, ratio, self.positive, enough, self.max_iter)
            coefs, offsets = fold.answers(path.coefs, data.X.shape[1])
            squares = (data.y[test][:, None] - (data.X[test] @ coefs.T + offsets)) ** 2
            gap = float(path.relative_gaps.max())
            return np.average(squares, axis=0, weights=judge), gap, sparse.csr_matrix(coefs)

        with one_blas_thread() as granted:
            found = list(in_order(errors, iter(tasks), worker_count(self.n_jobs, granted, len(tasks))))
        mse = np.array([error for error, _, _ in found]).reshape(len(ratios), len(splits), -1).swapaxes(1, 2)
        coefs = sparse.csr_matrix(sparse.vstack([coefs for _, _, coefs in found]))
        choice = choose(mse, max(gap for _, gap, _ in found))._replace(coefs=coefs)
        alpha, ratio = float(grids[choice.ratio, choice.at]), float(ratios[choice.ratio])
        (end,) = penalty_path.iterates(posed, [alpha], ratio, self.positive, enough, self.max_iter)
        # The gap of the answer counts in what it explains, which may be little of the whole.
        whole = posed.design.mean_square
        share = max(1.0 - 2.0 * end.objective / whole if whole > 0.0 else 1.0, ROUNDED_GAP / enough)
        if end.relative_gap > enough * share:
            closer = enough * share
            (end,) = penalty_path.iterates(posed, [alpha], ratio, self.positive, closer, self.max_iter, end.coef)
        yield ChosenState(end.objective, end.relative_gap / share, end.gap, end.coef, end.rounds, choice, posed)

    def _grid(self, posed: Posed, l1_ratio: float) -> np.ndarray:
        if isinstance(self.alphas, Integral):
            return alpha_grid(posed, l1_ratio, self.positive, self.eps, int(self.alphas))
        for k, alpha in enumerate(self.alphas):
            check_scalar(alpha, f"alphas[{k}]", target_type=Real, min_val=0.0, include_boundaries="left")
            if not np.isfinite(alpha):
                raise ValueError(f"alphas[{k}] == {alpha}, must be finite")
        return np.sort(np.asarray(self.alphas, dtype=float))[::-1]

    def _refuse_weightless(self, weight: np.ndarray | None, splits: list) -> None:
        if weight is None:
            return
        for k, (_, left_out) in enumerate(splits):
            some = weight[left_out]
            if not some.any():
                raise ValueError(f"{type(self).__name__}: {no_weight(k, len(splits), f'{len(some)} rows')}")

    def _split_params(self, sample_weight, params: dict[str, Any]) -> dict[str, Any]:
        if not _routing_enabled():
            return {}
        return process_routing(self, "fit", sample_weight=sample_weight, **params).splitter.split

    def get_metadata_routing(self):
        """Which parameters of `fit` go to the splitter."""
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(splitter=check_cv(self.cv), method_mapping=MethodMapping().add(caller="fit", callee="split"))
        )


def standard_errors(mse: np.ndarray) -> np.ndarray:
    """Standard error over the folds (the last axis) of each mean error."""
    folds = mse.shape[-1]
    return mse.std(axis=-1, ddof=1) / np.sqrt(folds) if folds > 1 else np.zeros(mse.shape[:-1])


def choose(mse: np.ndarray, fold_gap: float = 0.0) -> Choice:
    """The least mean error over the folds, and the largest penalty within one standard error of it.

    >>> mse = np.array([[[4.0, 6.0], [2.2, 2.6], [1.0, 3.0]]])          # one l1_ratio, three penalties, two folds
    >>> choice = choose(mse)
    >>> choice.at, choice.simplest
    (2, 1)
    """
    mean = mse.mean(axis=-1)
    ratio, at = np.unravel_index(int(np.argmin(mean)), mean.shape)
    room = mean[ratio, at] + standard_errors(mse)[ratio, at]
    return Choice(mse, int(ratio), int(at), int(np.argmax(mean[ratio] <= room)), float(fold_gap))

"""Ridge regression with the penalty chosen by cross-validation."""

import warnings
from collections.abc import Iterator
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.validation import check_scalar

from learnable.base import Data, Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.base.folds import sound_cv
from learnable.config import config_context
from learnable.linear.ridge import Ridge
from learnable.rows import Rows
from learnable.solvers.linear import ridge_leave_one_out
from learnable.solvers.linear.ridge_leave_one_out import RidgeChoice
from learnable.trace import Status, to_the_end


class RidgeCV(MultiOutputMixin, LinearRegressor):
    """Ridge regression, Σ wᵢ (yᵢ − xᵢ·β − b)² + α ‖β‖², with α chosen from a grid by cross-validation.

    Drop-in for `sklearn.linear_model.RidgeCV`. By default each row is left out in turn: its error is its residual over
    1 − hᵢᵢ, so the whole grid costs one decomposition and one pass over the rows. Syllabus: R7, R9.

    Parameters
    ----------
    alphas : array (m,), default=(0.1, 1.0, 10.0)
        Penalties to try, > 0 (≥ 0 with `cv`).
    fit_intercept : bool, default=True
    scoring : str or scorer, default=None
        Judge of the left-out predictions; minus the mean squared error by default, R² with `cv`.
    cv : int, splitter or splits, default=None
        None leaves out one row at a time.
    gcv_mode : {"auto", "svd", "eigen"}, default=None
        Kept for compatibility; the decomposition is chosen by the shape and the condition of the design.
    store_cv_results : bool, default=False
        Keep `cv_results_`; needs cv=None.
    alpha_per_target : bool, default=False
        Choose a penalty for each target; needs cv=None.

    Attributes
    ----------
    alpha_ : float or array (q,)
    best_score_ : float or array (q,)
    coef_ : array (p,) or (q, p)
    intercept_ : float or array (q,)
    cv_results_ : array (n, m) or (n, q, m), squared left-out errors times the weights, or left-out predictions with
        `scoring`
    grid_scores_ : array (m,), or (q, m) with `alpha_per_target`, the score of each penalty
    grid_df_ : array (m,), effective degrees of freedom Σ d²/(d² + α) of each penalty; only with cv=None
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        R7 : the ridge equations hold at `alpha_`. R9 : no other penalty of the grid has a smaller leave-one-out
        error, recomputed by another route (with cv=None and scoring=None).

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import RidgeCV
    >>> random = np.random.default_rng(0)
    >>> X = random.standard_normal((50, 3))
    >>> y = X @ [1.0, 0.5, 0.0] + random.standard_normal(50)
    >>> model = RidgeCV(alphas=[0.1, 1.0, 10.0, 100.0]).fit(X, y)
    >>> float(model.alpha_), model.grid_df_.round(2)
    (1.0, array([2.99, 2.93, 2.4 , 0.89]))
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar = {
        "alphas": ["array-like", Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "cv": ["cv_object"],
        "gcv_mode": [StrOptions({"auto", "svd", "eigen"}), None],
        "store_cv_results": ["boolean"],
        "alpha_per_target": ["boolean"],
    }

    def __init__(
        self,
        alphas=(0.1, 1.0, 10.0),
        *,
        fit_intercept=True,
        scoring=None,
        cv=None,
        gcv_mode=None,
        store_cv_results=False,
        alpha_per_target=False,
    ):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None, **params):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks (with cv=None)
        y : array (n,) or (n, q); None when the rows carry their targets
        sample_weight : float or array (n,), default=None
        **params : for the scorer and the splitter, with metadata routing enabled
        """
        _raise_for_params(params, self, "fit")
        return self._learn(X, y, sample_weight=sample_weight, **params)

    def _pose(self, X, y, sample_weight=None, **params) -> Fitting:
        alphas = self._grid()
        if self.cv is not None:
            for name in ("store_cv_results", "alpha_per_target"):
                if getattr(self, name):
                    raise ValueError(f"cv!=None and {name}=True are incompatible; set one of them to its default")
        if self.gcv_mode == "svd" and sparse.issparse(X):
            warnings.warn(
                "The 'svd' mode is not supported for sparse X; use gcv_mode='eigen'", FutureWarning, stacklevel=4
            )
        data = self._validated(
            X, y, sample_weight, accept_sparse="csr", y_numeric=True, multi_output=True, dtype=[np.float64, np.float32]
        )
        rows = data.rows
        counted = rows.n_rows
        if data.y is None or data.sample_weight is not None:
            counted = rows.reduce(lambda b: b.X.shape[0] if b.weight is None else int(np.count_nonzero(b.weight)))
        if counted < 2:
            raise ValueError(f"RidgeCV: n_samples={counted}; a row can be left out only where another one remains")
        if self.cv is not None:
            iterates = self._folds(data, alphas, params)
        else:
            score = None if self.scoring is None else partial(self._score, data, self._score_params(data, params))
            iterates = ridge_leave_one_out.iterates(
                rows, alphas, self.fit_intercept, self.alpha_per_target, score, self.store_cv_results
            )
        return Fitting(
            iterates, to_the_end, partial(self._attributes, data, rows, alphas), data, max_steps=1, ended=Status.OPTIMAL
        )

    def _attributes(self, data: Data, rows: Rows, alphas: np.ndarray, state: RidgeChoice) -> dict[str, Any]:
        dtype = np.float32 if rows.dtype == np.float32 else np.float64
        n_targets = len(state.intercept)
        like = rows.targets_like() if data.y is None else data.y
        vector_target = like is not None and like.ndim == 1
        coef, intercept = state.coef.T.astype(dtype), state.intercept.astype(dtype)
        each = self.alpha_per_target and n_targets > 1
        best_score = state.scores[np.arange(len(state.best)), state.best]
        found = {
            "coef_": coef[0] if n_targets == 1 else coef,
            "intercept_": (intercept[0] if vector_target else intercept) if self.fit_intercept else 0.0,
            "alpha_": alphas[state.best] if each else float(alphas[state.best[0]]),
            "best_score_": best_score if each else float(best_score[0]),
            "grid_scores_": state.scores if each else state.scores[0],
        }
        if self.cv is None:
            found["grid_df_"] = state.df
        if state.errors is not None:
            y, weight = _whole(rows)
            kept = weight[:, None, None] * state.errors**2 if self.scoring is None else y[:, :, None] - state.errors
            found["cv_results_"] = (kept[:, 0] if vector_target else kept).astype(dtype)
        return found

    def _grid(self) -> np.ndarray:
        """The penalties, each of them checked."""
        least: Any = "neither" if self.cv is None else "left"
        grid = np.atleast_1d(np.asarray(self.alphas, dtype=object)).ravel()
        if not len(grid):
            raise ValueError("RidgeCV(alphas=()): give at least one penalty")
        for k, alpha in enumerate(grid):
            if type(alpha) in (float, int) and 0.0 < alpha < np.inf:
                continue
            name = "alphas" if len(grid) == 1 else f"alphas[{k}]"
            check_scalar(alpha, name, target_type=Real, min_val=0.0, include_boundaries=least)
            if not np.isfinite(alpha):
                raise ValueError(f"RidgeCV: {name} == {alpha}, must be finite")
        return grid.astype(float)

    def _score(self, data: Data, score_params: dict[str, Any], errors: np.ndarray) -> np.ndarray:
        """The scorer's verdict on the left-out predictions, (1, m), or (q, m) with a penalty for each target."""
        y, _ = _whole(data.rows)
        scorer = check_scoring(self, self.scoring)
        predictions = y[:, :, None] - errors
        if self.alpha_per_target:
            pairs = [(y[:, k], predictions[:, k]) for k in range(y.shape[1])]
        else:
            pairs = [(y[:, 0], predictions[:, 0]) if y.shape[1] == 1 else (y, predictions)]
        try:
            return np.array(
                [
                    [scorer(_Given(), predicted[..., m], target, **score_params) for m in range(errors.shape[2])]
                    for target, predicted in pairs
                ]
            )
        except AttributeError as error:
            raise ValueError(
                f"RidgeCV(scoring={self.scoring!r}): this scorer is of classes or their probabilities; take one of "
                "numbers, such as 'r2' or 'neg_mean_squared_error'"
            ) from error

    def _folds(self, data: Data, alphas: np.ndarray, params: dict[str, Any]) -> Iterator[RidgeChoice]:
        """One state: the penalty with the best mean score over the folds, refitted on all rows."""
        from sklearn.model_selection import GridSearchCV

        if data.y is None:
            raise TypeError("RidgeCV with cv needs X and y as arrays; rows read in blocks go with cv=None")
        ridge = Ridge(fit_intercept=self.fit_intercept)
        if data.sample_weight is not None:
            params = params | {"sample_weight": data.sample_weight}
        if _routing_enabled():
            ridge.set_fit_request(sample_weight=True)
        cv = sound_cv("RidgeCV", self.cv, len(data.y))
        search = GridSearchCV(ridge, {"alpha": alphas}, cv=cv, scoring=self._scorer())
        with config_context(certificates=False):
            search.fit(data.X, data.y, **params)
        best = search.best_estimator_
        n_targets = 1 if data.y.ndim == 1 else data.y.shape[1]
        residual = np.average((data.y - best.predict(data.X)) ** 2, axis=0, weights=data.sample_weight)
        yield RidgeChoice(
            float(0.5 * np.sum(residual)),
            np.asarray(best.coef_, dtype=float).reshape(n_targets, -1).T,
            np.broadcast_to(np.asarray(best.intercept_, dtype=float), (n_targets,)),
            np.array([search.best_index_]),
            search.cv_results_["mean_test_score"][None, :],
            np.empty(0),
            None,
        )

    def _score_params(self, data: Data, params: dict[str, Any]) -> dict[str, Any]:
        given = {} if data.sample_weight is None else {"sample_weight": data.sample_weight}
        if _routing_enabled():
            return process_routing(self, "fit", **params, **given).scorer.score
        return given

    def _scorer(self):
        if _routing_enabled() and self.scoring is None:
            return check_scoring(self, "r2").set_score_request(sample_weight=True)
        return check_scoring(self, self.scoring, allow_none=True)

    def get_metadata_routing(self):
        """Which parameters of `fit` go to the scorer and to the splitter."""
        # The scorer of an estimator that is given none asks the estimator, which would ask it in turn.
        itself = self.scoring is None and not _routing_enabled()
        scorer = check_scoring(self, "r2") if itself else self._scorer()
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(scorer=scorer, method_mapping=MethodMapping().add(caller="fit", callee="score"))
            .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        )


class _Given(RegressorMixin, BaseEstimator):
    """A regressor for scorers whose input is the prediction already."""

    def predict(self, X):
        return X


def _whole(rows) -> tuple[np.ndarray, np.ndarray]:
    """(targets (n, q), weights (n,)) of all rows."""
    y = rows.concatenate(lambda block: np.asarray(block.y, dtype=float).reshape(len(block.y), -1))
    weight = rows.concatenate(
        lambda block: np.ones(len(block.y)) if block.weight is None else np.asarray(block.weight, dtype=float)
    )
    return y, weight

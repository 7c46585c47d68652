"""The graphical lasso with its penalty chosen by cross-validation. Syllabus: G3."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import lapack
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    _routing_enabled,
    process_routing,
)

from learnable.base import Fitting, Learner
from learnable.base.fit_context import fit_context
from learnable.base.folds import folds_of
from learnable.graphical.gaussian_fit import GaussianFit, checked_moments, gaussian_score, second_moments
from learnable.graphical.graphical_lasso import EPSILON, checked_penalty, precision_fitting
from learnable.problems.graphical.sparse_precision import penalty_matrix
from learnable.rows import Rows
from learnable.rows.numbers import weight_sum
from learnable.rows.span import consecutive_folds, number_of_folds
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.solvers.graphical import dual_columns

# Fits inside the folds are for scores: this gap a column moves them far less than the folds differ.
GAP_IN_FOLDS = 1e-5
ROUNDS_IN_FOLDS = 50


class GraphicalLassoCV(GaussianFit, Learner):
    """`GraphicalLasso` whose alpha has the best mean log-likelihood on folds left out.

    Drop-in for `sklearn.covariance.GraphicalLassoCV`. Syllabus: G3.

    Parameters
    ----------
    alphas : int or array, default=4
        How many penalties a grid has, or the penalties themselves.
    n_refinements : int, default=4
        How often the grid is made finer around the best one; not used when alphas are given.
    cv : int, splitter or None, default=None
    tol, enet_tol, max_iter, mode, verbose, eps, assume_centered : see `GraphicalLasso`.
    n_jobs : int or None, default=None
        Threads over the folds.
    penalize_diagonal : bool, default=False

    Attributes
    ----------
    location_, covariance_, precision_, costs_, n_blocks_, n_iter_ : see `GraphicalLasso`.
    alpha_ : float, the penalty chosen.
    cv_results_ : dict with `alphas`, `split<k>_test_score`, `mean_test_score`, `std_test_score`; the last row, of
        alpha = 0, is the covariance of the rows itself, for comparison: −inf where it has no inverse. It is not chosen.
    certificate_ : `certificates.Certificate`, with the claims of `GraphicalLasso` for alpha_. That alpha_ is the best
        on the folds is not part of it.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.graphical import GraphicalLassoCV
    >>> X = np.random.default_rng(0).standard_normal((60, 3))
    >>> GraphicalLassoCV(alphas=[0.01, 0.9]).fit(X).alpha_
    0.9
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alphas": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "n_refinements": [Interval(Integral, 1, None, closed="left")],
        "cv": ["cv_object"],
        "tol": [Interval(Real, 0, None, closed="right")],
        "enet_tol": [Interval(Real, 0, None, closed="right")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "mode": [StrOptions({"cd", "lars"})],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "eps": [Interval(Real, 0, None, closed="both")],
        "assume_centered": ["boolean"],
        "penalize_diagonal": ["boolean"],
    }
    _remedy = "raise alphas"

    def __init__(
        self,
        *,
        alphas=4,
        n_refinements=4,
        cv=None,
        tol=1e-4,
        enet_tol=1e-4,
        max_iter=100,
        mode="cd",
        n_jobs=None,
        verbose=False,
        eps=EPSILON,
        assume_centered=False,
        penalize_diagonal=False,
    ):
        self.alphas = alphas
        self.n_refinements = n_refinements
        self.cv = cv
        self.tol = tol
        self.enet_tol = enet_tol
        self.max_iter = max_iter
        self.mode = mode
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.eps = eps
        self.assume_centered = assume_centered
        self.penalize_diagonal = penalize_diagonal

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, **params):
        """Choose the penalty and fit the precision.

        Parameters
        ----------
        X : array (n, p), or rows read in blocks, whose folds are consecutive. y : not used.
        **params : for the splitter, such as groups, where scikit-learn's metadata routing is on.
        """
        _raise_for_params(params, self, "fit")
        return self._learn(X, y, **params)

    def _pose(self, X, y=None, **params) -> Fitting:
        data = self._validated(X, extremes=False, dtype=float, ensure_min_samples=2)
        location, S = second_moments(data.X, self.assume_centered)
        S = checked_moments(S, "GraphicalLassoCV", getattr(self, "feature_names_in_", None))
        results = self._tried(data.X, S, params)
        alphas, scores = results["alphas"][:-1], results["mean_test_score"][:-1]
        alpha = float(alphas[len(scores) - 1 - int(np.argmax(scores[::-1]))])
        penalty = checked_penalty(alpha, S, self.penalize_diagonal, "GraphicalLassoCV")
        fitting = precision_fitting(self, data, location, S, penalty)
        inner = fitting.attributes
        return fitting._replace(attributes=lambda state: inner(state) | {"alpha_": alpha, "cv_results_": results})

    def _tried(self, X: np.ndarray, S: np.ndarray, params: dict[str, Any]) -> dict[str, np.ndarray]:
        """Scores of all penalties tried, from the largest to the smallest, and of none."""
        folds = self._fold_moments(X, params)
        largest = float(np.abs(S - np.diag(np.diag(S))).max(initial=0.0)) or float(np.diag(S).max())
        if np.ndim(self.alphas):
            if not all(isinstance(alpha, Real) for alpha in np.ravel(self.alphas)):
                raise TypeError(f"GraphicalLassoCV(alphas={self.alphas!r}): each penalty must be an instance of float")
            grid, rounds = np.sort(np.asarray(self.alphas, dtype=float))[::-1], 1
            if not np.all(grid > 0.0) or not len(grid):
                raise ValueError(f"GraphicalLassoCV(alphas={self.alphas!r}): penalties must be > 0")
        else:
            grid, rounds = np.geomspace(largest, 1e-2 * largest, int(self.alphas)), int(self.n_refinements)
        seen: dict[float, np.ndarray] = {}
        for _ in range(rounds):
            todo = np.array([alpha for alpha in grid if not np.isclose(alpha, list(seen), rtol=1e-9, atol=0.0).any()])
            if not len(todo):  # nothing finer is left, in this round or in any after it
                break
            for alpha, scores in zip(todo, self._scores(folds, todo).T):
                seen[float(alpha)] = scores
            grid = self._finer(seen)
        seen[0.0] = np.array([_unpenalised_score(*fold) for fold in folds])
        alphas = np.array(sorted(seen, reverse=True))
        table = np.array([seen[alpha] for alpha in alphas])
        results = {"alphas": alphas}
        results |= {f"split{k}_test_score": table[:, k] for k in range(len(folds))}
        with np.errstate(invalid="ignore"):  # no spread where a fold has no likelihood
            return results | {"mean_test_score": table.mean(axis=1), "std_test_score": table.std(axis=1)}

    def _finer(self, seen: dict[float, np.ndarray]) -> np.ndarray:
        """As many penalties as before, on both sides of the best one so far up to its neighbours."""
        alphas = sorted(seen, reverse=True)
        best = int(np.argmax([seen[alpha].mean() for alpha in alphas]))
        centre = alphas[best]
        low = alphas[best + 1] if best + 1 < len(alphas) else 0.1 * alphas[-1]
        if np.ndim(self.alphas) or not centre > low > 0.0:
            return np.array(alphas)
        above = int(self.alphas) // 2 if best else 0
        higher = np.geomspace(alphas[best - 1], centre, above + 2)[1:-1]
        return np.concatenate([higher, np.geomspace(centre, low, int(self.alphas) - above + 2)[1:-1]])

    def get_metadata_routing(self) -> MetadataRouter:
        """Which parameters of `fit` go to the splitter."""
        to_split = MethodMapping().add(caller="fit", callee="split")
        return MetadataRouter(owner=self).add(splitter=check_cv(self.cv), method_mapping=to_split)

    def _fold_moments(self, X: np.ndarray | Rows, params: dict[str, Any]) -> list[tuple[np.ndarray, np.ndarray]]:
        """(S of the rows to fit, S of those left out) of every fold, each about its own mean, as in scikit-learn."""
        if isinstance(X, Rows):
            return self._moments_in_blocks(X)
        routed = process_routing(self, "fit", **params).splitter.split if _routing_enabled() else {}
        folds = folds_of("GraphicalLassoCV", self.cv, X, **routed)
        return [tuple(second_moments(X[rows], self.assume_centered)[1] for rows in fold) for fold in folds]  # type: ignore[misc]

    def _moments_in_blocks(self, rows: Rows) -> list[tuple[np.ndarray, np.ndarray]]:
        spans = consecutive_folds(rows, number_of_folds(self.cv, "GraphicalLassoCV"))
        parts = [(float(span.reduce(weight_sum)), *second_moments(span, self.assume_centered)) for span in spans]
        return [(_pooled([part for part in parts if part is not out]), out[2]) for out in parts]

    def _scores(self, folds: list, alphas: np.ndarray) -> np.ndarray:
        """(folds, penalties) mean log-likelihoods of the rows left out; each fold goes down its path."""

        def path(fold) -> list[float]:
            S, held = fold
            if np.any(np.diag(S) <= 0.0):
                return [-np.inf] * len(alphas)
            found, start = [], None
            for alpha in alphas:
                penalty = penalty_matrix(alpha, len(S), self.penalize_diagonal)
                enough = GAP_IN_FOLDS * len(S)
                for number, state in enumerate(dual_columns.iterates(S, penalty, start, enough / len(S))):
                    if state.gap <= enough or number >= ROUNDS_IN_FOLDS:
                        break
                start = state.covariance
                found.append(gaussian_score(held, state.precision))
            return found

        with one_blas_thread() as granted:
            return np.array(list(in_order(path, iter(folds), worker_count(self.n_jobs, granted, len(folds)))))


def _unpenalised_score(S: np.ndarray, held: np.ndarray) -> float:
    """Mean log-likelihood of the rows left out under the inverse of S; −inf where there is none."""
    factor, bad = lapack.dpotrf(S)
    if bad or np.diag(factor).min() ** 2 <= len(S) * np.finfo(float).eps * np.diag(S).max():
        return -np.inf
    upper, _ = lapack.dpotri(factor)
    return gaussian_score(held, np.triu(upper) + np.triu(upper, 1).T)


def _pooled(parts: list[tuple[float, np.ndarray, np.ndarray]]) -> np.ndarray:
    """S of all rows of several parts about their common mean, from (weight, location, S) of each.

    >>> _pooled([(1.0, np.array([0.0]), np.array([[0.0]])), (1.0, np.array([2.0]), np.array([[0.0]]))])
    array([[1.]])
    """
    weight = np.array([part[0] for part in parts]) / sum(part[0] for part in parts)
    means = np.array([part[1] for part in parts])
    away = means - weight @ means
    return sum(w * S for w, (_, _, S) in zip(weight, parts)) + (away.T * weight) @ away

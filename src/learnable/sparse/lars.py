"""Least angle regression."""

from collections.abc import Iterator
from itertools import islice
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from learnable.base import Data, Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.solvers.sparse import homotopy
from learnable.sparse.lars_path import EPS
from learnable.sparse.unit_columns import unit_columns
from learnable.trace import Status

ADVICE = (
    "raise max_iter or alpha. Where the columns of X have very different lengths: Regressors in active set degenerate. "
    "Bring them to similar lengths"
)


class Paths(NamedTuple):
    """The paths of the targets so far, the last one still going.

    Attributes
    ----------
    objective : half the mean squared residual at the last knot, summed over the targets.
    paths : one `HomotopyState` a target.
    """

    objective: float
    paths: tuple[homotopy.HomotopyState, ...]


class Lars(MultiOutputMixin, LinearRegressor):
    """Least angle regression: all active columns keep equal correlation with the residual while it falls.

    At level α = max_j |x_jᵀr|/n the coefficients move so that the correlations of the active columns fall together; a
    column becomes active when its own reaches them. Drop-in for `sklearn.linear_model.Lars`, with columns centred when
    the intercept is free. Tied columns enter together and columns that depend on the active ones stay out.
    Syllabus: L7.

    Parameters
    ----------
    fit_intercept : bool, default=True
    n_nonzero_coefs : int, default=500
        Steps at most: one column enters at each, if there are no ties.
    fit_path : bool, default=True
        Whether to keep the knots in `coef_path_`.
    jitter : float, default=None
        Largest noise, drawn uniformly, to add to y. Ties need none here.
    random_state : int, RandomState or None, default=None
        For the jitter.
    verbose, precompute, eps, copy_X : kept for compatibility; X is never modified.

    Attributes
    ----------
    alphas_ : array (k,), levels of the knots; (1,), the last one, without `fit_path`. A list for several targets.
    active_ : list, columns active at the end, in the order they entered; or a list of such lists.
    coef_path_ : array (p, k), coefficients at the knots; or a list of such arrays.
    coef_ : array (p,), or (q, p) for q ≥ 2 targets
    intercept_ : float or array (q,)
    n_iter_ : int or list, steps made
    jitter_ : array like y, the noise that was added; only with `jitter`.
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L7 : at every knot and midway between two, no column is above the level and every column in use is at it;
        levels fall, and the path begins at zero. L4 : the residuals average to zero.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import Lars
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 1.0, -3.0, -1.0])
    >>> model = Lars(n_nonzero_coefs=1).fit(X, y)
    >>> model.alphas_, model.coef_
    (array([1.5, 0.5]), array([2., 0.]))
    >>> model.certificate_.holds
    True
    """

    _by_moments: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "fit_intercept": ["boolean"],
        "verbose": ["verbose"],
        "precompute": ["boolean", StrOptions({"auto"}), np.ndarray, Hidden(None)],
        "n_nonzero_coefs": [Interval(Integral, 1, None, closed="left")],
        "eps": [Interval(Real, 0, None, closed="left")],
        "copy_X": ["boolean"],
        "fit_path": ["boolean"],
        "jitter": [Interval(Real, 0, None, closed="left"), None],
        "random_state": ["random_state"],
    }
    method = "lar"
    positive = False

    def __init__(
        self,
        *,
        fit_intercept=True,
        verbose=False,
        precompute="auto",
        n_nonzero_coefs=500,
        eps=EPS,
        copy_X=True,
        fit_path=True,
        jitter=None,
        random_state=None,
    ):
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.precompute = precompute
        self.n_nonzero_coefs = n_nonzero_coefs
        self.eps = eps
        self.copy_X = copy_X
        self.fit_path = fit_path
        self.jitter = jitter
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, Xy=None):
        """Fit the model.

        Parameters
        ----------
        X : array (n, p)
        y : array (n,) or (n, q)
        Xy : kept for compatibility
        """
        return self._learn(X, y, Xy=Xy)

    def _limits(self) -> tuple[float, int, bool]:
        """(level at which the path ends, most steps, whether to run out of steps is to fail)."""
        return 0.0, self.n_nonzero_coefs, False

    def _pose(self, X, y=None, Xy=None) -> Fitting:
        data = self._validated(
            X, y, y_numeric=True, multi_output=True, dtype=[np.float64, np.float32], extremes=False, blocks=False
        )
        noise = None
        if self.jitter is not None:
            noise = check_random_state(self.random_state).uniform(high=self.jitter, size=len(data.y))
        targets = np.asarray(data.y if data.y.ndim == 2 else data.y[:, None], dtype=float)
        targets = targets if noise is None else targets + noise[:, None]
        units = [unit_columns(Data(data.X, target, None), self.fit_intercept) for target in targets.T]
        mean, target_mean = units[0].mean, np.array([unit.y_mean for unit in units])
        Z = units[0].varying
        products = [homotopy.row_products(Z, unit.y) for unit in units]
        alpha, most, may_fail = self._limits()
        rounding = 4.0 * (Z.shape[1] + np.sqrt(len(Z)) + 10.0) * EPS

        def is_short(path):
            return may_fail and len(path.alphas) > most and path.alpha > alpha + 1e-12 * path.alphas[0]

        def is_lost(one, path):
            """Whether columns of very different lengths have cost the digits that tell the path, or its end.

            A correlation above α by the share e leaves a gap of e² times half the mean squared residual.
            """
            blur = (path.excess + 4.0 * EPS) * homotopy.sizes(one, path.coef).max(initial=0.0)
            return path.excess > rounding or 0.0 < 1e-6 * alpha < blur

        def stop(step, state):
            last = state.paths[-1]
            ends = len(state.paths) == len(products) and (len(last.alphas) > most or last.alpha <= alpha)
            unfinished = ends and (any(map(is_short, state.paths)) or any(map(is_lost, products, state.paths)))
            return Status.BUDGET_SPENT if unfinished else None

        def attributes(state):
            answer = self._answer(data, state.paths, mean, target_mean)
            return answer if noise is None else answer | {"jitter_": noise}

        return Fitting(
            self._paths(products, alpha, most), stop, attributes, data,
            max_steps=None, advice=ADVICE,
            ended=Status.OPTIMAL,
        )  # fmt: skip

    def _paths(self, products, alpha: float, most: int) -> Iterator[Paths]:
        done: tuple[homotopy.HomotopyState, ...] = ()
        for one in products:
            knots = homotopy.iterates(one, alpha, self.method == "lasso", self.positive)
            for state in islice(knots, most + 1):
                yield Paths(state.objective + sum(path.objective for path in done), (*done, state))
            done = (*done, state)

    def _answer(self, data: Data, paths, mean, target_mean) -> dict[str, Any]:
        """Fitted attributes in scikit-learn's shapes; targets not yet reached have the path of one knot at zero."""
        dtype = self._precision(data)
        rest = len(target_mean) - len(paths)
        coef = np.array([path.coef for path in paths] + rest * [np.zeros(len(mean))])
        offsets = (target_mean - coef @ mean).astype(dtype)
        lists: dict[str, list] = {
            "alphas_": [(path.alphas if self.fit_path else path.alphas[-1:]).astype(dtype) for path in paths],
            "n_iter_": [len(path.alphas) - 1 for path in paths],
        }
        if self.fit_path:
            lists["active_"] = [list(path.active) for path in paths]
            lists["coef_path_"] = [path.coefs.T.astype(dtype) for path in paths]
        one = len(coef) == 1
        return {name: parts[0] if one else parts for name, parts in lists.items()} | {
            "coef_": coef[0].astype(dtype) if one else coef.astype(dtype),
            "intercept_": (offsets if data.y.ndim == 2 else offsets[0]) if self.fit_intercept else 0.0,
        }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

"""The elastic net."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Data, Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.panel import Entry
from learnable.problems.core.conventions import gap_target
from learnable.solvers.linear import least_squares, non_negative
from learnable.solvers.sparse import coordinate_descent
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.sparse.given_gram import check_given_gram
from learnable.sparse.paths import enet_path
from learnable.sparse.validation import checked_factor
from learnable.trace import Status, budget, first_of, reached, to_the_end

ADVICE = "Objective did not converge. You might want to increase the number of iterations."


def _in_unit(setting: dict[str, Any], unit: float) -> dict[str, Any]:
    """The same penalty for a target `unit` times as large: its L1 part grows with the target, its L2 part does not."""
    l1, l2 = setting["alpha"] * setting["l1_ratio"] * unit, setting["alpha"] * (1.0 - setting["l1_ratio"])
    return {"alpha": l1 + l2, "l1_ratio": l1 / (l1 + l2)}


class ElasticNet(MultiOutputMixin, LinearRegressor):
    """The elastic net: min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + α Σ fⱼ (ρ |βⱼ| + ½ (1 − ρ) βⱼ²).

    Drop-in for `sklearn.linear_model.ElasticNet`; the factors fⱼ are an extra. Coordinate descent on a growing working
    set; once the signs have settled the equations of the support are solved exactly, so that the gap falls to
    rounding. Syllabus: L13, L6.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty; 0 is least squares, which is solved directly.
    l1_ratio : float, default=0.5
        ρ in [0, 1]; 1 is the lasso, 0 is ridge regression, which is solved directly.
    fit_intercept : bool, default=True
    precompute : bool or array (p, p), default=False
        Kept for compatibility. A Gram matrix is held against X and refused where it is not that of X; cross-products
        are formed from X in any case.
    copy_X, random_state, selection : kept for compatibility; X is never modified.
    max_iter : int, default=1000
        Rounds over growing working sets at most.
    tol : float, default=1e-4
        The fit ends once the duality gap is at most tol times what the answer explains of Σ wᵢ(yᵢ − ȳ)²/Σ wᵢ.
    warm_start : bool, default=False
        Start from the last solution.
    positive : bool, default=False
        Whether the coefficients must be ≥ 0.
    penalty_factor : array (p,), default=None
        fⱼ ≥ 0: 0 leaves a column free of any penalty, infinity leaves it out. None stands for ones.

    Attributes
    ----------
    coef_ : array (p,), or (q, p) for q ≥ 2 targets
    sparse_coef_ : the same as a sparse matrix
    intercept_ : float or array (q,)
    dual_gap_ : float or array (q,), duality gap of the answer; 0 where it is solved directly
    n_iter_ : int or list, rounds made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L3 : the duality gap, recomputed from the data, within the tolerance asked for. L4 : optimality conditions.
        Where the penalty is not strictly convex, how many columns at their threshold depend on the others: 0 proves
        that the solution is unique. With alpha=0, R1 : the residual is orthogonal to every column.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import ElasticNet
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 0.1, -3.0, -0.1])
    >>> model = ElasticNet(alpha=0.5, tol=1e-12).fit(X, y)
    >>> model.coef_.round(6)                        # (1.5 − 0.25) / (0.5 + 0.25)
    array([1.666667, 0.      ])
    >>> model.certificate_.holds
    True
    """

    _by_moments: ClassVar[bool] = True
    _with_extremes: ClassVar[str] = ". Else: Coordinate descent iterations resulted in non-finite parameter values"
    _parameter_constraints: ClassVar = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "precompute": ["boolean", "array-like"],
        "copy_X": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        "positive": ["boolean"],
        "random_state": ["random_state"],
        "selection": [StrOptions({"cyclic", "random"})],
        "penalty_factor": ["array-like", None],
    }
    panel: ClassVar[tuple[Entry, ...]] = (
        Entry(
            "regression",
            "elastic net",
            {"alpha": [0.0001, 0.001, 0.01, 0.1, 1.0, 10.0], "l1_ratio": [0.2, 0.8]},
            in_unit=_in_unit,
        ),
    )
    path = staticmethod(enet_path)

    def __init__(
        self,
        alpha=1.0,
        *,
        l1_ratio=0.5,
        fit_intercept=True,
        precompute=False,
        max_iter=1000,
        copy_X=True,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
        penalty_factor=None,
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.penalty_factor = penalty_factor

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None, check_input=True):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,) or (n, q)
        sample_weight : float or array (n,), default=None
        check_input : kept for compatibility; the input is always checked
        """
        return self._learn(X, y, sample_weight=sample_weight)

    @property
    def sparse_coef_(self):
        """`coef_` as a sparse matrix."""
        return sparse.csr_matrix(self.coef_)

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        # The layout stays the caller's, so that the certificate adds up in the same order when computed again.
        data = self._validated(
            X, y, sample_weight, accept_sparse=["csc", "csr"], y_numeric=True, multi_output=True,
            dtype=[np.float64, np.float32], extremes=False, blocks=False)  # fmt: skip
        if not isinstance(self.precompute, bool | np.bool_) and "_long" not in vars(self):
            check_given_gram(self, data)
        factor = checked_factor(self)
        direct = self.alpha == 0.0 or (self.l1_ratio == 0.0 and factor is None)
        return self._pose_directly(data) if direct else self._pose_descent(data, factor)

    def _pose_directly(self, data: Data) -> Fitting:
        rows = data._replace(X=data.X.tocsr() if sparse.issparse(data.X) else data.X).rows
        solver = non_negative if self.positive else least_squares
        total = float(len(data.y)) if data.sample_weight is None else float(data.sample_weight.sum())

        def attributes(state):
            q = state.coef.shape[1]
            return self._answer(data, state.coef.T, state.intercept, np.zeros(q), np.ones(q, dtype=int))

        iterates = solver.iterates(rows, self.alpha * total, self.fit_intercept)
        return Fitting(iterates, to_the_end, attributes, data, max_steps=1, ended=Status.OPTIMAL)

    def _pose_descent(self, data: Data, factor: np.ndarray | None) -> Fitting:
        targets = data.y if data.y.ndim == 2 else data.y[:, None]
        problems = [
            penalized_problem(data.X, target, data.sample_weight, self.fit_intercept, factor) for target in targets.T
        ]
        starts = [posed.start(coef) for posed, coef in zip(problems, self._starts(targets.shape[1]))]
        penalty = problems[0].penalty(self.alpha, self.l1_ratio, self.positive)
        designs, enough = [posed.design for posed in problems], gap_target(self.tol)
        iterates = coordinate_descent.iterates(designs, penalty, starts, enough)
        max_rounds = 1000 if self.max_iter is None else self.max_iter

        def attributes(state):
            answers = [posed.answer(coef, data.X.shape[1]) for posed, coef in zip(problems, state.coef)]
            coefs, offsets = (np.array(part) for part in zip(*answers))
            return self._answer(data, coefs, offsets, state.gap.copy(), state.rounds)

        return Fitting(
            iterates,
            first_of(reached("relative_gap", enough), budget(max_rounds + 1)),
            attributes,
            data,
            max_steps=max_rounds + 1,
            advice=ADVICE,
            ended=Status.OPTIMAL,
        )

    def _answer(self, data: Data, coef, offsets, gap, rounds) -> dict[str, Any]:
        """Fitted attributes in scikit-learn's shapes: one target is one target, also in a column of its own."""
        coef = coef.astype(self._precision(data))
        one = len(coef) == 1
        return {
            "coef_": coef[0] if one else coef,
            "intercept_": (offsets if data.y.ndim == 2 else offsets[0]) if self.fit_intercept else 0.0,
            "dual_gap_": float(gap[0]) if one else gap,
            "n_iter_": int(rounds[0]) if one else rounds.tolist(),
        }

    def _starts(self, n_targets: int) -> list:
        coef = np.atleast_2d(getattr(self, "coef_", np.zeros((0, 0)))) if self.warm_start else np.zeros((0, 0))
        return list(coef) if coef.shape == (n_targets, self.n_features_in_) else [None] * n_targets

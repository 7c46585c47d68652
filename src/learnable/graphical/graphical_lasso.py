"""The graphical lasso. Syllabus: G3."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Data, Fitting, Learner
from learnable.base.fit_context import fit_context
from learnable.graphical.gaussian_fit import GaussianFit, checked_moments, second_moments
from learnable.problems.graphical.sparse_precision import finite_penalty, penalty_matrix
from learnable.rows.memory import check_square_fits
from learnable.solvers.graphical import dual_columns
from learnable.trace import Status, budget, first_of, reached

# The gap a fit aims for, for each column and in all: what it costs beyond tol is one round or two.
GAP_A_COLUMN, GAP = 1e-7, 5e-7
EPSILON = np.finfo(np.float64).eps


class GraphicalLasso(GaussianFit, Learner):
    """Sparse precision: min over Θ ≻ 0 of −log det Θ + tr(SΘ) + Σ Λᵢⱼ |θᵢⱼ|.

    θᵢⱼ = 0 says that columns i and j are independent given all others. Drop-in for
    `sklearn.covariance.GraphicalLasso`; penalties for each entry and on the diagonal are extras. The problem falls
    apart into the components of |Sᵢⱼ| > Λᵢⱼ, which are solved alone. Syllabus: G3.

    Parameters
    ----------
    alpha : float or array (p, p), default=0.01
        Λ: one penalty for all entries, or one for each (symmetric, ≥ 0; infinite where an entry must be 0).
    mode, enet_tol, verbose, eps : kept for compatibility.
    covariance : "precomputed" or None, default=None
        "precomputed" says that `fit` is given S instead of rows.
    tol : float, default=1e-4
        The fit ends once the duality gap is at most this (and at most 1e-7 a column, and 5e-7).
    max_iter : int, default=100
        Rounds of sweeps at most.
    assume_centered : bool, default=False
        Whether rows are not centred.
    penalize_diagonal : bool, default=False
        Whether the penalty is on the diagonal as well, as in R's glasso.

    Attributes
    ----------
    location_ : array (p,). covariance_ : array (p, p), the inverse of precision_. precision_ : array (p, p).
    costs_ : list of (objective, duality gap), one a round.
    n_blocks_ : int, components of |Sᵢⱼ| > Λᵢⱼ. n_iter_ : int, rounds made.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        G3 : Θ is symmetric and positive definite; W = Θ⁻¹; the duality gap is at most 1e-6; the location
        and the number of components are those of the data.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.graphical import GraphicalLasso
    >>> S = np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.0], [0.1, 0.0, 1.0]])
    >>> model = GraphicalLasso(alpha=0.2, covariance="precomputed").fit(S)
    >>> model.precision_.round(4)
    array([[ 1.0989, -0.3297,  0.    ],
           [-0.3297,  1.0989,  0.    ],
           [ 0.    ,  0.    ,  1.    ]])
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="both"), "array-like"],
        "mode": [StrOptions({"cd", "lars"})],
        "covariance": [StrOptions({"precomputed"}), None],
        "tol": [Interval(Real, 0, None, closed="right")],
        "enet_tol": [Interval(Real, 0, None, closed="right")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "verbose": ["verbose"],
        "eps": [Interval(Real, 0, None, closed="both")],
        "assume_centered": ["boolean"],
        "penalize_diagonal": ["boolean"],
    }
    _remedy = "raise alpha"

    def __init__(
        self,
        alpha=0.01,
        *,
        mode="cd",
        covariance=None,
        tol=1e-4,
        enet_tol=1e-4,
        max_iter=100,
        verbose=False,
        eps=EPSILON,
        assume_centered=False,
        penalize_diagonal=False,
    ):
        self.alpha = alpha
        self.mode = mode
        self.covariance = covariance
        self.tol = tol
        self.enet_tol = enet_tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.assume_centered = assume_centered
        self.penalize_diagonal = penalize_diagonal

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Fit the precision.

        Parameters
        ----------
        X : array (n, p), rows read in blocks, or S (p, p) with covariance="precomputed". y : not used.
        """
        return self._learn(X, y)

    def _pose(self, X, y=None) -> Fitting:
        given = self.covariance == "precomputed"
        data = self._validated(X, blocks=not given, extremes=False, dtype=float, ensure_min_samples=2)
        p = self.n_features_in_
        check_square_fits(p, "GraphicalLasso: the covariances")
        location, S = (np.zeros(p), data.X) if given else second_moments(data.X, self.assume_centered)
        S = checked_moments(S, type(self).__name__, getattr(self, "feature_names_in_", None), given)
        penalty = checked_penalty(self.alpha, S, self.penalize_diagonal, type(self).__name__)
        return precision_fitting(self, data, location, S, penalty)


def precision_fitting(model: Any, data: Data, location: np.ndarray, S: np.ndarray, penalty: np.ndarray) -> Fitting:
    """The fit of a precision under a given penalty."""
    p = len(S)
    enough = min(float(model.tol), GAP_A_COLUMN * p, GAP)
    costs: list[tuple[float, float]] = []

    def noted(states):
        for state in states:
            costs.append((state.objective, state.gap))
            yield state

    def attributes(state: dual_columns.PrecisionState) -> dict[str, Any]:
        return {
            "location_": location, "covariance_": state.covariance, "precision_": state.precision,
            "costs_": list(costs), "n_blocks_": state.n_blocks,
        }  # fmt: skip

    return Fitting(
        iterates=noted(dual_columns.iterates(S, penalty, enough=0.5 * enough / p)),
        stop=first_of(reached("gap", enough), budget(max(int(model.max_iter), 1))),
        attributes=attributes,
        data=data,
        ended=Status.OPTIMAL,
        max_steps=max(int(model.max_iter), 1),
        counts_steps=True,
    )


def checked_penalty(alpha: Any, S: np.ndarray, diagonal: bool, owner: str) -> np.ndarray:
    """Λ as a matrix, refused where it is not symmetric and ≥ 0, or where the problem has no minimum."""
    given = np.asarray(alpha, dtype=float)
    p = len(S)
    if given.ndim and given.shape != (p, p):
        raise ValueError(
            f"{owner}(alpha=array of shape {given.shape}): give one number or one for each entry, {(p, p)}"
        )
    if not np.all(given >= 0.0):
        raise ValueError(f"{owner}: penalties must be >= 0, the least is {given.min():.3g}")
    penalty = penalty_matrix(given, p, diagonal)
    if not np.array_equal(penalty, penalty.T):
        raise ValueError(f"{owner}: the penalties must be symmetric")
    if not np.all(np.isfinite(np.diag(penalty))):
        raise ValueError(f"{owner}: the penalties on the diagonal must be finite")
    penalty = finite_penalty(S, penalty)
    free = p * p - np.count_nonzero(penalty) - np.count_nonzero(np.diag(penalty) == 0.0)  # off the diagonal
    if free > 0:
        # A pair without a penalty needs data that bound it.
        unit = np.sqrt(np.diag(S))
        least = float(np.linalg.eigvalsh((S + np.diag(np.diag(penalty))) / unit / unit[:, None])[0])
        if least <= 1e-12 * p and free == p * (p - 1):
            raise ValueError(
                f"{owner}(alpha=0): the covariance is singular (smallest eigenvalue of the correlations {least:.1e}), "
                "so the likelihood has no maximum; raise alpha"
            )
    return penalty

"""Support vector regression. Syllabus: S9."""

import numpy as np
from sklearn.base import RegressorMixin

from learnable.base import Fitting
from learnable.kernels.cost import fitted_cost, refuse_cost, without_bounds
from learnable.kernels.regression_machine import SingleMachine
from learnable.panel import Entry
from learnable.solvers.kernels import machines, smo

# The violation that is enough, relative to the range of y, whatever `tol` says in the units of y.
OF_RANGE = 2e-3


class SVR(RegressorMixin, SingleMachine):
    """A function within a tube of half-width ε round the targets: ½‖w‖² + C Σ (|yᵢ − f(xᵢ)| − ε)₊.

    Parameters
    ----------
    kernel : "linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2", "precomputed", a
        `Kernel`, or a function of two tables, or of two lists of objects of any kind (words, graphs) where X is one
    degree, gamma, coef0 : of the named kernels; gamma "scale" is 1/(p · variance of X), "auto" 1/p
    tol : float > 0, default=1e-3
        Largest violation of the optimality conditions at the end, in units of y; never more than 0.2 % of its range.
    C : float > 0, default=1.0
        What it costs to leave the tube; infinity lets no row leave it, and is refused where some must.
    epsilon : float ≥ 0, default=0.1
    shrinking : as in `SVC`
    verbose : ignored; set a callback to watch the fit.
    cache_size : float, default=200
        Megabytes of kernel values kept.
    max_iter : int, default=-1
        Steps, -1 for no limit.

    Attributes
    ----------
    support_, support_vectors_, n_support_ : the rows on or outside the tube.
    dual_coef_ : (1, n support), β = α − α*.
    intercept_ : (1,).
    gamma_, shape_fit_, fit_status_, n_iter_ : accounts of the data and of the way there.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        S6 β in its box and in balance, every row in its class; S9 the relative duality gap; S5 the offset.

    References
    ----------
    Drucker, Burges, Kaufman, Smola and Vapnik (1997), "Support vector regression machines".

    Examples
    --------
    >>> X = np.linspace(0.0, 3.0, 20)[:, None]
    >>> model = SVR(C=100.0, epsilon=0.05).fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.06), str(model.certificate_.verdict)
    (True, 'proved')
    """

    panel = (
        Entry("regression", "support vectors", {"C": [0.3, 3.0, 30.0], "epsilon": [0.1]},
              in_target_units=("C", "epsilon"), most_rows=2000),
    )  # fmt: skip

    def __init__(
        self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, C=1.0, epsilon=0.1, shrinking=True,
        cache_size=200, verbose=False, max_iter=-1,
    ):  # fmt: skip
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def fit(self, X, y, sample_weight=None):
        """Fit.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or the table of kernel values
        y : array (n,)
        sample_weight : array (n,) that multiplies C; rows of a weight ≤ 0 are left out
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        refuse_cost("SVR", self.C, without_slack=True)
        data = self._checked_data(X, y, sample_weight, y_numeric=True)
        y = data.y.astype(float)
        n = len(y)
        C = fitted_cost(self.C) * (np.ones(n) if data.sample_weight is None else data.sample_weight)
        dual = smo.BoxDual(y, -C, C, float(self.epsilon), np.zeros(n, dtype=np.int8))
        posed = machines.Posed(np.arange(n), dual, np.zeros(n))
        enough = min(self.tol, OF_RANGE * float(np.ptp(y))) if np.ptp(y) > 0.0 else self.tol
        fitting = self._fitting(data, posed, enough, lambda state: (state.betas[0], float(state.offsets[0, 0]), {}))
        if np.isfinite(self.C):
            return fitting
        return fitting._replace(iterates=without_bounds("SVR", fitting.iterates, [posed]))

    def predict(self, X) -> np.ndarray:
        """f(x).

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        return self._function(X)

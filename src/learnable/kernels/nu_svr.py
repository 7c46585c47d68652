"""Support vector regression that chooses its tube. Syllabus: S9."""

import numpy as np
from sklearn.base import RegressorMixin

from learnable.base import Fitting
from learnable.kernels.cost import refuse_cost
from learnable.kernels.regression_machine import SingleMachine
from learnable.kernels.svr import OF_RANGE
from learnable.solvers.kernels import machines, smo
from learnable.solvers.kernels.starts import filled

# Share of a bound beyond which it counts as reached.
SPENT = 1.0 - 1e-9


class NuSVR(RegressorMixin, SingleMachine):
    """A tube as narrow as a share ν of rows outside it allows: ½‖w‖² + C (ν n ε + Σ (|yᵢ − f(xᵢ)| − ε)₊), ε ≥ 0 free.

    At most a share ν of the rows is outside the tube, and at least a share ν is support vectors.

    Parameters
    ----------
    nu : float in (0, 1], default=0.5
    C : float > 0, default=1.0
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter : as in `SVR`

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, gamma_, shape_fit_, fit_status_, n_iter_ : see SVR
    epsilon_ : half-width of the tube.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        S6 the coefficients in their box and in balance; S9 the relative duality gap, minimised over b and ε.

    References
    ----------
    Schölkopf, Smola, Williamson and Bartlett (2000), "New support vector algorithms".

    Examples
    --------
    >>> X = np.linspace(0.0, 3.0, 20)[:, None]
    >>> model = NuSVR(C=100.0, nu=0.3).fit(X, np.sin(X[:, 0]) + 0.1 * (-1.0) ** np.arange(20))
    >>> bool(model.n_support_[0] >= 6), str(model.certificate_.verdict)
    (True, 'proved')
    """

    def __init__(
        self, *, nu=0.5, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True, tol=1e-3,
        cache_size=200, verbose=False, max_iter=-1,
    ):  # fmt: skip
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
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
        refuse_cost("NuSVR", self.C)
        data = self._checked_data(X, y, sample_weight, y_numeric=True)
        y = data.y.astype(float)
        n = len(y)
        C = np.full(n, float(self.C)) if data.sample_weight is None else self.C * data.sample_weight
        # Each row has one variable above the tube and one below it.
        none = np.zeros(n)
        dual = smo.BoxDual(
            np.concatenate([y, y]), np.concatenate([none, -C]), np.concatenate([C, none]), 0.0,
            np.repeat(np.array([0, 1], dtype=np.int8), n),
        )  # fmt: skip
        extent = float(y.max() - y.min())
        # Of equal targets nothing is to be told by the rows: no budget, no coefficients.
        begin = filled(C, 0.5 * self.nu * float(C.sum()) if extent > 0.0 else 0.0)
        posed = machines.Posed(np.arange(2 * n) % n, dual, np.concatenate([begin, -begin]))
        enough = min(self.tol, OF_RANGE * extent) if extent > 0.0 else self.tol

        def read(state: machines.MachinesState):
            above, below = state.offsets[0]
            beta = state.betas[0][:n] + state.betas[0][n:]
            if float(np.abs(beta).sum()) < SPENT * self.nu * float(C.sum()):
                # What is left of the budget pads both variables of some rows: the tube has no width, and every row
                # whose coefficient is not at C lies on f.
                inside = np.abs(beta) < SPENT * C
                return beta, -float(np.mean(state.slopes[0][:n][inside])), {"epsilon_": 0.0}
            return beta, 0.5 * float(above + below), {"epsilon_": 0.5 * float(above - below)}

        return self._fitting(data, posed, enough, read)

    def predict(self, X) -> np.ndarray:
        """f(x).

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        return self._function(X)

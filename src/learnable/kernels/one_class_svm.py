"""The region that holds all but a share ν of the points. Syllabus: S8."""

import numpy as np
from sklearn.base import OutlierMixin

from learnable.base import Fitting
from learnable.kernels.regression_machine import SingleMachine
from learnable.solvers.kernels import machines, smo
from learnable.solvers.kernels.starts import filled


class OneClassSVM(OutlierMixin, SingleMachine):
    """A hyperplane between the points and the origin of feature space: ½‖w‖² − ν n ρ + Σ (ρ − w·Φ(xᵢ))₊.

    At most a share ν of the training rows is outside, f(x) = w·Φ(x) − ρ < 0, and at least a share ν is support vectors.

    Parameters
    ----------
    kernel, degree, gamma, coef0, shrinking, cache_size, verbose, max_iter : as in `SVR`
    tol : float > 0, default=1e-3
        Largest violation of the optimality conditions at the end, in units of what rows differ in where that is less
        than 1: the spread of the scores, or of what one coefficient adds to them.
    nu : float in (0, 1], default=0.5

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, gamma_, shape_fit_, fit_status_, n_iter_ : as in `SVR`.
    intercept_ : (1,) −ρ.
    offset_ : (1,) ρ.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        S6 the coefficients in their box with the sum ν n; S7 the relative duality gap; S5 the offset.

    References
    ----------
    Schölkopf, Platt, Shawe-Taylor, Smola and Williamson (2001), "Estimating the support of a high-dimensional
    distribution".

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((100, 2))
    >>> model = OneClassSVM(nu=0.1).fit(X)
    >>> bool((model.predict(X) == -1).mean() <= 0.12), str(model.certificate_.verdict)
    (True, 'proved')
    """

    def __init__(
        self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, nu=0.5, shrinking=True, cache_size=200,
        verbose=False, max_iter=-1,
    ):  # fmt: skip
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def fit(self, X, y=None, sample_weight=None):
        """Fit.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or the table of kernel values
        y : ignored
        sample_weight : array (n,), the largest coefficient of each row; rows of a weight ≤ 0 are left out
        """
        return self._learn(X, None, sample_weight=sample_weight)

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        data = self._checked_data(X, None, sample_weight)
        n = data.X.shape[0]
        most = np.ones(n) if data.sample_weight is None else np.asarray(data.sample_weight, dtype=float)
        none = np.zeros(n)
        dual = smo.BoxDual(none, none, most, 0.0, np.zeros(n, dtype=np.int8))
        posed = machines.Posed(np.arange(n), dual, filled(most, self.nu * float(most.sum())), by_spread=True)

        def read(state: machines.MachinesState):
            offset = float(state.offsets[0, 0])
            return state.betas[0], offset, {"offset_": np.array([-offset])}

        return self._fitting(data, posed, self.tol, read)

    def decision_function(self, X) -> np.ndarray:
        """w·Φ(x) − ρ: positive inside.

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        return self._function(X)

    def score_samples(self, X) -> np.ndarray:
        """w·Φ(x).

        Parameters
        ----------
        X : as for `decision_function`
        """
        return self._function(X) + self.offset_[0]

    def predict(self, X) -> np.ndarray:
        """1 inside, −1 outside.

        Parameters
        ----------
        X : as for `decision_function`
        """
        return np.where(self._function(X) >= 0.0, 1, -1)

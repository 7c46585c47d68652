"""Linear support vector regression for many rows. Syllabus: S9."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Fitting, LinearRegressor
from learnable.kernels.cost import refuse_cost
from learnable.kernels.kernel_parameters import COST
from learnable.kernels.linear_machine import ADVICE, iterates, spent
from learnable.problems.linear.regression_losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from learnable.seeds import seed_from
from learnable.trace import Status

LOSSES = {"epsilon_insensitive": EpsilonInsensitive, "squared_epsilon_insensitive": SquaredEpsilonInsensitive}


class LinearSVR(LinearRegressor):
    """½‖(w, b/s)‖² + C Σ (|yᵢ − w·xᵢ − b| − ε)₊, or with the square of the loss.

    The offset is penalised like the weights, as a column that holds s = `intercept_scaling`. Solved by dual
    coordinate descent over the rows, with shrinking, to a relative duality gap of 5e-5.

    Parameters
    ----------
    epsilon : float ≥ 0, default=0.0
    tol : float > 0, default=1e-4
        Largest violation of the optimality conditions in the last pass.
    C : float > 0, default=1.0
    loss : "epsilon_insensitive" or "squared_epsilon_insensitive"
    fit_intercept : bool, default=True
    intercept_scaling : float > 0, default=1.0
    dual : kept for compatibility
    verbose : ignored; set a callback to watch the fit.
    random_state : order of the rows.
    max_iter : int, default=1000
        Passes over the rows.

    Attributes
    ----------
    coef_ : (p,).
    intercept_ : (1,).
    dual_coef_ : (1, n), β of every row: the witness of the certificate.
    n_iter_ : passes.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        S9 the relative duality gap between coef_ and dual_coef_.

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> model = LinearSVR(C=10.0, max_iter=10_000).fit(X, 2.0 * X[:, 0] + 1.0)
    >>> model.coef_.round(2), str(model.certificate_.verdict)
    (array([2.]), 'proved')
    """

    _parameter_constraints: ClassVar = {
        "epsilon": [Interval(Real, 0.0, None, closed="left")], "tol": [Interval(Real, 0.0, None, closed="neither")],
        "C": COST, "loss": [StrOptions(set(LOSSES))], "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0.0, None, closed="neither")],
        "dual": ["boolean", StrOptions({"auto"})], "verbose": ["verbose"],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
    }  # fmt: skip

    def __init__(
        self, *, epsilon=0.0, tol=1e-4, C=1.0, loss="epsilon_insensitive", fit_intercept=True, intercept_scaling=1.0,
        dual="auto", verbose=0, random_state=None, max_iter=1000,
    ):  # fmt: skip
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    def fit(self, X, y, sample_weight=None):
        """Fit.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,)
        sample_weight : array (n,) that multiplies C
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        refuse_cost("LinearSVR", self.C)
        data = self._validated(
            X, y, sample_weight, blocks=False, extremes=False, accept_sparse="csr", dtype=np.float64, order="C",
            y_numeric=True,
        )  # fmt: skip
        y = data.y.astype(float)
        C = np.full(len(y), float(self.C)) if data.sample_weight is None else self.C * data.sample_weight
        scale = float(self.intercept_scaling) if self.fit_intercept else 0.0
        seed = seed_from(self.random_state, "LinearSVR")
        enough = self.tol * max(float(np.ptp(y)), np.finfo(float).tiny)

        def attributes(state):
            return {
                "coef_": state.coef[0, :-1].copy(), "intercept_": scale * state.coef[:, -1],
                "dual_coef_": state.dual.copy(), "n_iter_": int(state.passes[0]),
            }  # fmt: skip

        return Fitting(
            iterates=iterates(
                data.X, [y], [C], LOSSES[self.loss](float(self.epsilon)), scale, enough, self.max_iter,
                lambda: [seed],
            ),
            stop=spent(self.max_iter),
            attributes=attributes,
            data=data,
            ended=Status.OPTIMAL,
            advice=ADVICE,
        )  # fmt: skip

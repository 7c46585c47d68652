"""The path of SCAD, MCP and bridge regression: every penalty's answer starts the next."""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.interrupt import interrupts_pass
from learnable.base import Data
from learnable.rows import one_blas_thread
from learnable.solvers.sparse.folded_descent import FoldedDescent
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.sparse.folded_regressor import FoldedRegressor


class FoldedPath(NamedTuple):
    """A path.

    Attributes
    ----------
    alphas : (m,) falling.
    coefs : (p, m).
    intercepts : (m,).
    objectives : (m,).
    violations : (m,) largest distance of a coefficient to stationarity, relative, as in `tol`.
    """

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    objectives: np.ndarray
    violations: np.ndarray


def folded_path(model: FoldedRegressor, X, y, alphas, *, sample_weight=None) -> FoldedPath:
    """Stationary points for a falling list of penalties, each found from the one before.

    Parameters
    ----------
    model : `MCPRegression`, `SCADRegression` or `BridgeRegression` with its parameters; its `alpha` is not used.
    X : array or sparse matrix (n, p)
    y : array (n,)
    alphas : array (m,) > 0; they are put in falling order.
    sample_weight : array (n,), default=None

    Examples
    --------
    >>> from learnable.datasets import toeplitz_regression
    >>> from learnable.sparse import MCPRegression, folded_path
    >>> X, y, beta, _ = toeplitz_regression(200, 50, support=4, noise=0.1, random_state=0)
    >>> path = folded_path(MCPRegression(tol=1e-9), X, y, [1.0, 0.3, 0.1])
    >>> path.coefs.shape, bool(path.violations.max() <= 1e-9)
    ((50, 3), True)
    """
    levels = np.sort(np.atleast_1d(np.asarray(alphas, dtype=float)))[::-1]
    if levels.ndim != 1 or not len(levels) or not np.all((levels > 0.0) & np.isfinite(levels)):
        raise ValueError(f"folded_path: alphas is {alphas!r}; give a list of finite numbers > 0")
    data: Data = model._validated(
        X, y, sample_weight, accept_sparse=["csc"], y_numeric=True, dtype=np.float64, extremes=False, blocks=False
    )
    with interrupts_pass(), one_blas_thread():
        posed = penalized_problem(data.X, data.y, data.sample_weight, model.fit_intercept)
        run, p = FoldedDescent(posed.design), data.X.shape[1]
        found = []
        for alpha in levels:
            states = run.rounds(model._penalty()._replace(alpha=float(alpha)), model.tol)
            for _, state in zip(range(model.max_iter), states):
                if state.violation <= model.tol:
                    break
            found.append((*posed.answer(state.coef, p), state.objective, state.violation))
    coefs, intercepts, objectives, violations = (np.array(part) for part in zip(*found))
    return FoldedPath(levels, coefs.T, intercepts, objectives, violations)

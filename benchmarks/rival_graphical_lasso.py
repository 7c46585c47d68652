"""The graphical lasso of scikit-learn and of skglm."""

import numpy as np


def of_sklearn(S: np.ndarray, alpha: float, tol: float) -> np.ndarray:
    """The precision; `tol` bounds its own gap."""
    from sklearn.covariance import graphical_lasso

    return graphical_lasso(S, alpha, tol=tol, enet_tol=min(tol, 1e-6), max_iter=1000)[1]


def of_skglm(S: np.ndarray, alpha: float, sweeps: int, algo: str) -> np.ndarray:
    """The precision by the "dual" or the "primal" form after so many sweeps over the columns."""
    from skglm.covariance import GraphicalLasso

    return GraphicalLasso(alpha=alpha, algo=algo, tol=0.0, max_iter=sweeps).fit(S, mode="precomputed").precision_

"""Least squares on some of the columns, from correlations. Syllabus: L1, R1."""

import numpy as np


def on_support(gram: np.ndarray, cross: np.ndarray, support: np.ndarray) -> tuple[np.ndarray, float]:
    """(coefficients of least squares on the columns `support`, their RSS); the shortest ones if not unique.

    >>> on_support(np.eye(2), np.array([0.6, 0.0]), np.array([0]))
    (array([0.6]), 0.64)
    """
    G, c = gram[np.ix_(support, support)], cross[support]
    try:
        factor = np.linalg.cholesky(G)
        coef = np.linalg.solve(factor.T, np.linalg.solve(factor, c))
    except np.linalg.LinAlgError:
        coef = np.linalg.lstsq(G, c, rcond=None)[0]
    return coef, float(1.0 - c @ coef)

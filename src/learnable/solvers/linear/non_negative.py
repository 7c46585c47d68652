"""Least squares and ridge over non-negative coefficients: an active-set method on the triangular factor of the data."""

from collections.abc import Iterator

import numpy as np
from scipy import linalg

from learnable.rows import Rows, moments, triangular_factor
from learnable.solvers.linear.least_squares import LeastSquaresState


def iterates(rows: Rows, alpha, intercept: bool) -> Iterator[LeastSquaresState]:
    """One state. The data enter through R of [X y] = QR, which has the same residual norms for every β."""
    from scipy.optimize import nnls

    p = rows.n_columns
    found = moments(rows, centre=intercept)
    alpha = np.broadcast_to(np.asarray(alpha, dtype=float), found.mean_y.shape)
    mean = np.concatenate([found.mean_x, found.mean_y]) if intercept else None
    R = triangular_factor(rows, centre_at=mean)
    coef, rss = np.zeros((p, len(alpha))), np.zeros(len(alpha))
    for k, level in enumerate(alpha):
        design, target = R[:, :p], R[:, p + k]
        if level > 0.0:
            design = np.vstack([design, np.sqrt(level) * np.eye(p)])
            target = np.concatenate([target, np.zeros(p)])
        coef[:, k], distance = nnls(design, target)
        rss[k] = distance**2
    offset = found.mean_y - found.mean_x @ coef if intercept else np.zeros(len(alpha))
    singular = linalg.svdvals(R[:, :p])
    alive = singular[singular > singular.max(initial=0.0) * max(rows.n_rows, p) * np.finfo(float).eps]
    condition = float(alive[0] / alive[-1]) if len(alive) else 1.0
    yield LeastSquaresState(
        float(rss.sum()) / (2.0 * found.weight), coef, offset, len(alive), singular, condition, "active set"
    )

"""Axes whose variance is small beside the first: what the scores of the rows show of them. Syllabus: U10.

Errors relative to λ₁ say nothing of an axis with a variance far below that. Scores along right axes are uncorrelated,
whatever their deviations: with (X − x̄) = QR the correlations of the columns of RVᵀ are those of the scores.
"""

import numpy as np
from scipy import linalg

from learnable.certificates.core import Claim
from learnable.certificates.core.sums import means, triangle
from learnable.rows import Rows

# How far scores may be from those of the right axes, in deviations of their own.
OFF = 1e-4
# The share of a score up to which rounding is made allowance for: an axis with more of it is lost in rounding.
LOST = 0.1
# Last digits of a mean that rounding may take.
ROUNDED = 64.0
_TINY = float(np.finfo(float).tiny)


def score_claims(
    id: str, rows: Rows, V: np.ndarray, values: np.ndarray, eps: float, asked: float, stated_mean: np.ndarray
) -> list[Claim]:
    """Correlations of the scores with each other and with what the axes leave, and their variances; and the mean.

    Parameters
    ----------
    V : (q, p) the axes, kept to `eps`.
    values : (q,) their variances.
    asked : what the axes, or the mean, may miss and be left open.
    stated_mean : (p,) from which scores are counted.
    """
    _, mean = means(rows)
    R = triangle(rows, mean, np.ones(len(mean)))
    # Of rows that are all the same nothing is left but the rounding of their mean.
    rounded = float(np.finfo(float).eps) * float(np.abs(mean).max(initial=0.0))
    largest = max(float(np.abs(R).max(initial=0.0)), rounded, _TINY)
    R, steps = R / largest, 4.0 * (len(R) + np.sqrt(rows.n_rows) + 10.0)
    far = np.sqrt(rows.n_rows) * float(linalg.norm(mean / largest))
    noise = max(steps * (eps * float(linalg.norm(R)) + float(np.finfo(float).eps) * far), _TINY)
    scores = R @ V.T
    length, left = linalg.norm(scores, axis=0), R - scores @ V
    over = float(linalg.norm(left, 2)) if left.size else 0.0
    stated = np.sqrt(values * (rows.n_rows - 1)) / largest
    told = length > noise / LOST
    a, d, share = scores[:, told], length[told], noise / length[told]
    off = [0.0]
    if len(d):
        correlation = np.abs(a.T @ a) / np.outer(d, d) - share[:, None] - share
        np.fill_diagonal(correlation, 0.0)
        rising = np.max(d[1:] / d[:-1] - 1.0, initial=0.0)
        off += [correlation.max(), rising]
    if len(d) and over > noise / LOST:
        off.append(np.max(linalg.norm(left.T @ a, axis=0) / (d * over) - share) - noise / over)
    # Nothing that the axes leave is longer than the last of them.
    last = float(length.min(initial=np.inf))
    off.append((over - noise - last) / max(last, noise / LOST))
    off.append(np.max((np.abs(stated - length) - noise) / np.maximum(length, noise), initial=0.0))
    statement = "scores are uncorrelated and have the variances stated (largest deviation, relative to their own)"
    of_scores = Claim.reached(id, statement, float(np.max(off)), OFF, asked)
    statement = "mean_ is the mean of the rows (column by column, in deviations, over rounding)"
    rounded = ROUNDED * float(np.finfo(stated_mean.dtype).eps) * np.maximum(np.abs(mean), np.abs(stated_mean))
    away = np.maximum(np.abs(stated_mean - mean) - rounded, 0.0)
    deviations = np.maximum(linalg.norm(R, axis=0) * largest / np.sqrt(rows.n_rows), _TINY)
    return [of_scores, Claim.reached(id, statement, float(np.max(away / deviations)), OFF, asked)]

"""Products with X and with its transpose, the second depending on the first, while X is read from memory once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from learnable.certificates.core.sums import sums_over_rows, times_columns
from learnable.rows.stretches import FOR_PRODUCTS, stretches


def scores_and_sums(
    X: Any, coef: np.ndarray, fixed: Any, pull: Callable[[np.ndarray, slice], np.ndarray], known: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The scores X @ coef + fixed, and Σᵢ vᵢ xᵢ for weights v that follow from them and for known ones.

    Parameters
    ----------
    X : (n, p), dense or sparse.
    coef : (p,) or (p, K).
    fixed : what broadcasts to the scores.
    pull : (scores of some rows, which rows) -> their weights, (n',) or (K, n').
    known : (m, n) weights that depend on no score.

    Returns
    -------
    scores : (n,) or (n, K).
    sums : (K + m, p), those of `pull` first.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> scores_and_sums(X, np.array([1.0, 0.0]), 0.5, lambda scores, rows: -scores, np.ones((1, 2)))
    (array([1.5, 3.5]), array([[-12., -17.],
           [  4.,   6.]]))
    """
    n, p = X.shape
    coef = np.asarray(coef, dtype=float)
    K = 1 if coef.ndim == 1 else coef.shape[1]
    scores = np.empty((n, *coef.shape[1:]))
    scores[...] = fixed
    sums = np.zeros((K + len(known), p))
    for rows, part in stretches(X, FOR_PRODUCTS):
        scores[rows] += part @ coef if coef.ndim == 1 else times_columns(part, coef)
        pulls = np.atleast_2d(pull(scores[rows], rows))
        sums += sums_over_rows(np.concatenate([pulls, known[:, rows]]) if len(known) else pulls, part)
    return scores, sums

"""The m-estimate of probabilities: counts, and a virtual sample that says what was believed before."""

import numpy as np
from numpy.typing import ArrayLike

from learnable.problems.bayes.naive_bayes import log_probabilities, virtual_counts


def m_estimate(counts: ArrayLike, m: float, p: ArrayLike | None = None) -> np.ndarray:
    """(n_v + m p_v) / (n + m): n examples, n_v of them with the value v, and m virtual ones that fall as p says.

    Laplace's rule is m = number of values, p uniform; m = 0 gives the shares. Syllabus: Y7.

    Parameters
    ----------
    counts : array (V,) or (K, V)
        n_v, of one class or of each of K.
    m : float >= 0
        Size of the virtual sample.
    p : array (V,), default=None
        Its distribution; uniform when None.

    Returns
    -------
    array like `counts`, rows that sum to 1

    Examples
    --------
    >>> m_estimate([2, 1, 0], m=3.0).round(4)
    array([0.5   , 0.3333, 0.1667])
    >>> m_estimate([2, 1, 0], m=1.0, p=[0.2, 0.2, 0.6])
    array([0.55, 0.3 , 0.15])
    """
    seen = np.asarray(counts, dtype=float)
    if seen.ndim not in (1, 2) or seen.shape[-1] == 0 or not np.all(np.isfinite(seen)) or np.any(seen < 0.0):
        raise ValueError(f"m_estimate(counts): shape {seen.shape}; finite counts >= 0 of at least one value are needed")
    if not 0.0 <= m < np.inf:
        raise ValueError(f"m_estimate(m={m}): the virtual sample must be finite and >= 0")
    prior = None if p is None else np.asarray(p, dtype=float)
    if prior is not None and (
        prior.shape != seen.shape[-1:] or np.any(prior < 0.0) or not np.isclose(prior.sum(), 1.0)
    ):
        raise ValueError(f"m_estimate(p): {seen.shape[-1]} numbers >= 0 that sum to 1 are needed, one for each value")
    if m == 0.0 and np.any(seen.sum(axis=-1) == 0.0):
        raise ValueError("m_estimate(m=0): without examples the shares are 0/0; set m > 0")
    return np.exp(log_probabilities(seen, virtual_counts(seen.shape[-1], m, prior)))

"""Bayes' theorem for two classes, in odds."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit


def two_class_posterior(prior: float, log_density_1: ArrayLike, log_density_0: ArrayLike) -> np.ndarray:
    """P(Y=1|x) = p(x|1)P(1) / (p(x|1)P(1) + p(x|0)P(0)), from logarithms of densities.

    In odds: log P(1|x)/P(0|x) = log P(1)/P(0) + log p(x|1)/p(x|0), which neither underflows nor loses small
    probabilities.

    Parameters
    ----------
    prior : float in [0, 1]
        P(Y = 1).
    log_density_1, log_density_0 : arrays (n,)
        log p(x|1) and log p(x|0); −∞ where the class cannot produce x.

    Returns
    -------
    array (n,)

    Syllabus: Y3, C10.

    >>> two_class_posterior(0.01, np.log([0.9, 0.1]), np.log([0.05, 0.95])).round(4).tolist()   # a test for a rare ill
    [0.1538, 0.0011]
    """
    if not 0 <= prior <= 1:
        raise ValueError(f"two_class_posterior(prior={prior}): prior must be in [0, 1]")
    one, zero = np.asarray(log_density_1, dtype=float), np.asarray(log_density_0, dtype=float)
    for name, logs in (("log_density_1", one), ("log_density_0", zero)):
        if np.any(np.isnan(logs)) or np.any(logs == np.inf):
            raise ValueError(f"two_class_posterior({name}): logarithms of densities must be numbers or -inf")
    with np.errstate(divide="ignore", invalid="ignore"):
        joint_1, joint_0 = np.log(prior) + one, np.log1p(-prior) + zero
        impossible = (joint_1 == -np.inf) & (joint_0 == -np.inf)
        if np.any(impossible):
            row = int(np.argmax(np.atleast_1d(impossible)))
            raise ValueError(f"two_class_posterior: neither class can produce x in row {row}: both densities are 0")
        return expit(joint_1 - joint_0)

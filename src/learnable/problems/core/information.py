"""Information criteria, one convention for the whole library: every number that was fitted counts as a parameter.

Of a Gaussian regression that is the coefficients (or their effective number), the intercept, and the variance where it
was estimated too. Syllabus: MS12.
"""

import numpy as np


def aic(log_likelihood, parameters):
    """−2 log L + 2 d.

    >>> aic(-10.0, 3)
    26.0
    """
    return -2.0 * log_likelihood + 2.0 * parameters


def bic(log_likelihood, parameters, n):
    """−2 log L + d log n.

    >>> round(float(bic(-10.0, 3, 100)), 6)
    33.815511
    """
    return -2.0 * log_likelihood + parameters * np.log(n)

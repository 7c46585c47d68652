"""Forward and backward variables of a hidden Markov model, for all to see."""

from typing import NamedTuple

import numpy as np


class ForwardBackward(NamedTuple):
    """α and β of every row, in logarithms: T numbers multiplied with one another are no numbers any more.

    Attributes
    ----------
    log_alpha : array (n, K), log α_t(i) = log P(O_1 … O_t, q_t = i).
    log_beta : array (n, K), log β_t(i) = log P(O_{t+1} … O_T | q_t = i); 0 at the end of a sequence.
    log_likelihoods : array, log P(O) of each sequence: log Σ_i α_t(i) β_t(i), the same at every t.
    """

    log_alpha: np.ndarray
    log_beta: np.ndarray
    log_likelihoods: np.ndarray

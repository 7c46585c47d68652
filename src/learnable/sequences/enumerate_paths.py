"""Every path of states, one by one: the definition itself, for sequences short enough."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from learnable.sequences.hidden_markov import HiddenMarkovModel

# All of them are held at once.
MOST_PATHS = 2_000_000


class Enumeration(NamedTuple):
    """From all K^T paths: log P(O), the most probable path (the first of equals), log P(path, O), posteriors (T, K)."""

    log_likelihood: float
    path: np.ndarray
    log_joint: float
    posterior: np.ndarray


def enumerate_paths(model: HiddenMarkovModel, X: Any) -> Enumeration:
    """P(O) = Σ_q π_{q1} b_{q1}(O_1) Π_t a_{q_{t−1} q_t} b_{q_t}(O_t) over all K^T paths q of one sequence.

    What the forward procedure computes in O(T K²) steps. Syllabus: H3.

    Parameters
    ----------
    model : fitted hidden Markov model. X : one sequence.

    Examples
    --------
    >>> from learnable.sequences import CategoricalHMM, enumerate_paths
    >>> model = CategoricalHMM(random_state=0).fit([[0, 1, 1, 0, 0]])
    >>> bool(np.isclose(enumerate_paths(model, [0, 1, 1]).log_likelihood, model.score([0, 1, 1])))
    True
    """
    found = model._model()
    sequences = model._in_memory(X, None)
    if len(sequences.lengths) != 1:
        raise ValueError(
            f"enumerate_paths: X holds {len(sequences.lengths)} sequences; give one; their log-likelihoods add up"
        )
    rows = sequences.rows
    K, T = len(found.start), len(rows)
    if K**T > MOST_PATHS:
        raise ValueError(
            f"enumerate_paths: {K} states and {T} steps make {K}^{T} paths, more than {MOST_PATHS}; use score"
        )
    with np.errstate(divide="ignore"):
        log_start, log_A = np.log(found.start), np.log(found.transition)
    log_B = found.emission.log_density(rows, None)
    paths = np.array(list(product(range(K), repeat=T)))
    joint = log_start[paths[:, 0]] + log_B[0, paths[:, 0]]
    for t in range(1, T):
        joint = joint + log_A[paths[:, t - 1], paths[:, t]] + log_B[t, paths[:, t]]
    best = int(np.argmax(joint))
    if joint[best] == -np.inf:
        return Enumeration(-np.inf, paths[best], -np.inf, np.full((T, K), np.nan))
    weight = np.exp(joint - joint[best])
    posterior = np.array([np.bincount(paths[:, t], weights=weight, minlength=K) for t in range(T)]) / weight.sum()
    return Enumeration(float(joint[best] + np.log(weight.sum())), paths[best], float(joint[best]), posterior)

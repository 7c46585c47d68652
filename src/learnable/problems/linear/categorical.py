"""The likelihood of class labels given linear scores: binary (one score) and softmax (one score a class).

With one column of scores, f is the log-odds of class 1 against class 0. With K ≥ 2 columns the probability of class k
is e^{f_k} / Σ_l e^{f_l}. Syllabus: C5, C6.
"""

import numpy as np
from scipy.special import expit, softmax, xlogy

from learnable.problems.linear import losses


def probabilities(scores: np.ndarray) -> np.ndarray:
    """P(class | scores), one column a score: P(class 1) alone in the binary case.

    >>> probabilities(np.array([[0.0], [np.log(3.0)]]))
    array([[0.5 ],
           [0.75]])
    """
    return expit(scores) if scores.shape[1] == 1 else softmax(scores, axis=1)


def indicators(index: np.ndarray, n_scores: int) -> np.ndarray:
    """One-hot rows, or the 0/1 label as a single column in the binary case."""
    if n_scores == 1:
        return index[:, None].astype(float)
    return (index[:, None] == np.arange(n_scores)).astype(float)


def negative_log_likelihood(index: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """−log P(class of the row), for each row."""
    if scores.shape[1] == 1:
        return losses.value(losses.Logistic(), 2.0 * index - 1.0, scores[:, 0])
    top = scores.max(axis=1)
    total = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top
    return total - scores[np.arange(len(index)), index]


def conjugate(index: np.ndarray, expectation: np.ndarray) -> np.ndarray:
    """Conjugate of the row's loss at u = expectation − indicator: the negative entropy of `expectation`.

    `expectation` holds probabilities, one column in the binary case.
    """
    entropy = xlogy(expectation, expectation).sum(axis=1)
    if expectation.shape[1] == 1:
        rest = 1.0 - expectation[:, 0]
        entropy = entropy + xlogy(rest, rest)
    return entropy

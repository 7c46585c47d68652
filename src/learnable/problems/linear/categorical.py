"""The likelihood of class labels given linear scores: binary (one score) and softmax (one score a class).

With one column of scores, f is the log-odds of class 1 against class 0. With K ≥ 2 columns the probability of class k
is e^{f_k} / Σ_l e^{f_l}. Syllabus: C5, C6.
"""

import numpy as np
from scipy.special import expit, xlogy

from learnable.problems.linear import losses


def probabilities(scores: np.ndarray) -> np.ndarray:
    """P(class | scores), one column a score: P(class 1) alone in the binary case.

    >>> probabilities(np.array([[0.0], [np.log(3.0)]]))
    array([[0.5 ],
           [0.75]])
    """
    if scores.shape[1] == 1:
        return expit(scores)
    powers, sums, _ = _above_the_largest(scores)
    powers /= sums
    return powers.T


def indicators(index: np.ndarray, n_scores: int) -> np.ndarray:
    """One-hot rows, or the 0/1 label as a single column in the binary case."""
    if n_scores == 1:
        return index[:, None].astype(float)
    return (index[:, None] == np.arange(n_scores)).astype(float)


def negative_log_likelihood(index: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """−log P(class of the row), for each row."""
    if scores.shape[1] == 1:
        return losses.value(losses.Logistic(), 2.0 * index - 1.0, scores[:, 0])
    _, sums, top = _above_the_largest(scores)
    return _negative_logarithms(index, scores, sums, top)


def losses_and_probabilities(index: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`negative_log_likelihood` and `probabilities`, which of several classes share their exponentials.

    >>> loss, P = losses_and_probabilities(np.array([1]), np.array([[0.0, np.log(3.0)]]))
    >>> loss, P
    (array([0.28768207]), array([[0.25, 0.75]]))
    """
    if scores.shape[1] == 1:
        return negative_log_likelihood(index, scores), probabilities(scores)
    powers, sums, top = _above_the_largest(scores)
    powers /= sums
    return _negative_logarithms(index, scores, sums, top), powers.T


def _above_the_largest(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(e^{f_k − max f} with a row for each class, their sums over the classes, max f).

    Sums over the classes are those of long rows: NumPy takes ten times as long for those of short ones.
    """
    by_class = np.ascontiguousarray(scores.T)
    top = by_class.max(axis=0)
    powers = np.exp(by_class - top)
    return powers, powers.sum(axis=0), top


def _negative_logarithms(index: np.ndarray, scores: np.ndarray, sums: np.ndarray, top: np.ndarray) -> np.ndarray:
    return np.log(sums) + top - scores[np.arange(len(index)), index]


def conjugate(index: np.ndarray, expectation: np.ndarray) -> np.ndarray:
    """Conjugate of the row's loss at u = expectation − indicator: the negative entropy of `expectation`.

    `expectation` holds probabilities, one column in the binary case.
    """
    entropy = xlogy(expectation, expectation).sum(axis=1)
    if expectation.shape[1] == 1:
        rest = 1.0 - expectation[:, 0]
        entropy = entropy + xlogy(rest, rest)
    return entropy

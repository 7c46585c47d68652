"""Naive Bayes as formulas: counts to log-probability tables, tables to log P(class, x), and from there to posteriors.

log P(c, x) = log P(c) + Σⱼ log P(xⱼ | c): given the class, the attributes are independent. A missing cell is therefore
left out twice, of the counts and of the sum: summing P(xⱼ | c) over the values it might have had gives one.

The m-estimate of a probability is (n_v + m p_v) / (n + m): n examples of the class, n_v of them with the value v, and
m virtual examples of which the prior p says how they fall. Laplace's rule is m = number of values, p uniform.
Syllabus: Y6, Y7, Y9.
"""

from functools import reduce

import numpy as np

MISSING = -1


def virtual_counts(n_values: int, m: float, p: np.ndarray | None = None) -> np.ndarray:
    """m·p_v, how many virtual examples each value gets; p is uniform unless given.

    >>> virtual_counts(4, m=2.0)
    array([0.5, 0.5, 0.5, 0.5])
    """
    return np.full(n_values, m / n_values) if p is None else m * np.asarray(p, dtype=float)


def log_probabilities(counts: np.ndarray, virtual: np.ndarray | float, out: np.ndarray | None = None) -> np.ndarray:
    """The m-estimate in logarithms: log (n_cv + m p_v) / (n_c + m), with n_c = Σ_v n_cv and m = Σ_v m p_v.

    An impossible value has −∞. A class without examples and without virtual ones has no estimate: NaN. Counts that add
    up to infinity leave −∞ and NaN.

    Parameters
    ----------
    counts : (K, V), weight of the examples of class c with value v.
    virtual : (V,) or a number for every value, m p_v.
    out : (K, V), where the result is put; a new array unless given.

    >>> np.exp(log_probabilities(np.array([[2.0, 1.0, 0.0]]), 1.0))
    array([[0.5       , 0.33333333, 0.16666667]])
    """
    smoothed = np.add(counts, virtual, out=out, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        total = smoothed.sum(axis=-1, keepdims=True)
        table = np.log(smoothed, out=smoothed)
        table -= np.log(total)
    return table


def log_bernoulli(present: np.ndarray, known: np.ndarray, virtual: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """(log P(present | c), log P(absent | c)), each (K, p): the m-estimate of two values, either with `virtual`.

    Parameters
    ----------
    present : (K, p), weight of the examples of class c that have attribute j.
    known : (K, p) or (K, 1), weight of those of which it is known whether they do.

    >>> yes, no = log_bernoulli(np.array([[3.0]]), np.array([[4.0]]), 1.0)
    >>> np.exp(yes), np.exp(no)
    (array([[0.66666667]]), array([[0.33333333]]))
    """
    absent = np.maximum(known - present, 0.0)
    absent += virtual
    with np.errstate(divide="ignore", invalid="ignore"):
        log_total = np.log(known + 2.0 * np.asarray(virtual, dtype=float))
        log_present, log_absent = np.log(present + virtual), np.log(absent, out=absent)
        log_present -= log_total
        log_absent -= log_total
    return log_present, log_absent


def log_priors(class_count: np.ndarray) -> np.ndarray:
    """log n_c / n; −∞ for a class without examples.

    >>> np.exp(log_priors(np.array([1.0, 3.0])))
    array([0.25, 0.75])
    """
    with np.errstate(divide="ignore"):
        return np.log(class_count) - np.log(np.sum(class_count))


def categorical_log_likelihood(codes: np.ndarray, table: np.ndarray) -> np.ndarray:
    """(n, K): log P(value | c) of each row's value of one attribute; 0 where the code is `MISSING`.

    Parameters
    ----------
    codes : (n,) integers, a column of `table` or `MISSING`.
    table : (K, V), as from `log_probabilities`.

    >>> np.exp(categorical_log_likelihood(np.array([1, MISSING]), np.log([[0.25, 0.75], [0.5, 0.5]])))
    array([[0.75, 0.5 ],
           [1.  , 1.  ]])
    """
    found = table.T[codes]
    found[codes == MISSING] = 0.0
    return found


def gaussian_log_likelihood(x: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """(n, K): log φ(x; μ_c, σ_c²) of one attribute; 0 where x is NaN.

    Parameters
    ----------
    x : (n,) numbers, NaN where missing.
    mean, variance : (K,).

    >>> gaussian_log_likelihood(np.array([0.0, np.nan]), np.array([0.0]), np.array([1.0]))
    array([[-0.91893853],
           [ 0.        ]])
    """
    apart = x[:, np.newaxis] - mean
    found = -0.5 * (np.log(2.0 * np.pi * variance) + apart * apart / variance)
    found[np.isnan(x)] = 0.0
    return found


def log_posterior(joint: np.ndarray) -> np.ndarray:
    """log P(c | x) = log P(c, x) − log Σ_c P(c, x), row by row, in the log domain throughout.

    ValueError for a row that is impossible under every class: Bayes' rule would divide by zero.

    >>> np.exp(log_posterior(np.array([[-1e5, -1e5 + np.log(3.0)]])))
    array([[0.25, 0.75]])
    """
    top = _row_maxima(joint)
    _refuse_impossible(top)
    found = joint - top[:, np.newaxis]
    found -= np.log(np.exp(found) @ np.ones(joint.shape[1]))[:, np.newaxis]
    return found


def refuse_impossible(joint: np.ndarray) -> None:
    """ValueError naming the first row whose likelihood is zero (or not a number) in every class."""
    _refuse_impossible(_row_maxima(joint))


def _row_maxima(joint: np.ndarray) -> np.ndarray:
    # Class by class along the rows: many rows and few classes.
    return reduce(np.maximum, joint.T)


def _refuse_impossible(top: np.ndarray) -> None:
    possible = top > -np.inf
    if not possible.all():
        i = int(np.argmin(possible))
        raise ValueError(
            f"row {i} of X has likelihood zero in every class: P(class | x) is not defined; smooth the estimates "
            "(alpha > 0, or m > 0), or leave out the values never seen"
        )

"""The averaged perceptron: the mean of (θ, b) over every visit so far. Syllabus: P5, P10."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable.solvers.linear import perceptron
from learnable.solvers.linear.perceptron import Orders


class AveragedState(NamedTuple):
    """After a pass over the rows.

    Attributes
    ----------
    objective : mean perceptron loss met during the pass, summed over the K problems.
    coef, intercept : (K, p) and (K,), means over the visits so far.
    last_coef, last_intercept : where the perceptron itself is.
    log, visits : one array a problem, the rows of this pass's mistakes and the numbers of their visits, from 1.
    passes : passes made.
    """

    objective: float
    coef: np.ndarray
    intercept: np.ndarray
    last_coef: np.ndarray
    last_intercept: np.ndarray
    log: tuple[np.ndarray, ...]
    visits: tuple[np.ndarray, ...]
    passes: int


def iterates(X: Any, labels: np.ndarray, orders: Orders, intercept: bool) -> Iterator[AveragedState]:
    """One state a pass, without end.

    An update u made at visit t is in T − t + 1 of T points: their mean is ((T + 1) θ − Σ t u) / T. The second sum is
    kept from pass to pass, so that a pass costs one product with X beyond the perceptron's own visits.

    Parameters
    ----------
    labels : (K, n) of ±1, one row a binary problem.
    """
    K, n = labels.shape
    timed, timed_offset = np.zeros((K, X.shape[1])), np.zeros(K)
    states = perceptron.iterates(X, labels, np.ones((K, 1)), orders, intercept)
    for made, state in enumerate(states, start=1):
        visits = tuple(updates.visits for updates in state.updates)
        for k, (log, when) in enumerate(zip(state.log, visits)):
            pull = np.bincount(log, labels[k, log] * when, minlength=n)
            timed[k] += np.asarray(X.T @ pull).ravel()
            timed_offset[k] += float(pull.sum()) if intercept else 0.0
        T = made * n
        yield AveragedState(
            state.objective,
            ((T + 1.0) * state.coef - timed) / T,
            ((T + 1.0) * state.intercept - timed_offset) / T,
            state.coef,
            state.intercept,
            state.log,
            visits,
            made,
        )

"""Fits of any estimator in several processes, their results in the order of the tasks."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import starmap
from typing import Any, TypeVar

R = TypeVar("R")


def in_processes(function: Callable[..., R], tasks: Iterable[tuple[Any, ...]], n_jobs: int | None) -> Iterator[R]:
    """`function(*task)` for every task, in `n_jobs` processes as joblib counts them; in this one if that is one.

    >>> list(in_processes(pow, [(2, 3), (3, 2)], n_jobs=None))
    [8, 9]
    """
    from joblib import effective_n_jobs
    from sklearn.utils.parallel import Parallel, delayed

    if effective_n_jobs(n_jobs) == 1:
        yield from starmap(function, tasks)
        return
    with warnings.catch_warnings():
        # joblib warns of a worker that it replaces in the thread that hands out the work. Where warnings are errors,
        # that thread would end and nobody would ever hand out the rest.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given to the executor")
        yield from Parallel(n_jobs=n_jobs, return_as="generator")(delayed(function)(*task) for task in tasks)

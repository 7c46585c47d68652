"""Predictions of a learner trained again and again: on simulated or on resampled training sets."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable.config import config_context
from learnable.processes import in_processes
from learnable.seeds import generator_from


def simulated_predictions(
    estimator: Any,
    simulate: Callable[[np.random.Generator], tuple[Any, Any]],
    X: Any,
    repeats: int,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> NDArray:
    """Predictions at X after training on each of repeats fresh samples: replicate × point.

    Every replicate has its own random stream, so the answer is the same for any n_jobs.

    >>> from sklearn.dummy import DummyRegressor
    >>> draw = lambda rng: (np.zeros((4, 1)), rng.normal(size=4))
    >>> simulated_predictions(DummyRegressor(), draw, np.zeros((3, 1)), 2, random_state=0).shape
    (2, 3)
    """

    def one(rng: np.random.Generator) -> NDArray:
        return _fit_predict(estimator, *simulate(rng), X, rng)

    return _stack("simulated_predictions", one, repeats, random_state, n_jobs)


def bootstrap_predictions(
    estimator: Any,
    X_train: Any,
    y_train: Any,
    X: Any,
    repeats: int,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> NDArray:
    """The same with bootstrap samples of the given training rows.

    >>> from sklearn.dummy import DummyRegressor
    >>> bootstrap_predictions(DummyRegressor(), np.zeros((4, 1)), np.arange(4), np.zeros((3, 1)), 5, 0).shape
    (5, 3)
    """
    from sklearn.utils import _safe_indexing, indexable

    X_train, y_train = indexable(X_train, y_train)
    n = len(y_train)

    def one(rng: np.random.Generator) -> NDArray:
        rows = rng.integers(n, size=n)
        return _fit_predict(estimator, _safe_indexing(X_train, rows), _safe_indexing(y_train, rows), X, rng)

    return _stack("bootstrap_predictions", one, repeats, random_state, n_jobs)


def _stack(
    owner: str,
    one: Callable[[np.random.Generator], NDArray],
    repeats: int,
    random_state: Any,
    n_jobs: int | None,
) -> NDArray:
    if repeats < 2:
        raise ValueError(f"repeats={repeats}: a variance needs at least 2 replicates")
    streams = generator_from(random_state, owner).spawn(repeats)
    return np.stack(list(in_processes(one, ((rng,) for rng in streams), n_jobs)))


def _fit_predict(estimator: Any, X_train: Any, y_train: Any, X: Any, rng: np.random.Generator) -> NDArray:
    from sklearn.base import clone

    model = clone(estimator)
    unseeded = [
        key
        for key, value in model.get_params(deep=True).items()
        if value is None and key.rpartition("__")[2] == "random_state"
    ]
    model.set_params(**{key: int(rng.integers(2**31)) for key in unseeded})
    with config_context(certificates=False):
        return np.asarray(model.fit(X_train, y_train).predict(X))

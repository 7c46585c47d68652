"""Watching an algorithm: the sequence of states whose last one `fit` adopts."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from learnable.trace.driver import Step, steps
from learnable.trace.record import snapshot


class Watching(Iterator[Step]):
    """The steps of one fit, one by one; `film()` makes a film of all of them.

    Attributes
    ----------
    model : a clone of the estimator, which the fit is posed on; None before the first step.
    fitting : the posed fit (`learnable.base.Fitting`); None before the first step.
    """

    def __init__(self, model: Any, data: tuple, fit_params: dict[str, Any]):
        self._given = (model, data, fit_params)
        self._walk = self._steps()
        self.model: Any = None
        self.fitting: Any = None

    def __next__(self) -> Step:
        return next(self._walk)

    def threads(self) -> AbstractContextManager:
        """Holds BLAS as a fit of the model does; between two steps it is the caller's."""
        return self.model._blas_of(self._given[1][0])

    def film(self, **options: Any) -> Any:
        """The whole run as a film, from its first step, however many were taken here; see `learnable.films.film`."""
        # Films stand above this room, so the import waits until one is asked for.
        return import_module("learnable.films").film(Watching(*self._given), **options)

    def _steps(self) -> Iterator[Step]:
        from sklearn.base import clone

        model, data, fit_params = self._given
        if getattr(model, "_pose", None) is None:
            raise TypeError(f"watch({type(model).__name__}): only estimators of learnable can be watched step by step")
        self.model = clone(model)
        if hasattr(self.model, "_parameter_constraints"):
            self.model._validate_params()
        with self.threads():
            self.fitting = self.model._pose(*data, **fit_params)
        walk = steps(self.fitting.iterates, self.fitting.stop)
        while True:
            with self.threads():
                step = next(walk, None)
            if step is None:
                return
            yield step._replace(state=snapshot(step.state))


def watch(model: Any, X: Any, y: Any = None, **fit_params: Any) -> Watching:
    """Yield every step of `model.fit(X, y)` without touching `model`.

    Each step has `number`, `state` (a copy that is yours to keep) and `status`, which is None while the algorithm
    goes on. `watch(model, X, y).film()` is the run as one HTML page. Syllabus: P11.

    Parameters
    ----------
    model : an estimator of this library.
    X, y, **fit_params : what `fit` takes.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable import watch
    >>> from learnable.linear import Perceptron
    >>> X, y = np.array([[1.0, 2.0], [-1.0, -1.5], [2.0, 0.5], [-2.0, -1.0]]), np.array([1, 0, 1, 0])
    >>> for step in watch(Perceptron(shuffle=False), X, y):
    ...     print(step.number, step.state.mistakes, step.status)
    1 1 None
    2 0 optimal
    """
    return Watching(model, (X, y), fit_params)

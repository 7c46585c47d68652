"""Watching an algorithm: the sequence of states whose last one `fit` adopts."""

from collections.abc import Iterator
from typing import Any

from learnable.trace.driver import Step, steps
from learnable.trace.record import snapshot


def watch(model: Any, X: Any, y: Any = None, **fit_params: Any) -> Iterator[Step]:
    """Yield every step of `model.fit(X, y)` without touching `model`.

    Each step has `number`, `state` (a copy that is yours to keep) and `status`, which is None while the algorithm
    goes on. Syllabus: P11.

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
    from sklearn.base import clone

    pose = getattr(model, "_pose", None)
    if pose is None:
        raise TypeError(f"watch({type(model).__name__}): only estimators of learnable can be watched step by step")
    copy = clone(model)
    if hasattr(copy, "_parameter_constraints"):
        copy._validate_params()
    fitting = copy._pose(X, y, **fit_params)
    for step in steps(fitting.iterates, fitting.stop):
        yield step._replace(state=snapshot(step.state))

"""One name, one body per kind of problem: the same formula serves NumPy arrays here and scalars inside kernels.

A loss or a penalty is a `NamedTuple` of numbers and arrays. A *formula* is a function dispatched on the type of its
first argument. Bodies are written elementwise with NumPy functions, so that calling one with arrays evaluates all
coordinates at once, while the compiled kernels (`_jit`) inline the very same body for one coordinate at a time.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

FORMULAS: list[Callable] = []


def formula(signature: Callable) -> Any:
    """Turn a documented signature into a formula; `formula.of(Kind)` registers the body for one kind.

    >>> from typing import NamedTuple
    >>> class Square(NamedTuple):
    ...     scale: float
    >>> @formula
    ... def area(shape, x):
    ...     'The area.'
    >>> @area.of(Square)
    ... def _(shape, x):
    ...     return shape.scale * x**2
    >>> area(Square(2.0), 3.0)
    18.0
    """
    bodies: dict[type, Callable] = {}

    @wraps(signature)
    def call(kind, *rest):
        try:
            body = bodies[type(kind)]
        except KeyError:
            known = ", ".join(sorted(k.__name__ for k in bodies))
            raise TypeError(f"{signature.__name__} has no formula for {type(kind).__name__}; known: {known}") from None
        return body(kind, *rest)

    def of(kind: type):
        def register(body):
            bodies[kind] = body
            return body

        return register

    code = signature.__code__
    call.of = of  # type: ignore[attr-defined]
    call.bodies = bodies  # type: ignore[attr-defined]
    call.argument_names = code.co_varnames[: code.co_argcount]  # type: ignore[attr-defined]
    FORMULAS.append(call)
    return call


def where(condition, x, y):
    """`np.where` for formulas: inside a kernel, where everything is one coordinate, a plain choice.

    >>> where(np.array([True, False]), 1.0, 2.0)
    array([1., 2.])
    """
    return np.where(condition, x, y)

"""Shapes of fitted attributes, before any claim reads their numbers."""

from typing import Any

import numpy as np


def check_shapes(model: Any, **expected: tuple[int, ...]) -> None:
    """An `IndexError`, which refutes, where a fitted attribute has another shape than the problem gives it.

    >>> from types import SimpleNamespace
    >>> check_shapes(SimpleNamespace(mean_=np.zeros(2)), mean_=(3,))
    Traceback (most recent call last):
        ...
    IndexError: mean_ has shape (2,), not (3,)
    """
    for name, shape in expected.items():
        found = np.shape(getattr(model, name))
        if found != shape:
            raise IndexError(f"{name} has shape {found}, not {shape}")

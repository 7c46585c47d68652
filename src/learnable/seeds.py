"""Random numbers from what users give as `random_state`."""

from numbers import Integral
from typing import Any

import numpy as np

from learnable.plain import plain


def generator_from(random_state: Any, owner: str) -> np.random.Generator:
    """The generator given, or a new one from a seed; None for fresh numbers.

    >>> generator_from(0, "sample").integers(100)
    np.int64(85)
    >>> generator_from(-1, "sample")
    Traceback (most recent call last):
    ValueError: sample(random_state=-1): give an int >= 0, a Generator, a RandomState, or None for fresh numbers
    """
    if isinstance(random_state, (np.random.Generator, np.random.BitGenerator)):
        return np.random.default_rng(random_state)
    return np.random.default_rng(seed_from(random_state, owner))


def seed_from(random_state: Any, owner: str) -> np.random.SeedSequence:
    """A seed that can be split; a generator that is given chooses it."""
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(int(random_state.randint(2**31 - 1)))
    numbers = random_state if isinstance(random_state, (list, tuple, np.ndarray)) else [random_state]
    remedy = "give an int >= 0, a Generator, a RandomState, or None for fresh numbers"
    if random_state is not None:
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, Integral):
                raise TypeError(f"{owner}(random_state={plain(random_state)!r}): {remedy}")
            if number < 0:
                raise ValueError(f"{owner}(random_state={plain(random_state)!r}): {remedy}")
    return np.random.SeedSequence(random_state)

"""A line a state, for those who set `verbose`."""

from collections.abc import Iterable, Iterator
from typing import Any


def told(states: Iterable[Any], verbose: bool | int) -> Iterable[Any]:
    """The states, each with a line on the standard output in scikit-learn's words; as they are where not verbose.

    >>> from types import SimpleNamespace
    >>> _ = list(told([SimpleNamespace(objective=0.5)], verbose=True))
    Iteration 1, loss = 0.50000000
    """
    return _telling(states) if verbose else states


def _telling(states: Iterable[Any]) -> Iterator[Any]:
    for number, state in enumerate(states, 1):
        print(f"Iteration {number}, loss = {state.objective:.8f}", flush=True)  # noqa: T201 - it was asked for
        yield state

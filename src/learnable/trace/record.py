"""Keeping states: copies that the solver cannot overwrite."""

from typing import Any

import numpy as np
from scipy import sparse


def snapshot(state: Any) -> Any:
    """A copy of a state whose arrays are its own, however deep they lie in tuples, lists and dictionaries.

    >>> from typing import NamedTuple
    >>> class At(NamedTuple):
    ...     objective: float
    ...     coef: np.ndarray
    >>> now = At(1.0, np.zeros(2))
    >>> kept = snapshot(now)
    >>> now.coef[0] = 5.0
    >>> kept.coef
    array([0., 0.])
    """
    if isinstance(state, np.ndarray):
        return state.copy()
    if isinstance(state, tuple):
        return type(state)._make(map(snapshot, state)) if hasattr(state, "_make") else tuple(map(snapshot, state))
    if isinstance(state, list):
        return [snapshot(item) for item in state]
    if isinstance(state, dict):
        return {key: snapshot(item) for key, item in state.items()}
    return state.copy() if sparse.issparse(state) else state


class Recorder:
    """A watcher that keeps a snapshot of every state, or of every `every`-th.

    Attributes
    ----------
    states : list of the snapshots.
    """

    def __init__(self, every: int = 1):
        if every < 1:
            raise ValueError(f"Recorder(every={every}): every must be >= 1")
        self.every = every
        self.states: list[Any] = []

    def __call__(self, number: int, state: Any) -> None:
        if (number - 1) % self.every == 0:
            self.states.append(snapshot(state))

    def column(self, quantity: str) -> np.ndarray:
        """One quantity of all states, e.g. `column("objective")`."""
        return np.array([getattr(state, quantity) for state in self.states])

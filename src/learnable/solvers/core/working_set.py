"""The working-set loop: judge the whole problem, take in what violates its conditions most, solve that part.

Coordinate, folded, row and group descent and proximal Newton are this loop with their own three steps.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

State = TypeVar("State")


def working_set_rounds(
    judge: Callable[[], tuple[State, Any] | None], enlarge: Callable[[Any], Any], solve: Callable[[Any, Any], None]
) -> Iterator[State]:
    """States before every round, until there is nothing to judge any more; without that, endlessly.

    Parameters
    ----------
    judge : gives (state, what the other two need to know), or None where no round can improve the answer.
    enlarge : from that, the working set.
    solve : moves the answer to (near) the solution of the working set alone.

    Examples
    --------
    >>> from itertools import islice
    >>> x = np.array([5.0, 3.0, 4.0])
    >>> def solve(size, working):
    ...     x[working] = 0.0
    >>> rounds = working_set_rounds(lambda: (float(x.sum()), np.abs(x)), lambda size: furthest(size, 1), solve)
    >>> list(islice(rounds, 4))
    [12.0, 7.0, 3.0, 0.0]
    """
    while (judged := judge()) is not None:
        state, standing = judged
        yield state
        solve(standing, enlarge(standing))


def furthest(violation: np.ndarray, size: int, among: np.ndarray | None = None) -> np.ndarray:
    """The places of the `size` largest entries > 0, rising; of those in `among`, if given.

    >>> furthest(np.array([0.5, -1.0, np.inf, 0.1]), 2)
    array([0, 2])
    """
    places = np.flatnonzero(violation > 0.0) if among is None else among
    if len(places) > size:
        places = np.sort(places[np.argpartition(-violation[places], size - 1)[:size]])
    return places

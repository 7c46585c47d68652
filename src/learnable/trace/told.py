"""Lines for a user who asked to be told: one before the first state, one a state, in the words that a learner gives."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any


def say(words: str) -> None:
    """A line on the standard output, at once: for users who set `verbose`, nobody else."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def told(states: Iterable[Any], line: Callable[[int, Any], str | None], first: str | None = None) -> Iterator[Any]:
    """The states as they are, each with its line, if any, printed before it is handed on; they are counted from 0.

    >>> list(told("ab", lambda number, state: f"{number}: {state}", "begun"))
    begun
    0: a
    1: b
    ['a', 'b']
    """
    if first is not None:
        say(first)
    for number, state in enumerate(states):
        words = line(number, state)
        if words is not None:
            say(words)
        yield state

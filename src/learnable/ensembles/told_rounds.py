"""The table of rounds that a gradient booster prints for users who set `verbose`, in scikit-learn's columns."""

from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Any

import numpy as np

from learnable.trace import told


def told_rounds(states: Iterable[Any], model: Any, factor: float) -> Iterator[Any]:
    """The states as they are, with a line of losses, `factor` times as large, and of the time that is left.

    With `verbose=1` of rounds 1, 2, …, 10, 20, …, 100, 200, … of this fit; of every round with a larger number.
    """
    drawn, begun = model.subsample < 1.0, monotonic()
    headings = ["Train Loss", *(["OOB Improve"] if drawn else []), "Remaining Time"]
    first = f"{'Iter':>10}" + "".join(f" {heading:>16}" for heading in headings)

    def line(number: int, state: Any) -> str | None:
        if number == 0 or (model.verbose == 1 and not is_told(number)):
            return None
        rounds = len(state.losses) - 1
        words = f"{rounds:10d} {factor * state.losses[-1]:16.4f}"
        if drawn:
            before, after = state.out_of_bag[-2:] if state.out_of_bag else (np.nan, np.nan)
            words += f" {factor * (before - after):16.4f}"
        return f"{words} {duration((model.n_estimators - rounds) * (monotonic() - begun) / number):>16}"

    return told(states, line, first)


def is_told(number: int) -> bool:
    """Whether a number has one digit that is not 0, and that one first.

    >>> [number for number in range(1, 300) if is_told(number)]
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200]
    """
    return number % 10 ** (len(str(number)) - 1) == 0


def duration(seconds: float) -> str:
    """Seconds, or minutes where they are more than sixty.

    >>> duration(2.5), duration(90.0)
    ('2.50s', '1.50m')
    """
    return f"{seconds / 60.0:.2f}m" if seconds > 60.0 else f"{seconds:.2f}s"

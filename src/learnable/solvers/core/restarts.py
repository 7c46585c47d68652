"""Several runs of an algorithm from different starts, of which the best is kept. Syllabus: U4."""

from collections.abc import Callable, Iterator
from typing import Any

from learnable.trace import Status, StopRule, steps


def best_of(runs: Iterator[Iterator[Any]], stop: Callable[[], StopRule]) -> Iterator[Any]:
    """Every state of every run, each run stopped by a rule of its own; the last state is the best run's answer.

    States are NamedTuples with `objective` and `verdict`, which is None until the last one: there it says how the best
    run ended.
    """
    best: Any = None
    waiting: Any = None
    for run in runs:
        if waiting is not None:
            yield waiting
        for step in steps(run, stop()):
            if step.status is None:
                yield step.state
            else:
                waiting = step.state._replace(verdict=step.status)
                if best is None or waiting.objective < best.objective:
                    best = waiting
                waiting = step.state
    if best is not None:
        yield best


def verdict(step: int, state: Any) -> Status | None:
    """The stop rule of `best_of`: the last state says how its run ended."""
    return state.verdict

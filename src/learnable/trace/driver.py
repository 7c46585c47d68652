"""The one loop of the house: an algorithm is a generator of states, the driver decides when to stop.

A state is a NamedTuple with at least `objective`. Its arrays may be updated in place by the solver when the next
state is asked for: whoever keeps a state copies it first (`trace.snapshot`).
"""

import math
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol

from learnable._jit.core.interrupt import interrupts_pass
from learnable.trace.status import Status
from learnable.trace.stop import StopRule


class State(Protocol):
    """What every solver yields."""

    @property
    def objective(self) -> float: ...


Watcher = Callable[[int, Any], bool | None]


class Step(NamedTuple):
    """One turn of the loop; `status` is None while the loop goes on."""

    number: int
    state: Any
    status: Status | None


class Outcome(NamedTuple):
    """The last state, why it is the last, and how many there were."""

    state: Any
    status: Status
    n_steps: int


class Abandoned(BaseException):
    """Nobody waits for this fit any more. Not an Exception: what learns from fits that fail learns nothing here."""


_abandoned: ContextVar[Callable[[], bool]] = ContextVar("learnable_abandoned", default=lambda: False)


@contextmanager
def abandoned_when(asked: Callable[[], bool]) -> Iterator[None]:
    """Within it, on this thread, fits end with `Abandoned` before their next state once `asked()` is true.

    Python cannot stop a thread; a fit that nobody waits for can stop itself.
    """
    token = _abandoned.set(asked)
    try:
        yield
    finally:
        _abandoned.reset(token)


def steps(iterates: Iterable[Any], stop: StopRule, first: int = 1) -> Iterator[Step]:
    """The states one by one, until a stop rule names a status or the algorithm ends by itself; numbers from `first`.

    >>> from typing import NamedTuple
    >>> from learnable.trace import budget
    >>> class Halving(NamedTuple):
    ...     objective: float
    >>> [(step.number, step.state.objective, step.status and str(step.status))
    ...  for step in steps((Halving(0.5**k) for k in range(9)), budget(3))]
    [(1, 1.0, None), (2, 0.5, None), (3, 0.25, 'budget_spent')]
    """
    abandoned = _abandoned.get()
    if abandoned():
        raise Abandoned
    with interrupts_pass():
        for number, state in enumerate(iterates, start=first):
            status = stop(number, state) if math.isfinite(state.objective) else Status.DIVERGED
            yield Step(number, state, status)
            if status is not None:
                return
            if abandoned():
                raise Abandoned


def drive(
    iterates: Iterable[Any],
    stop: StopRule,
    watchers: Iterable[Watcher] = (),
    ended: Status = Status.OPTIMAL,
    first: int = 1,
) -> Outcome:
    """Run the loop to its end.

    Parameters
    ----------
    iterates : the algorithm, a generator of states.
    stop : rule that names a status, or None to go on.
    watchers : called with (number, state) after each step; one that returns True stops the fit.
    ended : the status of an algorithm that ends by itself, e.g. a direct solve.
    first : number of the first step, of an algorithm that goes on.

    Ctrl-C passes through as KeyboardInterrupt with a note that says how far the loop got.
    """
    watchers = tuple(watchers)
    step = None
    try:
        for step in steps(iterates, stop, first):
            if watchers:
                asked_to_stop = [watcher(step.number, step.state) for watcher in watchers]
                if step.status is None and any(asked_to_stop):
                    return Outcome(step.state, Status.STOPPED, step.number)
    except KeyboardInterrupt as interrupt:
        reached = "before the first step" if step is None else f"after step {step.number}"
        interrupt.add_note(f"the fit was interrupted {reached}; the estimator is as it was before")
        raise
    finally:
        # At once, not when nobody remembers the error any more: threads or workers may wait for a generator to end.
        if isinstance(iterates, Generator):
            iterates.close()
    if step is None:
        raise RuntimeError("the algorithm ended without a single state")
    return Outcome(step.state, step.status or ended, step.number)

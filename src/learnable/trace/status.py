"""How a fit ended."""

from enum import StrEnum


class Status(StrEnum):
    """Why the loop stopped. Running out of budget is never called converged."""

    OPTIMAL = "optimal"
    STATIONARY = "stationary"
    BUDGET_SPENT = "budget_spent"
    DIVERGED = "diverged"
    STOPPED = "stopped"
    INACCURATE = "inaccurate"

    @property
    def explanation(self) -> str:
        """The status in a sentence.

        >>> Status.BUDGET_SPENT.explanation
        'the iteration budget ran out before the tolerance was reached'
        """
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    Status.OPTIMAL: "the optimality tolerance was reached",
    Status.STATIONARY: "a stationary point was reached; the problem may have others",
    Status.BUDGET_SPENT: "the iteration budget ran out before the tolerance was reached",
    Status.DIVERGED: "the objective became infinite or undefined",
    Status.STOPPED: "a watcher or a patience rule asked to stop",
    Status.INACCURATE: "the solver ended by its own measure, but its answer misses a bound of its certificate",
}

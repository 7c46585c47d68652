"""The driver and what watches it: states, stop rules, statuses, recording, scikit-learn's callbacks."""

from learnable.trace.callbacks import CallbackWatcher
from learnable.trace.checkpoint import StateFile, state_file
from learnable.trace.driver import Abandoned, Outcome, State, Step, abandoned_when, drive, steps
from learnable.trace.record import Recorder, snapshot
from learnable.trace.status import Status
from learnable.trace.stop import StopRule, all_of, budget, first_of, out_of_time, reached, stalled, to_the_end, unmoved
from learnable.trace.told import say, told
from learnable.trace.watch import watch

__all__ = [
    "Abandoned", "CallbackWatcher", "Outcome", "Recorder", "State", "StateFile", "Status", "Step", "StopRule",
    "abandoned_when", "all_of", "budget", "drive", "first_of", "out_of_time", "reached", "say", "snapshot", "stalled",
    "state_file", "steps", "to_the_end", "told", "unmoved", "watch",
]  # fmt: skip

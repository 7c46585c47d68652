"""The driver: what each ending is called, and that watchers see every state in order."""

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from tests.cases import each

from learnable.trace import (
    Abandoned,
    Outcome,
    Recorder,
    Status,
    abandoned_when,
    budget,
    drive,
    first_of,
    reached,
    snapshot,
    steps,
    to_the_end,
)


class At(NamedTuple):
    objective: float
    gap: float
    coef: np.ndarray


def halving(coef=None):
    coef = np.zeros(1) if coef is None else coef
    for k in itertools.count():
        coef[0] = k  # in place, as solvers do
        yield At(0.5**k, 0.5**k, coef)


def test_reaching_the_tolerance_is_optimal():
    outcome = drive(halving(), first_of(reached("gap", 0.1), budget(100)))
    assert (outcome.status, outcome.n_steps, outcome.state.objective) == (Status.OPTIMAL, 5, 0.0625)


def test_running_out_of_budget_is_never_optimal():
    outcome = drive(halving(), first_of(reached("gap", 1e-9), budget(4)))
    assert (outcome.status, outcome.n_steps) == (Status.BUDGET_SPENT, 4)


def test_the_tolerance_counts_first_when_both_are_met_at_once():
    assert drive(halving(), first_of(reached("gap", 0.125), budget(4))).status is Status.OPTIMAL


@each("bad", [math.nan, math.inf, -math.inf])
def test_a_non_finite_objective_is_divergence(bad):
    states = [At(1.0, 0.0, np.zeros(1)), At(bad, 0.0, np.zeros(1)), At(0.0, 0.0, np.zeros(1))]
    outcome = drive(iter(states), to_the_end)
    assert (outcome.status, outcome.n_steps) == (Status.DIVERGED, 2)
    # A stop rule that is content with the state does not hide it.
    assert drive(iter(states[1:]), reached("gap", 1.0)).status is Status.DIVERGED


def test_an_algorithm_that_ends_by_itself_has_the_status_it_announced():
    states = [At(1.0, 0.0, np.zeros(1))]
    assert drive(states, to_the_end).status is Status.OPTIMAL
    assert drive(states, to_the_end, ended=Status.STATIONARY).status is Status.STATIONARY


def test_a_watcher_can_stop_the_loop():
    outcome = drive(halving(), budget(100), watchers=[lambda number, state: number == 3])
    assert (outcome.status, outcome.n_steps) == (Status.STOPPED, 3)


def test_a_watcher_that_stops_at_the_last_step_does_not_hide_the_status():
    outcome = drive(halving(), reached("gap", 0.25), watchers=[lambda number, state: number == 3])
    assert outcome.status is Status.OPTIMAL


def test_every_watcher_sees_every_step_in_the_order_given():
    seen = []
    one = lambda number, state: seen.append(("one", number)) or number == 2  # noqa: E731
    two = lambda number, state: seen.append(("two", number))  # noqa: E731
    drive(halving(), budget(5), watchers=iter([one, two]))
    assert seen == [("one", 1), ("two", 1), ("one", 2), ("two", 2)]


def test_no_state_is_asked_for_after_the_end():
    asked = []

    def counting():
        for k in itertools.count():
            asked.append(k)
            yield At(1.0, 0.0, np.zeros(1))

    drive(counting(), budget(3))
    assert len(asked) == 3


def test_an_empty_algorithm_is_an_error():
    with pytest.raises(RuntimeError, match="without a single state"):
        drive([], to_the_end)


def test_steps_and_drive_agree():
    seen = list(steps(halving(), budget(6)))
    outcome = drive(halving(), budget(6))
    assert Outcome(seen[-1].state, seen[-1].status, seen[-1].number).n_steps == outcome.n_steps
    assert [step.number for step in seen] == [1, 2, 3, 4, 5, 6]
    assert all(step.status is None for step in seen[:-1])


def test_interruption_says_how_far_the_loop_got():
    def interrupted(after):
        yield from itertools.islice(halving(), after)
        raise KeyboardInterrupt

    for after, words in ((0, "before the first step"), (3, "after step 3")):
        with pytest.raises(KeyboardInterrupt) as caught:
            drive(interrupted(after), to_the_end)
        assert any(words in note for note in caught.value.__notes__)


def test_other_errors_pass_unchanged():
    def broken():
        yield At(1.0, 0.0, np.zeros(1))
        raise ZeroDivisionError("inside")

    with pytest.raises(ZeroDivisionError, match="inside"):
        drive(broken(), to_the_end)


def test_a_snapshot_is_independent_of_the_solver():
    coef = np.zeros(1)
    kept = [snapshot(state) for state in itertools.islice(halving(coef), 4)]
    assert [state.coef[0] for state in kept] == [0, 1, 2, 3]
    assert not any(np.shares_memory(state.coef, coef) for state in kept)


def test_recorder_keeps_every_state_or_some():
    all_of_them, some = Recorder(), Recorder(every=3)
    drive(halving(), budget(8), watchers=[all_of_them, some])
    np.testing.assert_array_equal(all_of_them.column("objective"), 0.5 ** np.arange(8))
    np.testing.assert_array_equal(some.column("objective"), 0.5 ** np.array([0, 3, 6]))
    np.testing.assert_array_equal(all_of_them.column("coef")[:, 0], np.arange(8))


def test_recorder_refuses_a_nonsensical_rhythm():
    with pytest.raises(ValueError, match="every=0"):
        Recorder(every=0)


def test_every_status_has_an_explanation():
    explanations = [status.explanation for status in Status]
    assert len(set(explanations)) == len(Status)
    assert "converged" not in Status.BUDGET_SPENT.explanation


def test_a_fit_that_nobody_waits_for_ends_before_its_next_state():
    seen, closed = [], []

    def algorithm():
        try:
            for state in halving():
                seen.append(state.objective)
                yield state
        finally:
            closed.append(True)

    with abandoned_when(lambda: len(seen) == 3), pytest.raises(Abandoned):
        drive(algorithm(), to_the_end)
    assert (len(seen), closed) == (3, [True])
    with abandoned_when(lambda: True), pytest.raises(Abandoned):
        drive(algorithm(), to_the_end)
    assert len(seen) == 3, "not even begun"
    assert drive(halving(), budget(2)).n_steps == 2, "beyond the block nothing is abandoned"

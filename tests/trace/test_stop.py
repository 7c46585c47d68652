"""Stop rules."""

import math
from types import SimpleNamespace

import numpy as np
from tests.cases import each

from learnable.trace import Status, all_of, budget, first_of, out_of_time, reached, stalled, to_the_end, unmoved


def at(value):
    return SimpleNamespace(objective=value)


def first_stop(rule, values):
    for step, value in enumerate(values, start=1):
        if rule(step, at(value)) is not None:
            return step
    return None


def test_reached_never_fires_on_nan():
    assert reached("objective", 1.0)(1, at(math.nan)) is None


def test_reached_is_inclusive():
    assert reached("objective", 1.0)(1, at(1.0)) is Status.OPTIMAL


@each(
    ("values", "patience", "expected"),
    [
        ([5, 4, 3, 2, 1], 2, None),  # improves for ever
        ([5, 5, 5], 2, 3),  # two states without improvement
        ([5, 5, 4, 4, 4], 2, 5),  # an improvement starts the count anew
        ([5, 6, 4.9, 4.9, 4.9], 2, 3),  # 4.9 is better than 5, but not by more than the tolerance
        ([3, 5, 4, 2], 2, 3),  # measured against the best, not against the last
    ],
)
def test_stalled(values, patience, expected):
    tolerance = 0.2
    assert first_stop(stalled("objective", tolerance, patience), values) == expected


def test_stalled_takes_a_function():
    rule = stalled(lambda state: -state.objective, 0.0, 1)
    assert first_stop(rule, [1, 2, 3, 2.5]) == 4


def test_stalled_rules_do_not_share_their_memory():
    one, two = stalled("objective", 0.0, 1), stalled("objective", 0.0, 1)
    one(1, at(1.0))
    assert two(1, at(2.0)) is None


def test_out_of_time():
    assert out_of_time(float("inf"))(1, at(0.0)) is None
    assert out_of_time(0.0)(1, at(0.0)) is Status.BUDGET_SPENT


def test_first_of_takes_the_first_in_order():
    rule = first_of(to_the_end, reached("objective", 1.0), budget(1))
    assert rule(1, at(0.5)) is Status.OPTIMAL
    assert rule(1, at(2.0)) is Status.BUDGET_SPENT


@each(
    ("points", "expected"),
    [
        ([[0.0, 0.0], [0.0, 0.0]], 2),
        ([[9.0, 1.0]], None),  # no step yet
        ([[1.0, 10.0], [3.0, 10.0], [4.0, 10.0]], 3),  # by 2, by 1: a tenth of the largest
        ([[1.0, -10.0], [1.0, -12.0], [1.0, -13.0]], 3),
        ([[math.nan], [math.nan], [1.0], [1.0]], 4),
    ],
)
def test_unmoved_measures_each_step_by_the_largest_entry(points, expected):
    assert first_stop(unmoved("objective", 0.1), points) == expected


def test_unmoved_sees_arrays_that_are_written_anew():
    point, rule = np.zeros(2), unmoved("objective", 0.1)
    for moved, stops in ((5.0, False), (6.0, False), (6.1, True)):
        point[0] = moved
        assert (rule(1, at(point)) is not None) == stops


def test_all_of_waits_for_every_rule_and_each_sees_every_state():
    assert first_stop(all_of(reached("objective", 3.0), unmoved("objective", 0.1)), [9.0, 3.1, 3.0]) == 3
    assert all_of(budget(1), reached("objective", 1.0))(1, at(0.0)) is Status.OPTIMAL

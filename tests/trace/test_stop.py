"""Stop rules."""

import math
from types import SimpleNamespace

from tests.cases import each

from learnable.trace import Status, budget, first_of, out_of_time, reached, stalled, to_the_end


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

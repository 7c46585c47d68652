"""What a target column asks for, and what is refused."""

import numpy as np
import pytest
from tests.cases import each

from learnable.app.errors import UserError
from learnable.app.table.tasks import goal_of, infer_task
from learnable.datasets import Column, Kind


def number(values):
    return Column("y", Kind.NUMBER, np.array(values, dtype=float))


def category(values, kind=Kind.CATEGORY):
    levels = tuple(sorted({value for value in values if value is not None}))
    return Column("y", kind, np.array(values, dtype=object), levels)


@each(
    ("column", "task"),
    [
        (number([0, 1] * 10), "classification"),
        (number(list(range(10)) * 3), "classification"),
        (number(list(range(11)) * 3), "regression"),
        (number([0.5, 1.5] * 10), "regression"),
        (number([37, 9, 6, 4, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1]), "regression"),  # most values are there once
        (category(["a", "b"] * 10), "classification"),
        (category(["no", "yes"] * 10, Kind.BOOLEAN), "classification"),
    ],
)
def test_the_rule(column, task):
    assert infer_task(column)[0] == task
    assert goal_of(column).task == task


def test_numeric_classes_keep_their_order_and_lose_the_point():
    goal = goal_of(number([10, 2, 2, 10, 2, 10, 1, 1, 1, 1]))
    assert goal.levels == ("1", "2", "10")
    assert goal.y[:3].tolist() == ["10", "2", "2"]


def test_rows_without_a_target_are_left_out():
    goal = goal_of(number([np.nan, *np.linspace(0, 1, 20)]))
    assert not goal.known[0]
    assert goal.known[1:].all()
    assert len(goal.y) == 20


def test_the_task_can_be_forced():
    assert goal_of(number([0, 1] * 10), "regression").y.dtype == float
    assert goal_of(number(np.repeat(np.arange(11), 3)), "classification").levels[-1] == "10"


@each(
    ("column", "forced", "says"),
    [
        (number([np.nan] * 20), None, "no value at all"),
        (number([1.0] * 20), None, "is 1.0 in every row"),
        (category(["a"] * 20), None, "is 'a' in every row"),
        (number([1.0, 2.0]), None, "at least 10"),
        (number([1.0]), None, "nothing to learn"),
        (category(["a"] * 20 + ["b"]), None, r"fewer than 3 rows: b \(1\)"),
        (number([0, 1] * 10 + [2]), None, r"fewer than 3 rows: 2 \(1\)"),  # a slip, or a class: the user must say
        (number(np.linspace(0, 1, 20)), "classification", "use --task regression"),
        (category(["a", "b"] * 10), "regression", "not a number"),
        (number([0.0, 1e150] * 10), "regression", "rescale"),
        (Column("y", Kind.IDENTIFIER, np.array([f"k{i}" for i in range(20)], dtype=object)), None, "identifier"),
        (Column("y", Kind.IDENTIFIER, np.array([f"{i}.5%" for i in range(20)], dtype=object)), None, "such as '0.5%'"),
        (category(["$1,000", "$2"] * 10), "regression", r"such as '\$1,000'; write plain numbers"),
        (Column("y", Kind.DATE, np.arange(20).astype("M8[D]").astype("M8[us]")), None, "date"),
    ],
)
def test_what_cannot_be_learned_is_refused_by_name(column, forced, says):
    with pytest.raises(UserError, match=says) as error:
        goal_of(column, forced)
    assert "'y'" in str(error.value)


def test_points_on_a_scale_are_no_counts():
    rng = np.random.default_rng(0)
    events = rng.poisson(1.5, 300).astype(float)
    assert infer_task(Column("visits", Kind.NUMBER, events))[0] == "counts"
    for name in ("Rating", "pain_score", "satisfaction (0-10)"):
        assert infer_task(Column(name, Kind.NUMBER, events))[0] != "counts"
    points = np.append(rng.binomial(10, 0.35, 300).astype(float), [0.0, 9.0, 10.0])
    assert infer_task(Column("answer", Kind.NUMBER, points))[0] == "regression"

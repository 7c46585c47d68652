"""How numbers are written: never two losses of one report with different decimals, never a lost sign."""

import dataclasses
import math

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from learnable.app.report.sentences import caveats, guarantees
from learnable.app.report.text import describe_result
from learnable.app.report.words import Losses, clean, number, short
from learnable.app.result import Interval

from .conftest import example_result

finite = st.floats(-1e300, 1e300)


@given(finite)
def test_a_number_reads_back_to_three_digits(value: float):
    text = number(value).replace("−", "-").replace(",", "")
    if "×" in text:
        mantissa, _, power = text.partition(" × 10")
        text = f"{mantissa}e{power.translate(str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789'))}"
    assert math.isclose(float(text), value, rel_tol=0.0051)


@given(st.text(), st.integers(3, 50))
def test_short_is_short(text: str, limit: int):
    assert len(short(text, limit)) <= limit
    assert len(clean(text)) > limit or short(text, limit) == clean(text)


@given(st.text(alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "S"])))
def test_clean_leaves_visible_text_alone(text: str):
    assert clean(text) == text


def test_the_losses_of_one_report_share_their_decimals():
    result = example_result("regression")
    losses = Losses.of(result)
    shown = [losses.show(learner.test.estimate) for learner in result.learners if learner.test]
    assert shown == ["0.110", "0.120", "0.490"]


@each("half", [1e-9, 1e-3, 1.0, 1e5, 1e12])
def test_decimals_follow_the_narrowest_interval(half: float):
    result = example_result("regression")
    learner = dataclasses.replace(result.learners[0], cv=None, test=Interval(3 * half, 2 * half, 4 * half))
    losses = Losses.of(dataclasses.replace(result, learners=[learner]))
    assert len({losses.show(x * half) for x in (2, 3, 4)}) == 3


def test_a_difference_keeps_its_sign():
    losses = Losses(1, True)
    assert [losses.signed(x) for x in (-0.012, 0.0, 0.3)] == ["−1.2", "0.0", "+30.0"]


def test_a_narrow_terminal_gets_fewer_columns_and_a_wide_one_all():
    result = example_result()
    whole, narrow = (describe_result(result, {}, width=width).splitlines() for width in (None, 90))
    head, shorter = (next(line for line in lines if "cross-validated" in line) for lines in (whole, narrow))
    assert "parameters" in head
    assert "learner" in shorter
    assert "to the best" in shorter
    assert len(shorter) <= 90 < len(head)


def test_rows_that_hang_together_are_not_said_to_be_independent():
    """Clopper and Pearson's bound holds for rows drawn one by one; else it is told what intervals assume."""
    result = example_result()
    for splitting, bound, told in (
        ("random", True, None),
        ("grouped", False, "Rows of one group are alike"),
        ("forward in time", False, "Rows that follow one another may be alike"),
    ):
        found = dataclasses.replace(result, splitting=splitting)
        assert any("Clopper–Pearson" in one for one in guarantees(found)) == bound, splitting
        said = [one for one in caveats(found) if "count every row for itself" in one]
        assert [one.startswith(told) for one in said] == ([True] if told else [])

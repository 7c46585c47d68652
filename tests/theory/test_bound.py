"""The calculator itself: terms, monotone directions, inversion with plug-back, bad input."""

import inspect
import json
import math
import pydoc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable import theory
from learnable.theory import (
    CATALOGUE,
    behw,
    double_sampling,
    finite_agnostic,
    finite_consistent,
    hoeffding,
    margin_bound_uniform,
    vc_bound,
)

# one point in the middle of every domain, and a ladder of values for each parameter
TYPICAL = {
    "m": 400,
    "n": 6,
    "d": 3,
    "k": 20,
    "size": 50,
    "delta": 0.05,
    "epsilon": 0.1,
    "width": 1.5,
    "mu": 20.0,
    "alpha": 0.4,
    "sum_squared_differences": 0.01,
    "r": 2.0,
    "rho": 0.3,
    "radius": 1.5,
    "gamma": 0.5,
    "norm": 2.0,
    "complexity": 0.05,
    "empirical_risk": 0.1,
    "margin_risk": 0.1,
    "log_growth": 8.0,
    "constant": 1.0,
    "rounds": 30,
    "edge": 0.15,
}
BOUNDS = sorted(CATALOGUE)


def typical(bound):
    return {p.name: TYPICAL[p.name] for p in bound.parameters}


@each("name", BOUNDS)
def test_terms_add_up_and_every_form_is_complete(name):
    bound = CATALOGUE[name]
    result = bound(**typical(bound))
    assert result.value == math.fsum(result.terms.values())
    assert float(result) == result.value
    assert result.assumptions
    assert result.statement
    text, html, fields = str(result), result._repr_html_(), json.loads(result.to_json())
    for term in result.terms:
        assert term in text
        assert term in html
    assert fields["value"] == result.value
    assert fields["parameters"] == typical(bound)
    assert bound.__doc__


@each("name", BOUNDS)
def test_declared_direction_is_the_true_one(name):
    bound = CATALOGUE[name]
    for parameter in bound.parameters:
        if parameter.grows is None:
            continue
        base = typical(bound)
        others = {k: v for k, v in base.items() if k != parameter.name}
        start = parameter.monotone_from(others) if parameter.monotone_from else 0
        low, high = parameter.edges(others)
        ladder = [base[parameter.name] * factor for factor in (0.1, 0.3, 0.5, 0.8, 1, 1.3, 2, 2.4, 5, 50)]
        if parameter.integer:
            ladder = sorted({round(v) for v in ladder})
        ladder = [v for v in ladder if max(start, low) <= v <= high and not (parameter.open_high and v == high)]
        values = [bound(**{**base, parameter.name: v}).value for v in ladder]
        assert len(values) >= 3
        steps = np.diff(values)
        assert np.all(steps >= 0 if parameter.grows else steps <= 0), (parameter.name, ladder, values)
        assert values[0] != values[-1] or (name, parameter.name) == ("behw", "delta")  # capacity decides there


@each("name", BOUNDS)
def test_solve_for_every_parameter_plugs_back(name):
    bound = CATALOGUE[name]
    base = typical(bound)
    target = bound(**base).value
    for parameter in bound.parameters:
        others = {k: v for k, v in base.items() if k != parameter.name}
        ask = {**others, bound.value_name: target}
        if bound.value_name == "delta" and not 0 < target < 1:
            with pytest.raises(ValueError, match=r"must be in \(0, 1\)"):
                bound.solve_for(parameter.name, **ask)
            continue
        if parameter.grows is None:
            with pytest.raises(ValueError, match="not monotone"):
                bound.solve_for(parameter.name, **ask)
            continue
        if (name, parameter.name) == ("margin_shattering", "k"):  # the margin decides: any dimension will do
            with pytest.raises(ValueError, match="every k"):
                bound.solve_for(parameter.name, **ask)
            continue
        solution = bound.solve_for(parameter.name, **ask)
        assert solution.check()
        assert solution.result.value <= target
        if (name, parameter.name) == ("behw", "delta"):  # the smallest δ for which confidence costs no more
            assert 4 * math.log2(2 / solution.value) == pytest.approx(8 * base["d"] * math.log2(13 / base["epsilon"]))
        elif parameter.integer:
            assert solution.value == base[parameter.name]
        else:
            assert solution.value == pytest.approx(base[parameter.name], rel=1e-6, abs=1e-12)
        assert json.dumps(solution.to_dict())
        assert parameter.name in str(solution)


@settings(max_examples=50, deadline=None)
@given(
    epsilon=st.floats(0.005, 0.5),
    delta=st.floats(1e-9, 0.5),
    size=st.integers(1, 10**12),
)
def test_sample_size_is_exact_to_the_unit(epsilon, delta, size):
    for bound in (finite_consistent, finite_agnostic):
        m = bound.solve_for("m", epsilon=epsilon, delta=delta, size=size).value
        assert bound(m=m, delta=delta, size=size).value <= epsilon
        assert m == 1 or bound(m=m - 1, delta=delta, size=size).value > epsilon


def test_check_rejects_a_wrong_solution():
    from dataclasses import replace

    solution = finite_consistent.solve_for("m", epsilon=0.05, delta=0.01, size=100)
    for wrong in (solution.value - 1, solution.value + 1):
        plugged = finite_consistent(m=wrong, delta=0.01, size=100)
        assert not replace(solution, value=wrong, result=plugged).check()
    # The bound at one value says nothing of another, nor do other numbers beside it.
    assert not replace(solution, value=solution.value - 50).check()
    assert not replace(solution, result=replace(solution.result, value=0.01)).check()
    needed = behw.solve_for("m", epsilon=0.05, delta=0.01, d=3)
    assert not replace(needed, value=10, result=replace(needed.result, value=9.5)).check()


def test_solving_on_the_falling_branch_only():
    answer = double_sampling.solve_for("m", epsilon=0.1, delta=0.05, d=2)
    assert answer.check()
    # below the turning point the bound is above 1, so nothing was missed there
    assert all(double_sampling(m=m, d=2, epsilon=0.1).value >= 1 for m in range(2, 58))


def test_sample_size_bound_rounds_up():
    answer = behw.solve_for("m", epsilon=0.05, delta=0.01, d=3)
    assert answer.value == math.ceil(behw(epsilon=0.05, delta=0.01, d=3).value)
    assert answer.check()
    assert behw.solve_for("epsilon", m=answer.value, delta=0.01, d=3).value == pytest.approx(0.05, rel=1e-3)


def test_class_size_beyond_the_floats():
    answer = finite_agnostic.solve_for("size", epsilon=0.1, delta=0.05, m=10**5)
    assert answer.value > 10**308
    assert finite_agnostic(size=answer.value, delta=0.05, m=10**5).value <= 0.1
    assert "10^" in str(answer)


def test_vacuous_is_said():
    assert vc_bound(m=10, d=5, delta=0.05).vacuous
    assert not vc_bound(m=10**6, d=5, delta=0.05).vacuous
    assert hoeffding(m=1, epsilon=0.1).vacuous is False
    assert vc_bound(m=10, d=5, delta=0.05).value > 1, "never clipped"


@each("delta", [0.0, 1.0, -0.1, 1.5, math.nan, math.inf, -math.inf])
@each("name", [b for b in BOUNDS if any(p.name == "delta" for p in CATALOGUE[b].parameters)])
def test_delta_outside_the_unit_interval(name, delta):
    bound = CATALOGUE[name]
    with pytest.raises(ValueError, match=rf"{name}\(delta=.*must be in \(0, 1\)"):
        bound(**{**typical(bound), "delta": delta})


@each("name", BOUNDS)
def test_hostile_values_are_named(name):
    bound = CATALOGUE[name]
    for parameter in bound.parameters:
        for bad in (math.nan, math.inf, -1.0):
            with pytest.raises(ValueError, match=f"{name}\\({parameter.name}="):
                bound(**{**typical(bound), parameter.name: bad})
        for bad in ("3", None, True, [1]):
            with pytest.raises(TypeError):
                bound(**{**typical(bound), parameter.name: bad})
        if parameter.integer:
            with pytest.raises(ValueError, match="whole number"):
                bound(**{**typical(bound), parameter.name: 2.5})


def test_other_bad_input():
    with pytest.raises(ValueError, match=r"finite_consistent\(m=0\): m must be a whole number >= 1"):
        finite_consistent(m=0, size=3, delta=0.1)
    with pytest.raises(ValueError, match="size must be a whole number >= 1"):
        finite_consistent(m=3, size=0, delta=0.1)
    with pytest.raises(ValueError, match=r"epsilon must be > 0"):
        finite_consistent.solve_for("m", epsilon=0, size=3, delta=0.1)
    with pytest.raises(ValueError, match="epsilon"):
        finite_consistent.solve_for("m", epsilon=math.inf, size=3, delta=0.1)
    with pytest.raises(TypeError, match="no parameter 'vc'"):
        vc_bound(m=3, vc=2, delta=0.1)
    with pytest.raises(TypeError, match="needs d"):
        vc_bound(m=3, delta=0.1)
    with pytest.raises(TypeError, match="given as well"):
        vc_bound.solve_for("m", m=3, d=2, delta=0.1, epsilon=0.1)
    with pytest.raises(TypeError, match="needs epsilon"):
        vc_bound.solve_for("m", d=2, delta=0.1)
    with pytest.raises(ValueError, match=r"d must be a whole number in \[1, m = 3\]"):
        vc_bound(m=3, d=4, delta=0.1)
    with pytest.raises(ValueError, match=r"rho = 0\.3"):
        margin_bound_uniform(complexity=0.1, rho=0.3, r=0.2, m=10, delta=0.1)


def test_what_cannot_be_reached_is_said_with_the_best_there_is():
    with pytest.raises(ValueError, match=r"no m .* down to 0.2; the best is 0.3"):
        vc_bound.solve_for("m", empirical_risk=0.3, epsilon=0.2, d=3, delta=0.05)
    with pytest.raises(ValueError, match="no delta"):
        finite_consistent.solve_for("delta", epsilon=0.01, m=5, size=100)
    with pytest.raises(ValueError, match="every delta"):
        finite_consistent.solve_for("delta", epsilon=0.5, m=10**6, size=100)


def test_whole_numbers_of_any_kind_are_taken():
    a = finite_consistent(m=np.int64(100), size=np.int32(10), delta=np.float64(0.1))
    assert a.value == finite_consistent(m=100.0, size=10, delta=0.1).value
    assert type(a.parameters["m"]) is int


def test_numbers_beyond_the_floats_are_refused_by_name():
    for name in BOUNDS:
        for parameter in CATALOGUE[name].parameters:
            if parameter.integer:
                with pytest.raises(ValueError, match=f"{parameter.name} is above 2\\^"):
                    CATALOGUE[name](**{**typical(CATALOGUE[name]), parameter.name: 10**40000})
    edge = {"m": 2**1000, "size": 2**100_000, "delta": 1e-300}
    assert 0 < finite_agnostic(**edge).value < 1e-100


def test_help_shows_arguments_and_results_of_every_bound():
    for bound in [thing for name in theory.__all__ if isinstance(thing := getattr(theory, name), theory.Bound)]:
        shown = pydoc.render_doc(bound, renderer=pydoc.plaintext)
        signature = inspect.signature(bound)
        assert signature.return_annotation is theory.BoundResult
        arguments = ", ".join(map(str, signature.parameters.values()))
        assert f"{bound.name}(*, {arguments}) -> BoundResult" in shown
        assert "BoundResult" in shown.split("Returns")[1]
        for parameter in bound.parameters:
            assert f"{parameter.name} : {'int' if parameter.integer else 'float'}" in shown
            assert signature.parameters[parameter.name].kind is inspect.Parameter.KEYWORD_ONLY
        for said in (bound.statement, *bound.assumptions):
            assert said in shown


@each("name", [*BOUNDS, "oracle_prediction", "oracle_distance", "slow_rate"])
def test_at_the_ends_of_double_precision_a_bound_is_a_number(name):
    """An infinite one where it is beyond all numbers: an end that raises would also end a search for a parameter."""
    bound = getattr(theory, name)
    middle = {p.name: TYPICAL.get(p.name, 2) for p in bound.parameters}
    for parameter in bound.parameters:
        if parameter.integer:
            continue
        for end in (1e-300, 1e300):
            low, high = parameter.edges(middle)
            if low <= end <= high and not (parameter.not_below or parameter.not_above):
                assert bound(**middle | {parameter.name: end}).value >= 0.0, (parameter.name, end)


@each("name", ["oracle_prediction", "oracle_distance", "slow_rate"])
def test_every_parameter_of_an_oracle_inequality_can_be_solved_for(name):
    bound = getattr(theory, name)
    given = {p.name: {"n": 5000, "p": 40, "s": 3, "kappa": 0.7, "sigma": 1.3, "K": 2.0, "delta": 0.05}[p.name]
             for p in bound.parameters}  # fmt: skip
    reached = bound(**given).value * (1.0 + 1e-9)
    for parameter in bound.parameters:
        known = {k: v for k, v in given.items() if k != parameter.name} | {bound.value_name: reached}
        assert bound.solve_for(parameter.name, **known).value == pytest.approx(given[parameter.name], rel=1e-6)

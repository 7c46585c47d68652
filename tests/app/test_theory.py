"""`learnable theory`: the answers are those of the bounds, with a picture on request; what is wrong is told."""

import json

import pytest
from tests.cases import each

from learnable.app.commands.theory import Question, curve
from learnable.theory import (
    CATALOGUE,
    behw,
    double_sampling,
    finite_agnostic,
    finite_consistent,
    vapnik_bound,
    vc_bound,
)

SAMPLES = ("theory", "samples", "--vc", 3, "--epsilon", 0.05, "--delta", 0.01)


def answers(outcome):
    assert outcome.exit_code == 0, outcome.output
    return {one["bound"]: one["value"] for one in json.loads(outcome.stdout)["answers"]}


def test_samples_for_a_vc_dimension(run):
    known = {"epsilon": 0.05, "delta": 0.01, "d": 3}
    bounds = (double_sampling, behw, vapnik_bound, vc_bound)
    assert answers(run(*SAMPLES, "--json")) == {one.name: one.solve_for("m", **known).value for one in bounds}
    text = run(*SAMPLES).stdout
    assert "35402" in text
    assert "3851" in text
    assert "assumes: the m examples are independent draws of one law" in text


def test_samples_for_a_finite_class(run):
    found = answers(run("theory", "samples", "--size", 59049, "--epsilon", 0.05, "--delta", 0.01, "--json"))
    known = {"epsilon": 0.05, "delta": 0.01, "size": 59049}
    assert found == {one.name: one.solve_for("m", **known).value for one in (finite_consistent, finite_agnostic)}


def test_with_training_error_only_the_bounds_for_any_learner_speak(run):
    found = answers(run(*SAMPLES, "--training-error", 0.02, "--json"))
    assert set(found) == {"vapnik_bound", "vc_bound"}
    assert found["vc_bound"] == vc_bound.solve_for("m", epsilon=0.05, delta=0.01, d=3, empirical_risk=0.02).value
    text = run(*SAMPLES, "--training-error", 0.06).stdout  # more than the error wanted
    assert "the best is" in text


def test_the_error_after_so_many_examples(run):
    found = answers(run("theory", "error", "--vc", 3, "--examples", 10_000, "--delta", 0.05, "--json"))
    assert found["vc_bound"] == vc_bound(m=10_000, d=3, delta=0.05).value
    assert found["behw"] == behw.solve_for("epsilon", m=10_000, d=3, delta=0.05).value


def test_fewer_examples_than_the_dimension_have_no_answer(run):
    outcome = run("theory", "error", "--vc", 100, "--examples", 50, "--delta", 0.05, "--json")
    assert set(answers(outcome).values()) == {None}
    assert all(one["reason"] for one in json.loads(outcome.stdout)["answers"])


@each(
    ("bound", "unknown", "known"),
    [
        ("hoeffding_two_sided", "m", {"epsilon": 0.02, "delta": 0.05}),
        ("hoeffding_two_sided", "delta", {"epsilon": 0.02, "m": 1000}),
        ("vc_bound", "d", {"epsilon": 0.05, "delta": 0.01, "m": 100_000}),
        ("finite_consistent", "size", {"epsilon": 0.1, "delta": 0.05, "m": 200}),
    ],
)
def test_any_bound_for_any_quantity(run, bound, unknown, known):
    given = [f"{name}={value}" for name, value in known.items()]
    found = answers(run("theory", "solve", bound, unknown, *given, "--json"))
    assert found == {bound: CATALOGUE[bound].solve_for(unknown, **known).value}


def test_every_bound_is_listed(run):
    text, document = run("theory", "bounds").stdout, json.loads(run("theory", "bounds", "--json").stdout)
    assert all(name in text for name in CATALOGUE)
    assert {one["bound"] for one in document["bounds"]} == set(CATALOGUE)


@each(("suffix", "start"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_a_plot_on_request(run, tmp_path, suffix, start):
    path = tmp_path / f"samples{suffix}"
    outcome = run(*SAMPLES, "--plot", path)
    assert outcome.exit_code == 0
    assert str(path) in outcome.stdout
    assert path.read_bytes().startswith(start)


def test_the_curve_passes_through_the_answer():
    question = Question("vc_bound", "m", {"epsilon": 0.05, "delta": 0.01, "d": 3})
    points = list(curve(question, "epsilon"))
    assert points[0][0] == pytest.approx(0.05 / 8)
    assert len(points) > 50
    for epsilon, m in points:
        assert vc_bound(m=m, d=3, delta=0.01).value <= epsilon < vc_bound(m=m - 1, d=3, delta=0.01).value
    by_examples = list(curve(Question("vc_bound", "epsilon", {"m": 5, "delta": 0.01, "d": 3}), "m"))
    assert [m for m, _ in by_examples] == sorted({m for m, _ in by_examples})
    assert by_examples[0][0] == 3  # below d the bound says nothing: a gap


@each(
    ("arguments", "says"),
    [
        (["samples", "--vc", 3, "--epsilon", 0, "--delta", 0.01], "0<x<=1"),
        (["samples", "--vc", 3, "--epsilon", "inf", "--delta", 0.01], "0<x<=1"),
        (["samples", "--vc", 3, "--epsilon", 0.1, "--delta", 0], "0<x<1"),
        (["samples", "--vc", 3, "--epsilon", 0.1, "--delta", 1], "0<x<1"),
        (["samples", "--vc", 0, "--epsilon", 0.1, "--delta", 0.1], "x>=1"),
        (["samples", "--epsilon", 0.1, "--delta", 0.1], "--vc"),
        (["samples", "--vc", 2, "--size", 3, "--epsilon", 0.1, "--delta", 0.1], "--size"),
        (["error", "--vc", 3, "--examples", 0, "--delta", 0.1], "x>=1"),
        (["error", "--size", 0, "--examples", 10, "--delta", 0.1], "x>=1"),
        (["solve", "no_bound", "m", "delta=0.1"], "learnable theory bounds"),
        (["solve", "hoeffding", "m", "delta=0.1"], "epsilon"),
        (["solve", "hoeffding", "m", "delta=2", "epsilon=0.1"], "delta"),
        (["solve", "hoeffding", "m", "delta=nan", "epsilon=0.1"], "delta"),
        (["solve", "hoeffding", "m", "delta"], "NAME=VALUE"),
        (["solve", "hoeffding", "m", "delta=x"], "not a number"),
        (["solve", "hoeffding", "m", "delta=0.1", "epsilon=0.1", "--over", "m"], "--over m"),
        (["samples", "--vc", 3, "--epsilon", 0.1, "--delta", 0.1, "--plot", "x.txt"], ".svg"),
    ],
)
def test_bad_input(run, tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    outcome = run("theory", *arguments)
    assert outcome.exit_code == 2
    assert says in outcome.output
    assert list(tmp_path.iterdir()) == []


@each("option", ["--epsilon", "--delta", "--training-error"])
def test_nan_is_no_number(run, option):
    given = {"--epsilon": "0.1", "--delta": "0.1", "--training-error": "0.1", option: "nan"}
    outcome = run("theory", "samples", "--vc", 3, *(part for pair in given.items() for part in pair))
    assert outcome.exit_code == 2
    assert "nan is not a number" in outcome.stderr

"""Every contender solves the problem it is given: at its tightest rung it reaches the common accuracy."""

import functools
import importlib
import shutil
import subprocess
import warnings

import pytest
from benchmarks.accuracy import YARDSTICKS, measure
from benchmarks.cases_naive_bayes import builder as naive_bayes
from benchmarks.field import LADDER, OURS, contenders
from benchmarks.problems import CASES, Problem
from tests.cases import each

TINY = 0.005
# Tight, but within what float64 allows to a solver that stops by its own rule.
TIGHT = LADDER[-5]
LIBRARY = {"glum": "glum", "glum categorical": "glum", "celer": "celer", "skglm": "skglm"}
# scikit-learn's lbfgs stops on a flat objective well before a gradient of 1e-8: in the race it is marked as such.
CANNOT = {"scikit-learn lbfgs"}


@functools.cache
def tiny(case):
    return case.build(TINY)


ENTRIES = [(case, contender) for case in CASES for contender in contenders(tiny(case))]


@functools.cache
def has_glmnet() -> bool:
    command = shutil.which("Rscript")
    ask = "quit(status = !requireNamespace('glmnet', quietly = TRUE))"
    return command is not None and subprocess.run([command, "-e", ask], check=False).returncode == 0


@each(("case", "contender"), ENTRIES, ids=[f"{contender.name}-{case.name}" for case, contender in ENTRIES])
def test_a_contender_reaches_the_target(case, contender):
    if contender.name in LIBRARY:
        pytest.importorskip(LIBRARY[contender.name])
    if contender.name == "glmnet" and not has_glmnet():
        pytest.skip("R with its package glmnet is not installed")
    problem = tiny(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the rivals' own
        answer = contender.load()(problem, min(TIGHT, contender.ladder[-1]) if contender.ladder[-1] else 0.0)
    assert answer.coef.shape == (len(problem.alphas), problem.X.shape[1])
    assert answer.intercept.shape == (len(problem.alphas),)
    target = YARDSTICKS[problem.family].target
    assert measure(problem, answer) <= (1e-4 if contender.name in CANNOT else target)


def test_ours_runs_in_every_race_and_first():
    for case in CASES:
        field = contenders(tiny(case))
        assert field[0].name == OURS
        assert len({one.name for one in field}) == len(field) > 2


def test_every_adapter_file_names_its_functions():
    for case in CASES:
        for one in contenders(tiny(case)):
            module, function = one.adapter.split(":")
            assert callable(getattr(importlib.import_module(module), function))


def test_an_unknown_family_is_refused():
    with pytest.raises(ValueError, match="families are"):
        contenders(Problem("quantile", None, None, None))


@each("adapter", ["ours_naive_bayes", "rival_sklearn_naive_bayes", "rival_numpy_naive_bayes"])
def test_a_prediction_is_of_the_problem_given_even_where_an_earlier_one_lay_in_memory(adapter):
    """A problem let go leaves its address to the next: what is kept between calls must not go by addresses."""
    answer = importlib.import_module(f"benchmarks.{adapter}").answer
    parts = [tuple(naive_bayes(kind, "predict")(TINY)) for kind in ("Gaussian", "categorical")]
    for part in parts * 3:
        problem = Problem(*part)
        given = answer(problem, 0.0)
        del problem
        assert measure(Problem(*part), given) == 0.0

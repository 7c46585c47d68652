"""L1 logistic regression: the gap that judges everyone, who is raced, and what a limit does."""

import json
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from benchmarks.__main__ import main
from benchmarks.field import OURS
from benchmarks.sparse_logistic import (
    TARGET,
    contenders,
    duality_gap,
    logistic_race,
    logistic_table,
    problems,
)
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

FIELD = [OURS, "liblinear", "saga", "celer", "skglm"]


def dense():
    return next(problem for problem in problems(0.02) if problem.name.startswith("dense"))


def objective(problem, coef):
    return np.logaddexp(0.0, -problem.y * (problem.X @ coef)).mean() + problem.alpha * np.abs(coef).sum()


def test_the_gap_bounds_the_distance_to_the_optimum():
    problem = dense()
    p = problem.X.shape[1]
    # β = u − v with u, v ≥ 0 makes it smooth: an optimiser of its own.
    split = minimize(
        lambda w: np.logaddexp(0.0, -problem.y * (problem.X @ (w[:p] - w[p:]))).mean() + problem.alpha * w.sum(),
        np.zeros(2 * p),
        bounds=[(0.0, None)] * (2 * p),
        options={"ftol": 1e-14, "gtol": 1e-10, "maxiter": 10_000, "maxfun": 10**6},
    )
    best = split.x[:p] - split.x[p:]
    assert duality_gap(problem, best) <= 1e-6
    random = np.random.default_rng(0)
    for size in (0.0, 1e-3, 0.1, 1.0):
        coef = best + size * random.standard_normal(p)
        assert duality_gap(problem, coef) >= objective(problem, coef) - split.fun - 1e-12


def test_everyone_is_raced_to_the_gap():
    rows = list(logistic_race(0.02, turns=1, limit=np.inf, only="dense"))
    assert [row.contender for row in rows] == FIELD
    # Rivals are installed for the race only; whoever is not here is told so.
    absent = {name for name in ("celer", "skglm") if find_spec(name) is None}
    assert {row.contender: row.note for row in rows if row.note} == {name: f"not installed: {name}" for name in absent}
    for row in rows:
        if row.note:
            continue
        assert row.gap <= TARGET
        assert min(row.wall, row.processor) > 0.0
    assert logistic_table(rows).row_count == len(FIELD)


def test_softmax_is_raced_to_a_gap_that_bounds_the_distance_to_the_optimum():
    rows = list(logistic_race(0.1, turns=1, limit=np.inf, only="softmax, wine"))
    assert [row.contender for row in rows] == [OURS, "saga"]
    assert all(row.gap <= TARGET and not row.note for row in rows)
    problem = next(problem for problem in problems(0.1) if problem.name.startswith("softmax, wine"))
    best, random = contenders(problem)[OURS](1e-10), np.random.default_rng(0)

    def cost(coef):
        loss = logsumexp(problem.X @ coef.T, axis=1) - (problem.X @ coef.T)[np.arange(len(problem.y)), problem.y]
        return loss.mean() + problem.alpha * np.abs(coef).sum()

    for size in (0.0, 1e-3, 0.1, 1.0):
        coef = best + size * random.standard_normal(best.shape)
        assert duality_gap(problem, coef) >= cost(coef) - cost(best) - 1e-12


def test_whoever_does_not_get_there_is_told_with_what_was_reached(monkeypatch):
    from benchmarks import sparse_logistic

    def absent(tol):
        raise ModuleNotFoundError(name="rival")

    def tired(tol):
        if tol < 0.01:
            warnings.warn("rounds made", ConvergenceWarning, stacklevel=2)
        return np.zeros(problem.X.shape[1])

    problem = dense()
    field = contenders(problem)
    lazy = {
        OURS: field[OURS],
        "lazy": lambda tol: np.zeros(problem.X.shape[1]),
        "absent": absent,
        "tired": tired,
    }
    monkeypatch.setattr(sparse_logistic, "contenders", lambda problem: lazy)
    ours, slow, missing, spent = logistic_race(0.02, turns=1, limit=np.inf, only="dense")
    assert ours.note == ""
    assert spent.note.startswith("all its rounds made, in ")
    assert spent.tol == pytest.approx(1e-3)
    assert (slow.note, slow.gap) == ("not reached with any tolerance", duality_gap(problem, lazy["lazy"](0.1)))
    assert missing.note == "not installed: rival"
    assert np.isnan(slow.wall)
    assert [row.note for row in logistic_race(0.02, 1, 0.0, "dense")][1] == "not reached in 0 s"


def test_the_command_prints_the_chosen_problem_and_writes_json(tmp_path, capsys):
    file = tmp_path / "logistic.json"
    chosen = ["--only", "dense", "--turns", "1", "--threads", "1", "--json", str(file)]
    assert main(["sparse-logistic", "--quick", *chosen]) == 0
    assert "skglm" in capsys.readouterr().out
    rows = json.loads(file.read_text())["sparse-logistic"]
    assert [row["contender"] for row in rows] == FIELD
    assert all(row["problem"].startswith("dense") for row in rows)

"""The race itself, with contenders whose behaviour is known."""

import pickle
from pathlib import Path

import pytest
from benchmarks.field import LADDER, Contender
from benchmarks.problems import Case, least_squares
from benchmarks.race import Course, race, tune
from benchmarks.runner import Failed, TooSlow, environment, thread_settings
from tests.benchmarks import fakes

from benchmarks import race as race_module

TARGET = 1e-5


@pytest.fixture
def fake(monkeypatch, forked):
    """Contenders from `fakes.py`, found by the processes of the race as well."""
    monkeypatch.setattr(race_module, "Runner", forked)
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    for name, value in thread_settings(1).items():
        monkeypatch.setenv(name, value)
    return lambda function, ladder=LADDER: Contender(function, f"fakes:{function}", ladder)


@pytest.fixture
def problem_file(tmp_path):
    file = tmp_path / "problem.pickle"
    file.write_bytes(pickle.dumps(least_squares(0.001)))
    return file


def test_tuning_finds_the_loosest_rung_that_reaches_the_target(fake, problem_file):
    result = tune(fake("off_by_tol"), problem_file, TARGET * 1.01, limit=60.0)
    assert result.tol == 1e-5
    assert result.accuracy == pytest.approx(1e-5, rel=0.01)
    assert result.note == ""


def test_a_target_that_is_missed_is_told_with_the_figure_reached(fake, problem_file):
    result = tune(fake("off_by_tol", (1e-2, 1e-3)), problem_file, TARGET, limit=60.0)
    assert result.tol is None
    assert result.accuracy == pytest.approx(1e-3, rel=0.01)
    assert result.note == "not reached"


@pytest.fixture
def impatient(forked):
    """Waits as long as it takes, but not for the answers that never come."""

    class Impatient(forked):
        def run(self, tol, *given, **named):
            self.limit = 0.5 if tol < fakes.TIGHT else 3600.0
            return super().run(tol, *given, **named)

    return Impatient


def test_a_rung_that_is_too_slow_is_ended_and_a_looser_one_tried(fake, problem_file, impatient, monkeypatch):
    monkeypatch.setattr(race_module, "Runner", impatient)
    result = tune(fake("late_when_tight"), problem_file, 2e-3, limit=60.0)
    assert result.tol == 1e-3


def test_an_answer_that_is_not_finite_never_reaches(fake, problem_file):
    result = tune(fake("not_finite", (0.0,)), problem_file, TARGET, limit=60.0)
    assert (result.tol, result.accuracy, result.note) == (None, float("inf"), "not reached")


def test_what_is_not_installed_and_what_breaks_say_so(fake, problem_file):
    missing = tune(Contender("absent", "no_such_library:fit"), problem_file, TARGET, limit=60.0)
    assert missing.note == "not installed: no_such_library"
    assert tune(fake("broken"), problem_file, TARGET, limit=60.0).note == "ArithmeticError: no luck"


def test_a_runner_starts_afresh_after_a_late_call(fake, problem_file, impatient):
    with impatient(fake("late_when_tight"), problem_file, limit=60.0) as runner:
        with pytest.raises(TooSlow, match=r"no answer in 0\.5 s"):
            runner.run(1e-9)
        assert len(runner.run(1e-2).seconds) == 1


def test_a_burst_repeats_short_fits_and_no_longer_than_asked(fake, problem_file, forked):
    with forked(fake("says_a_quarter_second"), problem_file, limit=60.0) as runner:
        fits = [len(runner.run(0.0, for_seconds=asked).seconds) for asked in (1.0, 1.1)]
        assert [*fits, len(runner.run(0.0).seconds)] == [4, 5, 1]


def test_the_first_call_is_cold_and_the_others_warm(fake, monkeypatch):
    entrants = (fake("says_which_call", (0.0,)), fake("exact", (0.0,)), fake("broken", (0.0,)))
    monkeypatch.setattr(race_module, "contenders", lambda problem: entrants)
    results = {r.contender: r for r in race(Case("tiny", least_squares), Course(scale=0.001, turns=2, limit=60.0))}
    assert list(results) == ["says_which_call", "exact", "broken"]
    calls = results["says_which_call"]
    assert (calls.cold, calls.warm) == (1, (2, 3))
    assert results["broken"].warm == ()
    assert results["broken"].note == "ArithmeticError: no luck"


def test_an_environment_is_given_back(monkeypatch):
    import os

    monkeypatch.setenv("LEARNABLE_TRIAL", "before")
    with environment(LEARNABLE_TRIAL="inside", LEARNABLE_TRIAL_2="new"):
        assert (os.environ["LEARNABLE_TRIAL"], os.environ["LEARNABLE_TRIAL_2"]) == ("inside", "new")
    assert os.environ["LEARNABLE_TRIAL"] == "before"
    assert "LEARNABLE_TRIAL_2" not in os.environ


def test_failures_are_one_family():
    assert issubclass(TooSlow, Failed)

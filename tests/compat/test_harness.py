"""The harness that runs scikit-learn's tests with our classes: what it swaps, counts, excuses and refuses."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from compat.exceptions import Excepted, read_exceptions
from compat.places import FILES, PLACES, ours
from compat.tally import Tally, Verdict
from tests.cases import each

ROOT = Path(__file__).parents[2]


def tally_of(*verdicts: Verdict) -> Tally:
    tally = Tally()
    tally.verdicts = {verdict.test: verdict for verdict in verdicts}
    return tally


PASSED = Verdict("test_a.py::test_fit[1]", "passed", ("Ridge",), "")
FAILED = Verdict("test_a.py::test_fit[2]", "failed", ("Ridge", "Lasso"), "AssertionError")
SKIPPED = Verdict("test_a.py::test_gpu", "skipped", (), "")
FOREIGN = Verdict("test_a.py::test_other", "passed", (), "")


def test_a_failure_counts_unless_it_is_listed():
    tally = tally_of(PASSED, FAILED)
    assert tally.unexpected_failures([]) == [FAILED]
    assert tally.unexpected_failures([Excepted("test_a.py::test_fit[1]", "")]) == [FAILED]
    assert tally.unexpected_failures([Excepted("test_a.py::test_fit", "")]) == []


def test_only_tests_that_fit_one_of_ours_are_counted():
    assert tally_of(PASSED, FAILED, SKIPPED, FOREIGN).counted == [PASSED, FAILED]


def test_an_exception_that_nothing_needs_is_reported():
    tally = tally_of(PASSED, FAILED)
    one, two = Excepted("test_a.py::test_fit[1]", ""), Excepted("test_a.py::test_fit[2]", "")
    assert tally.passing_although_listed([one]) == [PASSED.test]
    assert tally.needless([one, two]) == [one]


def test_rates_are_per_class():
    lines = {line.split()[0]: line.split()[1:] for line in tally_of(PASSED, FAILED).table([]).splitlines()}
    assert lines["Ridge"] == ["2", "1", "0", "1", "50.0%", "50.0%"]
    assert lines["Lasso"] == ["1", "0", "0", "1", "0.0%", "0.0%"]
    private = Excepted("test_a.py::test_fit[2]", "reads _coef", private=True)
    line = next(line for line in tally_of(PASSED, FAILED).table([private]).splitlines() if line.startswith("Ridge"))
    assert line.split()[1:] == ["2", "1", "1", "0", "50.0%", "100.0%"]
    assert lines["Perceptron"][0] == "0"


@each(
    ("pattern", "test", "covered"),
    [
        ("f.py::t", "f.py::t", True),
        ("f.py::t", "f.py::t[a-b]", True),
        ("f.py::t", "f.py::tt", False),
        ("f.py::t[*-b]", "f.py::t[a-b]", True),
        ("f.py::t[*-b]", "f.py::t[a-bb]", False),
        ("f.py::t[a.b]", "f.py::t[axb]", False),
    ],
)
def test_patterns(pattern, test, covered):
    assert Excepted(pattern, "").covers(test) is covered


def test_every_exception_has_a_reason_and_names_a_known_file():
    exceptions = read_exceptions()
    files = {name.rpartition(".")[2] + ".py" for name in FILES}
    assert all(len(e.reason) > 20 and e.pattern.partition("::")[0] in files for e in exceptions)
    assert len({e.pattern for e in exceptions}) == len(exceptions)


def test_an_entry_without_a_reason_is_refused(tmp_path):
    path = tmp_path / "exceptions.toml"
    path.write_text('[[exception]]\ntests = ["f.py::t"]\n')
    with pytest.raises(ValueError, match="reason"):
        read_exceptions(path)


def test_our_classes_keep_the_names():
    assert {name: kind.__name__ for name, kind in ours().items()} == {name: name for name in PLACES}


def run(*arguments: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "compat", "-n0", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def test_the_run_itself():
    """A handful of real tests: ours is fitted, a listed failure is excused, the exit status says so."""
    done = run(
        FILES[0], "-k", "test_raises_value_error_if_sample_weights_greater_than_1d or test_inplace_data_preprocessing"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("LinearRegression"))
    tests, passed, listed, failed, _ = line.split()[1:]
    assert int(tests) == int(passed) + int(listed)
    assert int(passed) > 0
    assert int(listed) == 2
    assert failed == "0"

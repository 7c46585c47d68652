"""The installed command as a process of its own: exit codes, interruption, pipes, what `--help` imports."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import csv as arrow

COMMAND = [sys.executable, "-m", "learnable"]


def run(*arguments, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False, **options
    )


def test_learn_here_certify_there(table_file, tmp_path):
    few = ["--learner", "linear discriminant"]
    learned = run("learn", table_file, "--target", "sold", "--drop", "price", "--out", tmp_path, "--json", *few)
    assert learned.returncode == 0, learned.stderr
    assert learned.stderr == ""
    assert json.loads(learned.stdout)["files"]["model"] == str(tmp_path / "model.skops")
    certified = run("certify", tmp_path / "model.skops", table_file)
    assert certified.returncode == 0, certified.stderr
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_user_error_is_one_line_and_exit_code_2(table_file):
    outcome = run("learn", table_file, "--target", "nothing", "--dry-run")
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("learnable: --target: no column 'nothing'")
    assert len(outcome.stderr.splitlines()) == 1


HEAVY = {
    "numpy",
    "scipy",
    "sklearn",
    "numba",
    "rich",
    "pyarrow",
    "pandas",
    "matplotlib",
    "jinja2",
    "skops",
    "torch",
    "dask",
}


def imported(statements):
    """The heavy packages that Python statements import."""
    probe = f"import sys; {statements}; print('imported', *({HEAVY!r} & set(sys.modules)))"
    outcome = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=300, check=False)
    assert outcome.returncode == 0, outcome.stderr
    return outcome.stdout, set(outcome.stdout.splitlines()[-1].split()[1:])


def test_help_imports_nothing_heavy():
    said, heavy = imported("from learnable.app.cli import cli; cli.main(['--help'], standalone_mode=False)")
    assert heavy == set()
    assert "Exit codes" in said


def test_the_work_begins_before_anything_heavier_than_numpy_is_imported():
    asked = "from learnable.app import learn; learn.pose(learn.read(learn.Options()), learn.Options())"
    assert imported(asked)[1] <= {"numpy", "pyarrow"}


def test_showing_a_model_builds_nothing(trained):
    asked = ["show", str(trained / "model.skops")]
    shown = imported(f"from learnable.app.cli import cli; cli.main({asked!r}, standalone_mode=False)")
    assert shown[1] == {"numpy", "rich"}


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("moment", ["reading", "tuning"])
def test_ctrl_c_stops_at_once_and_leaves_the_old_report(tmp_path, moment):
    size = {"reading": (20_000, 30), "tuning": (3_000, 30)}[moment]  # what goes on at that moment takes its time
    rows = np.random.default_rng(0).normal(size=size).astype(np.float32)
    table = tmp_path / "table.csv"
    arrow.write_csv(pyarrow.table({f"x{j}": column for j, column in enumerate(rows.T)}), table)
    (tmp_path / "report.html").write_text("old report")
    arguments = ["learn", str(table), "--target", "x0", "--out", str(tmp_path)]
    with subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if moment in line and "mean" not in line:
                break
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=300)
    assert process.returncode == 130, rest
    assert "interrupted" in rest
    assert "Traceback" not in rest
    # Nothing is begun any more: not one of the stages after this one.
    assert "..." not in rest.split("interrupted")[1]
    assert len([line for line in rest.splitlines() if line.endswith("...")]) <= 1, rest
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "table.csv"]
    assert (tmp_path / "report.html").read_text() == "old report"


@pytest.mark.skipif(sys.platform == "win32", reason="uses a POSIX shell")
def test_a_closed_pipe_is_no_stack_trace_and_predicting_imports_what_it_predicts_with(trained):
    command = f"{sys.executable} -X importtime -m learnable predict"  # tells on stderr what it imports
    line = f"{command} {trained / 'model.skops'} {trained / 'table.csv'} | head -1"
    outcome = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, timeout=300, check=False)
    assert outcome.stdout.startswith("predicted sold")
    assert "Traceback" not in outcome.stderr
    found = {said.rpartition("|")[2].strip() for said in outcome.stderr.splitlines() if said.startswith("import time:")}
    assert "numpy" in found
    assert not found & {"skops", "dask", "matplotlib", "torch"}


@pytest.mark.skipif(sys.platform == "win32", reason="uses a POSIX shell")
def test_a_closed_or_full_stdout_is_one_line(trained):
    def show(options, redirection):
        line = f"{sys.executable} -m learnable show {options} {trained / 'model.skops'} {redirection}"
        return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, timeout=300, check=False)

    closed = show("", ">&-")
    assert (closed.returncode, closed.stderr) == (0, "")
    if Path("/dev/full").is_char_device():
        full = show("--json", ">/dev/full")
        assert (full.returncode, full.stderr) == (2, "learnable: cannot write to stdout: No space left on device\n")

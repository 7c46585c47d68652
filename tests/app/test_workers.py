"""Tasks over threads: order, failure, time limit, interruption."""

import subprocess
import sys
import threading
import time

import pytest
from tests.cases import each

from learnable.app.errors import TimeUp
from learnable.app.trials.workers import Deadline, run_tasks

FOREVER = Deadline(None)


@each("jobs", [1, 2, 7])
def test_results_come_in_the_order_of_the_tasks(jobs):
    def task(number):
        time.sleep(0.002 * (number % 3))
        return number

    assert run_tasks([lambda n=n: task(n) for n in range(20)], jobs, FOREVER) == list(range(20))


def test_every_finished_task_is_reported_once():
    seen = []
    run_tasks([int] * 5, 2, FOREVER, lambda: seen.append(threading.current_thread()))
    assert seen == [threading.main_thread()] * 5


def test_the_exception_of_a_task_is_raised_and_the_rest_is_dropped():
    ran = []

    def fail():
        raise ZeroDivisionError("by a task")

    gate = threading.Event()

    def later():
        ran.append(1)
        gate.wait()

    with pytest.raises(ZeroDivisionError, match="by a task"):
        run_tasks([fail, *[later] * 50], 1, FOREVER)
    gate.set()
    time.sleep(0.1)  # for the tasks that were not dropped, if there are any
    assert len(ran) <= 1


def test_a_task_that_runs_on_does_not_hold_up_the_time_limit():
    gate, ended = threading.Event(), threading.Event()
    with pytest.raises(TimeUp):
        run_tasks([lambda: (gate.wait(), ended.set())], 1, Deadline(0.1))
    assert not ended.is_set()
    gate.set()
    ended.wait()


def test_nothing_starts_after_the_deadline():
    with pytest.raises(TimeUp):
        run_tasks([lambda: pytest.fail("started")], 1, Deadline(0))


def test_a_process_that_ends_waits_for_work_that_was_given_up(tmp_path):
    code = f"""
import atexit
import threading
import time
from pathlib import Path
from learnable.app.errors import TimeUp
from learnable.app.trials.workers import Deadline, run_tasks

begun, ending = [], threading.Event()
atexit.register(ending.set)

def late():
    begun.append(True)
    ending.wait()
    time.sleep(0.2)
    Path({str(tmp_path / "done")!r}).touch()

while not begun:
    try:
        run_tasks([late], 1, Deadline(0.1))
    except TimeUp:
        pass
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert (tmp_path / "done").exists()

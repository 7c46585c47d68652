"""Tasks over threads: order, failure, time limit, interruption."""

import threading
import time

import pytest

from learnable.app.errors import TimeUp
from learnable.app.workers import Deadline, run_tasks

FOREVER = Deadline(None)


@pytest.mark.parametrize("jobs", [1, 2, 7])
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

    def later():
        time.sleep(0.05)
        ran.append(1)

    with pytest.raises(ZeroDivisionError, match="by a task"):
        run_tasks([fail, *[later] * 50], 1, FOREVER)
    time.sleep(0.15)
    assert len(ran) <= 2


def test_a_task_that_runs_on_does_not_hold_up_the_time_limit():
    gate = threading.Event()
    start = time.monotonic()
    with pytest.raises(TimeUp):
        run_tasks([gate.wait], 1, Deadline(0.1))
    gate.set()
    assert time.monotonic() - start < 2


def test_nothing_starts_after_the_deadline():
    with pytest.raises(TimeUp):
        run_tasks([lambda: pytest.fail("started")], 1, Deadline(0))

"""Processor time of the tests, folder by folder: `make cpu`, or any pytest with `-p scripts.processor_time`.

The time of a process that a test starts is counted in the test that waits for its end. What is left over is the start
of the processes that run the tests, and their reading of the test files.
"""

import os
from collections import Counter

import pytest

NAME = "processor seconds"
_taken: Counter[str] = Counter()
_all = _last = 0.0


def _so_far() -> float:
    return sum(os.times()[:4])


def pytest_collection_finish():
    global _last
    _last = _so_far()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Every part of a test (what it needs, itself, what it leaves) carries the time since the part before it."""
    global _last
    report = yield
    now = _so_far()
    report.user_properties.append((NAME, now - _last))
    _last = now
    return report


def pytest_runtest_logreport(report):
    folder = "/".join(report.nodeid.partition("::")[0].split("/")[:2])
    _taken[folder] += dict(report.user_properties).get(NAME, 0.0)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """A worker of pytest-xdist hands its time to the process that prints."""
    global _all
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[NAME] = _so_far()
    else:  # whose ended workers have told theirs
        _all += sum(os.times()[:2]) if _all else _so_far()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    global _all
    _all += getattr(node, "workeroutput", {}).get(NAME, 0.0)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.section(NAME)
    for folder, seconds in _taken.most_common():
        terminalreporter.write_line(f"{seconds:8.1f}  {folder}")
    terminalreporter.write_line(f"{_all - _taken.total():8.1f}  start and collection")
    terminalreporter.write_line(f"{_all:8.1f}  in all, {_all / 60:.1f} minutes")

"""Shared by the tests of the benchmarks."""

import pytest
from benchmarks.runner import Runner


@pytest.fixture
def forked(workers_are_forks):
    """A runner whose process is a fork of the one that all tests share, and need not import everything anew."""
    from multiprocessing import forkserver

    forkserver.ensure_running()  # with what the tests want imported, and not all contenders

    class Forked(Runner):
        def __init__(self, contender, problem_file, limit, ready=True):
            super().__init__(contender, problem_file, limit, ready=True)

    return Forked

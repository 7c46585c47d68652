"""Shared by the tests of the lab."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def _processes_begin_quickly(workers_are_forks):
    """There is one process that forks, and what it has imported is settled when it starts: not by the lab alone."""
    from multiprocessing import forkserver

    forkserver.ensure_running()

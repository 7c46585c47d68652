"""Shared by the tests of rows: how the workers of a cluster begin."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def _workers_are_forks_of_one_process():
    """A worker takes seconds to import what it needs; here one process does it for all, and they are its forks."""
    from multiprocessing import forkserver

    import dask
    from distributed.utils import get_mp_context

    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        get_mp_context().set_forkserver_preload(["distributed", "dask.array", "sklearn.base", "numba"])
        yield
    forkserver._forkserver._stop()

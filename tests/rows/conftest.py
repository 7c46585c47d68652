"""Shared by the tests of rows."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def _clusters_begin_quickly(workers_are_forks):
    """Several files start clusters."""

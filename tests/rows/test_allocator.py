"""Memory that stays with a worker while sums run."""

import subprocess
import sys

import pytest

# Both settings are asked of the C library by what it does: a large array that is freed is or is not given back.
PROGRAM = """
import resource
import numpy as np
from learnable.rows.allocator import memory_kept

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        np.ones(2**18)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

first = faults()
with memory_kept():
    with memory_kept():
        pass
    kept = faults()
print(first, kept, faults())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the setting of dask's workers is one of Linux's C library")
def test_where_dask_tells_the_c_library_to_give_memory_back_sums_keep_it_while_they_last():
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env={"MALLOC_TRIM_THRESHOLD_": "65536", "PATH": "", "PYTHONPATH": ":".join(sys.path)},
    )
    before, kept, after = map(int, found.stdout.split())
    assert kept < before / 4
    assert kept < after / 4

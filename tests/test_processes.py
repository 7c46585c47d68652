"""Fits in several processes."""

# joblib replaces a worker that has grown by 300 MB, and warns where there is work left. It looks a second after the
# worker began, not before: here one that has grown by 10 MB is replaced after every task but its first.
GROWING = """
import builtins, warnings
import numpy as np
from joblib.externals.loky import process_executor
from learnable.processes import in_processes

def grow(task):
    assert process_executor._MAX_MEMORY_LEAK_SIZE and process_executor._MEMORY_LEAK_CHECK_DELAY  # still so called
    process_executor._MAX_MEMORY_LEAK_SIZE, process_executor._MEMORY_LEAK_CHECK_DELAY = 10_000_000, -1.0
    vars(builtins).setdefault("kept", []).append(np.ones(2_500_000))
    return task

warnings.simplefilter("error")
print(list(in_processes(grow, [(task,) for task in range(4)], n_jobs=2)))
"""


def test_a_worker_that_is_replaced_leaves_nobody_waiting_where_warnings_are_errors(said):
    assert said(GROWING).strip() == str(list(range(4)))
